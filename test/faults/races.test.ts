import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { type Cluster, ledgerDamage, maxReserved, oneSqlite, twoProcesses } from "../helpers/cluster.ts";
import { claim, createGame, giveVideo, order, type Person, personWith, play, registerOwner } from "../helpers/factories.ts";
import { killLeftovers } from "../helpers/process.ts";

/** Concurrent requests must have the outcome of some order of them, in one process and in two. */
const hour = 3_600_000;
const day = 24 * hour;

const places = [
  { place: "two processes with one PostgreSQL", start: twoProcesses },
  ...(inject("restricted") ? [] : [{ place: "one process on SQLite", start: oneSqlite }]),
];

const tally = (statuses: number[]) => {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
const statusesOf = async (replies: Promise<{ status: number }>[]) => (await Promise.all(replies)).map((reply) => reply.status);
const countsOf = async (owner: Person, id: string) => (await owner.get(`/playtests/${id}`)).body.data.playtest.slots;
const balance = async (owner: Person) => (await owner.get("/billing/balance")).body.data;

describe.each(places)("races on $place", ({ start }) => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await start();
  });
  afterEach(async () => expect(await ledgerDamage(cluster)).toEqual([]));
  afterAll(async () => {
    await cluster?.close();
    await killLeftovers();
  });

  const node = (index: number) => cluster.nodes[index % cluster.nodes.length]!;
  /** The same person, with requests to the server of that index. */
  const via = (person: Person, index: number) => personWith(node(index), person.key, person.id);
  const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));
  const sandbox = (index: number, path: string, body: unknown) => node(index).request("POST", `/sandbox/${path}`, { body });
  const advance = (index: number, ms: number) => sandbox(index, "clock/advance", { seconds: ms / 1000 });

  async function pay(owner: Person, amountCents: number): Promise<void> {
    const { paymentId } = (await owner.post("/billing/credit", { amountCents })).body.data;
    await sandbox(1, `payments/${paymentId}/complete`, { outcome: "paid" });
  }

  async function createMarket({ cents = 1_000_000, playtesters = 0 } = {}) {
    const owner = await registerOwner(node(0), "Olga");
    const gameId = await createGame(owner);
    await pay(owner, cents);
    const people: Person[] = [];
    while (people.length < playtesters) {
      const { testers } = (await sandbox(0, "testers", { count: Math.min(100, playtesters - people.length) })).body.data;
      for (const { id, apiKey } of testers) people.push(personWith(node(people.length), apiKey, id));
    }
    return { owner, gameId, playtesters: people };
  }

  it("claims: of 200 for one slot, one succeeds", async () => {
    const { owner, gameId, playtesters } = await createMarket({ playtesters: 200 });
    const id = await order(owner, gameId);
    expect(tally(await statusesOf(playtesters.map((mine) => mine.post(`/playtester/playtests/${id}/claim`))))).toEqual({
      201: 1,
      409: 199,
    });
    expect(await countsOf(owner, id)).toMatchObject({ open: 0, reserved: 1 });
  });

  it("claims: of two that meet at the only slot, one succeeds", async () => {
    const { owner, gameId, playtesters } = await createMarket({ playtesters: 2 });
    const id = await order(owner, gameId);
    const slotId = (await owner.get(`/playtests/${id}/slots`)).body.data.slots[0].id as string;
    const claims = playtesters.map((mine) => () => mine.post(`/playtester/playtests/${id}/claim`));
    const replies = await cluster.meetAt({ table: "slots", id: slotId }, claims);
    expect(tally(replies.map((reply) => reply.status))).toEqual({ 201: 1, 409: 1 });
  });

  it("claims: of two by one playtester who can hold one more slot, one succeeds", async () => {
    const { owner, gameId, playtesters } = await createMarket({ playtesters: 1 });
    const mine = playtesters[0]!;
    const ids = await Promise.all(times(maxReserved + 1, () => order(owner, gameId)));
    const claimed = ids.slice(2).map((id) => mine.post(`/playtester/playtests/${id}/claim`));
    expect(tally(await statusesOf(claimed))).toEqual({ 201: maxReserved - 1 });
    const claims = ids.slice(0, 2).map((id, n) => () => via(mine, n).post(`/playtester/playtests/${id}/claim`));
    const replies = await cluster.meetAt({ table: "users", id: mine.id }, claims);
    expect(tally(replies.map((reply) => reply.status))).toEqual({ 201: 1, 409: 1 });
  });

  it("approvals: of 50 for 10 slots, 10 succeed", async () => {
    const { owner, gameId, playtesters } = await createMarket({ playtesters: 50 });
    const id = await order(owner, gameId, { quantity: 10, selectionMode: "manual" });
    const applied = await Promise.all(playtesters.map((mine) => mine.post(`/playtester/playtests/${id}/applications`)));
    const ids = applied.map((reply) => reply.body.data.application.id as string);
    const replies = ids.map((application, n) => via(owner, n).post(`/playtest-applications/${application}/approve`));
    expect(tally(await statusesOf(replies))).toEqual({ 200: 10, 409: 40 });
    expect(await countsOf(owner, id)).toMatchObject({ open: 0, reserved: 10 });
    const { counts, applications } = (await owner.get(`/playtests/${id}/applications`)).body.data;
    expect(counts).toEqual({ approvedCount: 10, pendingCount: 0, slotsRemaining: 0 });
    expect(applications.filter((application: { status: string }) => application.status === "auto_rejected")).toHaveLength(40);
  });

  it("approvals: two that meet at the oldest slot take two slots", async () => {
    const { owner, gameId, playtesters } = await createMarket({ playtesters: 2 });
    // A third one is left, so that no application is closed: PostgreSQL would find that the two wait for each other.
    const id = await order(owner, gameId, { quantity: 3, selectionMode: "manual" });
    const slots = (await owner.get(`/playtests/${id}/slots`)).body.data.slots as { id: string; createdAt: string }[];
    const oldest = slots.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id))[0]!.id;
    const applied = await Promise.all(playtesters.map((mine) => mine.post(`/playtester/playtests/${id}/applications`)));
    const approvals = applied.map(
      (reply, n) => () => via(owner, n).post(`/playtest-applications/${reply.body.data.application.id}/approve`),
    );
    const replies = await cluster.meetAt({ table: "slots", id: oldest }, approvals);
    expect(replies.map((reply) => reply.status)).toEqual([200, 200]);
    expect(await countsOf(owner, id)).toMatchObject({ open: 1, reserved: 2 });
  });

  it("review: a submission is accepted or rejected, never both", async () => {
    const { owner, gameId, playtesters } = await createMarket({ playtesters: 12 });
    const id = await order(owner, gameId, { quantity: 12 });
    const slotIds: string[] = [];
    for (const [n, mine] of playtesters.entries()) slotIds.push(await play(node(n), mine, id));
    const accepted: boolean[] = [];
    for (const [n, slotId] of slotIds.entries()) {
      const replies = await cluster.meetAt({ table: "slots", id: slotId }, [
        () => via(owner, n).post(`/slots/${slotId}/accept`),
        () => via(owner, n + 1).post(`/slots/${slotId}/reject`),
      ]);
      const statuses = replies.map((reply) => reply.status);
      expect([...statuses].sort()).toEqual([200, 409]);
      accepted.push(statuses[0] === 200);
    }
    const count = accepted.filter(Boolean).length;
    expect(await countsOf(owner, id)).toMatchObject({ accepted: count, rejected: 12 - count });
    const earned = await Promise.all(playtesters.map((mine) => mine.get("/playtester/earnings")));
    expect(earned.map((reply) => reply.body.data.balanceCents)).toEqual(accepted.map((won) => (won ? 1000 : 0)));
  });

  it("deletion: a slot is deleted or claimed, never both", async () => {
    const { owner, gameId, playtesters } = await createMarket({ playtesters: 12 });
    const before = (await balance(owner)).balanceCents;
    const places = await Promise.all(
      playtesters.map(async () => {
        const id = await order(owner, gameId);
        return { id, slotId: (await owner.get(`/playtests/${id}/slots`)).body.data.slots[0].id as string };
      }),
    );
    const claimed: boolean[] = [];
    for (const [n, mine] of playtesters.entries()) {
      const { id, slotId } = places[n]!;
      const claims = () => mine.post(`/playtester/playtests/${id}/claim`);
      const deletes = () => via(owner, n + 1).delete(`/playtests/slots/${slotId}`);
      const replies = await cluster.meetAt({ table: "slots", id: slotId }, n % 2 === 0 ? [claims, deletes] : [deletes, claims]);
      const statuses = replies.map((reply) => reply.status).sort();
      expect(["200 409", "201 409"]).toContain(statuses.join(" "));
      claimed.push(statuses[0] === 201);
    }
    expect((await balance(owner)).balanceCents).toBe(before - claimed.filter(Boolean).length * 2000);
  });

  it("deletion of an account: it is deleted or orders, never both", async () => {
    const outcomes = new Set<string>();
    for (const n of [0, 1, 2, 3]) {
      const owner = await registerOwner(node(0), `Olga${n}`);
      const gameId = await createGame(owner);
      const orders = () => via(owner, n).post(`/games/${gameId}/playtests`, { isFreePublicTrial: true });
      const deletes = () => via(owner, n + 1).post("/auth/delete-account", { password: "correct horse" });
      const replies = await cluster.meetAt({ table: "users", id: owner.id }, n % 2 === 0 ? [orders, deletes] : [deletes, orders]);
      outcomes.add(
        replies
          .map((reply) => reply.status)
          .sort()
          .join(" "),
      );
      const orphans = "SELECT p.id FROM playtests p JOIN users u ON u.id = p.owner_id WHERE u.deleted_at IS NOT NULL";
      expect(await cluster.read((q) => q.all(orphans))).toEqual([]);
    }
    expect([...outcomes].filter((outcome) => !["200 401", "200 409", "201 409"].includes(outcome))).toEqual([]);
  });

  it("deadline: a slot expires or is submitted, never both, and is replaced once", async () => {
    const { owner, gameId, playtesters } = await createMarket({ playtesters: 40 });
    const id = await order(owner, gameId, { quantity: 40 });
    const slotIds = await Promise.all(playtesters.map((mine) => claim(mine, id)));
    await Promise.all(slotIds.map((slotId, n) => giveVideo(node(n), slotId, playtesters[n]!)));
    const submit = (n: number) => playtesters[n]!.post(`/playtester/slots/${slotIds[n]}/submit`);
    // Some requests are in flight when the deadline passes; the last ones start after it.
    const early = times(36, submit);
    await advance(0, day);
    const late = await statusesOf([36, 37, 38, 39].map(submit));
    expect(late).toEqual([409, 409, 409, 409]);
    const outcomes = [...(await statusesOf(early)), ...late];
    const submitted = outcomes.filter((status) => status === 200).length;
    expect(tally(outcomes)).toEqual(submitted === 0 ? { 409: 40 } : { 200: submitted, 409: 40 - submitted });
    expect(await countsOf(owner, id)).toMatchObject({ submitted, expired: 40 - submitted, open: 40 - submitted, reserved: 0 });
  });

  it("deadline: a submission that meets the expiry of its slot is kept or refused, never both", async () => {
    const { owner, gameId, playtesters } = await createMarket({ playtesters: 1 });
    const id = await order(owner, gameId);
    const slotId = await claim(playtesters[0]!, id);
    await giveVideo(node(0), slotId, playtesters[0]!);
    const [submission] = await cluster.meetAt({ table: "slots", id: slotId }, [
      () => playtesters[0]!.post(`/playtester/slots/${slotId}/submit`),
      () => advance(1, day),
    ]);
    const submitted = submission!.status === 200 ? 1 : 0;
    expect([200, 409]).toContain(submission!.status);
    expect(await countsOf(owner, id)).toMatchObject({ submitted, expired: 1 - submitted, open: 1 - submitted, reserved: 0 });
  });

  it("video: one that replaces another does not take it from a submission", async () => {
    const { owner, gameId, playtesters } = await createMarket({ playtesters: 1 });
    const mine = playtesters[0]!;
    const slotId = await claim(mine, await order(owner, gameId));
    await giveVideo(node(0), slotId, mine);
    const submits = async () => (await mine.post(`/playtester/slots/${slotId}/submit`)).status;
    const replaces = () =>
      giveVideo(node(1), slotId, mine)
        .then(() => 201)
        .catch(() => 409);
    const [submitted] = await cluster.meetAt({ table: "slots", id: slotId }, [submits, replaces]);
    expect(submitted).toBe(200);
    const sql = "SELECT u.status FROM submissions s JOIN uploads u ON s.blob_key = 'videos/' || u.id WHERE s.slot_id = ?";
    expect(await cluster.read((q) => q.all(sql, slotId))).toEqual([{ status: "completed" }]);
  });

  it("sandbox clock: concurrent advances add up, and all servers have the same time", async () => {
    const now = async (index: number) => Date.parse((await node(index).request("GET", "/sandbox/clock")).body.data.now);
    const before = await now(0);
    await Promise.all(times(4, (index) => advance(index, hour)));
    const passed = [(await now(0)) - before, (await now(1)) - before].map((ms) => Math.floor(ms / hour));
    expect(passed).toEqual([4, 4]);
  });

  it("jobs: each runs once", async () => {
    const { owner, gameId, playtesters } = await createMarket({ playtesters: 20 });
    const id = await order(owner, gameId, { quantity: 20 });
    const manual = await order(owner, gameId, { quantity: 5, selectionMode: "manual" });
    await Promise.all(playtesters.map((mine) => claim(mine, id)));
    const before = (await balance(owner)).balanceCents;
    await Promise.all(times(2, (index) => advance(index, 3.5 * day)));
    expect(await countsOf(owner, id)).toMatchObject({ expired: 20, open: 20, reserved: 0 });
    expect(await countsOf(owner, manual)).toMatchObject({ expired: 5, open: 0 });
    expect((await balance(owner)).balanceCents).toBe(before + 5 * 2000);
    const { notifications } = (await owner.get("/notifications?limit=100")).body.data;
    expect(notifications.filter((notice: { type: string }) => notice.type === "slot.expired")).toHaveLength(25);
  });

  it("credit: of 50 orders with credit for one, one is paid", async () => {
    const { owner, gameId } = await createMarket({ cents: 2000 });
    const place = (n: number) => via(owner, n).post(`/games/${gameId}/playtests`, {}, { "x-payment-method": "credit" });
    expect(tally(await statusesOf(times(50, place)))).toEqual({ 201: 1, 402: 49 });
    expect((await balance(owner)).balanceCents).toBe(0);
    expect((await owner.get(`/games/${gameId}/playtests`)).body.data.playtests).toHaveLength(1);
  });

  it("idempotency: 20 requests with the same key place one order", async () => {
    const { owner, gameId } = await createMarket();
    const place = (n: number) => via(owner, n).post(`/games/${gameId}/playtests`, {}, { "idempotency-key": "one" });
    const replies = await Promise.all(times(20, place));
    const placed = replies.filter((reply) => reply.status === 201);
    expect(new Set(placed.map((reply) => reply.text)).size).toBe(1);
    expect(replies.filter((reply) => reply.status !== 201 && reply.status !== 409)).toEqual([]);
    expect(placed.filter((reply) => reply.headers.get("idempotency-replayed") === null)).toHaveLength(1);
    expect((await owner.get(`/games/${gameId}/playtests`)).body.data.playtests).toHaveLength(1);
  });

  it("subscription: it is renewed or ends, and each period that was paid grants its hours once", async () => {
    const owners = await Promise.all(times(6, () => registerOwner(node(0))));
    for (const owner of owners) {
      const { subscriptionId } = (await owner.post("/billing/subscription/checkout", { planKey: "indie_monthly" })).body.data;
      await sandbox(0, `subscriptions/${subscriptionId}/complete`, { outcome: "paid" });
    }
    const [, ...cancelled] = await Promise.all([
      advance(0, 31 * day),
      ...owners.map((owner, n) => via(owner, n + 1).post("/billing/subscription/cancel")),
    ]);
    for (const [n, owner] of owners.entries()) {
      const { subscription, playtestMinutes } = (await owner.get("/billing/subscription")).body.data;
      const { payments } = (await owner.get("/billing/payments")).body.data;
      expect([cancelled[n]!.status, playtestMinutes, subscription.status]).toEqual(
        payments.length === 1 ? [200, 300, "cancelled"] : [200, 600, "active"],
      );
      expect([payments.length, subscription.cancelAtPeriodEnd]).toEqual([playtestMinutes / 300, true]);
    }
  });
});
