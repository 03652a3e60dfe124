import { expect, it } from "vitest";
import type { Outcome } from "../../server/playtests/publications/publisher.ts";
import { faultsAt } from "../../server/playtests/publications/store.ts";
import { copySlots } from "../helpers/copied-slots.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, firstAdmin, order, type Person, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { Platform, type Step } from "../helpers/platform.ts";
import type { TestServer } from "../helpers/server.ts";

/** To run more: `PLAYTEST_MODEL_RUNS=10000 PLAYTEST_SEED=7 npm test -- test/model/publications.test.ts`. */
const runs = Number(process.env.PLAYTEST_MODEL_RUNS ?? 60);
const seed = Number(process.env.PLAYTEST_SEED ?? 22);
/** Videos that are published at the same time. */
const together = 100;

const minute = 60_000;
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

/** A platform that fails by chance in every way, each way as often as its weight says. */
function unreliable(platform: Platform, random: Random, now: () => number): () => Step | undefined {
  const ways: [weight: number, step: () => Step | undefined][] = [
    [40, () => undefined],
    [15, () => new Error("The connection was lost.")],
    [10, () => ({ is: "processing", retryAt: now() + Math.floor(random() * 10 * hour) })],
    [
      10,
      () => async (video, session) => {
        platform.has(video.publicationId, session);
        throw new Error("The reply was lost.");
      },
    ],
    [8, () => ({ is: "failed", reason: "The upload expired.", session: null })],
    [6, () => ({ is: "failed", reason: "The quota is used up.", retryAt: now() + Math.floor(random() * 2 * day) })],
    [6, () => ({ is: "progress", bytesSent: Math.floor(random() * 4000) })],
    [2, () => ({ is: "failed", reason: "It was refused.", permanent: true })],
    [
      3,
      () => async (video, session) => ({
        is: "blocked",
        reason: "It is private.",
        remoteId: idOf(platform.has(video.publicationId, session)),
      }),
    ],
  ];
  const total = ways.reduce((sum, [weight]) => sum + weight, 0);
  return () => {
    let left = random() * total;
    for (const [weight, step] of ways) {
      left -= weight;
      if (left < 0) return step();
    }
    return undefined;
  };
}

const idOf = (outcome: Outcome) => (outcome.is === "published" ? outcome.remoteId : null);

/** What an operator or an owner does to a publication. A refusal is fine. */
async function meddle(random: Random, slotId: string, { admin, owner }: { admin: Person; owner: Person }): Promise<void> {
  const known = (await admin.get("/admin/publications?limit=100")).body.data.publications;
  const id = known.find((one: { slotId: string; state: string }) => one.slotId === slotId && one.state !== "removed")?.id;
  if (id === undefined) return;
  const acts = [
    () => admin.post(`/admin/publications/${id}/retry`),
    () => admin.post(`/admin/publications/${id}/move`, { to: random() < 0.5 ? "own" : "youtube" }),
    () => admin.post(`/admin/publications/${id}/remove`, { reason: "By chance." }),
    () => owner.post(`/slots/${slotId}/unpublish`, { reason: "By chance." }),
  ];
  const reply = await acts[Math.floor(random() * acts.length)]!();
  expect([200, 409]).toContain(reply.status);
}

onBothDatabases("publications by chance", (serve) => {
  it(`${runs} of them: each video at most once, each playtester paid exactly once, and none waits for a platform`, async () => {
    for (let done = 0; done < runs; done += together) {
      const random = randomOf(seed + done);
      const count = Math.min(together, runs - done);
      const server = await serve({
        config(config) {
          config.publishing.to = "youtube";
          config.pricing.publicPayoutCents = payoutCents;
        },
        instance: `run ${done}`,
      });
      const platform = new Platform();
      platform.by = unreliable(platform, random, server.clock.now);
      server.deps.publishers.youtube = platform;
      const [admin, owner, tester] = [await firstAdmin(server), await registerOwner(server), await registerPlaytester(server)];
      const first = await play(server, tester, await order(owner, await createGame(owner), { visibility: "public" }));
      const slots = [first, ...(await copySlots(server, first, count - 1))];
      for (const slotId of slots) await owner.post(`/slots/${slotId}/accept`);
      for (let step = 0; step < 8; step++) {
        await server.advance(Math.floor(random() * 12 * hour));
        if (random() < 0.7) await meddle(random, slots[Math.floor(random() * slots.length)]!, { admin, owner });
      }
      await server.advance(4 * day);
      await expectSound(server, platform, { owner, tester, slots });
    }
  });
});

async function expectSound(
  server: TestServer,
  platform: Platform,
  { owner, tester, slots }: { owner: Person; tester: Person; slots: readonly string[] },
): Promise<void> {
  const balance = (await tester.get("/playtester/earnings")).body.data.balanceCents;
  expect(balance).toBe(payoutCents * slots.length);
  for (const slotId of slots) {
    const { slot } = (await owner.get(`/slots/${slotId}`)).body.data;
    const { state, remoteId, adapter, url } = slot.publication;
    const there = [...platform.videos].filter(([, of]) => of === slotId).map(([id]) => id);
    expect(slot.status).toBe("accepted");
    expect(there.length).toBeLessThan(2);
    if (state === "published" && adapter === "youtube") expect(there).toEqual([remoteId]);
    if (state === "removed") expect([there, url]).toEqual([[], null]);
    expect(["published", "blocked", "failed", "removed"]).toContain(state);
  }
  expect(await server.deps.store.read((q) => faultsAt(q, server.clock.now()))).toEqual([]);
}
