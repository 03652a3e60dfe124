import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
