import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** The `playtest.js` that tests start as a process of its own. */
    program: string;
  }
}

const root = join(import.meta.dirname, "../..");

/**
 * Builds the program for a run of whole projects, from the sources of the checkout: it starts in a fifth of the time that the sources
 * take, and hundreds of tests start it. A run of named files uses the sources, because building takes longer than it saves, unless
 * PLAYTEST_TEST_BUILD=1 says otherwise.
 */
export default function setup({ vitest }: TestProject): void {
  // Called once per project, one after the other.
  const { program, scratch } = vitest.getProvidedContext();
  if (program !== undefined) return;
  const { filenamePattern } = vitest as { filenamePattern?: string[] };
  const builds = filenamePattern === undefined || process.env.PLAYTEST_TEST_BUILD === "1";
  vitest.provide("program", builds ? build(join(scratch, "program")) : join(root, "bin/playtest.js"));
}

function build(folder: string): string {
  const bin = join(folder, "bin/playtest.js");
  mkdirSync(join(folder, "bin"), { recursive: true });
  execFileSync(process.execPath, ["--import", "tsx", "bin/build.ts", join(folder, "dist")], { cwd: root, stdio: "inherit" });
  copyFileSync(join(root, "bin/playtest.js"), bin);
  copyFileSync(join(root, "package.json"), join(folder, "package.json"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return bin;
}
