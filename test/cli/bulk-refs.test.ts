import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { playtest, testFolder } from "../helpers/cli.ts";
import { createGame } from "../helpers/factories.ts";
import { startFlakyNetwork } from "../helpers/flaky-network.ts";
import { type HostedWorld, startHostedWorld } from "../helpers/hosted-world.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";
import { newId } from "../helpers/walk.ts";

const fixture = eachOwnerFixture(100_000);
const day = 24 * 3_600_000;
let folder: string;

beforeEach(() => {
  folder = testFolder();
});

interface Where {
  /** A folder stands for a computer: the journal is in it. */
  computer?: string;
  name?: string;
  flags?: string;
  baseUrl?: string;
}

function bulk(
  text: string,
  { computer = folder, name = "orders.csv", flags = "--yes", baseUrl = fixture.server.baseUrl }: Where = {},
) {
  writeFileSync(join(computer, name), text.replaceAll("GAME", fixture.gameId));
  const words = `bulk ${name} --game ${fixture.gameId} ${flags}`;
  return fixture.run(words, { cwd: computer, baseUrl, now: fixture.server.clock.now() });
}
const playtests = async (): Promise<{ id: string; ref: string; quantity: number; notesForTesters: string; status: string }[]> =>
  (await fixture.owner.get(`/games/${fixture.gameId}/playtests?limit=100`)).body.data.playtests;
const balance = async () => (await fixture.owner.get("/billing/balance")).body.data.balanceCents;
const one = (text: string) => text.replace(/\s+/g, " ");

const table = (note: string, more = "") => `ref,quantity,minutes,notes\na1,2,30,${note}\n${more}`;

/** A second run: on the same computer, or a day later on another one. */
const reruns: [string, () => Promise<Where>][] = [
  ["again", async () => ({})],
  ["from a file with another name", async () => ({ name: "renamed.csv" })],
  ["on another computer", async () => ({ computer: testFolder() })],
  [
    "on another computer, days later",
    async () => {
      await fixture.server.advance(3 * day);
      return { computer: testFolder() };
    },
  ],
];

describe.each(reruns)("bulk: a row with a ref that was ordered, %s", (_, where) => {
  it("is not ordered again", async () => {
    expect((await bulk(table("Loud"))).code).toBe(0);
    const again = await bulk(table("Loud"), { ...(await where()), flags: "--yes --json" });
    expect([again.code, JSON.parse(again.stdout).result]).toEqual([
      0,
      expect.objectContaining({
        ordered: 0,
        skipped: 1,
        spentCents: 0,
        orders: [expect.objectContaining({ ref: "a1", skipped: true })],
      }),
    ]);
    expect([await playtests(), await balance()]).toMatchObject([[{ ref: "a1" }], 97_000]);
  });

  it("stops the whole file when its note was corrected", async () => {
    await bulk(table("Luod"));
    const [{ id }] = (await playtests()) as unknown as [{ id: string }];
    const ran = await bulk(table("Loud", "a2,1,30,\n"), await where());
    expect([ran.code, ran.stdout, (await playtests()).length, await balance()]).toEqual([2, "", 1, 97_000]);
    expect(ran.stderr).toContain("has 1 error. Nothing was ordered.");
    expect(one(ran.stderr)).toContain(
      `line 2: ref: "a1" was ordered as ${id} with notesForTesters "Luod", not "Loud". Change it with \`playtest playtests update ${id} --notes-for-testers TEXT\`, or give the row a new ref.`,
    );
  });

  it("goes on once the order was changed as the message says", async () => {
    await bulk(table("Luod"));
    const [{ id }] = (await playtests()) as unknown as [{ id: string }];
    expect((await fixture.run(["playtests", "update", id, "--notes-for-testers", "Loud"])).code).toBe(0);
    const place = await where();
    expect((await bulk(table("Loud", "a2,1,30,\n"), place)).code).toBe(0);
    expect((await bulk(table("Loud", "a2,1,30,\n"), place)).code).toBe(0);
    expect((await playtests()).map(({ ref }) => ref).sort()).toEqual(["a1", "a2"]);
  });

  it("stops when anything else of it was changed, and says what", async () => {
    await bulk(table("Loud"));
    const ran = await bulk("ref,quantity,minutes,notes,players\na1,3,60,Loud,2\n", await where());
    expect([ran.code, (await playtests()).length]).toEqual([2, 1]);
    expect(one(ran.stderr)).toContain(
      "with quantity 2, not 3; durationMinutes 30, not 60; playerCount 1, not 2. Correct the row, or give it a new ref.",
    );
  });

  it("stops when it is for another game", async () => {
    const other = await createGame(fixture.owner, { name: "Two" });
    await bulk(table("Loud"));
    const ran = await bulk(`game,${table("Loud").replace("a1", `${other},a1`)}`, await where());
    expect([ran.code, one(ran.stderr)]).toEqual([2, expect.stringContaining(`with game "${fixture.gameId}", not "${other}"`)]);
  });

  it("is another order with a new ref", async () => {
    await bulk(table("Luod"));
    expect((await bulk(table("Loud").replace("a1", "a1-b"), await where())).code).toBe(0);
    expect((await playtests()).map(({ ref }) => ref)).toEqual(["a1-b", "a1"]);
  });

  it("is another order in another batch, and there once", async () => {
    await bulk(table("Loud"));
    const place = await where();
    for (const ordered of [1, 0]) {
      const ran = await bulk(table("Loud"), { ...place, flags: "--yes --batch june --json" });
      expect(JSON.parse(ran.stdout).result).toMatchObject({ ordered });
    }
    expect((await playtests()).map(({ ref }) => ref)).toEqual(["june/a1", "a1"]);
  });

  it("that was cancelled is not ordered again as it was, but once more after a correction", async () => {
    await bulk(table("Luod"));
    const [{ id }] = (await playtests()) as unknown as [{ id: string }];
    await fixture.owner.post(`/playtests/${id}/cancel`);
    const place = await where();
    const same = await bulk(table("Luod"), place);
    expect([same.code, one(same.stderr)]).toEqual([
      0,
      expect.stringContaining("0 playtests ordered for $0.00; 1 already ordered"),
    ]);
    for (let run = 0; run < 2; run++) expect((await bulk(table("Loud"), place)).code).toBe(0);
    expect((await playtests()).map(({ status, notesForTesters }) => [status, notesForTesters])).toEqual([
      ["active", "Loud"],
      ["cancelled", "Luod"],
    ]);
    expect(await balance()).toBe(97_000);
  });
});

describe("bulk: refs", () => {
  it("two rows with one ref are refused", async () => {
    const ran = await bulk(table("Loud", "a2,1,30,\n a1 ,1,30,\n"));
    expect([ran.code, ran.stderr, await playtests()]).toEqual([
      2,
      expect.stringContaining('line 4: ref: "a1" is also the ref of line 2'),
      [],
    ]);
  });

  it("numbers and spaces around a ref do not make it another one", async () => {
    await bulk("- {ref: 7, quantity: 1}\n", { name: "a.yaml" });
    await bulk('{"ref":" 7 ","quantity":1}\n', { name: "b.ndjson" });
    await bulk("quantity,ref\n1.0, 7 \n", { name: "c.csv" });
    expect((await playtests()).map(({ ref }) => ref)).toEqual(["7"]);
  });

  it("is too long with the name of its batch", async () => {
    const ran = await bulk(table("Loud"), { flags: `--yes --batch ${"b".repeat(99)}` });
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining("line 2: ref: must be at most 100 characters")]);
  });

  it("a row whose reply was lost is looked up by its ref, also days later", async () => {
    const lossy = await startFlakyNetwork(
      fixture.server.baseUrl,
      ({ method, url }) => method === "POST" && /playtests$/.test(url!),
    );
    const lost = await bulk(table("Loud"), { baseUrl: lossy.baseUrl, flags: "--yes --retries 0" });
    await lossy.close();
    expect([lost.code, (await playtests()).length]).toEqual([12, 1]);
    await fixture.server.advance(3 * day);
    // The journal is about another address of the server, as after a move.
    expect((await bulk(table("Loud"))).code).toBe(0);
    expect([(await playtests()).length, await balance()]).toEqual([1, 97_000]);
  });

  it("of two runs at the same time on two computers, one orders", async () => {
    const rows = table("Loud", Array.from({ length: 8 }, (_, n) => `b${n},1,30,\n`).join(""));
    const ran = await Promise.all([testFolder(), testFolder()].map((computer) => bulk(rows, { computer })));
    expect([ran.map(({ code }) => code), (await playtests()).length, await balance()]).toEqual([[0, 0], 9, 85_000]);
  });

  it("other game keys stop the file where the journal knows those that were ordered", async () => {
    const keyed = (keys: string) => `ref,quantity,keys\na1,2,${keys}\n`;
    await bulk(keyed("AAA BBB"));
    expect(readFileSync(join(folder, "orders.csv.playtest-journal"), "utf8")).not.toContain("AAA");
    const ran = await bulk(keyed("AAA CCC"));
    expect([ran.code, one(ran.stderr)]).toEqual([2, expect.stringContaining("with other game keys. Add keys to it with")]);
    expect([(await bulk(keyed("AAA BBB"))).code, (await playtests()).length]).toEqual([0, 1]);
  });

  it.each([
    ["got its ref later", "quantity,minutes\n2,30\n", "ref,quantity,minutes\na1,2,30\n"],
    ["lost its ref", "ref,quantity,minutes\na1,2,30\n", "quantity,minutes\n2,30\n"],
  ])("a row that %s is not ordered again", async (_, before, after) => {
    await bulk(before);
    await fixture.server.advance(3 * day);
    expect([(await bulk(after)).code, (await playtests()).length]).toEqual([0, 1]);
  });

  it("a row without a ref beside an equal one that lost none is another order", async () => {
    await bulk("ref,quantity,minutes\na1,2,30\n");
    expect((await bulk("ref,quantity,minutes\n,2,30\na1,2,30\n")).code).toBe(0);
    expect(await playtests()).toHaveLength(2);
  });

  it("is part of what --plan, --dry-run, show and list say", async () => {
    const dry = await bulk(table("Loud"), { flags: "--dry-run --json" });
    expect(JSON.parse(dry.stdout).requests[0].body).toMatchObject({ ref: "a1", quantity: 2 });
    await bulk(table("Loud"));
    const plan = await bulk(table("Loud"), { computer: testFolder(), flags: "--plan --json" });
    expect(JSON.parse(plan.stdout).result.rows).toMatchObject([{ ref: "a1", status: "ordered", payWith: null }]);
    const [{ id }] = (await playtests()) as unknown as [{ id: string }];
    expect((await fixture.json(`playtests show ${id}`)) as object).toMatchObject({ playtest: { ref: "a1" } });
    expect((await fixture.json("playtests list")) as object).toMatchObject({ playtests: [{ ref: "a1" }] });
    expect((await fixture.run(`playtests show ${id}`)).stdout).toMatch(/^ref\ta1$/m);
  });

  it("belongs to an order however it is placed", async () => {
    const order = `order ${fixture.gameId} --ref a1 --quantity 2 --duration-minutes 30 --notes-for-testers Loud --yes`;
    expect((await fixture.run(order)).code).toBe(0);
    const second = await fixture.run(order);
    expect([second.code, one(second.stderr)]).toEqual([6, expect.stringContaining('The ref "a1" is already used by')]);
    expect([(await bulk(table("Loud"))).code, (await playtests()).length]).toEqual([0, 1]);
  });
});

describe("bulk: refs where the server keeps none", () => {
  const cli = (world: HostedWorld, cwd: string, text: string, now?: number) => {
    writeFileSync(join(cwd, "orders.csv"), text);
    return playtest(["bulk", "orders.csv", "--game", world.gameId, "--yes"], {
      baseUrl: world.hosted.baseUrl,
      key: world.owner.key,
      cwd,
      env: { NO_COLOR: "1" },
      outside: { newId },
      ...(now !== undefined && { now }),
    });
  };
  const placed = async ({ owner, gameId }: HostedWorld) =>
    (await owner.listPlaytests({ params: { gameId } })).playtests.filter(({ notesForTesters }) =>
      /^L/.test(String(notesForTesters)),
    );

  it("are not sent, and the journal stops a changed row", async () => {
    const world = await startHostedWorld();
    expect((await cli(world, folder, "ref,quantity,notes\na1,1,Luod\n")).code).toBe(0);
    const ran = await cli(world, folder, "ref,quantity,notes\na1,1,Loud\n");
    expect([ran.code, one(ran.stderr)]).toEqual([2, expect.stringContaining('with notesForTesters "Luod", not "Loud".')]);
    expect(await placed(world)).toHaveLength(1);
    expect(world.hosted.beyond.filter((what) => what.includes("ref"))).toEqual([]);
  });

  it("are the idempotency key, which stops a changed row without the journal", async () => {
    const world = await startHostedWorld();
    await cli(world, folder, "ref,quantity,notes\na1,1,Luod\n");
    const ran = await cli(world, testFolder(), "ref,quantity,notes\na1,1,Loud\n");
    expect([ran.code, (await placed(world)).length]).toEqual([11, 1]);
    expect(one(ran.stderr)).toContain('"a1" was ordered before with other content, so nothing was ordered for it.');
  });

  it("a row that was cancelled and corrected is ordered, and then no more", async () => {
    const world = await startHostedWorld();
    await cli(world, folder, "ref,quantity,notes\na1,1,Luod\n");
    await world.owner.cancelPlaytest({ params: { id: (await placed(world))[0]!.id } });
    for (let run = 0; run < 2; run++) expect((await cli(world, folder, "ref,quantity,notes\na1,1,Loud\n")).code).toBe(0);
    expect(await placed(world)).toHaveLength(2);
    const ran = await cli(world, folder, "ref,quantity,notes\na1,1,LOUD\n");
    expect([ran.code, one(ran.stderr), (await placed(world)).length]).toEqual([
      2,
      expect.stringContaining('"Loud", not "LOUD"'),
      2,
    ]);
  });

  it("a row whose replies were lost again and again is not risked once the first attempt is old", async () => {
    const world = await startHostedWorld();
    const start = Date.parse("2026-03-01T00:00:00.000Z");
    world.hosted.hooks.interfere = ({ method, path }) =>
      method === "POST" && path.endsWith("/playtests") ? { lose: true } : undefined;
    const rows = "ref,quantity,notes\na1,1,Loud\n";
    for (const hours of [0, 20]) expect((await cli(world, folder, rows, start + hours * 3_600_000)).code).toBe(12);
    world.hosted.hooks.interfere = undefined;
    const ran = await cli(world, folder, rows, start + 30 * 3_600_000);
    expect([ran.code, ran.stderr, (await placed(world)).length]).toEqual([
      11,
      expect.stringContaining("was sent more than 23 hours ago"),
      1,
    ]);
  });

  it("order --ref is refused, because a second one could not be", async () => {
    const world = await startHostedWorld();
    const words = ["order", world.gameId, "--ref", "a1", "--yes"];
    const ran = await playtest(words, { baseUrl: world.hosted.baseUrl, key: world.owner.key, outside: { newId } });
    expect([ran.code, one(ran.stderr)]).toEqual([
      3,
      expect.stringContaining("This server has no order refs. Nothing was ordered. Leave out --ref."),
    ]);
  });
});
