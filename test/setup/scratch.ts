import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { memoryOrDisk, removeOnExit } from "./folders.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Where tests create folders: in memory, if there is enough of it. */
    scratch: string;
  }
}

/** One folder for all that the tests of a run write. */
export default async function setup({ vitest }: TestProject): Promise<(() => Promise<void>) | undefined> {
  // Called once per project, one after the other.
  if ("scratch" in vitest.getProvidedContext()) return undefined;
  const scratch = mkdtempSync(join(memoryOrDisk(), "playtest-test-"));
  vitest.provide("scratch", scratch);
  return removeOnExit(scratch);
}
