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

const { values } = parseArgs({ options: { only: { type: "string", default: "" }, keep: { type: "boolean", default: false } } });

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

/** What runs, and how it ends. */
const ends: (() => unknown)[] = [];

async function startAll() {
  const s3 = await startRadosgw();
  ends.push(() => s3.stop());
  const database = await startDatabase(folder);
  ends.push(() => database.stop());
  const blobs = `s3://files/live?endpoint=${s3.endpoint}&path-style`;
  const bucket = await openBucket(blobs, { env: s3.env, now: Date.now });
  await bucket.client.text({ method: "PUT" });
  const servers = await startServers(folder, { ...s3.env, PLAYTEST_DATABASE_URL: database.url, PLAYTEST_BLOBS: blobs });
  ends.push(() => servers.end());
  const traffic = new Traffic(servers);
  ends.push(() => traffic.close());
  await traffic.start({ owners: 3, testers: 3 });
  return { s3, database, bucket, servers, traffic };
}

type Parts = Awaited<ReturnType<typeof startAll>>;

/** What fails, one after the other. */
const faults: Readonly<Record<string, (parts: Parts) => Promise<void>>> = {
  nothing: () => pause(away),
  "process 1 killed, started again": (parts) => kill(parts, 0),
  "process 2 killed, started again": (parts) => kill(parts, 1),
  "process 1 stopped, started again": async ({ servers }) => {
    await servers.stop(0);
    await pause(quiet);
    await servers.start(0);
  },
  "nginx reloaded five times": async ({ servers }) => {
    for (let times = 0; times < 5; times++) {
      servers.reloadProxy();
      await pause(quiet);
    }
  },
  "primary of the database lost": async ({ database }) => {
    const startAgain = await database.crash("primary");
    await pause(away * 3);
    await startAgain();
    await database.whole();
  },
  "standby of the database lost": async ({ database }) => {
    const startAgain = await database.crash("standby");
    await pause(away * 2);
    await startAgain();
    await database.whole();
  },
  "switchover of the database": async ({ database }) => {
    await database.switchOver();
    await database.whole();
  },
  "etcd stopped": async ({ database }) => {
    await database.stopEtcd();
    await pause(away * 2);
    await database.startEtcd();
    await database.whole();
  },
  "bucket away": async ({ s3 }) => {
    await s3.crash();
    await pause(away);
    await s3.restart();
  },
};

async function kill({ servers }: Parts, at: number): Promise<void> {
  await servers.kill(at);
  await pause(quiet);
  await servers.start(at);
}

/** What failed. */
async function walk(): Promise<string[]> {
  const parts = await startAll();
  const { traffic, servers, bucket } = parts;
  const summaries: Summary[] = [];
  console.log(heading);
  for (const [name, act] of Object.entries(faults).filter(([name]) => name.includes(values.only))) {
    const from = performance.now();
    await act(parts);
    await pause(quiet);
    const summary = summarize(name, traffic.attempts, servers.ends, from, performance.now());
    summaries.push(summary);
    console.log(row(summary));
  }
  await traffic.stop();
  console.log(traffic.counts());
  return [
    ...summaries.flatMap(({ fault, failures }) => failures.map((failure) => `${fault}: ${failure}`)),
    ...traffic.failedCommands(),
    ...(await checkAll(traffic, servers, bucket)),
  ];
}

try {
  const wrong = await walk();
  console.log(wrong.length === 0 ? "Nothing failed." : `${wrong.length} failed:\n${wrong.join("\n")}`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  for (const end of ends.reverse()) await end();
  if (!values.keep) rmSync(folder, { recursive: true, force: true });
}
