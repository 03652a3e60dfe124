import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Config } from "../../server/config/schema.ts";
import { openStore } from "../../server/database/open.ts";
import { exchangeLimits } from "../../server/http/limits/exchange.ts";
import type { JobKinds } from "../../server/jobs/job.ts";
import { JobRunner } from "../../server/jobs/runner.ts";
import { claim, leaseTime } from "../../server/jobs/store.ts";
import { deletionsFile, parseDeletions } from "../../server/operations/backups/deletion-list.ts";
import { startProcess } from "../helpers/cluster.ts";
import {
  createGame,
  firstAdmin,
  giveCredit,
  order,
  personWith,
  play,
  registerOwner,
  registerPlaytester,
} from "../helpers/factories.ts";
import { codeAt, setUpFactor } from "../helpers/factors.ts";
import { gate } from "../helpers/gate.ts";
import { killLeftovers } from "../helpers/process.ts";
import { createTestClock, createTestRandom, nodeAt, startTestServer, type TestServer } from "../helpers/server.ts";
import { type DatabaseLocation, drivers, freshFolder, withoutDatabaseTime } from "../helpers/store.ts";

const postgres = drivers.find((driver) => driver.name === "postgres")!;
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await killLeftovers();
});

async function database(): Promise<DatabaseLocation> {
  const location = await postgres.location();
  closing.push(() => location.remove());
  return location;
}

describe("job lease", () => {
  it("is exclusive until it runs out, and a job whose lease was lost cannot save anything", async () => {
    const location = await database();
    const clock = createTestClock();
    const store = await openStore(location.options);
    closing.push(() => store.close());
    const log: string[] = [];
    const [first, second] = [gate(), gate()];
    closing.push(async () => {
      for (const { open } of [first, second]) open();
    });
    const work = (name: string, wait: Promise<void>): JobKinds => ({
      async mark(job) {
        log.push(`${name} started`);
        await wait;
        await store.write(async (tx) => {
          await tx.run("INSERT INTO settings (name, value) VALUES (?, ?)", `done by ${name}`, "yes");
          await job.done(tx);
        });
        log.push(`${name} ended`);
      },
    });
    const random = createTestRandom();
    const newId = () => random(16).toString("hex");
    const runners = [
      new JobRunner({ kinds: work("first", first.passed), clock, newId, leaseMs: 45_000 }),
      new JobRunner({ kinds: work("second", second.passed), clock, newId, leaseMs: 45_000 }),
    ];
    const errors: string[] = [];
    const note = () => {};
    const timed = withoutDatabaseTime(store);
    const deps = {
      store: timed,
      clock,
      log: { debug: note, info: note, warn: note, error: (fields: { err?: unknown }) => void errors.push(String(fields.err)) },
    };
    // These are all that a runner uses.
    closing.push(() => runners[1]!.stop());
    runners[0]!.start(deps as unknown as TestServer["deps"]);
    await store.write((tx) => runners[0]!.schedule(tx, { kind: "mark", key: "one", payload: {}, runAt: clock.now() }));
    await vi.waitUntil(() => log.includes("first started"), { timeout: 60_000 });
    // The first one takes no more jobs and does not renew its lease, because the clock of its timers does not move.
    void runners[0]!.stop();

    const due = { due: clock.now(), leaseMs: 1, count: 1, kinds: { except: [] } };
    const left = (real: number) =>
      store.write((tx) => claim(tx, { ...due, now: leaseTime(timed.dialect, real), token: "nobody" }));
    clock.set(clock.now() + 44_999);
    expect(await left(clock.real())).toEqual([]);
    clock.set(clock.now() + 1);
    runners[1]!.start(deps as unknown as TestServer["deps"]);
    await vi.waitUntil(() => log.includes("second started"), { timeout: 60_000 });
    first.open();
    await vi.waitUntil(() => errors.length > 0 || log.includes("first ended"), { timeout: 60_000 });
    second.open();
    await vi.waitUntil(() => log.includes("second ended"), { timeout: 60_000 });
    expect(errors.join()).toMatch(/the lease was lost/);
    expect(log).toEqual(["first started", "second started", "second ended"]);
    const rows = await store.read((q) => q.all<{ name: string }>("SELECT name FROM settings WHERE name LIKE 'done by%'"));
    expect(rows).toEqual([{ name: "done by second" }]);
  });
});

const script = fileURLToPath(new URL("../fixtures/transcriber.mjs", import.meta.url));

interface Transcriber {
  /** The file that it writes when it begins. */
  started: string;
  command: string[];
}

function transcriber(mode: "hang" | "gate", name: string): Transcriber {
  const started = join(freshFolder(), name);
  return { started, command: [process.execPath, script, mode, started] };
}

const hasStarted = ({ started }: Transcriber) => existsSync(started) && readFileSync(started, "utf8").includes(" ");

/** A sandbox server in a process of its own that is transcribing a slot's video. */
async function transcribing(location: DatabaseLocation, { command, started }: Transcriber) {
  const folder = freshFolder();
  writeFileSync(join(folder, "config.json"), JSON.stringify({ transcriber: { command } }));
  const { child, ended, baseUrl, ownerKey, gameId } = await startProcess(folder, location, ["--seed", "minimal"]);
  const owner = personWith(nodeAt(baseUrl), ownerKey!, "");
  const playtestId = await order(owner, gameId!);
  const slotId: string = (await owner.get(`/playtests/${playtestId}/slots`)).body.data.slots[0].id;
  await owner.post(`/sandbox/slots/${slotId}/play`, {});
  await vi.waitUntil(() => hasStarted({ command, started }), { timeout: 60_000 });
  return { child, ended, folder, slotId, ownerKey: ownerKey! };
}

/** A second server on the same database and folder, at a time when the lease of the first has run out. */
async function another(location: DatabaseLocation, folder: string, command: string[]): Promise<TestServer> {
  const store = await openStore(location.options);
  await store.write((tx) => tx.run("UPDATE jobs SET lease_until = lease_until - 59000 WHERE lease_until > 0"));
  const server = await startTestServer({
    store,
    dataDir: folder,
    instance: "other",
    clock: createTestClock(Date.now() + 59_000),
    config: (config) => void Object.assign(config.transcriber, { command }),
  });
  closing.push(() => server.close());
  return server;
}

const transcriptionOf = async (server: TestServer, key: string, slotId: string) =>
  (await server.request("GET", `/slots/${slotId}`, { key })).body.data.slot.transcription;
const approved = (server: TestServer, key: string, slotId: string) =>
  vi.waitUntil(async () => (await transcriptionOf(server, key, slotId)).status === "approved", { timeout: 60_000, interval: 50 });

describe("server that is killed", () => {
  it("leaves its job to another server within a minute", async () => {
    const location = await database();
    const hanging = transcriber("hang", "pids");
    const { child, ended, folder, slotId, ownerKey } = await transcribing(location, hanging);
    child.kill("SIGKILL");
    await ended;
    await approved(await another(location, folder, [process.execPath, script, "json"]), ownerKey, slotId);
  });
});

describe("server that is suspended longer than its lease", () => {
  it("cannot save the result of its job, which another server has taken over", async () => {
    const location = await database();
    const [first, second] = [transcriber("gate", "first"), transcriber("gate", "second")];
    const { child, ended, folder, slotId, ownerKey } = await transcribing(location, first);
    child.kill("SIGSTOP");
    const server = await another(location, folder, second.command);
    await vi.waitUntil(() => hasStarted(second), { timeout: 60_000 });

    writeFileSync(`${first.started}.open`, "");
    child.kill("SIGCONT");
    let logged = "";
    child.stderr!.on("data", (chunk: Buffer) => {
      logged += chunk;
    });
    await vi.waitUntil(() => logged.includes("the lease was lost"), { timeout: 60_000 });
    expect((await transcriptionOf(server, ownerKey, slotId)).status).toBe("processing");

    writeFileSync(`${second.started}.open`, "");
    await approved(server, ownerKey, slotId);
    const { keyTakeaways } = await transcriptionOf(server, ownerKey, slotId);
    child.kill("SIGTERM");
    expect([keyTakeaways, (await ended).code, server.errors]).toEqual([["second"], 0, []]);
  });
});

describe("requests to two servers", () => {
  it("count together for the limits of keys, accounts and addresses", async () => {
    const location = await database();
    const clock = createTestClock();
    const open = async (instance: string) => {
      const limits = {
        enabled: true,
        keyPerMinute: 60,
        keyBurst: 10,
        accountFactor: 2,
        keylessPerMinute: 10,
        registerPerMinute: 100,
      };
      const config = (config: Config) => void Object.assign(config.limits, limits);
      const server = await startTestServer({ store: await openStore(location.options), instance, clock, config });
      closing.push(() => server.close());
      return server;
    };
    const servers = [await open("one"), await open("two")] as const;
    const { key } = await registerOwner(servers[0]);
    const send = async (on: number, count: number, options: { key?: string }) => {
      const replies = [];
      for (let call = 0; call < count; call++) replies.push(await servers[on]!.request("GET", "/games", options));
      return replies.filter(({ status }) => status !== 429).length;
    };
    const exchange = async () => {
      for (const { deps } of servers) await exchangeLimits(deps);
    };
    for (const options of [{ key }, {}]) {
      let allowed = 0;
      for (const count of [2, 4, 10]) {
        allowed += (await send(0, count, options)) + (await send(1, count, options));
        await exchange();
      }
      // Each would allow 10 by itself. How early one learns of the other's depends on the exchanges in the background.
      expect([allowed >= 10, allowed < 20]).toEqual([true, true]);
    }
    const rows = await servers[0].deps.store.read((q) => q.all<{ caller: string }>("SELECT caller FROM request_counts"));
    expect(rows.map(({ caller }) => /^[\w-]{43}$/.test(caller))).toEqual([true, true, true]);
  });

  it("are counted in one order, of 500 callers at a time", async () => {
    const location = await database();
    const config = (config: Config) => void Object.assign(config.limits, { enabled: false });
    const server = await startTestServer({ store: await openStore(location.options), config });
    closing.push(() => server.close());
    const callers = Array.from({ length: 600 }, (_, n) => `caller ${n}`);
    for (const caller of callers) server.deps.limiter.take(caller, { perMinute: 60, burst: 10 });
    const seen = async () => {
      await exchangeLimits(server.deps);
      // As they were written.
      const rows = await server.deps.store.read((q) =>
        q.all<{ caller: string }>("SELECT caller FROM request_counts ORDER BY ctid"),
      );
      return rows.map(({ caller }) => caller);
    };
    const first = await seen();
    expect([first.length, first]).toEqual([500, first.toSorted()]);
    expect(await seen()).toHaveLength(600);
  });
});

describe("an edited transcript that is sent to two servers with one key", () => {
  it("stays stored by the server that answered first, and the other one keeps nothing", async () => {
    const location = await database();
    const here = { dataDir: freshFolder(), clock: createTestClock() };
    const open = async (instance: string) => {
      const server = await startTestServer({ store: await openStore(location.options), instance, ...here });
      closing.push(() => server.close());
      return server;
    };
    const [one, other] = [await open("one"), await open("two")];
    const owner = await registerOwner(one);
    await giveCredit(one, owner, 10_000);
    const slotId = await play(one, await registerPlaytester(one), await order(owner, await createGame(owner)));
    const vtt = "WEBVTT\n\n00:00.000 --> 00:02.000\nHello, captain.\n";
    const request = { key: owner.key, headers: { "idempotency-key": "one" }, body: { vtt } };
    const put = (server: TestServer) => server.request("PUT", `/slots/${slotId}/transcript`, request);
    // The other one has looked for a stored reply, and stores its text, when the first one answers.
    const { blobs } = other.deps;
    const store = blobs.put;
    const replies = [];
    blobs.put = async (key, path) => {
      replies.push(await put(one));
      return store.call(blobs, key, path);
    };
    replies.push(await put(other));
    for (const { deps } of [one, other]) await deps.jobs.advance(here.clock.now(), here.clock.moveTo);
    expect(replies.map(({ status, headers }) => [status, headers.get("idempotency-replayed")])).toEqual([
      [200, null],
      [200, "true"],
    ]);
    const { downloadUrl } = (await one.request("GET", `/slots/${slotId}/transcript`, { key: owner.key })).body.data;
    expect(await (await fetch(downloadUrl)).text()).toBe(vtt);
    expect(readdirSync(join(here.dataDir, "blobs", "transcripts"))).toHaveLength(1);
  });
});

describe("wrong passwords on two servers", () => {
  it("slow down the next attempt on either by the failures on both", async () => {
    const location = await database();
    const waits: number[] = [];
    const open = async (instance: string) => {
      const limited = (config: Config) => void Object.assign(config.limits, { enabled: true });
      const server = await startTestServer({ store: await openStore(location.options), instance, config: limited });
      closing.push(() => server.close());
      server.deps.wait = async (ms) => void waits.push(ms);
      return server;
    };
    const servers = [await open("one"), await open("two")] as const;
    const { email } = (await (await registerOwner(servers[0])).get("/auth/me")).body.data;
    const login = (on: number) =>
      servers[on]!.request("POST", "/auth/api-keys", { body: { name: "k", email, password: "wrong horse" } });
    for (const on of [0, 1, 0, 1, 0, 1, 0, 1]) await login(on);
    expect(waits).toEqual([250, 500, 1000]);
  });
});

describe("a second factor on two servers", () => {
  it("accepts each code once, and counts wrong codes together", async () => {
    const location = await database();
    const clock = createTestClock();
    const open = async (instance: string) => {
      const server = await startTestServer({ store: await openStore(location.options), instance, clock });
      closing.push(() => server.close());
      return server;
    };
    const servers = [await open("one"), await open("two")] as const;
    const owner = await registerOwner(servers[0]);
    const app = await setUpFactor(servers[0], owner, "correct horse");
    const { email } = (await owner.get("/auth/me")).body.data;
    const login = (code: string) => async (_: unknown, at: number) => {
      const body = { name: "k", email, password: "correct horse", code };
      return (await servers[at % 2]!.request("POST", "/auth/api-keys", { body })).status;
    };
    const code = await app.nextCode();
    const same = await Promise.all(Array.from({ length: 6 }, login(code)));
    expect(same.sort()).toEqual([201, 422, 422, 422, 422, 422]);
    const wrong = await Promise.all(Array.from({ length: 12 }, login(codeAt(app.secret, clock.real() - 3_600_000))));
    expect(wrong.sort()).toEqual([...Array(5).fill(422), ...Array(7).fill(429)]);
  });
});

describe("the list of deleted accounts of two servers, of which one makes the backups", () => {
  it("has those that were deleted on the other one", async () => {
    const location = await database();
    const clock = createTestClock();
    const to = freshFolder();
    const open = async (instance: string, folder: string | null) => {
      const config = (config: Config) => void Object.assign(config, { sandbox: false, backup: { ...config.backup, to: folder } });
      const server = await startTestServer({ store: await openStore(location.options), instance, clock, config });
      closing.push(() => server.close());
      return server;
    };
    const [other, one] = [await open("two", null), await open("one", to)];
    const people = [await registerOwner(one), await registerOwner(one)];
    const admin = await firstAdmin(one);
    const remove = (on: TestServer, { id }: { id: string }) => on.request("DELETE", `/admin/users/${id}`, { key: admin.key });
    expect((await remove(other, people[0]!)).status).toBe(200);
    // The disk of the backups is away, and the other server looks for jobs first.
    renameSync(to, `${to}-away`);
    expect((await remove(one, people[1]!)).status).toBe(200);
    await other.advance(60_000);
    renameSync(`${to}-away`, to);
    for (const server of [other, one]) await server.advance(900_000);
    const listed = parseDeletions(readFileSync(join(to, deletionsFile), "utf8"))!;
    expect([...listed.keys()].sort()).toEqual(people.map(({ id }) => id).sort());
  });
});
