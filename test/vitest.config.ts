import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { hasRadosgw } from "./helpers/radosgw.ts";
import { SmallestLast } from "./setup/order.ts";

/** The folders whose tests use databases. Each is a project, with what else has to be set up for it. */
const withDatabases: Record<string, string[]> = {
  store: [],
  api: [],
  cli: [],
  browser: ["test/setup/chromium.ts"],
  model: [],
  faults: [],
  soak: [],
};
const names = Object.keys(withDatabases);
/** What a run of the unit tests need not wait for. */
const slow = ["compiler"];

/** Tests that the suite also runs on a restricted PostgreSQL. With PLAYTEST_TEST_RESTRICTED, all of them do. */
const restricted = [
  "model/model",
  "faults/races",
  "faults/two-processes",
  "api/execute",
  "api/keys",
  "api/events",
  "store/jobs",
  "store/clock",
];
const everything = process.env.PLAYTEST_TEST_RESTRICTED === "1";
/** These count transactions, or define tables themselves. */
const unrestricted = ["postgres", "pgbouncer", "ledger-checks", "state-machine"].map((name) => `test/store/${name}.test.ts`);

/** These have no test without a program that is not installed, which the runner takes for a mistake. */
const left = hasRadosgw ? [] : ["test/faults/bucket-uploads.test.ts"];

const onRestricted = {
  extends: true as const,
  test: {
    name: "restricted",
    include: restricted.map((name) => `test/${name}.test.ts`),
    globalSetup: ["test/setup/databases.ts", "test/setup/program.ts"],
    provide: { restricted: true },
  },
};

export default defineConfig({
  test: {
    // As node itself imports CommonJS; the other way, a module that exports a promise is taken for one.
    deps: { interopDefault: false },
    root: fileURLToPath(new URL("..", import.meta.url)),
    globalSetup: ["test/setup/scratch.ts"],
    setupFiles: ["test/setup/each-test.ts"],
    provide: { restricted: everything },
    allowOnly: false,
    // Titles made of rows are not cut.
    chaiConfig: { truncateThreshold: 200 },
    // No file leaves anything behind in its process, so one process runs many files of a project and imports the server once.
    isolate: false,
    // More than cores: tests wait for processes, browsers and PostgreSQL much of the time.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    sequence: { sequencer: SmallestLast },
    // What a test may take on a busy machine. No test has a shorter limit of its own: one that passes takes no longer for it.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    // A file that did not change is not compiled again, neither for another project nor in the next run. A new
    // installation of the tests' packages removes it.
    experimental: { fsModuleCache: true, fsModuleCachePath: "test/node_modules/.compiled" },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          // Whatever is not elsewhere, so that no test file is forgotten. test/package and test/conformance have configurations of their own.
          include: ["test/**/*.test.ts"],
          exclude: [...names, ...slow, "package", "conformance"].map((name) => `test/${name}/**`).concat("**/node_modules/**"),
        },
      },
      ...slow.map((name) => ({ extends: true as const, test: { name, include: [`test/${name}/**/*.test.ts`] } })),
      ...names.map((name) => ({
        extends: true as const,
        test: {
          name,
          include: [`test/${name}/**/*.test.ts`],
          exclude: [...(everything ? unrestricted : []), ...left],
          globalSetup: ["test/setup/databases.ts", "test/setup/program.ts", ...withDatabases[name]!],
        },
      })),
      ...(everything || process.env.PLAYTEST_TEST_DATABASES === "sqlite" ? [] : [onRestricted]),
    ],
  },
});
