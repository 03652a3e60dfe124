import { spawn } from "node:child_process";
import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../helpers/cli.ts";
import { giveMinutes } from "../helpers/factories.ts";
import { startHosted } from "../helpers/hosted.ts";
import { eachOwnerFixture, named } from "../helpers/owner-fixture.ts";
import { program } from "../helpers/process.ts";
import { stubServer } from "../helpers/stub-server.ts";

const fixture = eachOwnerFixture(100_000);
let folder: string;
let file: string;

beforeEach(() => {
  folder = testFolder();
  file = join(folder, "orders.csv");
});

const write = (text: string, encoding: BufferEncoding = "utf8") =>
  writeFileSync(file, text.replaceAll("GAME", fixture.gameId), encoding);
const bulk = (flags = "--yes", options = {}) => fixture.run(`bulk ${file} ${flags}`.trim(), options);
const rename = (name: string) => {
  renameSync(file, join(folder, name));
  file = join(folder, name);
};
const result = async (flags = "--yes") => {
  const { code, stdout, stderr } = await bulk(`${flags} --json`);
  return { code, stderr, ...JSON.parse(stdout).result };
};
const playtests = async (): Promise<{ quantity: number; durationMinutes: number; notesForTesters: string | null }[]> =>
  (await fixture.owner.get(`/games/${fixture.gameId}/playtests?limit=100`)).body.data.playtests;
const balance = async () => (await fixture.owner.get("/billing/balance")).body.data.balanceCents;

const three = 'game,ref,quantity,durationMinutes,notesForTesters\nGAME,a,1,30,\nGAME,b,2,60,"Loud,\nplease"\nGAME,c,3,120,\n';

describe("bulk", () => {
  it.each([
    ["CSV", "orders.csv", three],
    [
      "YAML",
      "orders.yaml",
      "# Friday\n- {game: GAME, ref: a, durationMinutes: 30}\n- game: GAME\n  ref: b\n  quantity: 2\n  notesForTesters: |-\n    Loud,\n    please\n- {game: GAME, ref: c, quantity: 3, durationMinutes: 120}\n",
    ],
    [
      "NDJSON",
      "orders.ndjson",
      '{"game":"GAME","ref":"a","durationMinutes":30}\n\n{"game":"GAME","ref":"b","quantity":2,"notesForTesters":"Loud,\\nplease"}\n{"game":"GAME","ref":"c","quantity":3,"durationMinutes":120}\n',
    ],
  ])("orders one playtest for each row of %s", async (_, name, text) => {
    file = join(folder, name);
    write(text);
    const done = await result();
    expect(done).toMatchObject({ code: 0, ordered: 3, skipped: 0, failed: 0, left: 0, spentCents: 16_000 });
    expect(
      done.orders.map(({ ref, cents, status, paidWith }: Record<string, unknown>) => [ref, cents, status, paidWith]),
    ).toEqual([
      ["a", 1_500, "active", "credit"],
      ["b", 4_000, "active", "credit"],
      ["c", 10_500, "active", "credit"],
    ]);
    expect((await playtests()).find(({ quantity }) => quantity === 2)).toMatchObject({ notesForTesters: "Loud,\nplease" });
    expect(await balance()).toBe(84_000);
  });

  it("orders nothing at another price than was shown", async () => {
    const gate = await startHosted(fixture.server.baseUrl);
    gate.extend();
    // The price rises after the plan was made.
    gate.hooks.interfere = ({ path }, { raw, ...rest }) =>
      path.endsWith("/quote")
        ? { ...rest, raw: `${raw}`.replace('"costPerSlotCents":1500', '"costPerSlotCents":1400') }
        : undefined;
    write(three);
    const { code, stdout } = await bulk("--max-cost 500 --json", { baseUrl: gate.baseUrl });
    await gate.close();
    const { ordered, failures } = JSON.parse(stdout).result;
    expect([code, ordered, failures]).toEqual([
      11,
      2,
      [expect.objectContaining({ ref: "a", code: "CONFLICT", message: expect.stringContaining("$15.00") })],
    ]);
    expect(await balance()).toBe(100_000 - 4_000 - 10_500);
  });

  const notes = '"Loud,\r\nplease; ""now"""';
  it.each([
    ["Excel", `\ufeffgame,ref,quantity,notesForTesters\r\nGAME,1/3/26,2,${notes}\r\n,,,\r\n\r\n`],
    ["Excel where commas are decimal", `\ufeffgame;ref;quantity;notesForTesters;;\r\nGAME;1/3/26;2;${notes};;\r\n;;;;;\r\n`],
    ["Excel with its own first line", `sep=;\r\ngame;ref;quantity;notesForTesters\r\nGAME;1/3/26;2;${notes}\r\n`],
    ["Excel as Unicode text", `\ufeffgame\tref\tquantity\tnotesForTesters\r\nGAME\t1/3/26\t2\t${notes}\r\n`, "utf16le"],
    ["LibreOffice and Numbers", `game,ref,quantity,notesForTesters\nGAME,1/3/26,2,${notes.replace("\r", "")}\n,,,\n`],
  ] as [string, string, BufferEncoding?][])("reads a spreadsheet saved by %s", async (_, text, encoding) => {
    write(text, encoding);
    const done = await result();
    expect(done).toMatchObject({ code: 0, ordered: 1, orders: [{ ref: "1/3/26", slots: 2 }] });
    expect(await playtests()).toMatchObject([{ quantity: 2, notesForTesters: 'Loud,\nplease; "now"' }]);
  });

  it("reads standard input, takes the game from a flag, and gives out keys", async () => {
    const stdin = "quantity,playerCount,keysForTesters,isFreePublicTrial\n1,2,AAA BBB,no\n";
    const ran = await fixture.run(`bulk - --game ${fixture.gameId} --yes --json --journal ${join(folder, "j")}`, { stdin });
    expect([ran.code, JSON.parse(ran.stdout).result.ordered]).toEqual([0, 1]);
    expect(readFileSync(join(folder, "j"), "utf8")).not.toContain("AAA");
  });

  it("says what it did, with rows for a program", async () => {
    write(three);
    const { stdout, stderr } = await bulk();
    expect(named(stdout, { GAME: fixture.gameId })).toMatchInlineSnapshot(`
      "2	a	GAME	UUID	active	1	$15.00	0	credit	
      3	b	GAME	UUID	active	2	$40.00	0	credit	
      5	c	GAME	UUID	active	3	$105.00	0	credit	
      "
    `);
    expect(stderr).toMatchInlineSnapshot(`
      "3 playtests ordered for $160.00; 0 already ordered, 0 failed, 0 left.
      "
    `);
  });

  it("narrows the result with --json=fields", async () => {
    write(three);
    expect(JSON.parse((await bulk("--yes --json=ordered,left")).stdout)).toEqual({ result: { ordered: 3, left: 0 } });
  });

  it("streams typed lines with --ndjson, the result last", async () => {
    write(three);
    const lines = (await bulk("--yes --ndjson")).stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ type }) => type)).toEqual(["item", "item", "item", "result"]);
    expect(lines[3]).toMatchObject({ ordered: 3, left: 0 });
  });
});

it("takes columns in any case and with spaces, and games by name; prints ref and id", async () => {
  write("Game,REF,Quantity,Duration Minutes,notes_for_testers,Cost center\nlantern deep,a,1,30,Loud,QA\nLANTERN-DEEP,b,2,60,,\n");
  const ran = await bulk("--yes --ignore-columns cost-center", {
    tty: { stdout: true },
    columns: 80,
    env: { PLAYTEST_CONFIG_DIR: folder },
  });
  expect(ran.code).toBe(0);
  const ids = (await playtests()).map((playtest) => (playtest as unknown as { id: string }).id);
  const rows = ran.stdout.trimEnd().split("\n");
  expect(rows[0]).toMatch(/^LINE +REF +GAME +PLAYTEST/);
  expect(rows.slice(1).map((row) => row.split(/ +/)[1])).toEqual(["a", "b"]);
  for (const id of ids) {
    expect(ran.stdout).toContain(id.slice(-8));
    expect((await fixture.run(`playtests show ${id.slice(-8)} --json`, { env: { PLAYTEST_CONFIG_DIR: folder } })).code).toBe(0);
  }
  expect(rows.filter((row) => row.length > 80)).toEqual([]);
});

describe("before the first row is sent", () => {
  it("shows the plan, and sends nothing", async () => {
    write(three);
    const { stdout, stderr, code } = await bulk("--plan", { tty: true, columns: 120 });
    expect(code).toBe(0);
    expect(named(stdout, { GAME: fixture.gameId })).toMatchInlineSnapshot(`
      "LINE  REF  GAME      STATUS   SLOTS  COST     MINUTES  PAY WITH
      2     a    GAME      planned  1      $15.00   0        credit
      3     b    GAME      planned  2      $40.00   0        credit
      5     c    GAME      planned  3      $105.00  0        credit
      "
    `);
    expect(stderr).toMatchInlineSnapshot(`
      "3 orders, 6 slots: $160.00; the balance is $1,000.00.
      "
    `);
    expect(await playtests()).toEqual([]);
  });

  it("plans hours first, then credit, as the server pays", async () => {
    await giveMinutes(fixture.server, fixture.owner, 150);
    write(three);
    const { rows, cents, minutes } = await result("--plan");
    expect({ cents, minutes }).toEqual({ cents: 10_500, minutes: 150 });
    // Each row costs hours or credit, never both, in the plan as in the result.
    const taken = (row: Record<string, unknown>) => [row.payWith ?? row.paidWith, row.cents, row.minutes];
    const expected = [
      ["hours", 0, 30],
      ["hours", 0, 120],
      ["credit", 10_500, 0],
    ];
    expect(rows.map(taken)).toEqual(expected);
    const placed = await result();
    expect(placed.orders.map(taken)).toEqual(expected);
    expect(placed).toMatchObject({
      spentCents: 10_500,
      spentMinutes: 150,
      orders: [{ paidWith: "hours" }, { paidWith: "hours" }, { paidWith: "credit" }],
    });
  });

  it("names every fault with its line", async () => {
    write(
      'game,quantity,durationMinutes,keysForTesters,isFreePublicTrial\nGAME,many,60,,\nGAME,1,45,,\n"GAME",2,60,"ONE\nTWO\nTHREE",\nGAME,1,30,,perhaps\n,1,60,,\nGAME,101,60,,\n',
    );
    const { code, stdout, stderr } = await bulk();
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.replace(folder, "FOLDER")).toMatchInlineSnapshot(`
      "error: FOLDER/orders.csv has 6 errors. Nothing was ordered.
        line 2: quantity: "many" is not a whole number.
        line 3: durationMinutes: "45" is not one of 30, 60, 120, 180.
        line 4: keysForTesters: must hold exactly 2 keys (quantity × playerCount), not 3
        line 7: isFreePublicTrial: "perhaps" is not true or false.
        line 8: game: is required, because no game is set for this directory
        line 9: quantity: must be at most 100.
      "
    `);
    expect(await playtests()).toEqual([]);
  });

  it.each([
    ["a misspelled column", "game,quantitty\nGAME,1\n", "line 2: quantitty: unknown field. Did you mean quantity?"],
    ["the beginning of a column", "game,Qualif\nGAME,30\n", "line 2: Qualif: unknown field. Did you mean qualifications?"],
    [
      "one that begins like a column",
      "game,Quantity-old\nGAME,3\n",
      "line 2: Quantity-old: unknown field. Did you mean quantity?",
    ],
    [
      "one column in two spellings",
      "game,Quantity,quantity\nGAME,1,2\n",
      '"Quantity" and "quantity" both give the field quantity.',
    ],
    ["two names of one column", "game,Qty,slots\nGAME,1,2\n", '"Qty" and "slots" both give the field quantity.'],
    [
      "a column that means nothing",
      "game,Cost center\nGAME,QA\n",
      "Cost center: unknown field. If it is not meant for the order,",
    ],
    ["a game that no game is called", "game\nLantern Dep\n", 'No game is called "Lantern Dep". Did you mean "Lantern Deep"?'],
    ["a cell in a column without a name", 'game;quantity;\n;;\nGAME;1;"two\nlines"\n', "line 3: column 3: unknown field"],
    [
      "faults in the order of their lines",
      "game;quantity;\nGAME;many;\nGAME;1;x\n",
      'line 2: quantity: "many" is not a whole number.\n  line 3',
    ],
    ["a column that is there twice", "game;quantity;quantity\nGAME;1;2\n", "duplicate column"],
    ["text that is not UTF-8", "game,notesForTesters\nGAME,caf\xe9\n", "is not UTF-8 text", "latin1"],
    ["a game that is not yours", "game\n019a0000-0000-7000-8000-000000000000\n", "is not one of your games"],
    ["a row with a cell too many", "game,quantity\nGAME,1,2\n", "Invalid Record Length"],
    ["no rows", "game,quantity\n", "contains no orders"],
  ] as [string, string, string, BufferEncoding?][])("refuses %s", async (_, text, message, encoding) => {
    write(text, encoding);
    const { code, stderr } = await bulk();
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it.each([
    ["without --yes or --max-cost", "", 2, "Order 3 playtests for $160.00? Balance: $1,000.00."],
    ["above --max-cost", "--max-cost 159.99", 7, "cost of $160.00 exceeds --max-cost $159.99"],
    ["with an idempotency key of its own", "--yes --idempotency-key k", 2, "each row has its own key"],
  ])("does not go on %s", async (_, flags, code, message) => {
    write(three);
    const ran = await bulk(flags);
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(message)]);
    expect(await playtests()).toEqual([]);
  });

  it("shows every request with --dry-run", async () => {
    write(three);
    const { stdout } = await bulk("--dry-run --json");
    expect(JSON.parse(stdout).requests.map(({ costCents }: { costCents: number }) => costCents)).toEqual([1_500, 4_000, 10_500]);
    expect(await playtests()).toEqual([]);
  });
});

describe("again", () => {
  it("orders nothing twice, by the journal", async () => {
    write(three);
    const { orders } = await result();
    const again = orders.map((row: object) => ({ ...row, skipped: true, message: "already ordered by an earlier run" }));
    expect(await result()).toMatchObject({ code: 0, ordered: 0, skipped: 3, spentCents: 0, orders: again });
    expect(Object.keys((await result()).orders[0])).toEqual(Object.keys(orders[0]));
    expect((await result("--plan")).rows).toMatchObject(Array(3).fill({ status: "ordered", cents: 0, payWith: null }));
    expect(await playtests()).toHaveLength(3);
  });

  it.each([
    ["the journal is gone", () => rmSync(`${file}.playtest-journal`)],
    ["the file has another name", () => rename("renamed.csv")],
    [
      "the rows are in another order",
      () => {
        rmSync(`${file}.playtest-journal`);
        write(three.replace("GAME,a,1,30,\n", "").concat("GAME,a,1,30,\n"));
      },
    ],
    ["the journal's last line is torn", () => appendFileSync(`${file}.playtest-journal`, '{"base":"http')],
  ])("orders nothing twice when %s", async (_, change) => {
    write(three);
    await bulk();
    change();
    expect((await result()).code).toBe(0);
    expect(await playtests()).toHaveLength(3);
    expect(await balance()).toBe(84_000);
  });

  const same = "game,quantity,durationMinutes,notesForTesters\nGAME,1,30,Loud\n";
  it.each([
    ["columns in another order", "orders.csv", "notesForTesters,durationMinutes,quantity,game\nLoud,30,1,GAME\n"],
    ["other names of the columns", "orders.csv", "Game,Qty,Minutes,Notes\nGAME,1,30,Loud\n"],
    [
      "another separator and spaces",
      "orders.csv",
      "game ; quantity ; durationMinutes ; notesForTesters\n GAME ; 1 ; 30 ;  Loud \n",
    ],
    ["numbers with zeros behind the point", "orders.csv", "game,quantity,durationMinutes,notesForTesters\nGAME,1.0,30.00,Loud\n"],
    ["the game by its name", "orders.csv", "game,quantity,durationMinutes,notesForTesters\nlantern deep,1,30,Loud\n"],
    ["the game by a flag", "orders.csv", "quantity,durationMinutes,notesForTesters\n1,30,Loud\n"],
    [
      "defaults written out or left out",
      "orders.csv",
      "game,durationMinutes,visibility,selectionMode,notesForTesters\nGAME,30,Private,AUTOMATIC,Loud\n",
    ],
    ["a column of empty cells", "orders.csv", "game,quantity,durationMinutes,notesForTesters,qualifications\nGAME,1,30,Loud,\n"],
    ["YAML", "orders.yaml", "- game: GAME\n  durationMinutes: 30\n  qualifications: ''\n  notesForTesters: |\n    Loud\n"],
    [
      "NDJSON",
      "orders.ndjson",
      '{"game":"GAME","quantity":1.0,"durationMinutes":30,"notesForTesters":"Loud\\r\\n","qualifications":null}\n',
    ],
  ])("the same row on another computer is not another order: %s", async (_, name, text) => {
    write(same);
    expect(await result()).toMatchObject({ code: 0, ordered: 1, spentCents: 1_500 });
    file = join(testFolder(), name);
    write(text);
    expect(await result(`--yes --game ${fixture.gameId}`)).toMatchObject({ code: 0, ordered: 0, skipped: 1, spentCents: 0 });
    expect([(await playtests()).length, await balance()]).toEqual([1, 98_500]);
  });

  it("equal rows are separate orders, and another --batch orders them again", async () => {
    write("game\nGAME\nGAME\n");
    expect(await result()).toMatchObject({ ordered: 2 });
    expect(await result("--yes --batch second")).toMatchObject({ ordered: 2, skipped: 0 });
    expect(await playtests()).toHaveLength(4);
  });

  it("a row added to the file is the only one ordered", async () => {
    write(three);
    await bulk();
    appendFileSync(file, `${fixture.gameId},d,4,30,\n`);
    expect(await result()).toMatchObject({ ordered: 1, skipped: 3, spentCents: 6_000 });
  });

  describe("after a run that was killed before it heard what became of its rows", () => {
    /** Of these rows the first two were ordered, the third was sent and did not arrive, and the others were not sent. */
    async function killed(quantities: readonly number[]) {
      const rows = quantities.map((quantity) => `GAME,${quantity}\n`);
      write(`game,quantity\n${rows.slice(0, 2).join("")}`);
      await bulk();
      write(`game,quantity\n${rows.join("")}`);
      const { requests } = JSON.parse((await bulk("--dry-run --json")).stdout);
      const journal = `${file}.playtest-journal`;
      const sent = readFileSync(journal, "utf8")
        .split("\n")
        .filter((line) => line.includes('"sent"'));
      const third = { ...JSON.parse(sent[0]!), key: requests[0].headers["idempotency-key"] };
      writeFileSync(journal, [...sent, JSON.stringify(third), ""].join("\n"));
    }

    it("what was ordered takes no credit again, and the rest is ordered", async () => {
      await killed([20, 20, 5, 5]);
      expect(await balance()).toBe(20_000);
      const plan = await result("--plan");
      expect(plan.rows.map(({ status }: { status: string }) => status)).toEqual([...Array(3).fill("outcome unknown"), "planned"]);
      expect([plan.code, plan.cents, plan.missingCents, plan.stderr]).toEqual([
        0,
        100_000,
        0,
        expect.stringContaining("3 rows may be ordered already by a run that was interrupted."),
      ]);
      expect(await playtests()).toHaveLength(2);
      const low = await bulk("--max-cost 999.99");
      expect([low.code, low.stderr]).toEqual([
        7,
        expect.stringContaining(
          "Order 4 playtests (3 of them may be ordered already and are not charged twice): the cost of $1,000.00",
        ),
      ]);
      const done = await result("--max-cost 1000");
      expect(done).toMatchObject({ code: 0, ordered: 2, skipped: 2, failed: 0, spentCents: 20_000 });
      expect(done.orders).toHaveLength(4);
      expect([await balance(), (await playtests()).length]).toEqual([0, 4]);
      expect(await result()).toMatchObject({ code: 0, ordered: 0, skipped: 4 });
    });

    it("what did not arrive is ordered as far as the funds reach, and the next run says what is missing", async () => {
      await killed([20, 20, 20, 5]);
      const first = await result("--yes --concurrency 1");
      expect(first).toMatchObject({ code: 7, ordered: 0, skipped: 2, left: 2, spentCents: 0 });
      expect(first.stderr).toContain("The funds ran out with 2 rows left.");
      const { code, stderr } = await bulk();
      expect([code, stderr]).toEqual([7, expect.stringContaining("$300.00 more credit is needed. Nothing was ordered.")]);
      expect([await balance(), (await playtests()).length]).toEqual([20_000, 2]);
    });

    it("hours of what may be ordered are confirmed as well", async () => {
      await giveMinutes(fixture.server, fixture.owner, 600);
      await killed([1, 1, 1]);
      const asked = await bulk("");
      expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining("Pass --yes to confirm")]);
      expect(await playtests()).toHaveLength(2);
      expect(await result()).toMatchObject({ code: 0, ordered: 1, skipped: 2, spentMinutes: 60 });
    });
  });

  it("a row whose reply was lost more than a day ago is not risked", async () => {
    write("game\nGAME\n");
    await bulk();
    const journal = `${file}.playtest-journal`;
    const [sent] = readFileSync(journal, "utf8").split("\n");
    writeFileSync(journal, `${sent}\n`);
    const ran = await bulk("--yes --json", { now: Date.parse("2026-03-02T12:00:00.000Z") });
    expect(ran.code).toBe(11);
    expect(JSON.parse(ran.stdout).result.failures).toMatchObject([{ line: 2, code: "OUTCOME_UNKNOWN" }]);
    expect([ran.stderr, (await playtests()).length]).toEqual([
      expect.stringContaining("To order it again, put the row into a file of its own and pass another --batch."),
      1,
    ]);
  });
});

describe("when it cannot go on", () => {
  it.each([
    [
      "",
      "53,60\n1,30\n",
      "2 orders, 54 slots: $1,075.00",
      "the last 2 rows ($1,075.00): $75.00 more credit is needed.",
      "credit add --amount 75",
    ],
    [
      "",
      "51,60\n",
      "1 order, 51 slots: $1,020.00",
      "the last row ($1,020.00): $20.00 more credit is needed.",
      "credit add --amount 20",
    ],
    [
      "--pay hours",
      "2,60\n",
      "1 order, 2 slots: 120 playtest minutes",
      "the last row (120 playtest minutes): 120 more playtest minutes are needed.",
      "billing plans",
    ],
    [
      "--plan",
      "40,60\n20,60\n",
      "2 orders, 60 slots: $1,200.00",
      "the last row ($400.00): $200.00 more credit is needed.",
      "credit add --amount 200",
    ],
  ])("names the cost of the rows, what is missing and how to buy it: %s %j", async (flags, rows, cost, missing, command) => {
    write(`quantity,durationMinutes\n${rows}`);
    const ran = await bulk(`--game ${fixture.gameId} --yes ${flags}`.trim());
    const said = ran.stderr.replace(/\s+/g, " ");
    expect([ran.code, await playtests()]).toEqual([flags === "--plan" ? 0 : 7, []]);
    expect(said).toContain(`${cost}; the balance is $1,000.00. The funds do not cover ${missing}`);
    expect(said).toContain(`playtest billing ${command.replace("billing ", "")}\``);
  });

  it("orders what the funds reach, ends with 7, and goes on later", async () => {
    write(`game,quantity\n${"GAME,20\n".repeat(4)}`);
    const first = await result();
    expect(first).toMatchObject({ code: 7, ordered: 2, left: 2, spentCents: 80_000 });
    expect(first.stderr).toContain("The funds do not cover the last 2 rows");
    await giveMinutes(fixture.server, fixture.owner, 10_000);
    expect(await result()).toMatchObject({ code: 0, ordered: 2, skipped: 2, spentMinutes: 2_400 });
  });

  it("goes on after a row that fails, ends with 11, and tries that row again", async () => {
    const other = (await fixture.owner.post("/games", { name: "Two", buildUrl: `${fixture.server.baseUrl}/b.zip` })).body.data
      .game.id;
    write(`game,isFreePublicTrial,quantity\n${other},yes,1\n${other},yes,2\nGAME,,1\n`);
    const first = await result("--yes --concurrency 1");
    expect(first).toMatchObject({ code: 11, ordered: 2, failed: 1, failures: [{ line: 3, code: "CONFLICT", status: "failed" }] });
    expect(await result()).toMatchObject({ code: 11, ordered: 0, skipped: 2, failed: 1 });
  });

  it("stops taking rows at Ctrl-C, finishes those in flight, and goes on later", async () => {
    write(`game,quantity\n${"GAME,1\n".repeat(12)}`);
    const stopped = await bulk("--yes --ndjson --concurrency 2", {
      onOutput: (_: string, process: { signal(name: string): void }) => process.signal("SIGINT"),
    });
    expect([stopped.code, stopped.stderr]).toEqual([130, expect.stringContaining("to resume.")]);
    const before = (await playtests()).length;
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(12);
    expect(
      stopped.stdout
        .trimEnd()
        .split("\n")
        .filter((line) => line.includes('"type":"item"')),
    ).toHaveLength(before);
    expect(await result()).toMatchObject({ code: 0, ordered: 12 - before, skipped: before });
  });

  it("stops when a reply is lost, ends with 12, and repeats the row with its key", async () => {
    const stub = await stubServer([
      { on: "GET /games/019a0000-0000-7000-8000-00000000000a", data: { game: { id: "g", name: "G" } } },
      {
        on: "POST /playtests/quote",
        data: {
          totalCents: 2_000,
          costPerSlotCents: 2_000,
          payoutCents: 1_000,
          playtestMinutesNeeded: 60,
          playtestMinutesAvailable: 0,
          balanceCents: 9_000,
          wouldPayWith: "credit",
          missingCents: 0,
        },
      },
      { on: "POST /games/019a0000-0000-7000-8000-00000000000a/playtests", instead: "drop" },
      { on: "GET /games/019a0000-0000-7000-8000-00000000000a", data: { game: { id: "g", name: "G" } } },
      {
        on: "POST /playtests/quote",
        data: {
          totalCents: 2_000,
          costPerSlotCents: 2_000,
          payoutCents: 1_000,
          playtestMinutesNeeded: 60,
          playtestMinutesAvailable: 0,
          balanceCents: 9_000,
          wouldPayWith: "credit",
          missingCents: 0,
        },
      },
      {
        on: "POST /games/019a0000-0000-7000-8000-00000000000a/playtests",
        status: 201,
        data: {
          playtest: { id: "p", status: "active" },
          paid: true,
          paidWithCredit: true,
          totalCents: 2_000,
          balanceCents: 7_000,
          paymentId: "x",
        },
      },
    ]);
    writeFileSync(file, "game\n019a0000-0000-7000-8000-00000000000a\n");
    const lost = await bulk("--yes --retries 0", { baseUrl: stub.baseUrl });
    expect([lost.code, lost.stderr]).toEqual([12, expect.stringContaining("Run the same command again")]);
    expect((await bulk("--yes --retries 0", { baseUrl: stub.baseUrl })).code).toBe(0);
    const keys = stub.seen
      .filter(({ path }) => path === "/games/019a0000-0000-7000-8000-00000000000a/playtests")
      .map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toEqual([keys[0], keys[0]]);
  });
});

describe("killed", () => {
  /** Runs it as a process of its own, and kills it once it has printed so many lines; its exit code, null when killed. */
  const runAndKill = (lines: number) =>
    new Promise<number | null>((resolve) => {
      const env = {
        ...process.env,
        PLAYTEST_BASE_URL: fixture.server.baseUrl,
        PLAYTEST_API_KEY: fixture.owner.key,
        PLAYTEST_CONFIG_DIR: folder,
      };
      const child = spawn(process.execPath, [program, "bulk", file, "--yes", "--ndjson", "--concurrency", "4"], {
        env,
        stdio: ["ignore", "pipe", "ignore"],
      });
      let seen = 0;
      child.stdout.on("data", (chunk: Buffer) => {
        seen += chunk.toString().split("\n").length - 1;
        if (seen >= lines) child.kill("SIGKILL");
      });
      child.on("close", resolve);
    });

  it("at any moment and run again, it orders each row exactly once", async () => {
    write(`game,ref,quantity\n${Array.from({ length: 40 }, (_, i) => `GAME,${i},1`).join("\n")}\n`);
    for (const lines of [1, 9, 25]) await runAndKill(lines);
    expect(await runAndKill(Number.POSITIVE_INFINITY)).toBe(0);
    expect(await playtests()).toHaveLength(40);
    expect(await balance()).toBe(100_000 - 40 * 2_000);
  });
});
