import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { playtest, type RunOptions, testFolder } from "../helpers/cli.ts";
import { type Stub, stubServer } from "../helpers/stub-server.ts";

const game = (n: number, name: string) => ({
  id: `0195a1b2-c3d4-7e5f-8a9b-0c1d2e3f00${String(n).padStart(2, "0")}`,
  ownerId: "0195a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
  name,
  description: "Mine\nthe stars",
  instructions: null,
  buildUrl: "https://example.com/a.zip",
  coverImageUrl: null,
  externalUrl: null,
  status: "active",
  createdAt: "2026-02-28T12:00:00.000Z",
  updatedAt: "2026-03-01T11:55:00.000Z",
  categories: [],
  devices: ["PC", "Mac"],
  platforms: ["Web"],
});
const games = [game(1, "Star Miner"), game(2, "Moon Miner")];
const listed: Stub = { on: "GET /games", data: { games }, meta: { cursor: null, hasMore: false } };
const shown: Stub = { on: `GET /games/${games[0]!.id}`, data: { game: games[0] } };

async function run(stubs: readonly Stub[], argv: readonly string[], options: RunOptions = {}) {
  const { baseUrl } = await stubServer(stubs);
  return playtest(argv, { baseUrl, key: "pt_sk_test", ...options });
}

describe("a list", () => {
  it("is a table on a terminal", async () => {
    const { stdout } = await run([listed], ["games", "list", "--color", "never"], { tty: true });
    expect(`\n${stdout}`).toMatchInlineSnapshot(`
      "
      ID        NAME        STATUS  DEVICES  UPDATED
      2e3f0001  Star Miner  active  PC, Mac  5m ago
      2e3f0002  Moon Miner  active  PC, Mac  5m ago
      "
    `);
  });

  it("is cut to the terminal's width, never elsewhere", async () => {
    const long = { ...listed, data: { games: [game(1, "x".repeat(300))] } };
    const narrow = await run([long], ["games", "list", "--color", "never"], { tty: true, columns: 60 });
    expect(Math.max(...narrow.stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(narrow.stdout).toContain("…");
    expect((await run([long], ["games", "list"])).stdout).toContain("x".repeat(300));
  });

  it("breaks the text of one item between words", async () => {
    const instructions = "Play the first three depths and say what you think, out loud, as you go.";
    const { id } = game(1, "Lantern Deep");
    const one = { on: `GET /games/${id}`, data: { game: { ...game(1, "Lantern Deep"), instructions } } };
    const { stdout } = await run([one], ["games", "show", id, "--color", "never"], { tty: true, columns: 60 });
    expect(stdout).toContain(`
instructions  Play the first three depths and say what you
              think, out loud, as you go.
`);
  });

  it("breaks an error message on a terminal between words, and only there", async () => {
    const error = { code: "CONFLICT", message: "The subscription was cancelled in the meantime. Nothing was changed." };
    const failed = { on: "GET /games", status: 409, error };
    const stderr = async (options: RunOptions) => (await run([failed], ["games", "list", "--color", "never"], options)).stderr;
    expect(await stderr({ tty: true, columns: 60 })).toMatch(
      /^error: The subscription was cancelled in the meantime\.\nNothing was changed\.\n/,
    );
    expect(await stderr({})).toContain(`error: ${error.message}\n`);
  });

  const tsv = games.map(({ id, name }) => `${id}\t${name}\tactive\tPC, Mac\t2026-03-01T11:55:00.000Z\n`).join("");
  const csv = games.map(({ id, name }) => `${id},${name},active,"PC, Mac",2026-03-01T11:55:00.000Z\r\n`).join("");
  it.each([
    ["tab-separated without header", [], tsv],
    ["with a header where asked for", ["--header"], `id\tname\tstatus\tdevices\tupdated\n${tsv}`],
    ["--tsv", ["--tsv"], `id\tname\tstatus\tdevices\tupdated\n${tsv}`],
    ["--csv", ["--csv"], `id,name,status,devices,updated\r\n${csv}`],
    ["--time relative", ["--time", "relative"], tsv.replaceAll("2026-03-01T11:55:00.000Z", "5m ago")],
    ["--json", ["--json"], `${JSON.stringify({ games, page: { cursor: null, hasMore: false, fetched: 2 } })}\n`],
    [
      "--json=fields",
      ["--json=name,createdAt"],
      `${JSON.stringify({ games: games.map(({ name, createdAt }) => ({ name, createdAt })), page: { cursor: null, hasMore: false, fetched: 2 } })}\n`,
    ],
    ["--ndjson", ["--ndjson"], `${games.map((one) => JSON.stringify(one)).join("\n")}\n`],
    ["--jq strings are raw", ["--jq", ".games[].name"], "Star Miner\nMoon Miner\n"],
    ["--jq values are compact", ["--jq", ".games[0] | {name, devices}"], '{"name":"Star Miner","devices":["PC","Mac"]}\n'],
    ["--jq may end empty", ["--jq", '.games[] | select(.name == "x")'], ""],
    [
      "--template",
      ["--template", "{name}: {createdAt|ago} {createdAt|date}"],
      "Star Miner: 1d ago 2026-02-28\nMoon Miner: 1d ago 2026-02-28\n",
    ],
  ])("%s", async (_, flags, expected) => {
    const { code, stdout, stderr } = await run([listed], ["games", "list", ...flags]);
    expect([code, stdout, stderr]).toEqual([0, expected, ""]);
    if (!/^--(csv|tsv|ndjson|jq|template)/.test(flags[0] ?? "")) return;
    expect((await run([listed], ["games", "list", ...flags], { tty: true })).stdout).toBe(expected);
  });

  it("that is empty says so on standard error", async () => {
    const empty = { ...listed, data: { games: [] } };
    expect(await run([empty], ["games", "list"], { tty: true })).toMatchObject({
      stdout: "",
      stderr: expect.stringContaining("No games yet."),
    });
    expect(await run([empty], ["games", "list"])).toMatchObject({ stdout: "", stderr: "" });
    expect(await run([empty], ["games", "list", "--json"])).toMatchObject({
      stdout: '{"games":[],"page":{"cursor":null,"hasMore":false,"fetched":0}}\n',
    });
  });
});

describe("one thing", () => {
  const argv = ["games", "show", games[0]!.id];
  it("is lines of names and values on a terminal", async () => {
    const { stdout } = await run([shown], [...argv, "--color", "never"], { tty: true });
    expect(`\n${stdout}`).toMatchInlineSnapshot(`
      "
      id           0195a1b2-c3d4-7e5f-8a9b-0c1d2e3f0001
      name         Star Miner
      status       active
      devices      PC, Mac
      updated      5m ago
      build url    https://example.com/a.zip
      description  Mine
                   the stars
      platforms    Web
      created      1d ago
      "
    `);
  });

  it("is tab-separated elsewhere, with the same data", async () => {
    const { stdout } = await run([shown], argv);
    expect(stdout.split("\n").slice(0, 7)).toEqual([
      `id\t${games[0]!.id}`,
      "name\tStar Miner",
      "status\tactive",
      "devices\tPC, Mac",
      "updated\t2026-03-01T11:55:00.000Z",
      "build url\thttps://example.com/a.zip",
      "description\tMine\\nthe stars",
    ]);
  });

  it.each([
    ["--json before the id", ["games", "show", "--json", games[0]!.id], { game: games[0] }],
    ["--json=fields", [...argv, "--json=id"], { game: { id: games[0]!.id } }],
  ])("%s", async (_, words, expected) => {
    expect(JSON.parse((await run([shown], words)).stdout)).toEqual(expected);
  });

  it("names the fields there are when one is unknown", async () => {
    const { code, stdout, stderr } = await run([shown], [...argv, "--json=titel"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(JSON.parse(stderr)).toMatchObject({ code: "USAGE", exitCode: 2, hint: expect.stringContaining("id, ownerId, name") });
  });
});

describe("what the network sent", () => {
  const nasty = "\u001b]0;owned\u0007=1+1\u202e\n\t";
  const stub = { ...listed, data: { games: [game(1, nasty)] } };
  it.each([
    ["terminal", [], { tty: true }],
    ["tab-separated", [], {}],
    ["--csv", ["--csv"], {}],
    ["--json", ["--json"], {}],
    ["--ndjson", ["--ndjson"], {}],
    ["--template", ["--template", "{name}"], {}],
    ["--jq", ["--jq", ".games[].name"], {}],
  ])("cannot drive the terminal: %s", async (_, flags, options) => {
    const { stdout } = await run([stub], ["games", "list", "--color", "never", ...flags], options);
    expect(stdout.replace(/[\n\t\r]/g, "")).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(stdout).toContain("owned");
  });

  it("is the same JSON", async () => {
    expect(JSON.parse((await run([stub], ["games", "list", "--json"])).stdout).games[0].name).toBe(nasty);
  });

  it.each([
    ["=cmd()", "'=cmd()"],
    ["+1-x", "'+1-x"],
    ["@x", "'@x"],
    ["\uff1dcmd()", "'\uff1dcmd()"],
    ["\uff0d1+x", "'\uff0d1+x"],
    ["-5.5", "-5.5"],
    ["+12", "+12"],
    ["plain", "plain"],
    [' "=x', `"' ""=x"`],
    ["x;=cmd()", `"x;'=cmd()"`],
    ["x; +1", `"x;' +1"`],
    ['x;"=1"', `"x;'""=1"""`],
    ["x;\uff1d1;y", `"x;'\uff1d1;y"`],
    ["x;y", '"x;y"'],
    ["x-1", "x-1"],
  ])("is no formula in a spreadsheet: %s", async (name, cell) => {
    const one = { ...listed, data: { games: [game(1, name)] } };
    expect((await run([one], ["games", "list", "--csv"])).stdout.split("\r\n")[1]!.split(",")[1]).toBe(cell);
    expect((await run([one], ["games", "list", "--tsv", "--raw-cells"])).stdout.split("\n")[1]!.split("\t")[1]).toBe(name);
  });
});

describe("color", () => {
  it.each([
    ["on a terminal", {}, [], true, true],
    ["not elsewhere", {}, [], false, false],
    ["not with NO_COLOR", { NO_COLOR: "1" }, [], true, false],
    ["with FORCE_COLOR", { FORCE_COLOR: "1" }, [], false, false],
    ["--color always wins", { NO_COLOR: "1" }, ["--color", "always"], true, true],
    ["--color never", {}, ["--color", "never"], true, false],
    ["not on a dumb terminal", { TERM: "dumb" }, [], true, false],
  ] as const)("%s", async (_, env, flags, tty, coloured) => {
    const { stdout } = await run([listed], ["games", "list", ...flags], { env, tty });
    expect(stdout.includes("\u001b[")).toBe(coloured);
  });
});

describe("color of messages", () => {
  const failed = { on: "GET /games", status: 404, error: { code: "NOT_FOUND", message: "Game not found." } };
  it.each([
    ["on a terminal", "auto", { stderr: true }, true],
    ["not in a file, even where standard output is a terminal", "auto", { stdout: true }, false],
    ["not where the profile says never", "never", { stderr: true }, false],
  ] as const)("%s", async (_, color, tty, colored) => {
    const PLAYTEST_CONFIG_DIR = testFolder();
    writeFileSync(join(PLAYTEST_CONFIG_DIR, "config.json"), JSON.stringify({ profiles: { a: { color }, b: { color } } }));
    const env = { PLAYTEST_CONFIG_DIR, PLAYTEST_PROFILE: "a" };
    const error = await run([failed], ["games", "list"], { env, tty });
    const warning = await playtest(["auth", "switch", "b"], { env, tty });
    expect([error, warning].map(({ stderr }) => [stderr.includes("\u001b["), /error:|warning:/.test(stderr)])).toEqual([
      [colored, true],
      [colored, true],
    ]);
  });
});

describe("-o", () => {
  it("writes a file that appears whole, and nothing to standard output", async () => {
    const file = join(testFolder(), "games.json");
    expect(await run([listed], ["games", "list", "--json", "-o", file], { tty: true })).toMatchObject({ code: 0, stdout: "" });
    expect(JSON.parse(readFileSync(file, "utf8")).games).toEqual(games);
    expect(existsSync(`${file}.part`)).toBe(false);
  });

  it("ends with 10 where the pages of a list never end", async () => {
    const same: Stub = { ...listed, meta: { cursor: "next", hasMore: true } };
    const { code, stderr } = await run([same, same], ["games", "list", "--all", "--json"]);
    expect([code, stderr]).toEqual([10, expect.stringContaining("returned a page of this list twice")]);
  });

  it("leaves no file behind when the command fails", async () => {
    const file = join(testFolder(), "games.tsv");
    const broken: Stub[] = [
      { ...listed, meta: { cursor: "next", hasMore: true } },
      { on: "GET /games", status: 404, error: { code: "NOT_FOUND", message: "gone" } },
    ];
    expect((await run(broken, ["games", "list", "--all", "-o", file])).code).toBe(3);
    expect([existsSync(file), existsSync(`${file}.part`)]).toEqual([false, false]);
  });

  it.each([
    ["/no/such/file", "its directory does not exist"],
    ["/", "it is a directory"],
    ["/dev/null/file", "part of its path is not a directory"],
  ])("says why it cannot write %s, before anything is sent", async (file, why) => {
    const argv = ["games", "create", "--name", "Fresh", "--build-url", "https://example.com/a.zip", "-o", file];
    const { code, stdout, stderr } = await run([], argv);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(
      `Cannot write ${file}: ${why}.\nNothing was done. Create its directory, or pass another file name.\n`,
    );
  });

  it("writes into what is no file as it is, and follows links", async () => {
    const place = testFolder();
    execFileSync("mkfifo", [join(place, "pipe")]);
    const reader = readFile(join(place, "pipe"), "utf8");
    expect((await run([listed], ["games", "list", "--jq", ".games[0].name", "-o", join(place, "pipe")])).code).toBe(0);
    expect([await reader, statSync(join(place, "pipe")).isFIFO()]).toEqual(["Star Miner\n", true]);
    writeFileSync(join(place, "old"), "");
    symlinkSync("old", join(place, "link"));
    await run([listed], ["games", "list", "--jq", ".games[1].name", "-o", join(place, "link")]);
    expect([readFileSync(join(place, "old"), "utf8"), lstatSync(join(place, "link")).isSymbolicLink()]).toEqual([
      "Moon Miner\n",
      true,
    ]);
  });

  it("- is standard output", async () => {
    expect((await run([listed], ["games", "list", "--jq", ".games[0].name", "-o", "-"])).stdout).toBe("Star Miner\n");
  });
});

describe("--jq", () => {
  it.each([
    ["ends too early", ".games[", "syntax error, unexpected end of file\n  .games[\n         ^"],
    [
      "has a word too many",
      ".games | map(.name) x",
      "unexpected IDENT, expecting end of file\n  .games | map(.name) x\n                      ^",
    ],
    ["calls what is not there", ".games | nope(1)", "nope/1 is not defined\n  .games | nope(1)\n           ^"],
    ["closes the wrong bracket", "[.games[].name}", "unexpected INVALID_CHARACTER\n  [.games[].name}\n                ^"],
  ])("points at the place in an expression that %s", async (_, expression, message) => {
    const { code, stdout, stderr } = await run([], ["games", "list", "--jq", expression]);
    expect([code, stdout, JSON.parse(stderr).message]).toEqual([2, "", expect.stringContaining(message)]);
  });

  it("says what the data made fail", async () => {
    const { code, stdout, stderr } = await run([listed], ["games", "list", "--jq", ".games.x"]);
    expect([code, stdout, JSON.parse(stderr).message]).toEqual([1, "", expect.stringContaining("Cannot index array")]);
  });

  it("debug writes to standard error, and cannot drive the terminal either", async () => {
    const nasty = { ...listed, data: { games: [game(1, "\u009b31m")] } };
    const { code, stdout, stderr } = await run([nasty], ["games", "list", "--jq", ".games[].name | debug | length"]);
    expect([code, stdout, stderr]).toEqual([0, "4\n", '["DEBUG:","\\u009b31m"]\n']);
  });

  it("takes megabytes", async () => {
    const many = Array.from({ length: 10_000 }, (_, i) => ({ ...games[0], name: `Game ${i}`, description: "x".repeat(150) }));
    const big = { ...listed, data: { games: many } };
    const { stdout } = await run(
      [big],
      ["games", "list", "--jq", '.games[] | select(.name | endswith("99")) | [.name, 1] | @csv'],
    );
    expect(stdout.split("\n").slice(0, 2)).toEqual(['"Game 99",1', '"Game 199",1']);
    expect((await run([big], ["games", "list", "--jq", "."])).stdout.length).toBeGreaterThan(5e6);
  });
});

it("an unknown template filter is refused before anything is sent", async () => {
  const { code, stderr } = await run([], ["games", "list", "--template", "{id|agoo}"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('unknown filter "agoo"')]);
});
