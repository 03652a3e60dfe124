/**
 * The walk of an operator whose parts fail: nginx, two processes, PostgreSQL with Patroni and etcd, and a bucket, all on this machine and
 * set up as `playtest help server` says. Clients order, claim, read and upload meanwhile: `npm run soak:failover`. Ends with 1 when a
 * request failed that no killed process had in hand, or when something acknowledged is not there, and with 2 when programs are missing.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openBucket } from "../../../server/uploads/s3/open.ts";
import { checkAll } from "./checks.ts";
import { startDatabase } from "./database.ts";
import { missingPackages } from "./machine.ts";
import { heading, row, type Summary, summarize } from "./record.ts";
import { startServers } from "./servers.ts";
import { Traffic } from "./traffic.ts";

const { values } = parseArgs({ options: { only: { type: "string" }, keep: { type: "boolean", default: false } } });

const missing = missingPackages();
if (missing.length > 0) {
  console.error(`This machine lacks ${missing.join(", ")}. Nothing was started.`);
  console.error(`On Debian: apt-get install --no-install-recommends ${missing.join(" ")}`);
  process.exit(2);
}
const { startRadosgw } = await import("../../helpers/radosgw.ts");

const folder = mkdtempSync(join(tmpdir(), "playtest-failover-"));
// PostgreSQL's user goes through it.
chmodSync(folder, 0o711);

/** How long (ms) everything is whole before a fault, and a part is away. */
const [quiet, away] = [3_000, 10_000];

const s3 = await startRadosgw();
const database = await startDatabase(folder);
const blobs = `s3://files/live?endpoint=${s3.endpoint}&path-style`;
const bucket = await openBucket(blobs, { env: s3.env, now: Date.now });
await bucket.client.text({ method: "PUT" });
const servers = await startServers(folder, { ...s3.env, PLAYTEST_DATABASE_URL: database.url, PLAYTEST_BLOBS: blobs });
const traffic = new Traffic(servers);
await traffic.start({ owners: 3, testers: 3 });

/** What fails, one after the other. */
const faults: Readonly<Record<string, () => Promise<void>>> = {
  nothing: () => pause(away),
  "process 1 killed, started again": () => kill(0),
  "process 2 killed, started again": () => kill(1),
  "process 1 stopped, started again": async () => {
    await servers.stop(0);
    await pause(quiet);
    await servers.start(0);
  },
  "nginx reloaded": async () => servers.reloadProxy(),
  "primary of the database lost": async () => {
    const startAgain = await database.crash("primary");
    await pause(away * 3);
    await startAgain();
    await database.whole();
  },
  "standby of the database lost": async () => {
    const startAgain = await database.crash("standby");
    await pause(away * 2);
    await startAgain();
    await database.whole();
  },
  "switchover of the database": async () => {
    await database.switchOver();
    await database.whole();
  },
  "etcd stopped": async () => {
    await database.stopEtcd();
    await pause(away * 2);
    await database.startEtcd();
    await database.whole();
  },
  "bucket away": async () => {
    await s3.crash();
    await pause(away);
    await s3.restart();
  },
};

async function kill(at: number): Promise<void> {
  await servers.kill(at);
  await pause(quiet);
  await servers.start(at);
}

const summaries: Summary[] = [];
console.log(heading);
for (const [name, act] of Object.entries(faults)) {
  if (values.only && !name.includes(values.only)) continue;
  const from = performance.now();
  await act();
  await pause(quiet);
  const summary = summarize(name, traffic.attempts, servers.kills, from, performance.now());
  summaries.push(summary);
  console.log(row(summary));
}
await traffic.stop();

const wrong = [
  ...summaries.flatMap(({ fault, failures }) => failures.map((failure) => `${fault}: ${failure}`)),
  ...traffic.commands
    .filter(({ code }) => code !== 0)
    .map(({ code, seconds, stderr }) => `the command ended with ${code} after ${seconds.toFixed(1)} s: ${stderr.trim()}`),
  ...(await checkAll(traffic, servers, bucket)),
];
const orders = traffic.owners.reduce((sum, { orders: { size } }) => sum + size, 0);
const claims = traffic.testers.reduce((sum, { slots }) => sum + slots.length, 0);
console.log(
  `${orders} orders, ${claims} claims, ${traffic.builds.length} builds and ${traffic.commands.length} commands; the slowest command took ${Math.max(...traffic.commands.map(({ seconds }) => seconds)).toFixed(1)} s`,
);
if (values.keep) for (const line of servers.logged()) console.log(line);
console.log(wrong.length === 0 ? "Nothing failed." : `${wrong.length} failed:\n${wrong.join("\n")}`);

await traffic.close();
await servers.end();
await database.stop();
await s3.stop();
if (!values.keep) rmSync(folder, { recursive: true, force: true });
process.exit(wrong.length === 0 ? 0 : 1);
