import { parseArgs } from "node:util";
import { installedProxies } from "../helpers/proxies.ts";
import { startPostgres } from "../setup/postgres.ts";
import { lastVersions, previousVersion } from "./versions.ts";
import { type Outcome, upgrade } from "./walk.ts";

/**
 * `npm run test:upgrade [-- --from REVISION|TARBALL …] [-- --versions N]`: upgrades two processes on one PostgreSQL, behind nginx and with
 * requests running, from the newest release (or the last revision before the newest migration), from what is named, or from the last
 * revision before each of the newest N migrations. Ends with 1 when a request fails or something is lost although `serve upgrade --check`
 * says that both versions can run side by side.
 */
const { values } = parseArgs({ options: { from: { type: "string", multiple: true }, versions: { type: "string" } } });

const sum = (counts: ReadonlyMap<string, number>, outcome: string) =>
  [...counts].reduce((total, [labels, count]) => total + (labels.endsWith(` ${outcome}`) ? count : 0), 0);

function report({ from, plan, requests, failures, faults, done, jobs, proxyLog }: Outcome): string {
  const { possible, reasons } = plan.sideBySide;
  const counts = Object.entries(done).map(([name, value]) => `${typeof value === "number" ? value : value.length} ${name}`);
  const byReply = new Map<string, number>();
  for (const { phase, what, outcome } of failures) {
    const line = `${phase}: ${what.replace(/[0-9a-f-]{36}|http\S+/g, "…")}: ${outcome}`;
    byReply.set(line, (byReply.get(line) ?? 0) + 1);
  }
  return [
    `From ${from}: ${plan.migrations.map(({ name }) => name).join(", ") || "no migration"}`,
    `  serve upgrade --check: ${possible ? "side by side" : `not side by side: ${reasons.join("; ")}`}`,
    `  ${requests} requests, ${failures.length} failed; ${counts.join(", ")}`,
    ...jobs.map(
      ({ process, jobs }) =>
        `  ${process}: ${sum(jobs, "done")} jobs done, ${sum(jobs, "failed")} failed, ${jobs.get("deliver-webhook done") ?? 0} rounds of webhooks`,
    ),
    ...[...byReply].map(([line, count]) => `  FAILED ${count} times, ${line}`),
    ...(failures.length === 0 ? [] : proxyLog.map((line) => `  nginx: ${line}`)),
    ...faults.map((fault) => `  WRONG: ${fault}`),
    "",
  ].join("\n");
}

/** Whether the upgrade went as it was foretold. One that cannot go side by side may fail. */
const isAsTold = ({ plan, failures, faults }: Outcome) =>
  !plan.sideBySide.possible || (failures.length === 0 && faults.length === 0);

async function main(): Promise<number> {
  if (!installedProxies().includes("nginx")) {
    process.stderr.write(
      "nginx is not installed. Nothing was tested. Install it, for instance with `apt-get install nginx-light`.\n",
    );
    return 2;
  }
  const froms = values.from ?? (values.versions ? lastVersions(Number(values.versions)) : [previousVersion()]);
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
    await postgres.stop();
  }
}

process.exitCode = await main();
