import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** The packed tarball, installed into an empty folder and run as a user would. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    include: ["test/package/*.test.ts"],
    allowOnly: false,
    testTimeout: 60_000,
    hookTimeout: 600_000,
  },
});
