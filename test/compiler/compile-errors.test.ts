import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
let copy: string;

/** The sources in a folder of their own, to be changed and compiled. */
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "playtest-compile-"));
  for (const name of ["src", "server", "package.json"]) cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(realpathSync(join(root, "node_modules")), join(copy, "node_modules"));
  const config = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8")) as object;
  writeFileSync(join(copy, "tsconfig.json"), JSON.stringify({ ...config, include: ["src", "server"] }));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

interface CompileError {
  file: string;
  message: string;
}

/** What the compiler says about the copy. */
function compile(): CompileError[] {
  const tsc = join(root, "node_modules/.bin/tsc");
  const { stdout, status } = spawnSync(tsc, ["--noEmit", "--pretty", "false", "-p", "tsconfig.json"], {
    cwd: copy,
    encoding: "utf8",
  });
  const found = stdout.matchAll(/^(\S+?)\(\d+,\d+\): error TS\d+: (.*)$/gm);
  const errors = [...found].map(([, file, message]) => ({ file: file!, message: message! }));
  expect(status === 0).toBe(errors.length === 0);
  return errors;
}

const edits = [
  ["server/playtests/slots/rules.ts", 'slot.status === "reserved"', 'slot.status === "resreved"'],
  ["src/contract/states/index.ts", '  "publishing",\n] as const;', '  "publishing",\n  "paused",\n] as const;'],
  ["src/contract/events/kinds.ts", '  "slot.expired",', '  "slot.expired",\n  "slot.frozen",'],
  ["src/contract/events/payloads.ts", '  "slot.expired": z', '  "slot.frozen": z.strictObject(slot),\n  "slot.expired": z'],
  ["src/commands/tester/view.ts", '"applied:createdAt"', '"applied:creatdAt"'],
  ["src/commands/tester/release.ts", "  view: heldSlotView,\n", ""],
  ["server/web/studio/inbox/rows.ts", "studio.problem(one.slot.id)", "studio.problm(one.slot.id)"],
  ["server/web/portal/earnings/page.ts", "portal.slot(slotId)", "portal.slot()"],
  ["server/app/jobs.ts", '  "sweep-files": sweepFiles,\n', ""],
  ["server/games/store.ts", "{ id: buildId, game_id: gameId }", "{ id: buildId, gmae_id: gameId }"],
  ["server/database/schema/games.ts", "external_url: orNull(text)", "web_url: orNull(text)"],
] as const;

describe("compiler", { timeout: 300_000 }, () => {
  it("accepts the sources as they are", () => {
    expect(compile()).toEqual([]);
  });

  describe("refuses", () => {
    let errors: CompileError[];
    /** The files of the errors whose message has the word. */
    const about = (word: string) => [...new Set(errors.filter(({ message }) => message.includes(word)).map(({ file }) => file))];

    // All at once, because each run of the compiler takes seconds.
    beforeAll(() => {
      for (const [file, from, to] of edits) {
        const text = readFileSync(join(copy, file), "utf8");
        expect(text.split(from)).toHaveLength(2);
        writeFileSync(join(copy, file), text.replace(from, to));
      }
      errors = compile();
    }, 300_000);

    it("a misspelled state", () => {
      expect(about("resreved")).toEqual(["server/playtests/slots/rules.ts"]);
    });

    it("a state that only the contract knows: it has no moves, no badge, no color", () => {
      const files = errors.map(({ file }) => file);
      expect(files).toEqual(
        expect.arrayContaining(["src/contract/states/index.ts", "server/web/portal/badge.ts", "src/io/cells.ts"]),
      );
    });

    it("an event kind without a notice", () => {
      expect(about("slot.frozen").sort()).toEqual(["server/events/notices.ts", "server/mail/links.ts"]);
    });

    it("a column of a field that the reply does not have", () => {
      expect(about("applied:creatdAt")).toEqual(["src/commands/tester/view.ts"]);
    });

    it("a command that neither runs nor shows its reply", () => {
      expect(errors.map(({ file }) => file)).toContain("src/commands/tester/release.ts");
    });

    it("a link to a page that there is not, and one without the id of the page", () => {
      expect(about("problm")).toEqual(["server/web/studio/inbox/rows.ts"]);
      expect(about("Expected 1 arguments, but got 0")).toEqual(["server/web/portal/earnings/page.ts"]);
    });

    it("a column that the table does not have", () => {
      expect(about("gmae_id")).toEqual(["server/games/store.ts"]);
    });

    it("what reads and writes a column that was renamed", () => {
      expect(about("external_url").sort()).toEqual([
        "server/games/handlers.ts",
        "server/games/views.ts",
        "server/playtests/publications/store.ts",
        "server/playtests/slots/offered-games.ts",
      ]);
    });

    it("a kind of background job without work", () => {
      expect(about("sweep-files")).toEqual(["server/app/jobs.ts"]);
    });
  });
});
