import { describe, expect } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import type { TestServer } from "../helpers/server.ts";

const hour = 3_600_000;

async function ownerWithGame(server: TestServer, cents = 0): Promise<{ owner: factories.Person; gameId: string }> {
  const owner = await factories.registerOwner(server);
  const gameId = await factories.createGame(owner);
  if (cents > 0) await factories.giveCredit(server, owner, cents);
  return { owner, gameId };
}

const countsOf = async (owner: factories.Person, playtestId: string) => {
  const { slots, status } = (await owner.getPlaytest({ params: { id: playtestId } })).playtest;
  const present = Object.fromEntries(Object.entries(slots as Record<string, number>).filter(([, count]) => count > 0));
  return { status, ...present };
};

onBothDatabases("orders", (serve, it) => {
  it("credit: charged at once, and the slots open", async () => {
    const { owner, gameId } = await serve().then((server) => ownerWithGame(server, 10_000));
    const reply = await owner.post(`/games/${gameId}/playtests`, { quantity: 3 });
    expect(reply.status).toBe(201);
    expect(reply.body.data).toMatchObject({ paid: true, paidWithCredit: true, totalCents: 6000, balanceCents: 4000 });
    expect(reply.body.data.playtest).toMatchObject({
      status: "active",
      costPerSlotCents: 2000,
      payoutCents: 1000,
      durationMinutes: 60,
    });
    expect(await countsOf(owner, reply.body.data.playtest.id)).toEqual({ status: "active", open: 3 });
  });

  it("hours: exactly those of the order are spent, and the reply says what remains", async ({ server }) => {
    const { owner, gameId } = await ownerWithGame(server, 10_000);
    await factories.giveMinutes(server, owner, 240);
    const reply = await owner.post(`/games/${gameId}/playtests`, { quantity: 2, playerCount: 2 });
    expect(reply.body.data).toMatchObject({ paidWithPlaytestHours: true, playtestMinutesUsed: 240, playtestMinutesRemaining: 0 });
    expect(reply.body.data.playtest.playtestMinutesPerSlot).toBe(120);
  });

  it("hours: too few for the whole order are not spent, and credit is charged", async ({ server }) => {
    const { owner, gameId } = await ownerWithGame(server, 2000);
    await factories.giveMinutes(server, owner, 59);
    const reply = await owner.createPlaytest({ params: { gameId } });
    expect(reply).toMatchObject({ paidWithCredit: true, totalCents: 2000, balanceCents: 0 });
    expect((await owner.getPlaytestHours()).balanceMinutes).toBe(59);
  });

  it("hours: a pending order says why they were not used", async ({ server }) => {
    const { owner, gameId } = await ownerWithGame(server);
    await factories.giveMinutes(server, owner, 59);
    const { data } = (await owner.post(`/games/${gameId}/playtests`)).body;
    expect(data).toMatchObject({ requiresPayment: true, playtestMinutesNeeded: 60, playtestMinutesAvailable: 59 });
  });

  describe("order without hours", () => {
    const rows = [
      {
        name: "no credit at all waits for payment",
        cents: 0,
        method: undefined,
        status: 201,
        says: { requiresPayment: true, totalCents: 2000 },
      },
      { name: "one cent short is refused", cents: 1999, method: undefined, status: 402 },
      { name: "only credit, none there", cents: 0, method: "credit", status: 402 },
      { name: "only hours, none there", cents: 5000, method: "hours", status: 402 },
      { name: "an unknown method", cents: 5000, method: "gold", status: 422 },
      { name: "a method in capital letters", cents: 2000, method: "CREDIT", status: 201, says: { paidWithCredit: true } },
    ];
    it.each(rows)("$name", async ({ cents, method, status, says }) => {
      const { owner, gameId } = await serve().then((server) => ownerWithGame(server, cents));
      const reply = await owner.post(
        `/games/${gameId}/playtests`,
        {},
        method === undefined ? {} : { "x-payment-method": method },
      );
      expect(reply.status).toBe(status);
      if (says) expect(reply.body.data).toMatchObject(says);
      if (status === 402) {
        expect(reply.body.error.details[0].field).toBe("balance");
        expect((await owner.listPlaytests({ params: { gameId } })).playtests).toEqual([]);
      }
    });
  });

  it("credit: the error has both amounts when it is too little", async () => {
    const { owner, gameId } = await serve().then((server) => ownerWithGame(server, 1999));
    const { error } = (await owner.post(`/games/${gameId}/playtests`)).body;
    expect(error.details[0].message).toBe("The balance is $19.99, but $20.00 is required.");
  });

  it("unpaid order: expires after a day", async ({ server }) => {
    const { owner, gameId } = await ownerWithGame(server);
    const id = await factories.order(owner, gameId);
    expect(await countsOf(owner, id)).toEqual({ status: "pending_payment" });
    await server.advance(24 * hour);
    expect(await countsOf(owner, id)).toEqual({ status: "cancelled" });
  });

  it("free trial: one per game, also for two concurrent orders", async () => {
    const { owner, gameId } = await serve().then((server) => ownerWithGame(server));
    const replies = await Promise.all(
      [1, 2].map(() => owner.post(`/games/${gameId}/playtests`, { isFreePublicTrial: true, quantity: 2 })),
    );
    expect(replies.map((reply) => reply.status).sort()).toEqual([201, 409]);
    const placed = replies.find((reply) => reply.status === 201)!.body.data;
    expect(placed).toMatchObject({
      needsAdminApproval: true,
      playtest: { visibility: "public", durationMinutes: 30, costPerSlotCents: 0 },
    });
    expect(placed.slots).toHaveLength(2);
    expect((await owner.listPlaytests({ params: { gameId } })).eligibleForFreeTrial).toBe(false);
  });

  it("credit for one order: pays one of 30 concurrent orders", async () => {
    const { owner, gameId } = await serve().then((server) => ownerWithGame(server, 2000));
    const replies = await Promise.all(
      Array.from({ length: 30 }, () => owner.post(`/games/${gameId}/playtests`, {}, { "x-payment-method": "credit" })),
    );
    expect(replies.filter((reply) => reply.status === 201)).toHaveLength(1);
    expect(replies.filter((reply) => reply.status === 402)).toHaveLength(29);
  });

  it("idempotency key: 20 concurrent requests order once", async () => {
    const { owner, gameId } = await serve().then((server) => ownerWithGame(server, 100_000));
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => owner.post(`/games/${gameId}/playtests`, {}, { "idempotency-key": "order-1" })),
    );
    const placed = replies.filter((reply) => reply.status === 201);
    expect(new Set(placed.map((reply) => reply.text)).size).toBe(1);
    expect(replies.every((reply) => [201, 409].includes(reply.status))).toBe(true);
    expect((await owner.listPlaytests({ params: { gameId } })).playtests).toHaveLength(1);
  });

  it.for([
    { method: "credit", cents: 4000, minutes: 0, says: { paidWithCredit: true, balanceCents: 0 } },
    { method: "hours", cents: 0, minutes: 120, says: { paidWithPlaytestHours: true, playtestMinutesRemaining: 0 } },
  ])("pending order: can be paid once with $method", async ({ method, cents, minutes, says }, { server }) => {
    const { owner, gameId } = await ownerWithGame(server);
    const id = await factories.order(owner, gameId, { quantity: 2 });
    expect((await owner.post(`/playtests/${id}/pay`, { method })).status).toBe(402);
    if (cents > 0) await factories.giveCredit(server, owner, cents);
    if (minutes > 0) await factories.giveMinutes(server, owner, minutes);
    const replies = await Promise.all([1, 2].map(() => owner.post(`/playtests/${id}/pay`, { method })));
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409]);
    expect(replies.find((reply) => reply.status === 200)!.body.data).toMatchObject({ ...says, playtest: { status: "active" } });
    expect(await countsOf(owner, id)).toEqual({ status: "active", open: 2 });
  });

  it("card: a paid checkout activates the order", async ({ server }) => {
    const { owner, gameId } = await ownerWithGame(server, 500);
    const reply = await owner.post(`/games/${gameId}/playtests`, {}, { "x-payment-method": "card" });
    expect(reply.body.data).toMatchObject({ requiresPayment: true, playtest: { status: "pending_payment" } });
    expect(reply.body.data.checkoutUrl).toMatch(/\/checkout\//);
    const { paymentId, playtest } = reply.body.data;
    await server.request("POST", `/sandbox/payments/${paymentId}/complete`, { body: { outcome: "paid" } });
    expect(await countsOf(owner, playtest.id)).toEqual({ status: "active", open: 1 });
    expect((await owner.getBalance()).balanceCents).toBe(500);
  });

  it("quote: the price of an order and its payment method", async () => {
    const { owner, gameId } = await serve().then((server) => ownerWithGame(server, 5000));
    const reply = await owner.quotePlaytest({ body: { gameId, quantity: 3 } });
    expect(reply).toEqual({
      costPerSlotCents: 2000,
      payoutCents: 1000,
      totalCents: 6000,
      playtestMinutesNeeded: 180,
      playtestMinutesAvailable: 0,
      balanceCents: 5000,
      wouldPayWith: "none",
      missingCents: 1000,
      warnings: [],
    });
  });

  it("quote: refuses what the order would refuse, with the same reply", async ({ server }) => {
    const { owner, gameId } = await ownerWithGame(server, 50_000);
    const used = await factories.createGame(owner, { name: "Tried" });
    await factories.order(owner, used, { isFreePublicTrial: true });
    const suspended = await factories.createGame(owner, { name: "Suspended" });
    const gone = await factories.registerPlaytester(server);
    await server.deps.store.write(async (tx) => {
      await tx.run("UPDATE games SET status = 'suspended' WHERE id = ?", suspended);
      await tx.run("UPDATE users SET suspended_at = 1 WHERE id = ?", gone.id);
    });
    const only = (id: string) => ({ targetingType: "past", pastPlaytesterScope: "specific", targetedPlaytesterId: id });
    const rows: [string, object, number][] = [
      [suspended, {}, 409],
      [used, { isFreePublicTrial: true }, 409],
      [gameId, { isFreePublicTrial: true, quantity: 6 }, 422],
      [gameId, only(owner.id), 422],
      [gameId, only(gone.id), 422],
      [gameId, { durationMinutes: 45 }, 422],
    ];
    for (const [game, body, status] of rows) {
      const quoted = await owner.post("/playtests/quote", { ...body, gameId: game });
      const ordered = await owner.post(`/games/${game}/playtests`, body);
      expect([quoted.status, quoted.body.error]).toEqual([status, ordered.body.error]);
    }
    // Without a game, what does not depend on it.
    const statuses = rows.map(([, body]) => owner.post("/playtests/quote", body).then((reply) => reply.status));
    expect(await Promise.all(statuses)).toEqual([200, 200, 422, 422, 422, 422]);
    expect((await owner.getBalance()).balanceCents).toBe(50_000);
  });

  it("notes: null removes them, and an update without them keeps them", async () => {
    const { owner, gameId } = await serve().then((server) => ownerWithGame(server, 5000));
    const id = await factories.order(owner, gameId, { notesForTesters: "Mind the gap." });
    const notes = async (body: object) => (await owner.updatePlaytest({ params: { id }, body })).playtest.notesForTesters;
    expect([await notes({}), await notes({ notesForTesters: null }), await notes({})]).toEqual(["Mind the gap.", null, null]);
  });

  it("past playtester scope: allowed for new playtesters, where it changes nothing", async ({ server }) => {
    const { owner, gameId } = await ownerWithGame(server, 5000);
    const playtester = await factories.registerPlaytester(server);
    const id = await factories.order(owner, gameId, { targetingType: "new", pastPlaytesterScope: "any" });
    expect((await owner.getPlaytest({ params: { id } })).playtest).toMatchObject({ pastPlaytesterScope: "any" });
    expect((await playtester.listOffers()).playtests.map((offer: { id: string }) => offer.id)).toEqual([id]);
    await factories.claim(playtester, id);
  });

  it("payment method: the header ignores case", async () => {
    const { owner, gameId } = await serve().then((server) => ownerWithGame(server, 2000));
    const reply = await owner.createPlaytest({ params: { gameId }, body: {}, headers: { "x-payment-method": "CREDIT" } });
    expect(reply).toMatchObject({ paidWithCredit: true, balanceCents: 0 });
  });
});

onBothDatabases("slots", (_serve, it) => {
  it.for([
    { players: 1, hours: 24 },
    { players: 4, hours: 72 },
  ])("claim: for $players player(s) has a deadline of $hours hours", async ({ players, hours }, { server }) => {
    const { owner, gameId } = await ownerWithGame(server, 100_000);
    const playtester = await factories.registerPlaytester(server);
    const id = await factories.order(owner, gameId, { playerCount: players });
    const reply = await playtester.post(`/playtester/playtests/${id}/claim`);
    expect(reply.status).toBe(201);
    expect(Date.parse(reply.body.data.slot.deadlineAt) - server.clock.now()).toBe(hours * hour);
  });

  it("instructions, notes, keys and build: shown only to the holder", async ({ server }) => {
    const { owner, gameId } = await ownerWithGame(server, 100_000);
    const playtester = await factories.registerPlaytester(server);
    const id = await factories.order(owner, gameId, {
      quantity: 2,
      playerCount: 2,
      keysForTesters: ["k1", "k2", "k3", "k4"],
      notesForTesters: "Mind the gap.",
    });
    const offers = await playtester.get("/playtester/playtests");
    expect(offers.text).not.toMatch(/Press start|Mind the gap|build\.zip|k1/);
    const slotId = await factories.claim(playtester, id);
    const held = (await playtester.getHeldSlot({ params: { id: slotId } })).slot;
    expect(held).toMatchObject({ instructions: "Press start.", notesForTesters: "Mind the gap.", keys: ["k1", "k2"] });
    expect((await owner.get(`/playtests/slots/${slotId}`)).text).not.toMatch(/"k1"/);
    await playtester.releaseSlot({ params: { id: slotId } });
    expect((await playtester.get(`/playtester/slots/${slotId}`)).text).not.toMatch(/Press start|Mind the gap|"k1"/);
  });

  it("claim: a playtester holds at most three slots, and can claim another after a release", async ({ server }) => {
    const { owner, gameId } = await ownerWithGame(server, 100_000);
    const playtester = await factories.registerPlaytester(server);
    const ids: string[] = [];
    while (ids.length < 4) ids.push(await factories.order(owner, gameId));
    const held: string[] = [];
    for (const id of ids.slice(0, 3)) held.push(await factories.claim(playtester, id));
    const fourth = () => playtester.post(`/playtester/playtests/${ids[3]}/claim`);
    expect((await fourth()).status).toBe(409);
    await playtester.post(`/playtester/slots/${held[0]}/report`, { reasonCode: "crash" });
    expect((await fourth()).status).toBe(409);
    await playtester.post(`/playtester/slots/${held[0]}/release`);
    expect((await fourth()).status).toBe(201);
  });

  it("events: the owner and the playtester get one for each step", async ({ server }) => {
    const { owner, gameId } = await ownerWithGame(server, 100_000);
    const playtester = await factories.registerPlaytester(server);
    const steps = [
      { review: "accept", kinds: ["slot.accepted", "slot.reserved", "slot.submitted"] },
      { review: "reject", kinds: ["slot.rejected", "slot.reserved", "slot.submitted"] },
    ];
    for (const { review, kinds } of steps) {
      const slotId = await factories.play(server, playtester, await factories.order(owner, gameId));
      await owner.post(`/slots/${slotId}/${review}`);
      for (const person of [owner, playtester]) {
        const { events } = (await person.get("/events")).body.data;
        const mine = events.filter(({ data }: { data: { slotId?: string } }) => data.slotId === slotId);
        expect(mine.map(({ event }: { event: string }) => event).sort()).toEqual(kinds);
      }
    }
  });

  it("claim: of 40 concurrent claims exactly one gets the slot", async ({ server }) => {
    const { owner, gameId } = await ownerWithGame(server, 2000);
    const playtesters = await Promise.all(Array.from({ length: 40 }, () => factories.registerPlaytester(server)));
    const id = await factories.order(owner, gameId);
    const replies = await Promise.all(playtesters.map((playtester) => playtester.post(`/playtester/playtests/${id}/claim`)));
    expect(replies.map((reply) => reply.status).sort()).toEqual([201, ...Array(39).fill(409)]);
  });

  it("claim: of 8 concurrent claims by one playtester, in as many playtests, three succeed", async ({ server }) => {
    const { owner, gameId } = await ownerWithGame(server, 100_000);
    const playtester = await factories.registerPlaytester(server);
    const ids = await Promise.all(Array.from({ length: 8 }, () => factories.order(owner, gameId)));
    const replies = await Promise.all(ids.map((id) => playtester.post(`/playtester/playtests/${id}/claim`)));
    expect(replies.map((reply) => reply.status).sort()).toEqual([201, 201, 201, 409, 409, 409, 409, 409]);
  });

  it("orders and claims name every row that they lock, because their transactions may be shared", async ({ server }) => {
    const { owner, gameId } = await ownerWithGame(server, 2000);
    const playtester = await factories.registerPlaytester(server);
    const { store } = server.deps;
    const write = store.write;
    const named: (readonly string[])[] = [];
    store.write = (fn, options) => {
      if (options?.locks) named.push(options.locks);
      return write.call(store, fn, options) as never;
    };
    const id = await factories.order(owner, gameId);
    await playtester.claimPlaytest({ params: { id } });
    expect(named).toEqual([[owner.id], [id, playtester.id]]);
  });

  it("claim: refused when the account is suspended after the request was authenticated", async ({ server }) => {
    const { owner, gameId } = await ownerWithGame(server, 2000);
    const playtester = await factories.registerPlaytester(server);
    const id = await factories.order(owner, gameId);
    // No job is left to write before the request does.
    await server.advance(0);
    const { store } = server.deps;
    const write = store.write;
    store.write = (fn, options) => {
      store.write = write;
      return store.write(async (tx) => {
        await tx.run("UPDATE users SET suspended_at = 1 WHERE id = ?", playtester.id);
        return fn(tx);
      }, options);
    };
    const reply = await playtester.post(`/playtester/playtests/${id}/claim`);
    expect([reply.status, reply.body.error.message]).toEqual([
      403,
      "This account is suspended. Contact the operator of this server.",
    ]);
  });

  it("accept: pays the playtester once", async ({ server }) => {
    const { owner, gameId } = await ownerWithGame(server, 2000);
    const playtester = await factories.registerPlaytester(server);
    const slotId = await factories.play(server, playtester, await factories.order(owner, gameId));
    const replies = await Promise.all([1, 2, 3].map(() => owner.post(`/playtests/slots/${slotId}/accept`, { rating: 5 })));
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409, 409]);
    expect((await owner.post(`/slots/${slotId}/reject`)).status).toBe(409);
    expect((await owner.get(`/slots/${slotId}`)).body.data.slot).toMatchObject({
      status: "accepted",
      rating: { score: 5, comment: null },
    });
    const earnings = await playtester.getEarnings();
    expect(earnings).toMatchObject({
      balanceCents: 1000,
      paidCents: 0,
      entries: [{ kind: "payout", amountCents: 1000, slotId }],
    });
  });

  it("reject: without a retry there is no payout, no refund and no second claim", async ({ server }) => {
    const { owner, gameId } = await ownerWithGame(server, 4000);
    const playtester = await factories.registerPlaytester(server);
    const id = await factories.order(owner, gameId, { quantity: 2 });
    const slotId = await factories.play(server, playtester, id);
    const reply = await owner.rejectSlot({ params: { id: slotId }, body: { reason: "No voice." } });
    expect(reply.message).toBe("Submission rejected.");
    const rejection = { reason: "No voice.", createdAt: new Date(server.clock.now()).toISOString() };
    expect((await owner.getSlot({ params: { id: slotId } })).slot.rejection).toEqual(rejection);
    const { slots } = await owner.listSlots({ params: { id } });
    expect(slots.map((slot: { rejection: unknown }) => slot.rejection)).toEqual(expect.arrayContaining([rejection, null]));
    expect((await playtester.getEarnings()).balanceCents).toBe(0);
    expect((await playtester.post(`/playtester/playtests/${id}/claim`)).status).toBe(409);
  });

  it("reject: with a retry the same playtester gets a reserved slot, at no charge", async ({ server }) => {
    const { owner, gameId } = await ownerWithGame(server, 2000);
    const playtester = await factories.registerPlaytester(server);
    const id = await factories.order(owner, gameId, { keysForTesters: ["only-key"] });
    const slotId = await factories.play(server, playtester, id);
    const reply = await owner.rejectSlot({ params: { id: slotId }, body: { allowRetry: true } });
    expect(reply.message).toMatch(/again within 24 hours/);
    expect(await countsOf(owner, id)).toEqual({ status: "active", rejected: 1, reserved: 1 });
    const [retry] = (await playtester.listHeldSlots()).slots;
    expect(retry).toMatchObject({ status: "reserved", keys: ["only-key"] });
    expect(Date.parse(retry!.deadlineAt!) - server.clock.now()).toBe(24 * hour);
  });

  it("deadline: a reserved slot expires to the millisecond and another opens", async ({ server }) => {
    const { owner, gameId } = await ownerWithGame(server, 2000);
    const [first, second] = [await factories.registerPlaytester(server), await factories.registerPlaytester(server)];
    const id = await factories.order(owner, gameId);
    const slotId = await factories.claim(first, id);
    await factories.giveVideo(server, slotId, first);
    server.clock.set(server.clock.now() + 24 * hour);
    // No job has run: the deadline holds on its own.
    expect((await owner.getSlot({ params: { id: slotId } })).slot.status).toBe("expired");
    expect((await first.post(`/playtester/slots/${slotId}/submit`)).status).toBe(409);
    await server.advance(0);
    expect(await countsOf(owner, id)).toEqual({ status: "active", expired: 1, open: 1 });
    expect((await first.post(`/playtester/playtests/${id}/claim`)).status).toBe(409);
    await factories.claim(second, id);
  });

  it("cancel: refunds an open slot once, and never a claimed one", async ({ server }) => {
    const { owner, gameId } = await ownerWithGame(server, 4000);
    const playtester = await factories.registerPlaytester(server);
    const id = await factories.order(owner, gameId, { quantity: 2 });
    const claimed = await factories.claim(playtester, id);
    const open = (await owner.listSlots({ params: { id } })).slots.find((slot: { status: string }) => slot.status === "open")!.id;
    expect((await owner.delete(`/playtests/slots/${claimed}`)).status).toBe(409);
    const replies = await Promise.all([1, 2].map(() => owner.delete(`/playtests/slots/${open}`)));
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409]);
    expect(replies.find((reply) => reply.status === 200)!.body.data).toEqual({
      message: "The slot is cancelled.",
      refundedCents: 2000,
      refundedMinutes: 0,
    });
    expect((await owner.quotePlaytest({ body: {} })).balanceCents).toBe(2000);
  });

  it("cancel: refunds minutes for an order paid with minutes", async ({ server }) => {
    const { owner, gameId } = await ownerWithGame(server);
    await factories.giveMinutes(server, owner, 120);
    const id = await factories.order(owner, gameId, { quantity: 2 });
    const reply = await owner.cancelPlaytest({ params: { id } });
    expect(reply).toMatchObject({ refundedCents: 0, refundedMinutes: 120, playtest: { status: "cancelled" } });
    const { entries } = await owner.listPlaytestHoursHistory();
    const shown = entries.map((entry: { amountMinutes: number; source: string }) => [entry.amountMinutes, entry.source]);
    expect(shown.slice(0, 2)).toEqual(Array(2).fill([60, expect.stringMatching(/^slot_refund:/)]));
    expect((await owner.post(`/playtests/${id}/cancel`)).status).toBe(409);
  });

  it("report: a blocked slot has no deadline, and a new one after it is unblocked", async ({ server }) => {
    const { owner, gameId } = await ownerWithGame(server, 2000);
    const playtester = await factories.registerPlaytester(server);
    const id = await factories.order(owner, gameId);
    const slotId = await factories.claim(playtester, id);
    expect(
      (await playtester.post(`/playtester/slots/${slotId}/report`, { reasonCode: "crash", notes: "Black screen" })).status,
    ).toBe(200);
    await server.advance(100 * hour);
    const [item] = (await owner.get("/submissions?status=blocked")).body.data.submissions;
    expect(item.blockedReport).toMatchObject({ reasonCode: "crash", notes: "Black screen" });
    const reply = await owner.unblockSlot({ params: { id: slotId } });
    expect(reply.slot.status).toBe("reserved");
    expect(Date.parse(reply.slot.deadlineAt!) - server.clock.now()).toBe(24 * hour);
  });

  it("another owner's slot: 404 like an unknown one", async ({ server }) => {
    const { owner, gameId } = await ownerWithGame(server, 2000);
    const other = await factories.registerOwner(server);
    const playtester = await factories.registerPlaytester(server);
    const id = await factories.order(owner, gameId);
    const slotId = await factories.play(server, playtester, id);
    const unknown = "01900000-0000-7000-8000-000000000000";
    const paths = (slot: string, playtest: string) => [
      ["GET", `/playtests/${playtest}`],
      ["PATCH", `/playtests/${playtest}`],
      ["GET", `/playtests/${playtest}/slots`],
      ["POST", `/playtests/${playtest}/cancel`],
      ["GET", `/playtests/slots/${slot}`],
      ["DELETE", `/playtests/slots/${slot}`],
      ["POST", `/playtests/slots/${slot}/accept`],
      ["POST", `/playtests/slots/${slot}/reject`],
      ["POST", `/playtests/slots/${slot}/unblock`],
    ];
    const missing = paths(unknown, unknown);
    for (const [index, [method, path]] of paths(slotId, id).entries()) {
      const foreign = await server.request(method!, path!, { key: other.key });
      const absent = await server.request(missing[index]![0]!, missing[index]![1]!, { key: other.key });
      expect([path, foreign.status, foreign.body.error]).toEqual([path, 404, absent.body.error]);
    }
    expect(await countsOf(owner, id)).toEqual({ status: "active", submitted: 1 });
  });
});

describe("targeting", () => {
  onBothDatabases("targeting", (serve, it) => {
    it.for([
      { name: "new to the game", body: { targetingType: "new", targetingScope: "game" }, past: 409, fresh: 201 },
      { name: "new to the owner", body: { targetingType: "new" }, past: 409, fresh: 201 },
      { name: "past, any", body: { targetingType: "past", pastPlaytesterScope: "any" }, past: 201, fresh: 409 },
      {
        name: "past of the game",
        body: { targetingType: "past", pastPlaytesterScope: "any", targetingScope: "game" },
        past: 201,
        fresh: 409,
      },
    ])("$name", async ({ body, past, fresh }, { server }) => {
      const { owner, gameId } = await ownerWithGame(server, 100_000);
      const [veteran, novice] = [await factories.registerPlaytester(server), await factories.registerPlaytester(server)];
      const slotId = await factories.play(server, veteran, await factories.order(owner, gameId));
      await owner.post(`/slots/${slotId}/accept`);
      const id = await factories.order(owner, gameId, { quantity: 2, ...body });
      const offered = async (person: factories.Person) => (await person.listOffers()).playtests.length === 1;
      expect([await offered(veteran), await offered(novice)]).toEqual([past === 201, fresh === 201]);
      expect((await veteran.post(`/playtester/playtests/${id}/claim`)).status).toBe(past);
      expect((await novice.post(`/playtester/playtests/${id}/claim`)).status).toBe(fresh);
    });

    it("past, specific: offered only to that playtester", async ({ server }) => {
      const { owner, gameId } = await ownerWithGame(server, 100_000);
      const [meant, other] = [await factories.registerPlaytester(server), await factories.registerPlaytester(server)];
      const specific = { targetingType: "past", pastPlaytesterScope: "specific", targetedPlaytesterId: meant.id };
      const id = await factories.order(owner, gameId, { quantity: 2, ...specific });
      expect((await other.listOffers()).playtests).toEqual([]);
      expect((await other.post(`/playtester/playtests/${id}/claim`)).status).toBe(409);
      await factories.claim(meant, id);
    });

    it.each(["game", "owner"])(
      "past of the %s: a playtester without an accepted submission is refused",
      async (targetingScope) => {
        const server = await serve();
        const { owner, gameId } = await ownerWithGame(server, 100_000);
        const player = await factories.registerPlaytester(server);
        const slotId = await factories.play(server, player, await factories.order(owner, gameId));
        const id = await factories.order(owner, gameId, { targetingType: "past", pastPlaytesterScope: "any", targetingScope });
        const claiming = () => player.post(`/playtester/playtests/${id}/claim`);
        expect((await player.listOffers()).playtests).toEqual([]);
        expect((await claiming()).status).toBe(409);
        await owner.post(`/slots/${slotId}/accept`);
        expect((await claiming()).status).toBe(201);
      },
    );
  });
});
