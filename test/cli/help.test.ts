import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { kebab } from "../../src/cli/flags.ts";
import { groups, shortcuts, topCommands } from "../../src/cli/groups.ts";
import { tree } from "../../src/cli/tree.ts";
import { exitCodeMeanings, exitCodes } from "../../src/errors.ts";
import { playtest, testFolder } from "../helpers/cli.ts";
import { program } from "../helpers/process.ts";
import { stubServer } from "../helpers/stub-server.ts";

const words = tree.commands.map(({ path }) => [path.join(" ")] as const);

describe("every command", () => {
  it.each(words)("%s explains itself without network or settings", async (path) => {
    const { code, stdout, stderr } = await playtest([...path.split(" "), "--help"], { env: { PLAYTEST_CONFIG_DIR: "/no/such" } });
    expect([code, stderr]).toEqual([0, ""]);
    for (const part of [`Usage: playtest ${path}`, "Examples", "Scope", "Risk", "Exit codes"]) expect(stdout).toContain(part);
  });

  it.each(words)("%s takes each flag once", (path) => {
    const { flags } = tree.commands.find((command) => command.path.join(" ") === path)!;
    const spelled = flags.flatMap(({ name, short }) => [`--${name}`, ...(short ? [`-${short}`] : [])]);
    expect(spelled.filter((one, i) => spelled.indexOf(one) !== i)).toEqual([]);
  });

  it.each(words)("%s has no two flags that set the same value", (path) => {
    const { flags } = tree.commands.find((command) => command.path.join(" ") === path)!;
    const values = flags.flatMap(({ name, field }) => [field ?? name].flat().map(kebab));
    expect(values.filter((one, i) => values.indexOf(one) !== i)).toEqual([]);
    expect(flags.filter(({ summary }) => /same as/i.test(summary))).toEqual([]);
  });
});

it("an argument that a flag can take the place of is optional", async () => {
  const { stdout } = await playtest(["admin", "payouts", "create", "--help"]);
  expect(stdout).toContain("Usage: playtest admin payouts create [user] [flags]");
});

it.each([["--help"], ["games --help"], ["games push --help"], ["help"], ["help topics"], ["help order"], ["help games push"]])(
  "%s fits on a terminal of 40 columns, but for what is copied from it",
  async (words) => {
    const args = words.split(" ");
    const { stdout } = await playtest(args, { tty: true, columns: 40 });
    const copied = /^ +(playtest|--)|\S{25,}|`/;
    expect(stdout.split("\n").filter((line) => line.length > 40 && !copied.test(line))).toEqual([]);
    expect(stdout.split(/\s+/)).toEqual((await playtest(args)).stdout.split(/\s+/));
  },
);

it("one command's help", async () => {
  const { stdout } = await playtest(["games", "update", "--help"]);
  expect(`\n${stdout}`).toMatchInlineSnapshot(`
    "
    Update a game; a list replaces the existing values

    Usage: playtest games update [game] [flags]
    Aliases: edit

    Arguments
      game                        Game id or name (default: the game set with
                                  \`games use\`, else the only game)

    Flags
          --name TEXT             The game's name
          --description TEXT      Description, shown to playtesters before and after
                                  claiming; null removes it
          --instructions TEXT     Instructions, shown to playtesters only after
                                  claiming a slot; null removes them
          --build-url URL         URL of the build
          --cover-image-url URL   URL of a picture shown with the game; null removes
                                  it
          --external-url URL      URL of the game's own page; null removes it
          --devices PC,Mac,Linux,iOS,Android
                                  PC, Mac, Linux, iOS, Android
          --platforms Steam,Epic Games,GOG,itch.io,Web,App Store,Google Play,Other
                                  Names from the platforms endpoint
          --languages en,pt-BR    Languages that the game can be played in, as BCP
                                  47 tags such as en and pt-BR
          --tags TEXT             Category ids from the categories endpoint. The
                                  \`playtest\` command also takes their names and
                                  slugs
          --add-device TEXT       Add a device to the existing ones
          --remove-device TEXT    Remove a device from the existing ones
          --add-platform TEXT     Add a platform to the existing ones
          --remove-platform TEXT  Remove a platform from the existing ones
          --consent-file FILE     File with the agreement that playtesters must
                                  accept before they claim a slot
          --no-consent            End the game's own agreement
          --clear FIELDS          Fields to clear, comma-separated
      -f, --from-file FILE        Read fields from a JSON or YAML file; - for
                                  standard input

    Examples
      playtest games update 4f6a1b2c --build-url https://example.com/v2.zip
      playtest games update --consent-file nda.md
      playtest games update --clear cover-image-url,external-url \\
          --add-device Linux

    Details
      Scope                       game_owner
      Risk                        write
      Exit codes                  0 ok, 1 error, 2 usage or validation error, 3 not
                                  found, 4 not authenticated, 5 permission denied, 6
                                  conflict, 9 rate limited, 10 server unreachable or
                                  unavailable, 12 outcome unknown

    API calls
      PATCH /api/v1/games/:id
      GET /api/v1/games/:id
      PUT /api/v1/games/:id/agreement
      DELETE /api/v1/games/:id/agreement

    Run \`playtest help flags\` for the global flags, such as --json and --dry-run.
    "
  `);
});

const former = ["--fresh", "--select", "--keys-for-testers", "--targeted-playtester-id"];

it.each(["playtests order", "order", "playtests quote", "billing forecast"])(
  "%s shows one spelling of each flag, and accepts the former ones",
  async (path) => {
    const words = path.split(" ");
    const { stdout } = await playtest([...words, "--help"]);
    const completed = (await playtest(["__complete", "--", ...words, "--"])).stdout;
    for (const name of former) for (const text of [stdout, completed]) expect(text).not.toMatch(new RegExp(`${name}(?![\\w-])`));
    for (const name of ["--selection-mode", "--keys-file", "--tester", "--targeting-type"]) {
      expect(stdout).toContain(`${name} `);
      expect(completed).toContain(`${name}\t`);
    }
    for (const name of former) expect((await playtest([...words, `${name}=x`])).stderr).not.toContain("Unknown flag");
  },
);

it("chat send --content: accepted, and not shown", async () => {
  expect((await playtest(["chat", "send", "--help"])).stdout).not.toContain("--content");
  expect((await playtest(["chat", "send", "Ada", "--content", "Hello"])).stderr).not.toContain("Unknown flag");
});

it.each([
  ["tester report", "(required): build_unavailable, crash, key_invalid, not_as_described, unsafe, other"],
  ["webhooks create", "or `*` for all: slot.submitted, slot.accepted,"],
])("%s names the values that do not fit beside a flag", async (path, named) => {
  const { stdout } = await playtest([...path.split(" "), "--help"]);
  expect(stdout.replace(/\s+/g, " ")).toContain(named);
});

it("names the exit codes, each once", () => {
  expect(exitCodeMeanings.map(([code]) => code)).toEqual(Object.values(exitCodes));
});

it.each([["games"], ["games create"], ["login"]])("help %s", async (topic) => {
  const { code, stdout } = await playtest(["help", ...topic.split(" ")]);
  expect([code, stdout.length > 100]).toEqual([0, true]);
  expect(stdout.split("\n").filter((line) => line.length > 80 && !line.includes("playtest "))).toEqual([]);
});

it("help on nothing known is 3", async () => {
  expect(await playtest(["help", "nonsense"])).toMatchObject({
    code: 3,
    stdout: "",
    stderr: expect.stringContaining("exit-codes"),
  });
  expect((await playtest(["help", "bilings"])).stderr).toContain("Did you mean billing?");
});

it("help --tree --json describes the whole program", async () => {
  const { stdout } = await playtest(["help", "--tree", "--json"]);
  const { commands, exitCodes: codes } = JSON.parse(stdout);
  expect(codes["12"]).toContain("outcome unknown");
  expect(commands.find(({ path }: { path: string[] }) => path.join(" ") === "games create")).toMatchObject({
    summary: "Create a game",
    scope: "game_owner",
    risk: "write",
    endpoint: ["POST /api/v1/games"],
    flags: expect.arrayContaining([expect.objectContaining({ name: "build-url", required: true })]),
  });
});

it("help --tree fits a terminal, and is a line for each command elsewhere", async () => {
  const drawn = (await playtest(["help", "--tree"], { tty: true, columns: 80 })).stdout.trimEnd().split("\n");
  expect(drawn.filter((line) => line.length > 80)).toEqual([]);
  expect(drawn.length).toBeGreaterThan(tree.commands.length);
  const piped = (await playtest(["help", "--tree"])).stdout.trimEnd().split("\n");
  expect(piped.filter((line) => line.startsWith("playtest ")).length).toBe(tree.commands.length);
  expect(piped.length).toBe(tree.commands.length);
});

it("schema gives the fields of a body", async () => {
  const { stdout } = await playtest(["schema", "games", "create", "--jq", ".body[] | select(.required) | .name"]);
  expect(stdout).toBe("name\nbuildUrl\n");
  expect((await playtest(["schema", "games", "nope"])).code).toBe(2);
});

it("schema takes the words by which a command is run", async () => {
  const schemaOf = async (words: string) => JSON.parse((await playtest(["schema", ...words.split(" ")])).stdout).path.join(" ");
  expect(await schemaOf("pt ls")).toBe("playtests list");
  expect(await schemaOf("billing payments")).toBe("billing payments list");
  expect((await playtest(["schema", "games", "list", "x"])).stderr).toContain('Unknown command "games list x".');
});

it("says its version, and an overview without arguments", async () => {
  expect((await playtest(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  const [alone, asked] = await Promise.all([playtest([]), playtest(["--help"])]);
  expect(alone.stdout).toBe(asked.stdout);
  expect(alone.stdout).toContain("Usage: playtest <command> [subcommand]");
});

it("fits the top-level help and the next prompt on a terminal of 24 lines and 80 columns, with every command", async () => {
  const { stdout } = await playtest(["--help"]);
  const rows = stdout.split("\n");
  expect(rows.length).toBeLessThanOrEqual(24);
  expect(rows.filter((row) => row.length > 80)).toEqual([]);
  const listed = stdout.split(/[\s,]+/);
  const names = [...groups, ...topCommands, ...shortcuts].map(({ name }) => name);
  expect(names.filter((name) => !listed.includes(name))).toEqual([]);
});

describe("completion", () => {
  const lines = async (typed: string[], env = {}) =>
    (await playtest(["__complete", "--", ...typed], { env })).stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split("\t")[0]);

  it.each([
    ["nouns", ["gam"], ["games"]],
    ["verbs", ["games", "cr"], ["create"]],
    ["verbs of an alias", ["game", "cr"], ["create"]],
    ["two-word verbs", ["auth", "keys", "ro"], ["rotate"]],
    ["flags", ["games", "create", "--build"], ["--build-url"]],
    ["flags of a command of four words", ["billing", "credit", "x402", "prove", "--sig"], ["--signature"]],
    ["choices", ["auth", "register", "--role", ""], ["game_owner", "playtester"]],
    ["choices behind =", ["playtests", "order", "--pay=cr"], ["--pay=credit"]],
    ["choices behind bash's own word =", ["playtests", "order", "--pay", "=", "cr"], ["credit"]],
    ["choices of a global flag", ["--color", ""], ["auto", "always", "never"]],
    ["words an argument may be", ["ci", "init", ""], ["github", "gitlab", "jenkins"]],
    ["words of an optional argument", ["help", "exit"], ["exit-codes"]],
    ["nothing where a file goes", ["games", "list", "-o", ""], []],
    ["after global flags with a value", ["--profile", "x", "games", "bui"], ["builds"]],
  ])("%s", async (_, typed, expected) => {
    expect(await lines(typed)).toEqual(expected);
  });

  it("ids listed before, without the network", async () => {
    const env = { PLAYTEST_CONFIG_DIR: testFolder() };
    const id = "0195a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
    const { baseUrl } = await stubServer([
      { on: "GET /games", data: { games: [{ id, name: "Star Miner" }] }, meta: { hasMore: false } },
    ]);
    await playtest(["games", "list"], { env, baseUrl, key: "pt_sk_test", tty: true });
    expect(await lines(["games", "show", ""], env)).toEqual(["2e3f4a5b"]);
    const playtests = { [baseUrl]: [{ id: "0195a1b2-c3d4-7e5f-8a9b-00000000000a", key: "playtests", label: "active" }] };
    const file = join(env.PLAYTEST_CONFIG_DIR, "cache/ids.json");
    const known = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ [baseUrl]: [...known[baseUrl], ...playtests[baseUrl]!] }));
    expect(await lines(["games", "show", ""], env)).toEqual(["2e3f4a5b"]);
    expect(await lines(["playtests", "show", ""], env)).toEqual(["0000000a"]);
    expect(await lines(["webhooks", "show", "0"], env)).toEqual(["0000000a"]);
    expect(await lines(["game", "get", ""], env)).toEqual(["2e3f4a5b"]);
  });

  it("profiles", async () => {
    const env = { PLAYTEST_CONFIG_DIR: testFolder() };
    for (const name of ["studio", "home"]) await playtest(["config", "set", "timeout", "5", "--profile", name], { env });
    expect(await lines(["games", "list", "-P", ""], env)).toEqual(["studio", "home"]);
  });

  it("in a real bash, which takes = for a word and names files where nothing else fits", () => {
    const folder = testFolder();
    writeFileSync(join(folder, "playtest"), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
    chmodSync(join(folder, "playtest"), 0o755);
    mkdirSync(join(folder, "cache"));
    const ids = {
      "http://x": [{ id: "0195a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b", key: "games", label: "$(touch pwned) `touch pwned`" }],
    };
    writeFileSync(join(folder, "cache/ids.json"), JSON.stringify(ids));
    const script = `source <(playtest completion bash)
try() { COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); COMPREPLY=(); _playtest; echo "\${COMPREPLY[*]}"; }
try playtest game
try playtest games show ""
try playtest playtests order --pay = cr
try playtest games list -o ""
try playtest games create --platforms "Epic\\ G"
complete -p playtest`;
    const env = { PATH: `${folder}:${process.env.PATH}`, HOME: folder, PLAYTEST_CONFIG_DIR: folder };
    const out = execFileSync("bash", ["--norc", "-c", script], { cwd: folder, env, encoding: "utf8" });
    expect(out.split("\n")).toEqual([
      "games",
      "2e3f4a5b",
      "credit",
      "",
      "Epic\\ Games",
      "complete -o default -F _playtest playtest",
      "",
    ]);
    expect(existsSync(join(folder, "pwned"))).toBe(false);
  });

  it.each([
    [["playtest", ""], ["games"]],
    [
      ["playtest", "games", ""],
      ["list", "push"],
    ],
    [["playtest.ps1", "games", "create", "--name", "", "--build"], ["--build-url"]],
    [["playtest", "games", "create", "--name", 'A "b" %c', "--devices", "Li"], ["Linux"]],
    [["playtest", "games", "create", "--platforms", "Epic G"], ["Epic Games"]],
  ])("by lines of a variable, as PowerShell hands over %j", async (words, expected) => {
    const env = { PLAYTEST_WORDS: words.join("\n") };
    const offered = (await playtest(["__complete", "--env"], { env })).stdout.split("\n").map((line) => line.split("\t")[0]);
    expect(offered).toEqual(expect.arrayContaining(expected));
    if (words.at(-1) !== "") expect(offered).toEqual([...expected, ""]);
  });

  it.each(["bash", "zsh", "fish", "powershell"])("has a script for %s", async (shell) => {
    expect((await playtest(["completion", shell])).stdout).toContain("__complete");
  });
});
