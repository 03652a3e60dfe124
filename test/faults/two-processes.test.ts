import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createJobRunner, type JobKinds } from "../../server/jobs/runner.ts";
import { openStore } from "../../server/store/open.ts";
import { killLeftovers, readyFile, spawnPlaytest } from "../helpers/process.ts";
import { createTestClock, createTestRandom, startTestServer, type TestServer } from "../helpers/server.ts";
import { drivers, freshFolder, type Place } from "../helpers/store.ts";
import {
  claim,
  createGame,
  giveCredit,
  giveVideo,
  ledgerFaults,
  order,
  type Person,
  personWith,
  play,
  registerOwner,
  registerPlaytester,
} from "../helpers/story.ts";

const hour = 3_600_000;
const postgres = drivers.find((driver) => driver.name === "postgres")!;
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await killLeftovers();
});

async function database(): Promise<Place> {
  const place = await postgres.place();
  closing.push(() => place.remove());
  return place;
}

interface Pair {
  servers: [TestServer, TestServer];
  /** The same person, asking the one server and the other by turns. */
  via(person: Person, index: number): Person;
}

/** Two servers with a pool and a job runner each, on one database and one clock. */
async function pair(): Promise<Pair> {
  const place = await database();
  const [clock, dataDir] = [createTestClock(), freshFolder()];
  const config = (changed: TestServer["deps"]["config"]) => void Object.assign(changed.playtesters, { maxReserved: 100 });
  const open = async (instance: string) => {
    const server = await startTestServer({ store: await openStore(place.options), clock, dataDir, instance, config });
    closing.push(() => server.close());
    return server;
  };
  const servers: Pair["servers"] = [await open("a"), await open("b")];
  closing.push(async () => expect(await ledgerFaults(servers[0])).toEqual([]));
  return { servers, via: (person, index) => personWith(servers[index % 2]!, person.key, person.id) };
}

async function market({ servers: [server] }: Pair, playtesters: number) {
  const owner = await registerOwner(server);
  const gameId = await createGame(owner);
  await giveCredit(server, owner, 1_000_000);
  return {
    server,
    owner,
    gameId,
    playtesters: await Promise.all(Array.from({ length: playtesters }, () => registerPlaytester(server))),
  };
}

const tally = (statuses: number[]) => {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
const countsOf = async (owner: Person, id: string) => (await owner.get(`/playtests/${id}`)).body.data.playtest.slots;
const balance = async (owner: Person) => (await owner.post("/playtests/quote", {})).body.data.balanceCents;
const settled = (server: TestServer) =>
  vi.waitUntil(
    async () => {
      const due = "SELECT COUNT(*) AS n FROM jobs WHERE state = 'queued' AND run_at <= ?";
      return (await server.deps.store.read((q) => q.one<{ n: number }>(due, server.clock.now())))!.n === 0;
    },
    { timeout: 20_000, interval: 50 },
  );

describe("two servers on one PostgreSQL", { timeout: 90_000 }, () => {
  it("give one slot to one of 60 claims", async () => {
    const both = await pair();
    const { owner, gameId, playtesters } = await market(both, 60);
    const id = await order(owner, gameId);
    const replies = await Promise.all(playtesters.map((mine, n) => both.via(mine, n).post(`/playtester/playtests/${id}/claim`)));
    expect(tally(replies.map((reply) => reply.status))).toEqual({ 201: 1, 409: 59 });
    expect(await countsOf(owner, id)).toMatchObject({ open: 0, reserved: 1 });
  });

  it("give 10 slots to 10 of 50 approvals", async () => {
    const both = await pair();
    const { owner, gameId, playtesters } = await market(both, 50);
    const id = await order(owner, gameId, { quantity: 10, selectionMode: "manual" });
    const applied = await Promise.all(
      playtesters.map((mine, n) => both.via(mine, n).post(`/playtester/playtests/${id}/applications`)),
    );
    const ids = applied.map((reply) => reply.body.data.application.id as string);
    const replies = await Promise.all(
      ids.map((application, n) => both.via(owner, n).post(`/playtest-applications/${application}/approve`)),
    );
    expect(tally(replies.map((reply) => reply.status))).toEqual({ 200: 10, 409: 40 });
    expect(await countsOf(owner, id)).toMatchObject({ open: 0, reserved: 10 });
    const { counts, applications } = (await owner.get(`/playtests/${id}/applications`)).body.data;
    expect(counts).toEqual({ approvedCount: 10, pendingCount: 0, slotsRemaining: 0 });
    expect(applications.filter((application: { status: string }) => application.status === "auto_rejected")).toHaveLength(40);
  });

  it("accept or reject a submission, never both", async () => {
    const both = await pair();
    const { server, owner, gameId, playtesters } = await market(both, 12);
    const id = await order(owner, gameId, { quantity: 12 });
    const slotIds = await Promise.all(playtesters.map((mine) => play(server, mine, id)));
    const outcomes = await Promise.all(
      slotIds.map(async (slotId, n) => {
        const [accepted, rejected] = await Promise.all([
          both.via(owner, n).post(`/slots/${slotId}/accept`),
          both.via(owner, n + 1).post(`/slots/${slotId}/reject`),
        ]);
        expect([accepted.status, rejected.status].sort()).toEqual([200, 409]);
        return accepted.status === 200;
      }),
    );
    const accepted = outcomes.filter(Boolean).length;
    expect(await countsOf(owner, id)).toMatchObject({ accepted, rejected: 12 - accepted });
    const earned = await Promise.all(
      playtesters.map(async (mine) => (await mine.get("/playtester/earnings")).body.data.balanceCents),
    );
    expect(earned).toEqual(outcomes.map((won) => (won ? 1000 : 0)));
  });

  it("delete a slot or let it be claimed, never both", async () => {
    const both = await pair();
    const { owner, gameId, playtesters } = await market(both, 12);
    const before = await balance(owner);
    const outcomes = await Promise.all(
      playtesters.map(async (mine, n) => {
        const id = await order(owner, gameId);
        const slotId = (await owner.get(`/playtests/${id}/slots`)).body.data.slots[0].id;
        const [claimed, deleted] = await Promise.all([
          both.via(mine, n).post(`/playtester/playtests/${id}/claim`),
          both.via(owner, n + 1).delete(`/playtests/slots/${slotId}`),
        ]);
        expect([
          [201, 409],
          [409, 200],
        ]).toContainEqual([claimed.status, deleted.status]);
        return claimed.status === 201;
      }),
    );
    expect(await balance(owner)).toBe(before - outcomes.filter(Boolean).length * 2000);
  });

  it("expire a slot or take its submission, never both, and open one in its place once", async () => {
    const both = await pair();
    const { server, owner, gameId, playtesters } = await market(both, 12);
    const id = await order(owner, gameId, { quantity: 12 });
    const slotIds = await Promise.all(playtesters.map((mine) => claim(mine, id)));
    await Promise.all(slotIds.map((slotId, n) => giveVideo(server, slotId, playtesters[n]!)));
    server.clock.set(server.clock.now() + 24 * hour - 1);
    const submissions = slotIds.map(
      async (slotId, n) => (await both.via(playtesters[n]!, n).post(`/playtester/slots/${slotId}/submit`)).status,
    );
    // The deadline passes while some are on their way.
    await submissions[0];
    server.clock.set(server.clock.now() + 1);
    const outcomes = await Promise.all(submissions);
    await settled(server);
    const submitted = outcomes.filter((status) => status === 200).length;
    expect(tally(outcomes)).toEqual(submitted === 12 ? { 200: 12 } : { 200: submitted, 409: 12 - submitted });
    const late = 12 - submitted;
    expect(await countsOf(owner, id)).toMatchObject({ submitted, expired: late, open: late, reserved: 0 });
  });

  it("run each job once", async () => {
    const both = await pair();
    const { server, owner, gameId, playtesters } = await market(both, 20);
    const id = await order(owner, gameId, { quantity: 20 });
    const manual = await order(owner, gameId, { quantity: 5, selectionMode: "manual" });
    await Promise.all(playtesters.map((mine) => claim(mine, id)));
    const before = await balance(owner);
    server.clock.set(server.clock.now() + 7 * 24 * hour);
    await settled(server);
    expect(await countsOf(owner, id)).toMatchObject({ expired: 20, open: 20, reserved: 0 });
    expect(await countsOf(owner, manual)).toMatchObject({ expired: 5, open: 0 });
    expect(await balance(owner)).toBe(before + 5 * 2000);
    const { notifications } = (await owner.get("/notifications?limit=100")).body.data;
    expect(notifications.filter((notice: { type: string }) => notice.type === "slot.expired")).toHaveLength(25);
  });
});

describe("a lease", () => {
  it("holds while its process lives, and a job that lost it changes nothing", async () => {
    const place = await database();
    const clock = createTestClock();
    const store = await openStore(place.options);
    closing.push(() => store.close());
    const log: string[] = [];
    const gate = () => {
      let open = () => {};
      const passed = new Promise<void>((resolve) => {
        open = resolve;
      });
      closing.push(async () => open());
      return { open, passed };
    };
    const [first, second] = [gate(), gate()];
    const work = (name: string, wait: Promise<void>): JobKinds => ({
      async mark(job) {
        log.push(`${name} began`);
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
      createJobRunner({ kinds: work("first", first.passed), clock, newId }),
      createJobRunner({ kinds: work("second", second.passed), clock, newId }),
    ];
    const errors: string[] = [];
    const note = () => {};
    const deps = {
      store,
      clock,
      log: { debug: note, info: note, warn: note, error: (fields: { err?: unknown }) => void errors.push(String(fields.err)) },
    };
    // A runner needs no more of a server than these.
    closing.push(runners[1]!.stop);
    runners[0]!.start(deps as unknown as TestServer["deps"]);
    await store.write((tx) => runners[0]!.schedule(tx, { kind: "mark", key: "one", payload: {}, runAt: clock.now() }));
    await vi.waitUntil(() => log.includes("first began"), { timeout: 10_000 });
    // The first one takes no more work, and its heart does not beat: the clock stands still for its timers.
    void runners[0]!.stop();

    runners[1]!.start(deps as unknown as TestServer["deps"]);
    clock.set(clock.now() + 44_999);
    expect(await runners[1]!.advance(clock.now(), clock.moveTo).catch((error: Error) => error.message)).toMatch(
      /held by another process/,
    );
    clock.set(clock.now() + 1);
    await vi.waitUntil(() => log.includes("second began"), { timeout: 10_000 });
    first.open();
    await vi.waitUntil(() => errors.length > 0 || log.includes("first ended"), { timeout: 10_000 });
    second.open();
    await vi.waitUntil(() => log.includes("second ended"), { timeout: 10_000 });
    expect(errors.join()).toMatch(/the lease was lost/);
    expect(log).toEqual(["first began", "second began", "second ended"]);
    const rows = await store.read((q) => q.all<{ name: string }>("SELECT name FROM settings WHERE name LIKE 'done by%'"));
    expect(rows).toEqual([{ name: "done by second" }]);
  });
});

describe("a server that is killed", { timeout: 60_000 }, () => {
  it("leaves its job to the other within a minute", async () => {
    const place = await database();
    const [folder, pids] = [freshFolder(), join(freshFolder(), "pids")];
    const script = fileURLToPath(new URL("../fixtures/transcriber.mjs", import.meta.url));
    writeFileSync(
      join(folder, "config.json"),
      JSON.stringify({ transcriber: { command: [process.execPath, script, "hang", pids] } }),
    );
    const file = join(folder, "ready.json");
    const url = (place.options as { databaseUrl: string }).databaseUrl;
    const flags = [
      "--seed",
      "demo",
      "--port",
      "0",
      "--data",
      folder,
      "--database-url",
      url,
      "--ready-file",
      file,
      "--log-level",
      "error",
    ];
    const { child, ended } = spawnPlaytest(folder, ["serve", "run", ...flags]);
    const ready = await Promise.race([readyFile(file), ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
    const headers = { authorization: `Bearer ${ready.ownerKey}`, "content-type": "application/json" };
    const api = `${ready.baseUrl}/api/v1`;
    const placed = await fetch(`${api}/games/${ready.gameId}/playtests`, { method: "POST", headers, body: "{}" });
    const { playtest } = ((await placed.json()) as { data: { playtest: { id: string } } }).data;
    const listed = await fetch(`${api}/playtests/${playtest.id}/slots`, { headers });
    const slotId = ((await listed.json()) as { data: { slots: { id: string }[] } }).data.slots[0]!.id;
    await fetch(`${api}/sandbox/slots/${slotId}/play`, { method: "POST", headers, body: "{}" });
    await vi.waitUntil(() => existsSync(pids) && readFileSync(pids, "utf8").includes(" "), { timeout: 20_000 });
    child.kill("SIGKILL");
    await ended;
    for (const pid of readFileSync(pids, "utf8").split(" ")) process.kill(Number(pid), "SIGKILL");

    const server = await startTestServer({
      store: await openStore(place.options),
      dataDir: folder,
      instance: "other",
      clock: createTestClock(Date.now() + 59_000),
      config: (config) => void Object.assign(config.transcriber, { command: [process.execPath, script, "json"] }),
    });
    closing.push(() => server.close());
    const status = async () =>
      (await server.request("GET", `/slots/${slotId}`, { key: ready.ownerKey })).body.data.slot.transcription.status;
    await vi.waitUntil(async () => (await status()) === "approved", { timeout: 20_000, interval: 100 });
  });
});
