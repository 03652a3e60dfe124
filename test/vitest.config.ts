import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** The folders whose tests use databases. Each is a project, with what else has to be set up for it. */
const withDatabases: Record<string, string[]> = {
  store: [],
  api: [],
  cli: [],
  browser: ["test/setup/chromium.ts"],
  model: [],
  faults: [],
};
const names = Object.keys(withDatabases);

export default defineConfig({
  test: {
    // As node itself imports CommonJS; the other way, a module that exports a promise is taken for one.
    deps: { interopDefault: false },
    root: fileURLToPath(new URL("..", import.meta.url)),
    globalSetup: ["test/setup/scratch.ts"],
    allowOnly: false,
    // Titles made of rows are not cut.
    chaiConfig: { truncateThreshold: 200 },
    // Also the core that vitest keeps for itself by default: its own process is idle most of the time.
    maxWorkers: "100%",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          // Whatever is not elsewhere, so that no test file is forgotten. test/package has a configuration of its own.
          include: ["test/**/*.test.ts"],
          exclude: [...names, "package"].map((name) => `test/${name}/**`).concat("**/node_modules/**"),
          // None of these leaves anything behind in its process, so one process runs many of them.
          isolate: false,
        },
      },
      ...names.map((name) => ({
        extends: true as const,
        test: { name, include: [`test/${name}/**/*.test.ts`], globalSetup: ["test/setup/databases.ts", ...withDatabases[name]!] },
      })),
    ],
  },
});
