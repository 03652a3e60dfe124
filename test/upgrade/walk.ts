import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { UpgradePlan } from "../../server/operations/upgrade-plan.ts";
import { cleanUp, keepLogs } from "../helpers/clean-up.ts";
import { freePort } from "../helpers/free-port.ts";
import { createDatabase, dropDatabase } from "../helpers/postgres-server.ts";
import { startProxy, stopProxies } from "../helpers/proxies.ts";
import { removeOnExit } from "../setup/folders.ts";
import { faultsIn } from "./checks.ts";
import { Client, type Failure, inWords } from "./client.ts";
import { type End, killLeftovers, type Place, run, type Served, serve, track, where } from "./processes.ts";
import { startReceiver } from "./receiver.ts";
import { type Acknowledged, createMarket, startTraffic } from "./traffic.ts";
import { present, type Version, versionOf } from "./versions.ts";

/** What became of an upgrade. */
export interface Outcome {
  from: string;
  plan: UpgradePlan;
  requests: number;
  /** Requests that should have been answered. */
  failures: readonly Failure[];
  /** Requests that a process cut off in the moment in which it stopped. */
  cut: readonly Failure[];
  /** Requests while no process served, because both versions cannot run side by side. */
  unserved: readonly Failure[];
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

/** Whether the upgrade went as it was foretold. */
export const isAsTold = ({ failures, faults }: Pick<Outcome, "failures" | "faults">) =>
  failures.length === 0 && faults.length === 0;

/** Upgrades two processes of an older version to this one while requests arrive, as the help says. */
export async function upgrade(from: string, postgresUrl: string): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "playtest-upgrade-"));
  const remove = removeOnExit(folder);
  const database = await createDatabase(postgresUrl);
  const receiver = await startReceiver();
  let wentWell = false;
  try {
    const old = versionOf(from, folder);
    writeFileSync(join(folder, "config.json"), JSON.stringify(settings), { mode: 0o600 });
    writeFileSync(join(folder, "ca.pem"), receiver.ca);
    const port = await freePort();
    const place = { folder, databaseUrl: database.url, publicUrl: `http://localhost:${port}` };
    const outcome = { from, ...(await walk(old, place, port, receiver)) };
    wentWell = isAsTold(outcome);
    return outcome;
  } finally {
    await cleanUp([
      stopProxies,
      killLeftovers,
      receiver.close,
      () => dropDatabase(postgresUrl, database.name),
      () => wentWell || keepLogs(folder),
      remove,
    ]);
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
  const configuration = await run(present, place, [...proxy, ...upstreams]);
  track(await startProxy("nginx", configuration, port, join(place.folder, "nginx")), "SIGTERM");

  const client = new Client(place.publicUrl);
  const market = await createMarket(client, first.adminKey!, receiver.url);
  const traffic = startTraffic(client, market);
  const ended: Ended[] = [];
  const steps: Steps = {
    phase(name) {
      client.phase = name;
      process.stderr.write(`  ${name} …\n`);
    },
    stop: async (process, served) => void ended.push({ process, ...(await served.stop()) }),
    start: (at) => serve(present, place, ports[at]),
    migrate: () => run(present, place, ["serve", "upgrade", ...where(place)]),
    fault: (what) => traffic.faults.push(what),
  };

  steps.phase("two old processes");
  await sleep(aloneMs);
  const check = await run(present, place, ["serve", "upgrade", "--check", "--json", ...where(place)]);
  const plan = (JSON.parse(check) as { result: UpgradePlan }).result;
  const [newFirst, newSecond] = await (plan.sideBySide.possible ? replace : pause)(steps, first, second);
  steps.phase("two new processes");
  await sleep(aloneMs);
  await traffic.stop();

  steps.phase("afterwards");
  const [newest] = await client.list("/events", "events", market.owner.key);
  await traffic.streamedUntil(newest!.id);
  const world = { client, market, done: traffic.done, place, arrived: receiver.arrived };
  const faults = await faultsIn(world).catch((error) => [`not everything could be compared: ${inWords(error)}`]);
  await steps.stop("first new", newFirst);
  await steps.stop("second new", newSecond);
  return {
    plan,
    requests: client.sent,
    ...sorted(client.failures),
    faults: [...traffic.faults, ...faults, ...ended.flatMap(faultsOf)],
    done: traffic.done,
    jobs: ended,
    proxyLog: proxyLogOf(place),
  };
}

/** What an upgrade is made of. */
interface Steps {
  /** Says what goes on from now on. */
  phase(name: string): void;
  stop(name: string, served: Served): Promise<void>;
  /** Starts a new process in the place of an old one. */
  start(at: 0 | 1): Promise<Served>;
  migrate(): Promise<unknown>;
  fault(what: string): void;
}

const [firstStops, secondStops, pausing] = ["the first old process stops", "the second old process stops", "no process serves"];

/** Replaces one process after the other. */
async function replace({ phase, stop, start, migrate, fault }: Steps, first: Served, second: Served): Promise<[Served, Served]> {
  phase("migrating");
  await migrate();
  phase("two old processes on the new tables");
  await sleep(aloneMs);
  phase(firstStops);
  await stop("first old", first);
  phase("the first new process starts");
  const newFirst = await start(0);
  phase("an old and a new process");
  const before = [await second.answered(), await newFirst.answered()];
  await sleep(togetherMs);
  const after = [await second.answered(), await newFirst.answered()];
  for (const at of [0, 1] as const)
    if (after[at]! - before[at]! < 10)
      fault(`the ${["old", "new"][at]} process answered less than ten requests beside the other`);
  phase(secondStops);
  await stop("second old", second);
  phase("the second new process starts");
  return [newFirst, await start(1)];
}

/** Stops both processes first. */
async function pause({ phase, stop, start, migrate }: Steps, first: Served, second: Served): Promise<[Served, Served]> {
  phase(pausing);
  await Promise.all([stop("first old", first), stop("second old", second)]);
  await migrate();
  return [await start(0), await start(1)];
}

/** A process that stops cuts off what reaches it in that moment, as the help says. So many requests at most, over both. */
const mostCut = 3;

function sorted(all: readonly Failure[]): Pick<Outcome, "failures" | "cut" | "unserved"> {
  const isUnserved = ({ phase }: Failure) => phase === pausing;
  const isCut = ({ phase, outcome }: Failure) =>
    (phase === firstStops || phase === secondStops) && /^(502|no reply)/.test(outcome);
  const cut = all.filter(isCut);
  const isTooMany = cut.length > mostCut;
  return {
    failures: all.filter((one) => !isUnserved(one) && (isTooMany || !isCut(one))),
    cut: isTooMany ? [] : cut,
    unserved: all.filter(isUnserved),
  };
}

const proxyLogOf = ({ folder }: Place) =>
  readFileSync(join(folder, "nginx/error.log"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.includes("Connection refused"));

interface Ended {
  process: string;
  end: End;
  /** On stderr. */
  said: string;
  jobs: ReadonlyMap<string, number>;
}

/** Errors in the log of a process, each kind once, and how it ended. */
function faultsOf({ process, end, said }: Ended): string[] {
  const counts = new Map<string, number>();
  for (const line of said.split("\n").filter((one) => one.startsWith("{"))) {
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
  return end === 0 ? errors : [...errors, `the ${process} process ended with ${end}: ${said.slice(-500)}`];
}
