import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // As node itself imports CommonJS; the other way, a module that exports a promise is taken for one.
    deps: { interopDefault: false },
    root: fileURLToPath(new URL("..", import.meta.url)),
    include: ["test/**/*.test.ts"],
    // Needs the registry and a build: `npm run test:package`.
    exclude: ["test/package/**", "**/node_modules/**"],
    globalSetup: ["test/global-setup.ts"],
    allowOnly: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
