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

/** The files in which the compiler finds errors. */
function filesWithErrors(): string[] {
  const tsc = join(root, "node_modules/.bin/tsc");
  const { stdout, status } = spawnSync(tsc, ["--noEmit", "--pretty", "false", "-p", "tsconfig.json"], {
    cwd: copy,
    encoding: "utf8",
  });
  const files = [...stdout.matchAll(/^(\S+?)\(\d+,\d+\): error TS/gm)].map(([, file]) => file!);
  expect(status === 0).toBe(files.length === 0);
  return [...new Set(files)].sort();
}

type Edit = readonly [file: string, from: string, to: string];

/** Compiles with the edits, then takes them back. */
function filesWithErrorsAfter(edits: readonly Edit[]): string[] {
  const before = edits.map(([file]) => [file, readFileSync(join(copy, file), "utf8")] as const);
  try {
    for (const [file, from, to] of edits) {
      const text = readFileSync(join(copy, file), "utf8");
      expect(text.split(from)).toHaveLength(2);
      writeFileSync(join(copy, file), text.replace(from, to));
    }
    return filesWithErrors();
  } finally {
    for (const [file, text] of before) writeFileSync(join(copy, file), text);
  }
}

describe("compiler", () => {
  it("accepts the sources as they are", () => {
    expect(filesWithErrors()).toEqual([]);
  });

  it("refuses a misspelled state", () => {
    const edit = ["server/playtests/slots/rules.ts", 'slot.status === "reserved"', 'slot.status === "resreved"'] as const;
    expect(filesWithErrorsAfter([edit])).toEqual(["server/playtests/slots/rules.ts"]);
  });

  it("refuses a state that only the contract knows: it has no moves, no badge, no color", () => {
    const edit = [
      "src/contract/states/index.ts",
      '  "publishing",\n] as const;',
      '  "publishing",\n  "paused",\n] as const;',
    ] as const;
    const files = filesWithErrorsAfter([edit]);
    expect(files).toEqual(
      expect.arrayContaining(["src/contract/states/index.ts", "server/web/portal/badge.ts", "src/io/cells.ts"]),
    );
  });

  it("refuses an event kind without a notice", () => {
    const kind = ["src/contract/events/kinds.ts", '  "slot.expired",', '  "slot.expired",\n  "slot.paused",'] as const;
    const payload = [
      "src/contract/events/payloads.ts",
      '  "slot.expired": z',
      '  "slot.paused": z.strictObject(slot),\n  "slot.expired": z',
    ] as const;
    expect(filesWithErrorsAfter([kind, payload])).toEqual(["server/events/notices.ts", "server/mail/links.ts"]);
  });
});
