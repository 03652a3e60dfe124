import chromium from "@sparticuz/chromium";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** The path of the Chromium that browser tests run. */
    chromium: string;
  }
}

/** Unpacks Chromium once, before any test: two test files at the same time would start what the other is still writing. */
export default async function setup(project: TestProject): Promise<void> {
  project.provide("chromium", process.env.PLAYTEST_TEST_CHROMIUM || (await chromium.executablePath()));
}
