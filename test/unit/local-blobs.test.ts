import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createLocalBlobs } from "../../server/uploads/local-blobs.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "playtest-blobs-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const key = "builds/00000000-0000-7000-8000-000000000000";

it("a file that is stored is never replaced", async () => {
  const blobs = createLocalBlobs(join(folder, "blobs"));
  const path = join(folder, "upload");
  writeFileSync(path, "first");
  expect([await blobs.put(key, path), existsSync(path), await blobs.text(key)]).toEqual([true, false, "first"]);
  writeFileSync(path, "second");
  expect([await blobs.put(key, path), existsSync(path), await blobs.text(key)]).toEqual([false, true, "first"]);
  await blobs.remove(key);
  expect([await blobs.put(key, path), await blobs.text(key)]).toEqual([true, "second"]);
});

it("a file is lent, unless nothing is stored or its new folder does not exist", async () => {
  const blobs = createLocalBlobs(join(folder, "blobs"));
  const lent = join(folder, "lent");
  expect([await blobs.lend(key, lent), existsSync(lent)]).toEqual([false, false]);
  const path = join(folder, "upload");
  writeFileSync(path, "first");
  await blobs.put(key, path);
  expect([await blobs.lend(key, lent), readFileSync(lent, "utf8")]).toEqual([true, "first"]);
  await expect(blobs.lend(key, join(folder, "nowhere", "lent"))).rejects.toThrow("ENOENT");
  rmSync(lent);
  expect(await blobs.text(key)).toBe("first");
});
