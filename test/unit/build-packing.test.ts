import { appendFileSync, chmodSync, mkdtempSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readContents } from "../../src/io/files/contents.ts";
import { readTree, unreadable } from "../../src/io/files/tree.ts";
import { writeZip } from "../../src/io/files/zip.ts";
import { writeParts } from "../helpers/builds.ts";

const { signal } = new AbortController();
const onBytes = () => {};
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "playtest-build-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** As an ordinary user, whom permissions keep out. */
async function asAnybody<T>(work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid!(65_534);
  try {
    return await work();
  } finally {
    process.seteuid!(0);
  }
}

it("a folder or file that may not be read is named, with the reason", async () => {
  writeParts({ "a.txt": "a", "locked/b.txt": "b" }, folder);
  chmodSync(folder, 0o755);
  chmodSync(join(folder, "locked"), 0);
  chmodSync(join(folder, "a.txt"), 0);
  const [{ items, faults }, error] = await asAnybody(async () => [
    await readTree(folder, signal, true),
    await readContents(join(folder, "a.txt"), onBytes).catch((reason: unknown) => reason),
  ]);
  chmodSync(join(folder, "locked"), 0o755);
  expect(items.map(({ path }) => path)).toEqual(["a.txt"]);
  expect(faults).toEqual([{ path: "locked", problem: "cannot be read: permission denied" }]);
  expect(unreadable(error)).toBe("cannot be read: permission denied");
});

describe("writeZip", () => {
  it.each([
    ["grew", (file: string) => appendFileSync(file, "more")],
    ["got shorter", (file: string) => writeFileSync(file, "1234")],
    ["has other bytes of the same length", (file: string) => writeFileSync(file, "54321")],
    ["disappeared", unlinkSync],
  ])("refuses a file that %s since it was read", async (_, change) => {
    writeParts({ "a.txt": "a", "game.log": "12345" }, folder);
    const { items } = await readTree(folder, signal, true);
    const read = await Promise.all(
      items.map(async (item) => (item.kind === "file" ? { ...item, ...(await readContents(item.file, onBytes)) } : item)),
    );
    change(join(folder, "game.log"));
    await expect(writeZip(read, join(folder, "packed.zip"), signal, onBytes)).rejects.toMatchObject({
      exitCode: 1,
      message: "game.log changed while it was packed. Nothing was sent.",
      extra: { hint: expect.stringContaining(".playtestignore") },
    });
  });

  it("stops when it is interrupted", async () => {
    writeParts({ "a.txt": "a" }, folder);
    const { items } = await readTree(folder, signal, true);
    const read = await Promise.all(
      items.map(async (item) => (item.kind === "file" ? { ...item, ...(await readContents(item.file, onBytes)) } : item)),
    );
    const stopped = AbortSignal.abort(new Error("stopped"));
    await expect(writeZip(read, join(folder, "packed.zip"), stopped, onBytes)).rejects.toThrow("stopped");
  });
});
