import { parseArgs } from "node:util";
import { cleanUp, exitOnSignals } from "../helpers/clean-up.ts";
import { installedProxies } from "../helpers/proxies.ts";
import { startPostgres } from "../setup/postgres.ts";
import type { Failure } from "./client.ts";
import { lastVersions, previousVersions } from "./versions.ts";
import { isAsTold, type Outcome, upgrade } from "./walk.ts";

/**
 * `npm run test:upgrade [-- --from REVISION|TARBALL …] [-- --versions N]`: upgrades two processes on one PostgreSQL, behind nginx and with
 * requests running, from the newest release (or the last revision before the newest migration), from what is named, or from the last
 * revision before each of the newest N migrations. Ends with 1 when something is lost or a request fails. Only where `serve upgrade --check`
 * says that both versions cannot run side by side do requests fail while none runs.
 */
const { values } = parseArgs({ options: { from: { type: "string", multiple: true }, versions: { type: "string" } } });

const sum = (counts: ReadonlyMap<string, number>, outcome: string) =>
  [...counts].reduce((total, [labels, count]) => total + (labels.endsWith(` ${outcome}`) ? count : 0), 0);

/** Failures of the same kind in one line each. */
function lines(word: string, failures: readonly Failure[]): string[] {
  const counts = new Map<string, number>();
  for (const { phase, what, outcome } of failures) {
    const line = `${phase}: ${what.replace(/[0-9a-f-]{36}|http\S+/g, "…")}: ${outcome.replace(/,"meta":.*|\s+/g, " ")}`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return [...counts].map(([line, count]) => `  ${word} ${count} times, ${line}`);
}

function report({ from, plan, requests, failures, cut, unserved, faults, done, jobs, proxyLog }: Outcome): string {
  const { possible, reasons } = plan.sideBySide;
  const counts = Object.entries(done).map(([name, { length }]) => `${length} ${name}`);
  return [
    `From ${from}: ${plan.migrations.map(({ name }) => name).join(", ") || "no migration"}`,
    `  serve upgrade --check: ${possible ? "side by side" : `not side by side: ${reasons.join("; ")}`}`,
    `  ${requests} requests, ${failures.length} failed, ${cut.length} cut while a process stopped, ${unserved.length} while none ran`,
    `  ${counts.join(", ")}`,
    ...jobs.map(
      ({ process, jobs }) =>
        `  ${process}: ${sum(jobs, "done")} jobs done, ${sum(jobs, "failed")} failed, ${jobs.get("deliver-webhook done") ?? 0} rounds of webhooks`,
    ),
    ...lines("FAILED", failures),
    ...lines("cut", cut),
    ...(failures.length + cut.length === 0 ? [] : proxyLog.map((line) => `  nginx: ${line}`)),
    ...faults.map((fault) => `  WRONG: ${fault}`),
    "",
  ].join("\n");
}

/** Which revisions and tarballs to begin at. */
function chosen(): string[] {
  if (values.from) return values.from;
  if (values.versions === undefined) return previousVersions();
  if (!/^[1-9]\d*$/.test(values.versions)) throw new Error(`--versions ${values.versions} is not a whole number from 1.`);
  return lastVersions(Number(values.versions));
}

async function main(): Promise<number> {
  if (!installedProxies().includes("nginx")) {
    process.stderr.write(
      "nginx is not installed. Nothing was tested. Install it, for instance with `apt-get install nginx-light`.\n",
    );
    return 2;
  }
  const froms = chosen();
  if (froms.length === 0)
    throw new Error("There is no revision whose database this one can bring up to date. Nothing was tested.");
  const postgres = await startPostgres();
  try {
    const outcomes: Outcome[] = [];
    for (const from of froms) {
      process.stderr.write(`Upgrading from ${from}\n`);
      outcomes.push(await upgrade(from, postgres.url));
      process.stdout.write(report(outcomes.at(-1)!));
    }
    return outcomes.every(isAsTold) ? 0 : 1;
  } finally {
    await cleanUp([postgres.stop]);
  }
}

exitOnSignals();
process.exitCode = await main();
