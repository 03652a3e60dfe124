import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";

/**
 * `npm run soak [-- --minutes N]`: for an hour, or about N minutes, what `npm test` does briefly. It sends generated calls to both
 * databases, kills the server again and again, and runs every test of faults. Ends with 1 when one of them fails.
 */
const { values } = parseArgs({ options: { minutes: { type: "string", default: "60" }, seed: { type: "string" } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error(`--minutes ${values.minutes} is not a number of minutes.`);

/** In an hour: calls to both databases together, how often the server is killed, and orders against one budget. */
const callsPerHour = 1_000_000;
const killsPerHour = 200;
const budgetOrdersPerHour = 10_000;
/** How much of the time the calls may take. */
const share = 0.8;

interface Step {
  what: string;
  files: readonly string[];
  /** Which of their tests, each in a process of its own and all at the same time. All of them in one process unless given. */
  apart?: readonly string[];
  env?: Record<string, string>;
}

const part = (ofAnHour: number) => String(Math.ceil((ofAnHour * minutes) / 60));
const steps: readonly Step[] = [
  {
    what: "generated calls",
    files: ["test/soak"],
    apart: ["sqlite", "postgres"],
    env: { PLAYTEST_SOAK_CALLS: part(callsPerHour / 2), PLAYTEST_SOAK_MINUTES: String(minutes * share) },
  },
  {
    what: "orders against one budget",
    files: ["test/faults/budgets.test.ts"],
    env: { PLAYTEST_BUDGET_ORDERS: part(budgetOrdersPerHour) },
  },
  { what: "killed servers", files: ["test/faults/kill.test.ts"], env: { PLAYTEST_KILL_ROUNDS: part(killsPerHour) } },
  {
    what: "faults",
    files: ["test/faults", "test/store/postgres", "test/store/pgbouncer", "test/store/sqlite", "test/unit/liveness"],
  },
];

async function run({ apart, ...step }: Step): Promise<boolean> {
  const ended = await Promise.all(apart ? apart.map((name) => runTests(step, ["-t", name])) : [runTests(step)]);
  return ended.every(Boolean);
}

async function runTests({ files, env }: Omit<Step, "apart">, only: readonly string[] = []): Promise<boolean> {
  const root = join(import.meta.dirname, "../..");
  const vitest = ["test/node_modules/vitest/vitest.mjs", "run", "--config", "test/vitest.config.ts", "--maxWorkers=1"];
  const seed = values.seed === undefined ? {} : { PLAYTEST_SEED: values.seed };
  const child = spawn(process.execPath, [...vitest, ...only, ...files], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...seed, ...env },
  });
  const [code] = (await once(child, "close")) as [number | null];
  return code === 0;
}

const failed: string[] = [];
for (const step of steps) {
  process.stdout.write(`\n== ${step.what}\n`);
  if (!(await run(step))) failed.push(step.what);
}
process.stdout.write(failed.length === 0 ? "\nNothing failed.\n" : `\nFailed: ${failed.join(", ")}.\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
