import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { UpgradePlan } from "../../server/operations/upgrade-plan.ts";
import { freePort } from "../helpers/free-port.ts";
import { createDatabase, dropDatabase } from "../helpers/postgres-server.ts";
import { startProxy, stopProxies } from "../helpers/proxies.ts";
import { countDue, faultsIn } from "./checks.ts";
import { Client, type Failure } from "./client.ts";
import { killLeftovers, type Place, run, type Served, serve, where } from "./processes.ts";
import { startReceiver } from "./receiver.ts";
import { type Acknowledged, createMarket, startTraffic } from "./traffic.ts";
import { present, type Version, versionOf } from "./versions.ts";

/** What became of an upgrade. */
export interface Outcome {
  from: string;
  plan: UpgradePlan;
  requests: number;
  failures: readonly Failure[];
  /** What is lost, is there twice or is wrong otherwise. */
  faults: readonly string[];
  done: Acknowledged;
  /** What each process did in the background. */
  jobs: readonly { process: string; jobs: ReadonlyMap<string, number> }[];
  /** What nginx logged, but for processes that did not listen: it asked another one. */
  proxyLog: readonly string[];
}

const settings = {
  passwords: { scryptLogN: 14 },
  playtesters: { maxReserved: 100 },
  webhooks: { allowPrivate: ["localhost"] },
};

/** How long both versions serve at the same time, and how long one serves alone (ms). */
const togetherMs = 12_000;
const aloneMs = 6_000;

/** Upgrades two processes of an older version to this one, one after the other, while requests arrive. */
export async function upgrade(from: string, postgresUrl: string): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "playtest-upgrade-"));
  const database = await createDatabase(postgresUrl);
  const receiver = await startReceiver();
  try {
    const old = versionOf(from, folder);
    writeFileSync(join(folder, "config.json"), JSON.stringify(settings), { mode: 0o600 });
    writeFileSync(join(folder, "ca.pem"), receiver.ca);
    const port = await freePort();
    const place = { folder, databaseUrl: database.url, publicUrl: `http://localhost:${port}` };
    return { from, ...(await walk(old, place, port, receiver)) };
  } finally {
    await stopProxies();
    await killLeftovers();
    receiver.close();
    await dropDatabase(postgresUrl, database.name);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function walk(
  old: Version,
  place: Place,
  port: number,
  receiver: Awaited<ReturnType<typeof startReceiver>>,
): Promise<Omit<Outcome, "from">> {
  const ports = [await freePort(), await freePort()] as const;
  const first = await serve(old, place, ports[0]);
  const second = await serve(old, place, ports[1]);
  const upstreams = ports.flatMap((one) => ["--upstream", `127.0.0.1:${one}`]);
  const proxy = ["serve", "proxy", "nginx", "--public-url", place.publicUrl, "--data", place.folder];
  await startProxy("nginx", await run(present, place, [...proxy, ...upstreams]), port, join(place.folder, "nginx"));

  const client = new Client(place.publicUrl);
  const market = await createMarket(client, first.adminKey!, receiver.url);
  const traffic = startTraffic(client, market);
  const ended: Ended[] = [];
  const stop = async (process: string, served: Served) => void ended.push({ process, ...(await served.stop()) });
  const phase = (name: string) => {
    client.phase = name;
    process.stderr.write(`  ${name} …\n`);
  };

  phase("two old processes");
  await sleep(aloneMs);
  const check = await run(present, place, ["serve", "upgrade", "--check", "--json", ...where(place)]);
  const plan = (JSON.parse(check) as { result: UpgradePlan }).result;
  phase("migrating");
  await run(present, place, ["serve", "upgrade", ...where(place)]);
  phase("two old processes on the new tables");
  await sleep(aloneMs);
  phase("the first old process stops");
  await stop("first old", first);
  phase("the first new process starts");
  const newFirst = await serve(present, place, ports[0]);
  phase("an old and a new process");
  await sleep(togetherMs);
  phase("the second old process stops");
  await stop("second old", second);
  phase("the second new process starts");
  const newSecond = await serve(present, place, ports[1]);
  phase("two new processes");
  await sleep(aloneMs);
  await traffic.stop();

  phase("afterwards");
  const [newest] = await client.list("/events", "events", market.owner.key);
  await traffic.streamedUntil(newest!.id);
  // Deliveries that were refused are tried again some seconds later.
  for (let tries = 0; tries < 60 && (await countDue(place)) > 0; tries++) await sleep(1_000);
  const faults = await faultsIn({ client, market, done: traffic.done, place, arrived: receiver.arrived });
  await stop("first new", newFirst);
  await stop("second new", newSecond);
  return {
    plan,
    requests: client.sent,
    failures: client.failures,
    faults: [...faults, ...ended.flatMap(faultsOf)],
    done: traffic.done,
    jobs: ended,
    proxyLog: proxyLogOf(place),
  };
}

const proxyLogOf = ({ folder }: Place) =>
  readFileSync(join(folder, "nginx/error.log"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.includes("Connection refused"));

interface Ended {
  process: string;
  code: number | null;
  logged: readonly string[];
  jobs: ReadonlyMap<string, number>;
}

/** Errors in the log of a process, each kind once, and how it ended. */
function faultsOf({ process, code, logged }: Ended): string[] {
  const counts = new Map<string, number>();
  for (const line of logged) {
    const { level, msg, err, job } = JSON.parse(line) as {
      level: number | string;
      msg: string;
      err?: { message: string };
      job?: string;
    };
    if (level !== "error" && Number(level) < 50) continue;
    const text = [msg, job, err?.message].filter(Boolean).join(": ");
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const errors = [...counts].map(([text, count]) => `the ${process} process logged ${count} times: ${text}`);
  return code === 0 ? errors : [...errors, `the ${process} process ended with ${code}`];
}
