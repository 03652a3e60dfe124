import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Deps } from "../../server/app/deps.ts";
import { UploadFiles } from "../../server/uploads/files.ts";
import { createFolder } from "../../server/uploads/handlers.ts";

/** Calls to the file system that are not over. */
const pending = () => process.getActiveResourcesInfo().filter((name) => name === "FSReqCallback").length;

it("folder of unfinished uploads: is there at once, for this account only, and not created later", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "playtest-uploads-"));
  try {
    const before = pending();
    createFolder(dataDir);
    expect(statSync(join(dataDir, "uploads")).mode & 0o777).toBe(0o700);
    // One that is created later may come back after an ephemeral server removed its data.
    new UploadFiles({ dataDir } as Deps);
    expect(pending()).toBe(before);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});
