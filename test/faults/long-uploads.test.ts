import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Store } from "../../server/database/port.ts";
import { claim, leaseTime } from "../../server/jobs/store.ts";
import { faultsAt } from "../../server/playtests/publications/store.ts";
import * as factories from "../helpers/factories.ts";
import { gate } from "../helpers/gate.ts";
import { reusedStore } from "../helpers/reused-store.ts";
import { createTestClock, startTestServer, type TestServer } from "../helpers/server.ts";
import { type Driver, drivers, freshFolder, withoutDatabaseTime } from "../helpers/store.ts";
import { startYoutube, type Youtube } from "../helpers/youtube.ts";

const second = 1_000;
const hour = 3_600 * second;
const leaseMs = 60 * second;
const payoutCents = 300;
const videoSize = 20 * 1024 * 1024;
/** What the platform keeps of each part that it is sent, and how long it takes for that. */
const [keptBytes, partSeconds] = [256 * 1024, 200];

// The lease of a job is renewed by a timer, which moves with the clock of the test.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closing.splice(0).reverse()) await close();
});

interface Scene {
  store: Store;
  youtube: Youtube;
  first: TestServer;
  /** The other process on the same database; on SQLite there is one process. */
  another: TestServer | undefined;
  owner: factories.Person;
  tester: factories.Person;
  slotId: string;
}

async function scene(driver: Driver): Promise<Scene> {
  const youtube = await startYoutube();
  const opened = await reusedStore(driver);
  closing.push(() => opened.remove());
  const shared = { store: withoutDatabaseTime(opened), clock: createTestClock(), dataDir: freshFolder() };
  const serve = async (instance: string) => {
    const server = await startTestServer({
      ...shared,
      instance,
      config(config) {
        config.jobs.leaseMs = leaseMs;
        config.publishing.to = "youtube";
        config.pricing.publicPayoutCents = payoutCents;
        Object.assign(config.publishing.youtube, { clientId: "client", clientSecret: "secret", apiUrl: youtube.url });
      },
    });
    closing.push(() => server.close());
    return server;
  };
  const first = await serve("first");
  const admin = await factories.firstAdmin(first);
  await admin.post("/admin/publishers/connect", { adapter: "youtube", deviceCode: "device-1" });
  const [owner, tester] = [await factories.registerOwner(first), await factories.registerPlaytester(first)];
  const playtestId = await factories.order(owner, await factories.createGame(owner), { visibility: "public" });
  const slotId = await factories.claim(tester, playtestId);
  await factories.giveVideo(first, slotId, tester, factories.videoBytes(videoSize));
  await tester.submitSlot({ params: { id: slotId } });
  await first.advance(0);
  const another = driver.name === "postgres" ? await serve("another") : undefined;
  return { ...shared, youtube, first, another, owner, tester, slotId };
}

const leaseOf = async ({ store }: Scene) =>
  (await store.read((q) => q.one<{ lease_until: number }>("SELECT lease_until FROM jobs WHERE kind = 'publish-video'")))!
    .lease_until;

/** Takes the job as another process would, if it may. */
const taken = ({ store, first: { clock } }: Scene) =>
  store.write((tx) =>
    claim(tx, {
      now: leaseTime(store.dialect, clock.real()),
      due: clock.now(),
      leaseMs: 1,
      count: 1,
      token: "nobody",
      kinds: { only: ["publish-video"] },
    }),
  );

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await turn();
}

async function expectOneVideo({ store, first, youtube, owner, tester, slotId }: Scene): Promise<void> {
  const { slot } = await owner.getSlot({ params: { id: slotId } });
  expect([slot.status, slot.publication!.state]).toEqual(["accepted", "published"]);
  expect([youtube.made.length, [...youtube.videos.values()].map(({ size }) => size)]).toEqual([1, [videoSize]]);
  expect((await tester.getEarnings()).balanceCents).toBe(payoutCents);
  expect(await factories.ledgerFaults(first)).toEqual([]);
  expect(await store.read((q) => faultsAt(q, first.clock.now()))).toEqual([]);
}

const isAccepted = async ({ owner, slotId }: Scene) =>
  (await owner.getSlot({ params: { id: slotId } })).slot.status === "accepted";

describe.each(drivers)("upload to a slow platform ($name)", { timeout: 300_000 }, (driver) => {
  it("of hours: its lease is renewed, no other process takes it over, and the video is published once", async () => {
    const known = await scene(driver);
    const { youtube, first, owner, slotId } = known;
    const begun = first.clock.now();
    let renewed = 0;
    let parts = 0;
    youtube.by = async (kind) => {
      if (kind !== "part") return undefined;
      parts++;
      for (let waited = 0; waited < partSeconds; waited += 20) {
        first.clock.set(first.clock.now() + 20 * second);
        vi.advanceTimersByTime(20 * second);
        await until(async () => (await leaseOf(known)) === first.clock.now() + leaseMs);
        renewed++;
        expect(await taken(known)).toEqual([]);
      }
      return { keep: keptBytes };
    };
    await owner.post(`/slots/${slotId}/accept`);
    await until(() => isAccepted(known));
    expect(first.clock.now() - begun).toBeGreaterThan(4 * hour);
    expect([parts, renewed]).toEqual([videoSize / keptBytes, (videoSize / keptBytes) * (partSeconds / 20)]);
    const count = (kind: string) => youtube.requests.filter((one) => one === kind).length;
    // One session, and one question for each step of 16 MiB: nobody else asked. Access tokens end after an hour.
    expect([count("start"), count("query")]).toEqual([1, 2]);
    expect(count("token")).toBeGreaterThan(4);
    await expectOneVideo(known);
  });
});

describe("upload of a process that is suspended", { timeout: 300_000 }, () => {
  it("is taken over by another when its lease has run out, and the video is published once", async () => {
    const known = await scene(drivers.find(({ name }) => name === "postgres")!);
    const { youtube, first, another, owner, slotId } = known;
    const suspended = gate();
    let parts = 0;
    youtube.by = async (kind) => {
      if (kind !== "part" || ++parts !== 2) return kind === "part" ? { keep: keptBytes } : undefined;
      // Time passes, and the timer that renews the lease stands still.
      first.clock.set(first.clock.now() + leaseMs);
      await suspended.passed;
      return undefined;
    };
    await owner.post(`/slots/${slotId}/accept`);
    await until(() => isAccepted(known));
    suspended.open();
    await another!.advance(hour);
    expect(youtube.requests.filter((kind) => kind === "query").length).toBeGreaterThan(2);
    await expectOneVideo(known);
    // The first process learned that it had lost its job.
    first.errors.length = 0;
  });
});
