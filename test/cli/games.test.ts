import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { playtestWith, type Ran, type RunOptions, testFolder } from "../helpers/cli.ts";
import { reusedStore } from "../helpers/reused-store.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { register } from "../helpers/slot-factories.ts";

let server: TestServer;
let remove: () => Promise<unknown>;
let run: (argv: readonly string[], options?: RunOptions) => Promise<Ran>;

beforeEach(async () => {
  const store = await reusedStore();
  remove = () => store.remove();
  server = await startTestServer({ store });
  const { key } = await register(server, "game_owner", "Ada");
  run = playtestWith({ baseUrl: server.baseUrl, key });
});

afterEach(async () => {
  await server.close();
  await remove();
});

const create = async (name: string, ...flags: string[]): Promise<{ id: string }> => {
  const { stdout } = await run([
    "games",
    "create",
    "--name",
    name,
    "--build-url",
    "https://example.com/a.zip",
    "--json",
    ...flags,
  ]);
  return JSON.parse(stdout).game;
};

describe("games", () => {
  it("languages can be separated by commas or given one by one", async () => {
    const { id } = await create("Star Cave", "--languages", "en,pt-br", "--languages", "de");
    const words = [
      "games",
      "create",
      "--name",
      "Two Caves",
      "--build-url",
      "https://example.com/a.zip",
      "--languages",
      "en,pt-br",
    ];
    expect((await run(words, { tty: true })).stdout).toMatch(/pt-BR/);
    expect(JSON.parse((await run(["games", "show", id, "--json"])).stdout).game.languages).toEqual(["en", "pt-BR", "de"]);
  });

  it("games create: prints what was set and no empty lists", async () => {
    const argv = ["games", "create", "--name", "A", "--build-url", "https://example.com/a.zip"];
    const { stdout } = await run([...argv, "--devices", "PC,Mac"]);
    expect(stdout).toMatch(/^devices\tPC, Mac$/m);
    expect(stdout).not.toMatch(/^(categories|platforms)/m);
    expect((await run(argv)).stdout).not.toMatch(/^(devices|categories|platforms)/m);
  });

  it("games create: creates a game from flags and prints it", async () => {
    const { code, stdout, stderr } = await run([
      "games",
      "create",
      "--name",
      "Star Miner",
      "--build-url",
      "https://example.com/a.zip",
      "--devices",
      "pc,Linux",
      "--json=name,status",
    ]);
    expect([code, JSON.parse(stdout)]).toEqual([0, { game: { name: "Star Miner", status: "active" } }]);
    expect(stderr).toContain("Created Star Miner.");
  });

  it.each([
    ["JSON", '{"name":"From file","buildUrl":"https://example.com/b.zip","devices":["Mac"]}'],
    ["YAML", "name: From file\nbuildUrl: https://example.com/b.zip\ndevices: [Mac]\n"],
  ])("games create: creates a game from %s; a flag overrides the file", async (_, stdin) => {
    const { code, stdout } = await run(["games", "create", "-f", "-", "--name", "From flag", "--json=id,name"], { stdin });
    expect(code).toBe(0);
    const { id, name } = JSON.parse(stdout).game;
    expect(name).toBe("From flag");
    expect(JSON.parse((await run(["games", "show", id, "--json=devices"])).stdout)).toEqual({ game: { devices: ["Mac"] } });
  });

  it("games update: sets fields, clears them, and adds to a list", async () => {
    const { id } = await create("Star Miner", "--devices", "PC", "--cover-image-url", "https://example.com/c.png");
    const { code, stdout } = await run([
      "games",
      "update",
      id,
      "--name",
      "Moon Miner",
      "--add-device",
      "Mac",
      "--clear",
      "cover-image-url",
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain("\ndevices\tPC, Mac\n");
    expect(stdout, "lists of which neither the request nor the reply says anything").not.toMatch(
      /^(categories|platforms|languages)/m,
    );
    expect(JSON.parse((await run(["games", "show", "--json=name,devices,coverImageUrl", id])).stdout).game).toEqual({
      name: "Moon Miner",
      devices: ["PC", "Mac"],
      coverImageUrl: null,
    });
  });

  it.each(["--consent-file", "--no-consent"])(
    "games update %s: changes no agreement when a field is refused, and says when the fields alone were changed",
    async (flag) => {
      const { id } = await create("Star Miner");
      const update = async (text: string | undefined, ...more: string[]) => {
        const path = join(testFolder(), "nda.md");
        if (text !== undefined) writeFileSync(path, text);
        return run(["games", "update", id, ...(text === undefined ? ["--no-consent"] : ["--consent-file", path]), ...more]);
      };
      const shown = async () => (await run(["games", "agreement", id])).stdout;
      expect((await update("Say nothing.")).code).toBe(0);
      const next = flag === "--no-consent" ? undefined : "Say nothing at all.";
      expect((await update(next, "--add-device", "Foo")).code).toBe(2);
      expect(await shown()).toBe("Say nothing.\n");
      const blank = await update(" ", "--name", "Moon Miner");
      expect([blank.code, blank.stderr]).toEqual([
        2,
        expect.stringContaining("The other fields of the game were changed; the agreement was not."),
      ]);
      expect(await shown()).toBe("Say nothing.\n");
      expect((await update(next, "--add-device", "Mac")).code).toBe(0);
      expect(await shown()).not.toBe("Say nothing.\n");
    },
  );

  it("games use: sets the default game of a directory", async () => {
    const { id } = await create("Star Miner");
    const cwd = testFolder();
    expect((await run(["games", "use", id], { cwd })).stdout).toBe(
      `Star Miner is now the default game in ${cwd}/.playtest.json.\n`,
    );
    expect(JSON.parse((await run(["games", "show", "--json=name"], { cwd })).stdout).game.name).toBe("Star Miner");
    expect((await run(["games", "builds", "--jq", ".builds[].buildUrl"], { cwd })).stdout).toBe("https://example.com/a.zip\n");
  });

  it.each([
    ["the short id that a table shows", (id: string) => id.slice(-8)],
    ["its name", () => "Star Miner"],
    ["its name in any case", () => "star miner"],
    ["its slug", () => "star-miner"],
  ])("games show: accepts %s, whether or not it was listed", async (_, wordOf) => {
    const { id } = await create("Star Miner");
    await create("Star Miner 2");
    const env = { PLAYTEST_CONFIG_DIR: testFolder() };
    for (const tty of [false, true]) {
      const argv = ["games", "show", wordOf(id), "--json=id"];
      expect(await run(argv, { env })).toMatchObject({ code: 0, stdout: `{"game":{"id":"${id}"}}\n` });
      if (!tty) expect((await run(["games", "list"], { env, tty: true })).stdout).toContain(id.slice(-8));
    }
  });

  it.each([
    ["that no game has", "Star Minr", 3, 'No game is called "Star Minr".\nDid you mean "Star Miner"?'],
    ["that one game begins with", "star", 3, 'No game is called "star".\nDid you mean "Star Miner"?'],
    ["that is a later word of one", "mine", 3, 'No game is called "mine".\nDid you mean "Star Miner"?'],
    ["that two games begin with", "tw", 3, 'No game is called "tw".\nDid you mean "Twin"?'],
    ["that two games have", "Twin", 2, '2 games are called "Twin".\nUse an id: '],
    ["that is a short id of none", "0123abcd", 3, 'No game is called "0123abcd".'],
  ])("games show: refuses a name %s", async (_, name, code, message) => {
    for (const one of ["Star Miner", "Twin", "Twin"]) await create(one);
    const ran = await run(["games", "show", name]);
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(message)]);
  });

  it("takes a name wherever a game is named: the directory file, the list of playtests, an order", async () => {
    const { id } = await create("Star Miner");
    await create("Other");
    const cwd = testFolder();
    writeFileSync(join(cwd, ".playtest.json"), JSON.stringify({ gameId: "star-miner" }));
    expect((await run(["games", "show", "--json=id"], { cwd })).stdout).toBe(`{"game":{"id":"${id}"}}\n`);
    expect((await run(["playtests", "list", "Star Miner", "--json"])).code).toBe(0);
    expect((await run(["playtests", "quote", "star-miner", "--json"])).code).toBe(0);
    expect((await run(["games", "use", "other"], { cwd })).stdout).toContain("Other is now the default game");
  });

  it("takes categories by name and slug", async () => {
    const argv = ["games", "create", "--name", "A", "--build-url", "https://example.com/a.zip", "--tags", "Puzzle,card-game"];
    const { game } = JSON.parse((await run([...argv, "--json"])).stdout);
    const shown = JSON.parse((await run(["games", "show", game.id, "--json"])).stdout);
    expect(shown.game.categories.map(({ name }: { name: string }) => name).sort()).toEqual(["Card Game", "Puzzle"]);
    expect((await run(["games", "update", game.id, "--tags", "rogelike"])).stderr).toContain('Did you mean "Roguelike"?');
  });

  it("chooses the only game without asking, on a terminal and elsewhere, and none of two", async () => {
    const { id } = await create("Star Miner");
    for (const tty of [false, true])
      expect((await run(["games", "show", "--json=id"], { tty })).stdout.replace(/\s/g, "")).toBe(`{"game":{"id":"${id}"}}`);
    await create("Other");
    expect(await run(["games", "show"])).toMatchObject({ code: 2, stderr: expect.stringContaining("Missing argument <game>.") });
  });

  it("games list: fetches several pages above 100 items, and stops at --limit", async () => {
    const names = Array.from({ length: 103 }, (_, n) => `Game ${n}`);
    await Promise.all(names.map((name) => create(name)));
    const counts = await Promise.all(
      [["--all"], ["--limit", "102"], ["--limit", "3"], []].map(async (flags) => {
        const { stdout } = await run(["games", "list", "--json", ...flags]);
        const { games, page } = JSON.parse(stdout);
        return [games.length, page.fetched, page.hasMore];
      }),
    );
    expect(counts).toEqual([
      [103, 103, false],
      [102, 102, true],
      [3, 3, true],
      [20, 20, true],
    ]);
    const first = JSON.parse((await run(["games", "list", "--limit", "2", "--json"])).stdout);
    const next = await run(["games", "list", "--limit", "1", "--cursor", first.page.cursor, "--jq", ".games[].name"]);
    expect(next.stdout).not.toContain(first.games[1].name);
  });
});

describe("games: an invalid value is an error that names the flag, and nothing is sent", () => {
  const name = ["--name", "X"];
  const url = ["--build-url", "https://example.com/a.zip"];
  it.each([
    [
      "a missing field",
      ["games", "create", ...name],
      "--build-url is required.\nPass the address where playtesters get the game.",
    ],
    ["missing fields", ["games", "create"], "--name and --build-url are required."],
    ["not a URL", ["games", "create", ...name, "--build-url", "ftp://x"], '--build-url: "ftp://x" is not an http or https URL.'],
    ["too long", ["games", "create", ...url, "--name", "x".repeat(201)], "--name: must be at most 200 characters."],
    ["empty", ["games", "create", ...url, "--name", ""], "--name: must not be empty."],
    ["an unknown flag", ["games", "create", "--nmae", "X"], "Unknown flag --nmae.\nDid you mean --name?"],
    ["a flag without its value", ["games", "create", "--name"], "--name requires a value.\nSee `playtest games create --help`."],
    [
      "a key",
      ["games", "list", "--api-key=pt_sk_secret"],
      "An API key cannot be passed as a flag value, where other processes can see it.\nSet PLAYTEST_API_KEY",
    ],
    ["an unknown field in a file", ["games", "create", "-f", "-"], '--from-file: unknown field "titel" in -.'],
    ["nothing to change", ["games", "update", "0195a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"], "No changes given."],
    ["a missing word", ["games", "show"], "Missing argument <game>."],
    ["a word too many", ["games", "list", "x"], 'Unexpected argument "x".'],
    ["an unknown global flag", ["games", "list", "--jsno"], "Unknown flag --jsno.\nDid you mean --json?"],
    ["another word for a flag", ["order", "--slots", "2"], "Unknown flag --slots.\nDid you mean --quantity?"],
    ["a short word for a flag", ["order", "--qty", "2"], "Unknown flag --qty.\nDid you mean --quantity?"],
    ["the plural of a part of a flag", ["order", "--players", "2"], "Unknown flag --players.\nDid you mean --player-count?"],
    ["an unknown flag with a value", ["games", "create", "--nmae=X"], "Unknown flag --nmae.\nDid you mean --name?"],
    ["a switch with a value", ["games", "list", "--all=yes"], "--all takes no value.\nSee `playtest games list --help`."],
    ["a flag like no other", ["games", "list", "--zzzzzz"], "Unknown flag --zzzzzz.\nSee `playtest games list --help`."],
    ["an unknown verb", ["games", "lsit"], 'Unknown command "games lsit".\nDid you mean list?'],
    ["an unknown first word of two", ["auth", "kyes", "list"], 'Unknown command "auth kyes".\nDid you mean keys?'],
    ["an unknown second word of two", ["auth", "keys", "crate"], 'Unknown command "auth keys crate".\nDid you mean create?'],
    [
      "a word behind a list that other commands begin with",
      ["admin", "users", "walk"],
      'Unknown command "admin users walk".\nCommands that begin with it: verify, suspend, unsuspend, reset-factor, delete.',
    ],
    [
      "a mistyped word behind such a list",
      ["admin", "users", "delte"],
      'Unknown command "admin users delte".\nDid you mean delete?',
    ],
    [
      "a word behind such a list and its flag",
      ["admin", "users", "--role", "playtester", "x"],
      'Unknown command "admin users x".',
    ],
    [
      "a command of the same noun behind another",
      ["sandbox", "clock", "advance", "3d"],
      'Unknown command "sandbox clock advance".\nDid you mean `playtest sandbox advance`?',
    ],
    ["an unknown noun", ["gmaes"], 'Unknown command "gmaes".\nDid you mean games?'],
    ["the beginning of several nouns", ["pl"], 'Unknown command "pl".\nDid you mean playtests?'],
    ["a noun like no other", ["zzzzzz"], 'Unknown command "zzzzzz".\nSee `playtest --help`.'],
    [
      "a schema of an unknown command",
      ["schema", "gmaes", "create"],
      'Unknown command "gmaes create".\nDid you mean games create?',
    ],
    ["a bad limit", ["games", "list", "--limit", "0"], "--limit: must be from 1 to 1000000000, not 0."],
    ["two formats", ["games", "list", "--csv", "--tsv"], "--csv and --tsv cannot be used together."],
  ])("%s", async (_, argv, message) => {
    const { code, stdout, stderr } = await run(argv, { stdin: '{"titel":"X"}' });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`error: ${message}`);
    expect(stderr).not.toContain("pt_sk_secret");
  });

  it("games create: validation errors of the server name the flag too", async () => {
    const { code, stderr } = await run(["games", "create", ...name, ...url, "--tags", "0195a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("--tags")]);
  });
});
