import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** The conformance suite of the Model Context Protocol, which it fetches from the npm registry. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    include: ["test/conformance/*.test.ts"],
    globalSetup: ["test/setup/scratch.ts", "test/setup/databases.ts"],
    setupFiles: ["test/setup/each-test.ts"],
    provide: { restricted: false },
    allowOnly: false,
    testTimeout: 300_000,
    hookTimeout: 600_000,
  },
});
