import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { startPostgres } from "../setup/postgres.ts";
import { mutants } from "./guards.ts";
import type { Edit, Mutant } from "./mutant.ts";

/**
 * `npm run test:mutants [-- [--why] [PATTERN]]`: removes each guard in a copy of the sources and expects its tests to fail; only those
 * whose rule or test matches, if a pattern is given, and saying how they failed with `--why`. Fails when tests fail before, when a text
 * to replace is gone, or when a mutant survives.
 */
const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "playtest-mutants-"));
const slowest = 180_000;
const { values, positionals } = parseArgs({
  options: { why: { type: "boolean" } },
  allowPositionals: true,
});
const why = values.why ?? false;
const pattern = new RegExp(positionals.join(" "));
/** Some mutants break the rules that keep the server from connecting anywhere. */
const loopbackOnly = `--import=${pathToFileURL(join(import.meta.dirname, "loopback.mjs"))}`;

interface Outcome {
  /** The names of the tests that passed. */
  passed: string[];
  /** The first test that failed: its name, and how; no name where no test came to an end. */
  failed: { name: string | undefined; why: string } | undefined;
}

interface Report {
  testResults: { assertionResults: { status: string; fullName: string; failureMessages: string[] }[]; message: string }[];
}

/** What runs once per database is named after it, and one of them is enough here. An empty pattern would take the file for one. */
const onSqlite = (test: string) => (/^(api|model|store)/.test(test) ? "\\bsqlite\\b" : ".");

/** One for all the runs, unless there is one already: to make one takes longer than most tests. */
const given = process.env.PLAYTEST_TEST_POSTGRES_URL;
const postgres = given ? { url: given, stop: async () => {} } : await startPostgres();
const env = {
  ...process.env,
  NODE_OPTIONS: loopbackOnly,
  PLAYTEST_TEST_POSTGRES_URL: postgres.url,
  PLAYTEST_TEST_CHROMIUM: "none",
  PLAYTEST_MODEL_RUNS: "30",
  PLAYTEST_MODEL_SECONDS: process.env.PLAYTEST_MODEL_SECONDS ?? "45",
};

async function runTests({ test, only = onSqlite(test) }: Pick<Mutant, "test" | "only">): Promise<Outcome> {
  const report = join(folder, "report.json");
  rmSync(report, { force: true });
  const argv = [
    "test/node_modules/vitest/vitest.mjs",
    "run",
    "--config=test/vitest.config.ts",
    "--bail=1",
    "--reporter=json",
    // By path and content, so that only what a mutant changed is compiled again.
    "--experimental.fsModuleCache",
    `--experimental.fsModuleCachePath=${join(folder, "compiled")}`,
    `--outputFile=${report}`,
  ];
  const child = spawn(process.execPath, [...argv, `--testNamePattern=${only}`, `test/${test}.test.ts`], {
    cwd: folder,
    stdio: "ignore",
    env,
  });
  const timer = setTimeout(() => child.kill(), slowest);
  const [code] = await once(child, "exit");
  clearTimeout(timer);
  return code === null ? { passed: [], failed: { name: undefined, why: "It never ended." } } : outcomeOf(report);
}

function outcomeOf(report: string): Outcome {
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
  const ran = testResults.flatMap(({ assertionResults }) => assertionResults);
  const passed = ran.filter(({ status }) => status === "passed").map(({ fullName }) => fullName);
  const failed = ran.find(({ status }) => status === "failed");
  if (failed) return { passed, failed: { name: failed.fullName, why: failed.failureMessages.join("\n") } };
  const broken = testResults.find(({ message }) => message !== "")?.message;
  return { passed, failed: broken === undefined ? undefined : { name: undefined, why: broken } };
}

const pathOf = (file: string) => join(folder, file);

/** Makes the edits; what undoes them. Throws when a text is not there, or not once. */
function apply(edits: readonly Edit[]): () => void {
  const before = new Map(edits.map(([file]) => [file, readFileSync(pathOf(file), "utf8")]));
  const undo = () => before.forEach((text, file) => void writeFileSync(pathOf(file), text));
  for (const [file, from, to] of edits) {
    const parts = readFileSync(pathOf(file), "utf8").split(from);
    if (parts.length !== 2) {
      undo();
      throw new Error(`${file} has ${parts.length - 1} times: ${from}`);
    }
    writeFileSync(pathOf(file), parts.join(to));
  }
  return undo;
}

/** What is wrong with the row; undefined when its mutant was killed. */
async function tryMutant(mutant: Mutant): Promise<string | undefined> {
  const started = performance.now();
  const say = (verdict: string, ...details: string[]) => {
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const lines = details.slice(0, why ? 2 : 1).flatMap((text) => text.split("\n", 40));
    process.stdout.write(`${verdict.padEnd(8)} ${seconds.padStart(5)} s  ${mutant.rule}\n`);
    for (const line of lines) process.stdout.write(`${" ".repeat(19)}${line}\n`);
    return verdict === "killed" ? undefined : `${verdict}: ${mutant.rule}`;
  };
  try {
    const undo = apply(mutant.edits);
    const { passed, failed } = await runTests(mutant).finally(undo);
    // A server that does not start says nothing about the rule, and neither do sources that do not load.
    if (failed === undefined && passed.length === 0) return say("BROKEN", "No test ran.");
    if (failed === undefined) return say("SURVIVED", `test/${mutant.test}.test.ts passes`);
    if (failed.name === undefined) return say("BROKEN", failed.why);
    const late = / timed out in /.test(failed.why) ? " (by its time-out)" : "";
    return say("killed", `${failed.name}${late}`, failed.why);
  } catch (error) {
    return say("STALE", (error as Error).message);
  }
}

/** The patterns of the tests that `only` names: one for each alternative. */
function alternativesOf(only: string): RegExp[] {
  const [, before = "", titles = only, after = ""] = /^(.*)\((.*)\)(.*)$/.exec(only) ?? [];
  return titles.split("|").map((title) => new RegExp(before + title + after));
}

/** Tests that fail by themselves prove nothing, and neither do tests that are gone. */
async function whatFailsAnyway(rows: readonly Mutant[]): Promise<string[]> {
  const faults = [];
  for (const place of new Set(rows.map(({ test, only }) => JSON.stringify({ test, only })))) {
    const row = JSON.parse(place) as Pick<Mutant, "test" | "only">;
    const { passed, failed } = await runTests(row);
    const gone = alternativesOf(row.only ?? ".").filter((pattern) => !passed.some((name) => pattern.test(name)));
    if (failed !== undefined) faults.push(`fails unbroken: ${place}: ${failed.name ?? failed.why}`);
    else for (const pattern of gone) faults.push(`no test ran: ${row.test}: ${pattern.source}`);
  }
  return faults;
}

async function main(): Promise<void> {
  for (const name of ["server", "src", "test", "bin", "package.json", "tsconfig.json"])
    cpSync(join(root, name), pathOf(name), { recursive: true, filter: (path) => basename(path) !== "node_modules" });
  for (const name of ["node_modules", "test/node_modules"]) symlinkSync(join(root, name), pathOf(name));
  const started = performance.now();
  const rows = mutants.filter(({ rule, test }) => pattern.test(`${rule} ${test}`));
  const faults: (string | undefined)[] = await whatFailsAnyway(rows);
  for (const row of rows) faults.push(await tryMutant(row));
  const real = faults.filter((fault) => fault !== undefined);
  const minutes = ((performance.now() - started) / 60_000).toFixed(1);
  process.stdout.write(
    `\n${rows.length} mutants, ${real.length} faults, ${minutes} min\n${real.map((fault) => `  ${fault}\n`).join("")}`,
  );
  if (real.length > 0 || rows.length === 0) process.exitCode = 1;
}

try {
  await main();
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
