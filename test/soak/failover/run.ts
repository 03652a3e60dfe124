/**
 * The walk of an operator whose parts fail: nginx, two processes, PostgreSQL with Patroni and etcd, and a bucket, all on this machine and
 * set up as `playtest help server` says. Clients order, claim, read and upload meanwhile: `npm run soak:failover`. Ends with 1 when a
 * request failed that no killed process had in hand, when none was answered for longer than a fault may take, or when something
 * acknowledged is not there, and with 2 when programs are missing.
 */
import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openBucket } from "../../../server/uploads/s3/open.ts";
import { cleanUp, keepLogs } from "../../helpers/clean-up.ts";
import { removeOnExit } from "../../setup/folders.ts";
import { checkAll } from "./checks.ts";
import { startDatabase } from "./database.ts";
import { missingPackages } from "./machine.ts";
import { heading, row, summarize } from "./record.ts";
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
const removeFolder = removeOnExit(folder);
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

interface Fault {
  /** For how many seconds no order, or no read, may be answered: about twice of what a busy machine of two cores took. */
  most: number;
  act(parts: Parts): Promise<void>;
}

/** What fails, one after the other. */
const faults: Readonly<Record<string, Fault>> = {
  nothing: { most: 5, act: () => pause(away) },
  "process 1 killed, started again": { most: 15, act: (parts) => kill(parts, 0) },
  "process 2 killed, started again": { most: 15, act: (parts) => kill(parts, 1) },
  "process 1 stopped, started again": {
    most: 5,
    async act({ servers }) {
      await servers.stop(0);
      await pause(quiet);
      await servers.start(0);
    },
  },
  "nginx reloaded five times": {
    most: 5,
    async act({ servers }) {
      for (let times = 0; times < 5; times++) {
        servers.reloadProxy();
        await pause(quiet);
      }
    },
  },
  "primary of the database lost": {
    most: 60,
    async act({ database }) {
      const startAgain = await database.crash("primary");
      await pause(away * 3);
      await startAgain();
      await database.whole();
    },
  },
  "standby of the database lost": {
    most: 15,
    async act({ database }) {
      const startAgain = await database.crash("standby");
      await pause(away * 2);
      await startAgain();
      await database.whole();
    },
  },
  "switchover of the database": {
    most: 15,
    async act({ database }) {
      await database.switchOver();
      await database.whole();
    },
  },
  "etcd stopped": {
    most: 5,
    async act({ database }) {
      await database.stopEtcd();
      await pause(away * 2);
      await database.startEtcd();
      await database.whole();
    },
  },
  "bucket away": {
    most: 20,
    async act({ s3 }) {
      await s3.crash();
      await pause(away);
      await s3.restart();
    },
  },
};
const chosen = Object.entries(faults).filter(([name]) => name.includes(values.only));
if (chosen.length === 0) throw new Error(`No fault has a name with "${values.only}" in it: ${Object.keys(faults).join(", ")}.`);

async function kill({ servers }: Parts, at: number): Promise<void> {
  await servers.kill(at);
  await pause(quiet);
  await servers.start(at);
}

/** What failed. */
async function walk(): Promise<string[]> {
  const parts = await startAll();
  const { traffic, servers, bucket } = parts;
  const failures: string[] = [];
  let from = performance.now();
  /** Sums up what happened since the last time. */
  const sumUp = (fault: string, most: number) => {
    const to = performance.now();
    const summary = summarize({ fault, most: most * 1000, from, to }, traffic.attempts, servers.stops);
    from = to;
    failures.push(...summary.failures.map((failure) => `${fault}: ${failure}`));
    console.log(row(summary));
  };
  console.log(heading);
  for (const [name, { most, act }] of chosen) {
    await act(parts).catch((error) => failures.push(`${name}: ${error}`));
    await pause(quiet);
    sumUp(name, most);
  }
  await traffic.stop();
  // Nobody begins anything new.
  sumUp("afterwards", Number.POSITIVE_INFINITY);
  console.log(traffic.counts());
  const lost = await checkAll(traffic, servers, bucket).catch((error) => [`not everything could be compared: ${error}`]);
  return [...failures, ...traffic.faults, ...traffic.failedCommands(), ...servers.proxyFaults(), ...lost];
}

let wentWell = false;
let finished: Promise<void> | undefined;
/** Ends all that runs, and keeps the logs where something failed. */
function finish(): Promise<void> {
  finished ??= cleanUp([...ends.reverse(), () => (wentWell && !values.keep) || keepLogs(folder), removeFolder]);
  return finished;
}
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => finish().then(() => process.exit(1)));

try {
  const wrong = await walk();
  wentWell = wrong.length === 0;
  console.log(wentWell ? "Nothing failed." : `${wrong.length} failed:\n${wrong.join("\n")}`);
  process.exitCode = wentWell ? 0 : 1;
} finally {
  await finish();
}
