import { parse as parseCsv } from "csv-parse/sync";
import { beforeAll, describe, expect, it } from "vitest";
import { commandRisks } from "../../src/cli/define.ts";
import { shortcuts as shortEntries } from "../../src/cli/groups.ts";
import { tree } from "../../src/cli/tree.ts";
import { operations } from "../../src/contract/static.ts";
import { playtest } from "../helpers/cli.ts";
import { everyCommand, withoutScene as exempt } from "../helpers/every-command.ts";
import { exampleWords, flagWords, spelledOut } from "../helpers/lines.ts";
import { oneWorld, runRow } from "../helpers/walk.ts";

/** Every command keeps the output contract. */
const shortcuts = new Map(shortEntries.map(({ name, summary }) => [name, summary]));
const paths = tree.commands.map(({ path }) => path.join(" "));
const called = paths.filter((path) => exempt[path] === undefined);

const world = oneWorld();

/** Control characters but line breaks and tabs. */
const control = /(?![\n\t])\p{Cc}/u;

/** Runs a command as its row says, with some flags. */
async function ran(path: string, flags: readonly string[], terminal = false) {
  const ended = await runRow(
    world,
    path,
    flags,
    { tty: { stdout: terminal }, ...(terminal && { columns: 80 }) },
    shortcuts.get(path) ?? path,
  );
  return { ...ended, ok: ended.code === ended.expected };
}

/** As `ran`; fails unless it ends as its row says. */
async function stdoutOf(path: string, flags: readonly string[], terminal = false): Promise<string> {
  const { ok, code, stdout, stderr } = await ran(path, flags, terminal);
  if (!ok) throw new Error(`${path} ${flags.join(" ")} ended with ${code}: ${stderr}`);
  return stdout;
}

const jsonLines = (text: string): Record<string, unknown>[] =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** Names that `--json=field` may take: the first of each object in the data, the innermost first. */
const fieldsOf = (data: unknown): string[] => {
  const value = Array.isArray(data) ? data[0] : data;
  if (typeof value !== "object" || value === null) return [];
  return [...Object.values(value).flatMap(fieldsOf), ...Object.keys(value).slice(0, 1)];
};

async function narrows(path: string, data: Record<string, unknown>) {
  const fields = fieldsOf(data);
  for (const field of new Set(fields)) {
    const { ok, stdout } = await ran(path, [`--json=${field}`]);
    if (ok) return stdout.includes(`"${field}":`);
  }
  return fields.length === 0;
}

/** Lines of a table that 80 columns do not hold, and a heading that is cut. */
function tooWide(shown: string): string[] {
  const [head = "", ...rows] = shown.split("\n");
  if (!/^[A-Z][A-Z ]*( {2}|$)/.test(head) || rows.length < 2) return [];
  return [head, ...rows].filter((line) => line.length > 80 || (line === head && line.includes("…")));
}

describe("the output of", () => {
  it.each(called)("%s", async (path) => {
    const json = await stdoutOf(path, ["--json"]);
    const [first, ...more] = jsonLines(json);
    expect(more.every((line) => typeof line === "object")).toBe(true);
    expect(await narrows(path, first!)).toBe(true);
    const csv: string[][] = parseCsv(await stdoutOf(path, ["--csv"]));
    expect(csv[0]?.length).toBeGreaterThan(0);
    const tsv = (await stdoutOf(path, ["--tsv"])).replace(/\n$/, "").split("\n");
    expect(tsv.map((line) => line.split("\t").length)).toEqual(tsv.map(() => csv[0]!.length));
    expect(await stdoutOf(path, [])).not.toMatch(control);
    const shown = await stdoutOf(path, [], true);
    expect(shown).not.toMatch(control);
    expect(shown).not.toMatch(/\bundefined\b|\[object /);
    expect(tooWide(shown)).toEqual([]);
  });

  // The same code prints these formats for every command; what differs is the data, which is of few shapes.
  it.each(["auth status", "games list", "games show", "playtests order", "status", "review transcript"])(
    "%s, in the formats of which no part is its own",
    async (path) => {
      expect(jsonLines(await stdoutOf(path, ["--jq", "."]))[0]).toBeTypeOf("object");
      expect(jsonLines(await stdoutOf(path, ["--ndjson"])).every((line) => typeof line === "object")).toBe(true);
      expect(await stdoutOf(path, ["--template", "<{nothing}>"])).toMatch(/^(<>\n)*$/);
    },
  );

  it("is checked for every command that prints data", () => {
    const known = new Set([...called.map((path) => shortcuts.get(path) ?? path)]);
    expect(Object.keys(everyCommand).filter((path) => !known.has(path))).toEqual([]);
    expect(Object.keys(exempt).filter((path) => !paths.includes(path))).toEqual([]);
  });
});

/** Commands that their noun alone stands for. */
const fallbacks = new Set(["serve run", "mcp run", "review list", "billing payments list"]);

describe("the help of", () => {
  let globals: string;
  beforeAll(async () => {
    globals = (await playtest(["help", "flags"])).stdout;
  });

  it.each(tree.commands.map((command) => [command.path.join(" "), command] as const))("%s", async (path, command) => {
    const { stdout } = await playtest([...path.split(" "), "--help"]);
    const lines = stdout.split("\n");
    expect(lines.filter((line) => line.length > 80 || /^ {6}--\S+ [A-Z]{2,}[a-z]/.test(line))).toEqual([]);
    const part = (title: string) =>
      new RegExp(`^ *${title} +(\\S.*(?:\n {30}\\S.*)*)$`, "m").exec(stdout)?.[1]?.replace(/\n +/g, " ");
    expect(commandRisks).toContain(command.risk);
    expect(part("Risk")).toContain(command.risk);
    expect(part("Scope")).toBe(command.scope);
    expect(part("Exit codes")).toContain("0 ok");
    const calls = command.endpoint.length > 0;
    for (const code of calls ? [2, 4, 5, 9, 10] : [0, 1, 2]) expect(command.exitCodes).toContain(code);
    if (calls && command.risk !== "read") expect(command.exitCodes).toContain(12);
    const examples = /^Examples\n((?: {2}.+\n)+)/m.exec(stdout.replaceAll(" \\\n     ", ""))?.[1]?.trim().split("\n") ?? [];
    expect(examples.length).toBeGreaterThan(0);
    const target = shortcuts.get(path) ?? path;
    const known = command.flags.flatMap(({ name, short }) => [`--${name}`, `-${short}`]);
    for (const example of examples) {
      const words = exampleWords(example);
      const spelled = spelledOut(words);
      const alone = fallbacks.has(target) && spelled.split(" ")[0] === target.split(" ")[0];
      expect(alone || spelled.startsWith(target), example).toBe(true);
      for (const word of flagWords(words))
        expect(known.includes(word) || globals.includes(word), `${example}: ${word}`).toBe(true);
    }
  });
});

/** Endpoints that no command is for, and why. All of them: `playtest api`. */
const withoutCommand: Record<string, string> = {
  register: "`auth register` does the same and also makes the key that every other command needs",
  getPublishedVideo: "for pages that embed it; `review show` prints the address of the page and `open` opens it",
  listPublishedVideos: "for pages and programs that show them to everybody",
  startPasskey: "for pages: a browser creates the passkey",
  addPasskey: "for pages: a browser created the passkey",
  getOpenapi: "for generators of clients, which fetch it themselves",
};

it("every endpoint has a command, or a reason for having none", () => {
  const used = new Set(tree.commands.flatMap(({ endpoint }) => endpoint));
  const without = Object.entries(operations).filter(([, { method, path }]) => !used.has(`${method} /api/v1${path}`));
  expect(without.map(([name]) => name).sort()).toEqual(Object.keys(withoutCommand).sort());
});

it("help --tree --json keeps its form", async () => {
  const { commands, ...rest } = JSON.parse((await playtest(["help", "--tree", "--json"])).stdout);
  expect(Object.keys(rest)).toEqual(["exitCodes"]);
  const kinds = { path: "array", summary: "string", aliases: "array", args: "array", flags: "array", scope: "string" };
  const shape = { ...kinds, risk: "string", endpoint: "array", exitCodes: "array" };
  const kind = (value: unknown) => (Array.isArray(value) ? "array" : typeof value);
  for (const command of commands)
    expect(Object.fromEntries(Object.entries(command).map(([name, value]) => [name, kind(value)]))).toEqual(shape);
  expect(commands.map(({ path }: { path: string[] }) => path.join(" "))).toEqual(paths);
  expect(new Set(paths).size).toBe(paths.length);
});

describe("show", () => {
  const shown = paths.filter((path) => path.endsWith(" show"));

  it("is what every noun calls it; only `config get`, which prints a value, is called get", () => {
    const gets = tree.commands.filter(
      ({ path, aliases }) => path.at(-1) === "get" || aliases.some((name) => /\bget$/.test(name)),
    );
    expect(gets.map(({ path }) => path.join(" "))).toEqual(["config get"]);
    expect(shown).toEqual(expect.arrayContaining(["games show", "playtests show", "billing payments show", "webhooks show"]));
  });

  it.each(shown)("%s still answers to get, which its help does not mention", async (path) => {
    const former = path.replace(/show$/, "get").split(" ");
    const help = await playtest([...path.split(" "), "--help"]);
    expect(await playtest([...former, "--help"])).toEqual(help);
    expect(help.stdout).not.toMatch(/\bget\b/);
    expect((await playtest(["help", ...former])).stdout).toBe(help.stdout);
    expect((await playtest(["schema", ...former])).code).toBe(0);
    const { code, expected } = await runRow(world, path, [], {}, path);
    const again = await runRow(world, former.join(" "), [], {}, path);
    expect([code, again.code]).toEqual([expected, expected]);
  });
});
