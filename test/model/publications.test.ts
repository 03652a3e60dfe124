import { describe, expect, it, vi } from "vitest";
import { type Store, StoreUnavailable } from "../../server/database/port.ts";
import { faultsAt } from "../../server/playtests/publications/store.ts";
import { copySlots } from "../helpers/copied-slots.ts";
import { createGame, firstAdmin, ledgerFaults, order, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { everyReplyPlace, type Fault } from "../helpers/loopback-platform.ts";
import { type Peertube, type PeertubeKind, startPeertube } from "../helpers/peertube.ts";
import { reusedStore } from "../helpers/reused-store.ts";
import { createTestClock, startTestServer, type TestServer } from "../helpers/server.ts";
import { drivers, freshFolder, withoutDatabaseTime } from "../helpers/store.ts";
import { startYoutube, type Youtube, type Kind as YoutubeKind } from "../helpers/youtube.ts";

/** To run more: `PLAYTEST_MODEL_RUNS=10000 PLAYTEST_SEED=7 npm test -- test/model/publications.test.ts`. */
const runs = Number(process.env.PLAYTEST_MODEL_RUNS ?? 60);
const seed = Number(process.env.PLAYTEST_SEED ?? 22);
/** Videos that are published at the same time. */
const together = 100;

vi.setConfig({ testTimeout: Math.max(240_000, runs * 2_000) });

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const payoutCents = 300;

type Random = () => number;

/** Numbers from 0 to 1 that are the same for a seed (mulberry32). */
function randomOf(start: number): Random {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One of some, each as often as its weight says. */
function pick<T>(random: Random, of: readonly (readonly [weight: number, value: T])[]): T {
  let left = random() * of.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, value] of of) {
    left -= weight;
    if (left < 0) return value;
  }
  return of[0]![1];
}

type Chance = readonly [weight: number, value: Fault | undefined];

/** What can happen to a request of any kind. */
const anywhere = (random: Random): Chance[] => [
  [80, undefined],
  [4, { cut: Math.floor(random() * 5000) }],
  [4, "lost"],
  [2, "half"],
  [1, "unread"],
  [1, "idle"],
  [3, { ends: everyReplyPlace[Math.floor(random() * everyReplyPlace.length)]! }],
  [3, { status: 500 + Math.floor(random() * 4) }],
  [1, { status: 429, headers: { "Retry-After": "600" } }],
];
/** What can happen to a part of a video, besides. */
const toPart = (random: Random): Chance[] => [
  [8, "lost"],
  [6, { keep: Math.floor(random() * 4000) }],
  [3, "without-range"],
  [3, "forget"],
];

function youtubeFault(random: Random, kind: YoutubeKind): Fault | undefined {
  const own: Partial<Record<YoutubeKind, Chance[]>> = {
    part: toPart(random),
    query: [[15, "forget"]],
    token: [[2, { status: 400, reason: "invalid_grant" }]],
    start: [
      [4, { status: 403, reason: "quotaExceeded" }],
      [2, { status: 400, reason: "uploadLimitExceeded" }],
      [1, { status: 400, reason: "invalidTitle" }],
    ],
  };
  return pick(random, [...anywhere(random), ...(own[kind] ?? [])]);
}

function peertubeFault(random: Random, kind: PeertubeKind): Fault | undefined {
  const own: Partial<Record<PeertubeKind, Chance[]>> = {
    part: [...toPart(random), [2, { status: 409 }], [1, { status: 422 }]],
    query: [
      [10, "forget"],
      [3, { status: 503, headers: { "Retry-After": "300" } }],
    ],
    start: [
      [3, { status: 413, reason: "quota_reached" }],
      [1, { status: 415 }],
    ],
  };
  return pick(random, [...anywhere(random), ...(own[kind] ?? [])]);
}

interface Platforms {
  youtube: Youtube;
  peertube: Peertube;
}

/** Lets both fail by chance. `before` is told of each request, and may end a process. */
function spoil({ youtube, peertube }: Platforms, random: Random, before: () => void): void {
  youtube.by = (kind) => {
    before();
    youtube.make({
      polls: Math.floor(random() * 3),
      ...pick(random, [
        [16, {}],
        [1, { privacy: "private" }],
        [1, { rejected: "claim" }],
      ]),
    });
    if (random() < 0.02) youtube.expireTokens();
    return youtubeFault(random, kind);
  };
  peertube.by = (kind) => {
    before();
    peertube.busy = Math.floor(random() * 3);
    peertube.make({
      polls: Math.floor(random() * 3),
      ...pick(random, [
        [16, {}],
        [1, { blacklisted: true }],
        [1, { state: 7 }],
      ]),
    });
    if (random() < 0.02) peertube.expireTokens();
    return peertubeFault(random, kind);
  };
}

/** A process that can be killed: what it does after that reaches the database no more. */
interface Process {
  server: TestServer;
  isDead: boolean;
}

/** Ends a process at a write or request to come, before it or after it took effect. */
class Killer {
  #left = Number.POSITIVE_INFINITY;
  readonly #kill: () => void;
  constructor(kill: () => void) {
    this.#kill = kill;
  }
  arm(steps: number): void {
    this.#left = steps;
  }
  /** Counts a step. True when this was the one. */
  step = (): boolean => {
    this.#left -= 1;
    if (this.#left > 0) return false;
    this.#left = Number.POSITIVE_INFINITY;
    this.#kill();
    return true;
  };
}

/** A store as a process sees it that may be killed at each write, before it or after it was committed. */
function mortal(store: Store, process: { isDead: boolean }, killer: Killer, random: Random): Store {
  const alive = () => {
    if (process.isDead) throw new StoreUnavailable("The process was killed.");
  };
  return {
    ...store,
    read: async (fn, options) => {
      alive();
      return store.read(fn, options);
    },
    write: async (fn, options) => {
      alive();
      const isLater = random() < 0.5;
      if (!isLater) killer.step();
      alive();
      const result = await store.write(fn, options);
      if (isLater) killer.step();
      alive();
      return result;
    },
  };
}

describe.each(drivers)("publications by chance ($name)", (driver) => {
  /** On SQLite there is one process. */
  const width = driver.name === "postgres" ? 2 : 1;

  it(`${runs} of them: each video once, each playtester paid exactly once, and none waits for a platform`, async () => {
    for (let done = 0; done < runs; done += together) await batch(done, Math.min(together, runs - done));
  });

  async function batch(done: number, count: number): Promise<void> {
    const random = randomOf(seed + done);
    const platforms = { youtube: await startYoutube(), peertube: await startPeertube() };
    const opened = await reusedStore(driver);
    const world = { store: withoutDatabaseTime(opened), clock: createTestClock(), dataDir: freshFolder(), platforms, random };
    const started: Process[] = [];
    let running: Process[] = [];
    const killer = new Killer(() => {
      const victim = running[Math.floor(random() * running.length)];
      if (!victim) return;
      victim.isDead = true;
      // Its leases run out.
      world.clock.set(world.clock.now() + minute);
    });
    const fill = async () => {
      running = running.filter(({ isDead }) => !isDead);
      while (running.length < width) {
        const process = await startProcess(world, killer, `run ${done} process ${started.length}`);
        started.push(process);
        running.push(process);
      }
    };
    try {
      await fill();
      const { people, slots } = await accepted(running[0]!.server, count, platforms, random);
      spoil(platforms, random, () => void killer.step());
      for (let step = 0; step < 8; step++) {
        if (random() < 0.6) killer.arm(1 + Math.floor(random() * 6 * count));
        const until = Math.floor(random() * 12 * hour);
        await Promise.all(running.map(({ server }) => server.advance(until).catch(() => {})));
        killer.arm(Number.POSITIVE_INFINITY);
        await fill();
        const { server } = running[0]!;
        await expectNoneLate(server);
        if (random() < 0.7) await meddle(random, slots[Math.floor(random() * slots.length)]!, { server, people });
        if (random() < 0.5) await connectPeertube(server, people.admin, platforms.peertube);
      }
      for (const platform of Object.values(platforms)) platform.by = () => undefined;
      const { server } = running[0]!;
      await connectPeertube(server, people.admin, platforms.peertube);
      await Promise.all(running.map((process) => process.server.advance(6 * day)));
      await expectSound(server, platforms, { people, slots });
    } finally {
      for (const { server, isDead } of started) {
        if (isDead || running.length > 1) server.errors.length = 0;
        await server.close().catch((error: unknown) => {
          if (!isDead) throw error;
        });
      }
      await opened.remove();
    }
  }
});

interface World {
  store: Store;
  clock: ReturnType<typeof createTestClock>;
  dataDir: string;
  platforms: Platforms;
  random: Random;
}

async function startProcess(world: World, killer: Killer, instance: string): Promise<Process> {
  const { platforms, store, clock, dataDir, random } = world;
  const process = { isDead: false };
  const server = await startTestServer({
    store,
    through: (it) => mortal(it, process, killer, random),
    clock,
    dataDir,
    instance,
    config(config) {
      config.publishing.to = "youtube";
      config.pricing.publicPayoutCents = payoutCents;
      Object.assign(config.publishing.youtube, { clientId: "client", clientSecret: "secret", apiUrl: platforms.youtube.url });
    },
  });
  return Object.assign(process, { server });
}

/** Keys of the API. */
interface People {
  admin: string;
  owner: string;
  tester: string;
}

const connectPeertube = (server: TestServer, key: string, { url }: Peertube) =>
  server.request("POST", "/admin/publishers/connect", {
    key,
    body: { adapter: "peertube", instance: url, username: "moon", password: "correct horse" },
  });

/** Videos that were accepted, of which half are to be published on each platform. */
async function accepted(server: TestServer, count: number, { peertube }: Platforms, random: Random) {
  const [admin, owner, tester] = [await firstAdmin(server), await registerOwner(server), await registerPlaytester(server)];
  await admin.post("/admin/publishers/connect", { adapter: "youtube", deviceCode: "device-1" });
  await connectPeertube(server, admin.key, peertube);
  const first = await play(server, tester, await order(owner, await createGame(owner), { visibility: "public" }));
  const slots = [first, ...(await copySlots(server, first, count - 1))];
  await server.deps.store.write(async (tx) => {
    for (const slotId of slots)
      if (random() < 0.5)
        await tx.run(
          "UPDATE publication_consents SET adapter = 'peertube' WHERE playtest_id = (SELECT playtest_id FROM slots WHERE id = ?)",
          slotId,
        );
  });
  for (const slotId of slots) await owner.post(`/slots/${slotId}/accept`);
  return { people: { admin: admin.key, owner: owner.key, tester: tester.key }, slots };
}

/** What an operator, an owner or a playtester does to a publication. A refusal is fine. */
async function meddle(random: Random, slotId: string, { server, people }: { server: TestServer; people: People }): Promise<void> {
  const post = (key: string, path: string, body?: unknown) => server.request("POST", path, { key, body });
  const known = (await server.request("GET", "/admin/publications?limit=100", { key: people.admin })).body.data.publications;
  const row = known.find((one: { slotId: string; state: string }) => one.slotId === slotId && one.state !== "removed");
  if (row === undefined) return;
  const elsewhere = pick(random, [
    [1, "own"],
    [1, "youtube"],
    [1, "peertube"],
  ]);
  const reply = await pick(random, [
    [2, () => post(people.admin, `/admin/publications/${row.id}/retry`)],
    [2, () => post(people.admin, `/admin/publications/${row.id}/move`, { to: elsewhere })],
    [1, () => post(people.admin, `/admin/publications/${row.id}/remove`, { reason: "By chance." })],
    [1, () => post(people.owner, `/slots/${slotId}/unpublish`, { reason: "By chance." })],
    [1, () => post(people.tester, `/playtester/slots/${slotId}/unpublish`, { reason: "By chance." })],
  ])();
  expect([200, 409]).toContain(reply.status);
}

/** No slot waits for a platform beyond the time for that, but for the minutes in which a job of a dead process is taken over. */
async function expectNoneLate(server: TestServer): Promise<void> {
  const late = await server.deps.store.read((q) =>
    q.all(
      `SELECT s.id FROM slots s JOIN publications c ON c.slot_id = s.id
        WHERE s.status = 'publishing' AND c.state <> 'removed' AND c.give_up_at <= ?`,
      server.clock.now() - 5 * minute,
    ),
  );
  expect(late).toEqual([]);
}

interface Row {
  id: string;
  slot_id: string;
  adapter: string;
  state: string;
  remote_id: string | null;
}

const markerIn = (description: string) => /playtest:(\S+)$/.exec(description)?.[1];

/** The publications of the videos that the platforms have, by the id of the video. */
function videosOn({ youtube, peertube }: Platforms): [publicationId: string | undefined, remoteId: string][] {
  const { host } = new URL(peertube.url);
  return [
    ...[...youtube.videos].map(([id, { description }]) => [markerIn(description), id] as [string | undefined, string]),
    ...[...peertube.videos].map(
      ([id, { description }]) => [markerIn(description), `${id}@${host}`] as [string | undefined, string],
    ),
  ];
}

async function expectSound(
  server: TestServer,
  platforms: Platforms,
  { people, slots }: { people: People; slots: readonly string[] },
): Promise<void> {
  const earnings = await server.request("GET", "/playtester/earnings", { key: people.tester });
  expect(earnings.body.data.balanceCents).toBe(payoutCents * slots.length);
  expect(await ledgerFaults(server)).toEqual([]);
  const rows = await server.deps.store.read((q) => q.all<Row>("SELECT id, slot_id, adapter, state, remote_id FROM publications"));
  const videos = videosOn(platforms);
  // Each video once, also while nobody looked: what was made twice would have been deleted by nobody.
  const made = [...platforms.youtube.made, ...platforms.peertube.made].map(markerIn);
  expect(made.filter((id, index) => made.indexOf(id) !== index)).toEqual([]);
  for (const { id, adapter, state, remote_id } of rows) {
    const there = videos.filter(([of]) => of === id).map(([, remoteId]) => remoteId);
    expect(["published", "blocked", "failed", "removed"]).toContain(state);
    if (adapter !== "own" && state === "published") expect(there).toEqual([remote_id]);
    if (state === "removed") expect(there).toEqual([]);
  }
  const ids = new Set(rows.map(({ id }) => id));
  expect(videos.filter(([of]) => of === undefined || !ids.has(of))).toEqual([]);
  for (const slotId of slots) {
    const { slot } = (await server.request("GET", `/slots/${slotId}`, { key: people.owner })).body.data;
    expect([slotId, slot.status]).toEqual([slotId, "accepted"]);
    if (slot.publication.state === "removed") expect(slot.publication.url).toBeNull();
  }
  expect(await server.deps.store.read((q) => faultsAt(q, server.clock.now()))).toEqual([]);
}
