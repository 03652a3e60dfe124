import utils from "cli-table3/src/utils.js";
import { parse as parseCsv } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tree } from "../../src/cli/tree.ts";
import { playtest } from "../helpers/cli.ts";
import { everyCommand, everyWorld, type World } from "../helpers/every-command.ts";
import { type Receiver, startReceiver } from "../helpers/receiver.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { drivers } from "../helpers/store.ts";
import { runRow, withPrograms } from "../helpers/walk.ts";

/** What people can write into names, notes, messages and reasons, shown by every command: the real server keeps it as it is. */
const controls =
  "\u001b]0;owned\u0007\u009b31m\u202eevil\u2066\u200b\u001b[2J\r\n\ttab\u0085\u2028 \u6f22\u5b57\u{1f469}\u200d\u{1f680}e\u0301";
const formula = '=HYPERLINK("http://evil.example","click")';

const written =
  /^(name|description|instructions|notes|notesForTesters|qualifications|qualificationsResponse|content|reason|comment|note|text|companyName)$/;
/** The names of tester groups are words of a fixed form. */
const spoil = (path: string, body: unknown, text: string) =>
  typeof body === "object" && body !== null && path !== "/admin/groups"
    ? Object.fromEntries(Object.entries(body).map(([name, value]) => [name, written.test(name) ? text : value]))
    : body;

/** A marketplace in which everything anybody wrote is `text`. */
async function spoiledWorld(text: string) {
  const store = await drivers[0]!.open();
  const server = await startTestServer({ store, ...withPrograms });
  const { request } = server;
  const spoiled: TestServer["request"] = (method, path, options = {}) =>
    request.call(server, method, path, {
      ...options,
      ...(options.body !== undefined && { body: spoil(path, options.body, text) }),
    });
  server.request = spoiled;
  const receiver: Receiver = await startReceiver();
  const world = await everyWorld(server, receiver);
  const close = async () => {
    await server.close();
    await receiver.close();
    await store.remove();
  };
  return { world, close };
}

const worlds = {} as Record<"controls" | "formula", { world: World; close(): Promise<void> }>;
beforeAll(async () => {
  worlds.controls = await spoiledWorld(controls);
  worlds.formula = await spoiledWorld(formula);
});
afterAll(async () => {
  for (const { close } of Object.values(worlds)) await close();
});

const ran = (world: World, path: string, flags: readonly string[], terminal = false) =>
  runRow(world, path, flags, { tty: { stdout: terminal }, columns: 400 });

/** Whatever could move the cursor, color, retitle or reorder; lines of CSV end with CR LF. */
const dangerous = /(?!\n|\t|\r\n)[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

const paths = Object.keys(everyCommand).filter((path) => path !== "review transcript");
const reads = new Set(tree.commands.filter(({ risk }) => risk === "read").map(({ path }) => path.join(" ")));
const shows: Record<string, boolean> = {};

/** The cells of a table must begin where their headers do, however wide their characters are. */
function misaligned(table: string): string[] {
  const [head = "", ...rows] = table.trimEnd().split("\n");
  const starts = [...head.matchAll(/(?<=\s{2}|^)\S/g)].map(({ index }) => index);
  const segments = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return rows.filter((row) => {
    const columns = [...segments.segment(row)].flatMap(({ segment }) => Array(utils.strlen(segment)).fill(segment) as string[]);
    return starts.some((start) => start > 0 && [columns[start - 1] ?? " ", columns[start - 2] ?? " "].join("") !== "  ");
  });
}

describe("control, reordering and wide characters in", () => {
  it.each(paths)("%s", async (path) => {
    const { world } = worlds.controls;
    const terminal = await ran(world, path, [], true);
    expect(terminal.stdout + terminal.stderr).not.toMatch(dangerous);
    if (!reads.has(path)) return;
    shows[path] = terminal.stdout.includes("evil");
    if (/^[A-Z]/.test(terminal.stdout)) expect(misaligned(terminal.stdout)).toEqual([]);
    for (const format of [[], ["--csv"], ["--tsv"], ["--json"], ["--ndjson"], ["--jq", ".. | strings"]]) {
      const { stdout, stderr } = await ran(world, path, format);
      expect(stdout + stderr, format.join(" ")).not.toMatch(dangerous);
      // Names of files and texts of emails are made of names, but not equal to them.
      if (
        format[0] !== "--json" ||
        !stdout.includes("evil") ||
        ["review download", "sandbox mail", "admin mail list"].includes(path)
      )
        continue;
      const texts = JSON.stringify(JSON.parse(stdout.split("\n")[0]!));
      expect(texts).toContain(JSON.stringify(controls).slice(1, -1));
    }
  });

  it("reached what people read", () => {
    const expected = ["games list", "games show", "review list", "review show", "applications list", "chat list", "chat read"];
    for (const path of [...expected, "notifications list", "tester browse", "auth status"])
      expect([path, shows[path]]).toEqual([path, true]);
  });
});

describe("formulas in", () => {
  it.each(paths.filter((path) => reads.has(path)))("%s", async (path) => {
    const { world } = worlds.formula;
    const csv: string[][] = parseCsv((await ran(world, path, ["--csv"])).stdout, { relax_column_count: true });
    const tsv = (await ran(world, path, ["--tsv"])).stdout.split("\n").map((line) => line.split("\t"));
    const cells = [...csv.flat(), ...tsv.flat()];
    expect(cells.filter((cell) => /^[=+@-]/.test(cell) && Number.isNaN(Number(cell)))).toEqual([]);
    if (path === "games list") expect(cells).toContain(`'${formula}`);
  });
});

describe("errors that repeat what was written", () => {
  it.each([
    ["an id", ["games", "show", `${controls}?`]],
    ["a contact", ["chat", "send", controls, "Hello"]],
    ["a command", [controls]],
    ["a flag", ["games", "list", `--${controls}`]],
    ["a file", ["playtests", "bulk", controls]],
    ["a jq expression", ["games", "list", "--jq", controls]],
    ["a field", ["games", "list", `--json=${controls}`]],
  ])("%s", async (_, words) => {
    const { server, owner } = worlds.controls.world;
    for (const flags of words.some((word) => word.startsWith("--json")) ? [[]] : [[], ["--json"]]) {
      const { code, stdout, stderr } = await playtest([...words, ...flags], {
        baseUrl: server.baseUrl,
        key: owner.key,
        tty: flags.length === 0,
        env: { NO_COLOR: "1" },
      });
      expect([code > 0 && code < 70, stdout]).toEqual([true, ""]);
      expect(stderr).not.toMatch(dangerous);
    }
  });
});
