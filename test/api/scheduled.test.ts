import { expect, type TestAPI } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import { giveCredit, giveVideo, order, type Person, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import type { Market } from "../helpers/market.ts";
import type { TestServer } from "../helpers/server.ts";

const hour = 3_600_000;
const day = 24 * hour;
const minute = 60_000;

const inMs = (server: TestServer, ms: number) => new Date(server.clock.now() + ms).toISOString();
const slotsOf = async (owner: Person, id: string) => (await owner.listSlots({ params: { id } })).slots;
const slotOf = async (owner: Person, id: string) => (await owner.getSlot({ params: { id } })).slot;
const playtestOf = async (owner: Person, id: string) => (await owner.getPlaytest({ params: { id } })).playtest;
const balance = async (owner: Person) => (await owner.quotePlaytest({ body: {} })).balanceCents;
const claimAt = (playtester: Person, id: string, scheduledAt?: string) =>
  playtester.post(`/playtester/playtests/${id}/claim`, scheduledAt === undefined ? {} : { scheduledAt });
const claimed = async (playtester: Person, id: string, scheduledAt: string): Promise<string> =>
  (await playtester.claimPlaytest({ params: { id }, body: { scheduledAt } })).slot.id;
const move = (owner: Person, id: string, scheduledAt: string) => owner.patch(`/playtests/${id}`, { scheduledAt });
const answer = (playtester: Person, slotId: string, accept: boolean) =>
  playtester.post(`/playtester/slots/${slotId}/reschedule`, { accept });
const noticesOf = async (person: Person, type: string) =>
  (await person.listNotifications({ query: { limit: "100" } })).notifications.filter((one) => one.type === type);
const verify = (server: TestServer, { id }: Person) =>
  server.deps.store.write((tx) => tx.run("UPDATE users SET email_verified_at = 1 WHERE id = ?", id));

/** A suite whose owner has credit. */
const sessions = (name: string, suite: (it: TestAPI<Market>) => void) =>
  onBothDatabases(name, (_serve, it) =>
    suite(
      it.extend<Pick<Market, "owner">>({
        owner: async ({ server }, use) => {
          const owner = await registerOwner(server);
          await giveCredit(server, owner, 100_000);
          await use(owner);
        },
      }),
    ),
  );

sessions("scheduled order", (it) => {
  it.for([
    { name: "a minute less than 12 hours ahead", ms: 12 * hour - minute, status: 422 },
    { name: "12 hours ahead", ms: 12 * hour, status: 201 },
    { name: "90 days ahead", ms: 90 * day, status: 201 },
    { name: "a minute more than 90 days ahead", ms: 90 * day + minute, status: 422 },
    { name: "in the past", ms: -hour, status: 422 },
  ])("$name: $status", async ({ ms, status }, { server, owner, gameId }) => {
    const scheduledAt = inMs(server, ms);
    const placed = await owner.post(`/games/${gameId}/playtests`, { scheduledAt });
    const quoted = await owner.post("/playtests/quote", { scheduledAt });
    expect([placed.status, quoted.status]).toEqual([status, status === 201 ? 200 : 422]);
    if (status === 422)
      expect(placed.body.error.details).toEqual([{ field: "scheduledAt", message: "must be 12 hours to 90 days from now" }]);
    else expect(placed.body.data.playtest.scheduledAt).toBe(scheduledAt);
  });

  it("a time with an offset is stored in UTC, and shown by the playtest, its slots, its offer and its applications", async ({
    server,
    owner,
    playtester,
    gameId,
  }) => {
    expect(server.clock.now()).toBe(Date.parse("2026-03-01T12:00:00.000Z"));
    const id = await order(owner, gameId, { scheduledAt: "2026-03-05T18:00:00+05:30" });
    const at = "2026-03-05T12:30:00.000Z";
    expect((await playtestOf(owner, id)).scheduledAt).toBe(at);
    expect((await slotsOf(owner, id)).map((slot) => slot.scheduledAt)).toEqual([at]);
    const { playtests } = await playtester.listOffers({});
    expect(playtests.map(({ scheduledAt, applicationsExpireAt }) => ({ scheduledAt, applicationsExpireAt }))).toEqual([
      { scheduledAt: at, applicationsExpireAt: null },
    ]);
    expect((await owner.listApplications({ params: { id } })).request).toMatchObject({
      scheduledAt: at,
      applicationsExpireAt: null,
    });
  });

  it("text that is no time, and a time without a zone, get 422", async ({ owner, gameId }) => {
    for (const scheduledAt of ["tomorrow", "2026-03-05 18:00", "2026-03-05T18:00:00", "2026-02-30T18:00:00Z"])
      expect((await owner.post(`/games/${gameId}/playtests`, { scheduledAt })).status).toBe(422);
  });

  it("an unpaid order can be paid until its time at the latest", async ({ server, owner, gameId }) => {
    const { playtest } = (
      await owner.post(`/games/${gameId}/playtests`, { scheduledAt: inMs(server, 13 * hour) }, { "X-Payment-Method": "card" })
    ).body.data;
    expect(playtest.status).toBe("pending_payment");
    await server.advance(13 * hour - minute);
    expect((await playtestOf(owner, playtest.id)).status).toBe("pending_payment");
    await server.advance(minute);
    expect((await playtestOf(owner, playtest.id)).status).toBe("cancelled");
  });
});

sessions("scheduled claim", (it) => {
  it("the claim has to repeat the time", async ({ server, owner, playtester, gameId }) => {
    const at = inMs(server, day);
    const id = await order(owner, gameId, { scheduledAt: at });
    const [missing, other] = [await claimAt(playtester, id), await claimAt(playtester, id, inMs(server, day + minute))];
    expect([missing.status, other.status]).toEqual([409, 409]);
    expect(missing.body.error.message).toMatchInlineSnapshot(
      `"This playtest is at a fixed time: 2026-03-02T12:00:00.000Z. Nothing was claimed. Confirm that you will play then with that time as \`scheduledAt\`."`,
    );
    expect((await slotsOf(owner, id))[0]!.status).toBe("open");
    const right = await claimAt(playtester, id, at.replace(".000Z", "+00:00"));
    expect(right.status).toBe(201);
    expect(right.body.data.slot).toMatchObject({ scheduledAt: at, proposal: null, deadlineAt: inMs(server, 2 * day) });
  });

  it("a time for a playtest without one gets 409", async ({ server, owner, playtester, gameId }) => {
    const id = await order(owner, gameId);
    expect((await claimAt(playtester, id, inMs(server, day))).status).toBe(409);
  });

  it.for([
    { when: "59 minutes earlier", ms: -59 * minute, status: 409 },
    { when: "at the same time", ms: 0, status: 409 },
    { when: "59 minutes later", ms: 59 * minute, status: 409 },
    { when: "an hour earlier", ms: -hour, status: 201 },
    { when: "an hour later", ms: hour, status: 201 },
  ])("beside a slot of an hour, one $when gets $status", async ({ ms, status }, { server, owner, playtester, gameId }) => {
    const [first, second] = [inMs(server, 2 * day), inMs(server, 2 * day + ms)];
    const held = await claimed(playtester, await order(owner, gameId, { scheduledAt: first }), first);
    const id = await order(owner, gameId, { scheduledAt: second });
    const { playtest } = await playtester.getOffer({ params: { id } });
    expect((await claimAt(playtester, id, second)).status).toBe(status);
    if (status === 201) return expect(playtest.whyNot).toBeNull();
    expect(playtest.whyNot).toBe(
      `You have a slot at ${first} already, and cannot play both. Release that one first if you prefer this one.`,
    );
    await playtester.releaseSlot({ params: { id: held } });
    expect((await claimAt(playtester, id, second)).status).toBe(201);
  });

  it("beside a slot at a fixed time, one without is claimed", async ({ server, owner, playtester, gameId }) => {
    const at = inMs(server, day);
    await claimed(playtester, await order(owner, gameId, { scheduledAt: at }), at);
    expect((await claimAt(playtester, await order(owner, gameId))).status).toBe(201);
  });

  it.for([
    { players: 1, after: 24 },
    { players: 2, after: 72 },
  ])(
    "$players players submit until $after hours after the time",
    async ({ players, after }, { server, owner, playtester, gameId }) => {
      const at = inMs(server, 10 * day);
      const id = await order(owner, gameId, { scheduledAt: at, playerCount: players });
      const slotId = await claimed(playtester, id, at);
      const [reserved] = await noticesOf(playtester, "slot.reserved");
      expect(reserved!.body).toContain(` You play at ${at.slice(0, 16).replace("T", " ")} UTC. Submit your video before `);
      expect((await slotOf(owner, slotId)).deadlineAt).toBe(inMs(server, 10 * day + after * hour));
      await server.advance(10 * day + after * hour - 1);
      expect((await slotOf(owner, slotId)).status).toBe("reserved");
      await server.advance(1);
      expect((await slotOf(owner, slotId)).status).toBe("expired");
    },
  );

  it("nothing can be submitted before the time", async ({ server, owner, playtester, gameId }) => {
    const at = inMs(server, day);
    const slotId = await claimed(playtester, await order(owner, gameId, { scheduledAt: at }), at);
    await giveVideo(server, slotId, playtester);
    await server.advance(day - 1);
    const early = await playtester.post(`/playtester/slots/${slotId}/submit`);
    expect([early.status, (await slotOf(owner, slotId)).status]).toEqual([409, "reserved"]);
    expect(early.body.error.message).toMatchInlineSnapshot(
      `"This playtest is at a fixed time: 2026-03-02T12:00:00.000Z. Nothing was submitted. Play then, and submit the video afterwards."`,
    );
    await server.advance(1);
    expect((await playtester.post(`/playtester/slots/${slotId}/submit`)).status).toBe(200);
  });

  it("slots that nobody claimed close at the time and are refunded", async ({ server, owner, playtester, gameId }) => {
    const before = await balance(owner);
    const at = inMs(server, day);
    const id = await order(owner, gameId, { scheduledAt: at, quantity: 3 });
    const slotId = await claimed(playtester, id, at);
    const { costPerSlotCents } = await playtestOf(owner, id);
    await server.advance(day);
    const { slots, status } = await playtestOf(owner, id);
    expect([slots.reserved, slots.expired, status]).toEqual([1, 2, "active"]);
    expect(await balance(owner)).toBe(before - costPerSlotCents!);
    expect((await claimAt(await registerPlaytester(server), id, at)).status).toBe(409);
    expect((await (await registerPlaytester(server)).listOffers({})).playtests).toEqual([]);
    await giveVideo(server, slotId, playtester);
    await playtester.submitSlot({ params: { id: slotId } });
    await owner.acceptSlot({ params: { id: slotId } });
    expect((await playtestOf(owner, id)).status).toBe("completed");
  });

  it("a slot whose time passed counts as expired before the job has run", async ({ server, owner, playtester, gameId }) => {
    const at = inMs(server, day);
    const id = await order(owner, gameId, { scheduledAt: at });
    server.clock.moveTo(server.clock.now() + day);
    expect((await slotsOf(owner, id))[0]!.status).toBe("expired");
    expect((await claimAt(playtester, id, at)).status).toBe(409);
    expect((await playtester.listOffers({})).playtests).toEqual([]);
  });

  it("a slot that is released before the time opens again for the same time, and one after it is refunded", async ({
    server,
    owner,
    playtester,
    gameId,
  }) => {
    const before = await balance(owner);
    const at = inMs(server, 2 * day);
    const id = await order(owner, gameId, { scheduledAt: at, quantity: 2 });
    const [first, second] = [playtester, await registerPlaytester(server)];
    const [early, late] = [await claimed(first, id, at), await claimed(second, id, at)];
    await first.releaseSlot({ params: { id: early } });
    const open = (await slotsOf(owner, id)).filter((slot) => slot.status === "open");
    expect(open.map((slot) => slot.scheduledAt)).toEqual([at]);
    await server.advance(2 * day + hour);
    await second.releaseSlot({ params: { id: late } });
    expect((await playtestOf(owner, id)).status).toBe("expired");
    expect(await balance(owner)).toBe(before);
  });

  it("a reported problem that is solved gives time until 24 hours after the session, or from now", async ({
    server,
    owner,
    playtester,
    gameId,
  }) => {
    const at = inMs(server, 2 * day);
    const id = await order(owner, gameId, { scheduledAt: at });
    const slotId = await claimed(playtester, id, at);
    const report = () => playtester.reportSlot({ params: { id: slotId }, body: { reasonCode: "crash" } });
    await report();
    await owner.unblockSlot({ params: { id: slotId } });
    expect((await slotOf(owner, slotId)).deadlineAt).toBe(inMs(server, 3 * day));
    await server.advance(2 * day + 5 * hour);
    await report();
    await owner.unblockSlot({ params: { id: slotId } });
    expect((await slotOf(owner, slotId)).deadlineAt).toBe(inMs(server, day));
  });

  it("a retry can be played at any time within 24 hours", async ({ server, owner, playtester, gameId }) => {
    const at = inMs(server, day);
    const id = await order(owner, gameId, { scheduledAt: at });
    const slotId = await claimed(playtester, id, at);
    await server.advance(day);
    await giveVideo(server, slotId, playtester);
    await playtester.submitSlot({ params: { id: slotId } });
    await owner.rejectSlot({ params: { id: slotId }, body: { allowRetry: true } });
    const retry = (await slotsOf(owner, id)).find((slot) => slot.status === "reserved")!;
    expect(retry).toMatchObject({ scheduledAt: null, deadlineAt: inMs(server, day) });
  });

  it("game keys are handed out with the claim, and those of a released slot to nobody else", async ({
    server,
    owner,
    playtester,
    gameId,
  }) => {
    const at = inMs(server, day);
    const id = await order(owner, gameId, { scheduledAt: at, keysForTesters: ["KEY-1"] });
    const slotId = await claimed(playtester, id, at);
    expect((await playtester.getHeldSlot({ params: { id: slotId } })).slot.keys).toEqual(["KEY-1"]);
    await playtester.releaseSlot({ params: { id: slotId } });
    expect((await claimAt(await registerPlaytester(server), id, at)).status).toBe(409);
  });
});

sessions("scheduled playtest with manual selection", (it) => {
  const apply = (playtester: Person, id: string, scheduledAt?: string) =>
    playtester.post(`/playtester/playtests/${id}/applications`, scheduledAt === undefined ? {} : { scheduledAt });

  it("an application repeats the time, and an approved playtester has until 24 hours after it", async ({
    server,
    owner,
    playtester,
    gameId,
  }) => {
    const at = inMs(server, 20 * day);
    const id = await order(owner, gameId, { selectionMode: "manual", scheduledAt: at });
    expect((await apply(playtester, id)).status).toBe(409);
    const applied = await apply(playtester, id, at);
    expect(applied.status).toBe(201);
    const { assignedSlotId } = await owner.approveApplication({ params: { id: applied.body.data.application.id } });
    expect(await slotOf(owner, assignedSlotId)).toMatchObject({ scheduledAt: at, deadlineAt: inMs(server, 21 * day) });
  });

  it("an approved playtester is told the time in their zone, with a calendar file", async ({
    server,
    owner,
    playtester,
    gameId,
  }) => {
    await verify(server, playtester);
    await playtester.updateProfile({ body: { timeZone: "Asia/Kolkata" } });
    // The clock of the server stands at 2026-03-01T12:00:00Z.
    const at = inMs(server, 4 * day);
    const inIndia = "Thu 2026-03-05 17:30, Asia/Kolkata (UTC+05:30)";
    const id = await order(owner, gameId, { selectionMode: "manual", scheduledAt: at });
    const applied = await apply(playtester, id, at);
    await owner.approveApplication({ params: { id: applied.body.data.application.id } });
    await server.advance(0);
    const { text, calendar } = server.mails.find(({ subject }) => subject.startsWith("You were chosen to playtest"))!;
    expect(text).toContain(
      `was approved, and a slot is reserved for you. You play at ${inIndia}.\n\nSubmit your video before Fri 2026-03-06 17:30, Asia/Kolkata (UTC+05:30).`,
    );
    expect(calendar).toContain("DTSTART:20260305T120000Z");
    const [notice] = await noticesOf(playtester, "application.approved");
    expect(notice!.body).toContain(`was approved. You play at ${inIndia}. Submit your video`);
  });

  it("whoever has a slot at that time can neither apply nor be approved", async ({ server, owner, playtester, gameId }) => {
    const at = inMs(server, 2 * day);
    const [first, second, third] = await Promise.all(
      (["manual", "automatic", "manual"] as const).map((selectionMode) =>
        order(owner, gameId, { selectionMode, scheduledAt: at }),
      ),
    );
    const applied = await apply(playtester, first!, at);
    await claimed(playtester, second!, at);
    expect((await apply(playtester, third!, at)).text).toContain("cannot play both");
    const approved = await owner.post(`/playtest-applications/${applied.body.data.application.id}/approve`);
    expect([approved.status, approved.body.error.message]).toEqual([
      409,
      "This playtester has another playtest at that time by now. Nothing was changed. Reject the application, or try again later.",
    ]);
  });

  it("applications end after 7 days, and at the time at the latest", async ({ server, owner, gameId }) => {
    const [late, soon] = [inMs(server, 20 * day), inMs(server, 2 * day)];
    const ordered = async (scheduledAt: string) =>
      (await playtestOf(owner, await order(owner, gameId, { selectionMode: "manual", scheduledAt }))).applicationsExpireAt;
    expect([await ordered(late), await ordered(soon)]).toEqual([inMs(server, 7 * day), soon]);
  });

  it("is not moved while applications wait", async ({ server, owner, playtester, gameId }) => {
    const at = inMs(server, 3 * day);
    const id = await order(owner, gameId, { selectionMode: "manual", scheduledAt: at });
    const { application } = (await apply(playtester, id, at)).body.data;
    expect((await move(owner, id, inMs(server, 4 * day))).status).toBe(409);
    await owner.rejectApplication({ params: { id: application.id } });
    expect((await move(owner, id, inMs(server, 4 * day))).status).toBe(200);
    expect((await playtestOf(owner, id)).applicationsExpireAt).toBe(at);
  });
});

sessions("moved playtest with manual selection", (it) => {
  it.for([
    {
      name: "within the time for applications: open again",
      days: 1,
      open: 1,
      says: "The slot is open again.",
      mail: "The slot is open again, for that time.",
    },
    {
      name: "after it: closed and refunded",
      days: 8,
      open: 0,
      says: "Applications have ended, so the slot is closed. You got $20.00 back.",
      mail: "Applications have ended, so nobody else can be chosen, and the slot is closed. You got $20.00 back.",
    },
  ])("$name", async ({ days, open, says, mail }, { server, owner, playtester, gameId }) => {
    await verify(server, owner);
    const at = inMs(server, 30 * day);
    const id = await order(owner, gameId, { selectionMode: "manual", scheduledAt: at });
    const body = { scheduledAt: at };
    const { application } = await playtester.applyToPlaytest({ params: { id }, body });
    const { assignedSlotId } = await owner.approveApplication({ params: { id: application.id } });
    await server.advance(days * day);
    await move(owner, id, inMs(server, 40 * day));
    await answer(playtester, assignedSlotId, false);
    await server.advance(minute);
    expect((await playtestOf(owner, id)).slots).toMatchObject({ open, expired: 1 - open, cancelled: 1 });
    expect((await noticesOf(owner, "slot.move_answered"))[0]!.body).toContain(says);
    expect(server.mails.at(-1)!.text).toContain(mail);
  });
});

sessions("moved playtest", (it) => {
  const session = async (server: TestServer, owner: Person, playtester: Person, gameId: string, ms = 3 * day) => {
    const at = inMs(server, ms);
    const id = await order(owner, gameId, { scheduledAt: at, quantity: 2 });
    return { at, id, slotId: await claimed(playtester, id, at) };
  };

  it("open slots move at once; a playtester who accepts has the new time and deadline", async ({
    server,
    owner,
    playtester,
    gameId,
  }) => {
    const { at, id, slotId } = await session(server, owner, playtester, gameId);
    const later = inMs(server, 5 * day);
    expect((await move(owner, id, later)).body.data.playtest.scheduledAt).toBe(later);
    const held = (await playtester.getHeldSlot({ params: { id: slotId } })).slot;
    expect(held).toMatchObject({ scheduledAt: at, proposal: { scheduledAt: later, answerBy: inMs(server, 3 * day - 6 * hour) } });
    const open = (await slotsOf(owner, id)).filter((slot) => slot.status === "open");
    expect(open.map((slot) => slot.scheduledAt)).toEqual([later]);
    expect((await claimAt(await registerPlaytester(server), id, at)).status).toBe(409);
    expect((await answer(playtester, slotId, true)).body.data.slot).toMatchObject({
      status: "reserved",
      scheduledAt: later,
      proposal: null,
      deadlineAt: inMs(server, 6 * day),
    });
    expect((await answer(playtester, slotId, true)).status).toBe(409);
    await server.advance(3 * day);
    expect((await playtestOf(owner, id)).slots).toMatchObject({ open: 1, reserved: 1 });
    await server.advance(2 * day);
    expect((await playtestOf(owner, id)).slots).toMatchObject({ open: 0, reserved: 1, expired: 1 });
    expect((await noticesOf(owner, "slot.move_answered"))[0]!.body).toContain("Fri 2026-03-06 12:00, UTC");
  });

  it("a time that overlaps with another slot of the playtester is not accepted", async ({
    server,
    owner,
    playtester,
    gameId,
  }) => {
    const [first, second] = [inMs(server, 3 * day), inMs(server, 4 * day)];
    const moved = await order(owner, gameId, { scheduledAt: first });
    const slotId = await claimed(playtester, moved, first);
    const other = await claimed(playtester, await order(owner, gameId, { scheduledAt: second }), second);
    await move(owner, moved, inMs(server, 4 * day + 30 * minute));
    const refused = await answer(playtester, slotId, true);
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      `You have a slot at ${second}, and cannot play both. Nothing was changed. Decline this time, or release the other slot first.`,
    ]);
    await playtester.releaseSlot({ params: { id: other } });
    expect((await answer(playtester, slotId, true)).status).toBe(200);
  });

  it("a playtester who declines is released without a mark, and can claim a slot at the new time", async ({
    server,
    owner,
    playtester,
    gameId,
  }) => {
    const { id, slotId } = await session(server, owner, playtester, gameId);
    const later = inMs(server, 5 * day);
    await move(owner, id, later);
    expect((await answer(playtester, slotId, false)).body.data.slot).toMatchObject({ status: "cancelled", proposal: null });
    expect((await playtestOf(owner, id)).slots).toMatchObject({ open: 2, cancelled: 1 });
    expect((await playtester.listOffers({})).playtests.map((offer) => offer.id)).toEqual([id]);
    await claimed(playtester, id, later);
  });

  it("a playtester of a public playtest who declines can claim it again, and consents anew", async ({
    server,
    owner,
    playtester,
    gameId,
  }) => {
    const [at, later] = [inMs(server, 3 * day), inMs(server, 5 * day)];
    const id = await order(owner, gameId, { visibility: "public", scheduledAt: at });
    const slotId = await claimed(playtester, id, at);
    await move(owner, id, later);
    await answer(playtester, slotId, false);
    await claimed(playtester, id, later);
    const consents = await server.deps.store.read((q) => q.all("SELECT playtester_id FROM publication_consents"));
    expect(consents).toEqual([{ playtester_id: playtester.id }]);
  });

  it("a playtester who does not answer is released without a mark when the time to answer ends", async ({
    server,
    owner,
    playtester,
    gameId,
  }) => {
    await verify(server, playtester);
    const { id, slotId } = await session(server, owner, playtester, gameId, 10 * day);
    await move(owner, id, inMs(server, 12 * day));
    await server.advance(3 * day - 1);
    expect((await slotOf(owner, slotId)).status).toBe("reserved");
    await server.advance(1);
    expect((await slotOf(owner, slotId)).status).toBe("cancelled");
    expect((await answer(playtester, slotId, true)).status).toBe(409);
    expect(server.mails.map(({ subject }) => subject).slice(-1)).toEqual([expect.stringContaining("was released")]);
    expect((await playtester.listOffers({})).playtests.map((offer) => offer.id)).toEqual([id]);
  });

  it("an answer after its end gets 409, before the job has run", async ({ server, owner, playtester, gameId }) => {
    const { id, slotId } = await session(server, owner, playtester, gameId, 10 * day);
    await move(owner, id, inMs(server, 12 * day));
    server.clock.moveTo(server.clock.now() + 3 * day);
    expect((await answer(playtester, slotId, true)).status).toBe(409);
  });

  it("moved again, the newest proposal counts; moved back, there is none", async ({ server, owner, playtester, gameId }) => {
    const { at, id, slotId } = await session(server, owner, playtester, gameId, 10 * day);
    const [first, second] = [inMs(server, 12 * day), inMs(server, 15 * day)];
    await move(owner, id, first);
    await server.advance(day);
    await move(owner, id, second);
    await server.advance(2 * day);
    const { proposal } = await slotOf(owner, slotId);
    expect(proposal?.scheduledAt).toBe(second);
    await verify(server, playtester);
    await move(owner, id, at);
    await server.advance(0);
    expect(await slotOf(owner, slotId)).toMatchObject({ status: "reserved", scheduledAt: at, proposal: null });
    expect((await noticesOf(playtester, "slot.move_answered")).map(({ title, body }) => [title, body])).toEqual([
      [
        "Time not changed",
        expect.stringContaining("The owner took back the proposal of another time. You play Lantern Deep at Wed 2026-03-11"),
      ],
    ]);
    expect(server.mails.at(-1)).toMatchObject({
      subject: "Your playtest of Lantern Deep stays at Wed 2026-03-11 12:00, UTC",
      text: expect.stringContaining("took back the proposal to play at Mon 2026-03-16 12:00, UTC."),
    });
    await move(owner, id, at);
    expect(await noticesOf(playtester, "slot.move_answered")).toHaveLength(1);
    await server.advance(4 * day);
    expect((await slotOf(owner, slotId)).status).toBe("reserved");
  });

  it("an answer to another time than the one that is proposed by now gets 409, and changes nothing", async ({
    server,
    owner,
    playtester,
    gameId,
  }) => {
    const { id, slotId } = await session(server, owner, playtester, gameId, 10 * day);
    const [first, second] = [inMs(server, 12 * day), inMs(server, 15 * day)];
    const answerTo = (scheduledAt: string, accept: boolean) =>
      playtester.post(`/playtester/slots/${slotId}/reschedule`, { accept, scheduledAt });
    await move(owner, id, first);
    await move(owner, id, second);
    for (const accept of [true, false]) {
      const { status, body } = await answerTo(first, accept);
      expect([status, body.error.message]).toEqual([
        409,
        `The owner now proposes another time: ${second}. Nothing was changed. Answer that one.`,
      ]);
    }
    expect((await answerTo(second.replace(".000Z", "+00:00"), true)).body.data.slot).toMatchObject({ scheduledAt: second });
  });

  it("a slot with a reported problem can be moved too", async ({ server, owner, playtester, gameId }) => {
    const { id, slotId } = await session(server, owner, playtester, gameId);
    const later = inMs(server, 5 * day);
    await playtester.reportSlot({ params: { id: slotId }, body: { reasonCode: "crash" } });
    await move(owner, id, later);
    expect((await answer(playtester, slotId, true)).body.data.slot).toMatchObject({
      status: "blocked",
      scheduledAt: later,
      deadlineAt: null,
    });
    await owner.unblockSlot({ params: { id: slotId } });
    expect((await slotOf(owner, slotId)).deadlineAt).toBe(inMs(server, 6 * day));
  });

  it.for([
    { name: "to less than 12 hours from now", to: 11 * hour, after: 0, status: 422 },
    { name: "to more than 90 days from now", to: 91 * day, after: 0, status: 422 },
    { name: "12 hours before the time", to: 5 * day, after: 3 * day - 12 * hour, status: 200 },
    { name: "less than 12 hours before the time", to: 5 * day, after: 3 * day - 12 * hour + 1, status: 409 },
  ])("$name: $status", async ({ to, after, status }, { server, owner, playtester, gameId }) => {
    const { id, at } = await session(server, owner, playtester, gameId);
    await server.advance(after);
    expect((await move(owner, id, inMs(server, to))).status).toBe(status);
    if (status !== 200) expect((await playtestOf(owner, id)).scheduledAt).toBe(at);
  });

  it("a playtest without a fixed time is not moved", async ({ server, owner, gameId }) => {
    expect((await move(owner, await order(owner, gameId), inMs(server, 3 * day))).status).toBe(409);
  });
});

sessions("cancelled session", (it) => {
  it.for([
    { name: "12 hours before: refunded", before: 12 * hour, pays: false },
    { name: "less than 12 hours before: the playtester is paid", before: 12 * hour - 1, pays: true },
  ])("$name", async ({ before, pays }, { server, owner, playtester, gameId }) => {
    const credit = await balance(owner);
    const at = inMs(server, 3 * day);
    const id = await order(owner, gameId, { scheduledAt: at, quantity: 2 });
    const slotId = await claimed(playtester, id, at);
    const { costPerSlotCents, payoutCents } = await playtestOf(owner, id);
    await server.advance(3 * day - before);
    const { refundedCents } = await owner.cancelPlaytest({ params: { id } });
    expect(refundedCents).toBe(costPerSlotCents! * (pays ? 1 : 2));
    expect((await slotOf(owner, slotId)).status).toBe("cancelled");
    expect((await playtestOf(owner, id)).status).toBe("cancelled");
    expect(await balance(owner)).toBe(credit - (pays ? costPerSlotCents! : 0));
    expect((await playtester.getEarnings({})).balanceCents).toBe(pays ? payoutCents : 0);
    expect(await noticesOf(playtester, "slot.cancelled")).toHaveLength(1);
    await server.advance(10 * day);
  });

  it("one claimed slot can be cancelled before the time, and none after it", async ({ server, owner, playtester, gameId }) => {
    const at = inMs(server, 3 * day);
    const id = await order(owner, gameId, { scheduledAt: at, quantity: 2 });
    const [slotId, other] = [await claimed(playtester, id, at), await claimed(await registerPlaytester(server), id, at)];
    const { costPerSlotCents } = await playtestOf(owner, id);
    expect(await owner.deleteSlot({ params: { id: slotId } })).toMatchObject({ refundedCents: costPerSlotCents });
    await server.advance(3 * day);
    expect((await owner.delete(`/slots/${other}`)).status).toBe(409);
    expect((await owner.post(`/playtests/${id}/cancel`)).status).toBe(409);
  });
});

sessions("slot that was lost says why, and what it earned", (it) => {
  interface Scene extends Pick<Market, "server" | "owner" | "playtester"> {
    id: string;
    slotId: string;
  }
  const nothing = { earnedCents: 0 };
  it.for<{ name: string; act: (scene: Scene) => Promise<unknown>; lost: unknown }>([
    { name: "held", act: async () => {}, lost: null },
    {
      name: "the deadline passed",
      act: async ({ server }) => server.clock.moveTo(server.clock.now() + 4 * day),
      lost: { why: "deadline", ...nothing },
    },
    {
      name: "its playtester released it",
      act: ({ playtester, slotId }) => playtester.releaseSlot({ params: { id: slotId } }),
      lost: { why: "released", ...nothing },
    },
    {
      name: "another time was declined",
      async act({ server, owner, playtester, id, slotId }) {
        await move(owner, id, inMs(server, 5 * day));
        await answer(playtester, slotId, false);
      },
      lost: { why: "moved", ...nothing },
    },
    {
      name: "another time was not answered",
      async act({ server, owner, id }) {
        await move(owner, id, inMs(server, 5 * day));
        await server.advance(3 * day);
      },
      lost: { why: "moved", ...nothing },
    },
    {
      name: "its owner cancelled it in time",
      act: ({ owner, slotId }) => owner.deleteSlot({ params: { id: slotId } }),
      lost: { why: "cancelled", ...nothing },
    },
    {
      name: "its owner cancelled it late",
      async act({ server, owner, id }) {
        await server.advance(2 * day + 13 * hour);
        await owner.cancelPlaytest({ params: { id } });
      },
      lost: { why: "cancelled", earnedCents: 1000 },
    },
    {
      name: "its owner cancelled it because of a problem",
      async act({ owner, playtester, slotId }) {
        await playtester.reportSlot({ params: { id: slotId }, body: { reasonCode: "crash" } });
        await owner.deleteSlot({ params: { id: slotId } });
      },
      lost: { why: "problem", ...nothing },
    },
  ])("$name", async ({ act, lost }, { server, owner, playtester, gameId }) => {
    const at = inMs(server, 3 * day);
    const id = await order(owner, gameId, { scheduledAt: at });
    const slotId = await claimed(playtester, id, at);
    await act({ server, owner, playtester, id, slotId });
    expect((await playtester.getHeldSlot({ params: { id: slotId } })).slot.lost).toEqual(lost);
  });
});

sessions("reminders of a session", (it) => {
  it("come 24 hours and one hour before it, in the playtester's zone, with a calendar file", async ({
    server,
    owner,
    playtester,
    gameId,
  }) => {
    await verify(server, playtester);
    await playtester.updateProfile({ body: { timeZone: "Asia/Kolkata" } });
    const at = inMs(server, 3 * day);
    const slotId = await claimed(playtester, await order(owner, gameId, { scheduledAt: at }), at);
    const reminders = () => server.mails.filter(({ subject }) => subject.includes("begins at"));
    await server.advance(2 * day - 1);
    expect(reminders()).toEqual([]);
    await server.advance(1);
    expect(reminders()).toHaveLength(1);
    await server.advance(22 * hour);
    expect(reminders()).toHaveLength(1);
    await server.advance(hour);
    expect(reminders()).toHaveLength(2);
    const { subject, text, calendar } = reminders()[1]!;
    expect(subject).toContain("begins at Wed 2026-03-04 17:30, Asia/Kolkata (UTC+05:30)");
    expect(text).toContain("Submit your video before Thu 2026-03-05 17:30, Asia/Kolkata (UTC+05:30).");
    expect(calendar).toContain("DTSTART:20260304T120000Z\r\nDTEND:20260304T130000Z\r\n");
    expect(calendar).toContain(slotId);
    expect(await noticesOf(playtester, "slot.starting")).toHaveLength(2);
  });

  it("come in time to those who get one email a day, which says nothing of a calendar file", async ({
    server,
    owner,
    playtester,
    gameId,
  }) => {
    await verify(server, playtester);
    await playtester.updateNotificationSettings({ body: { mail: "digest" } });
    const at = "2026-03-04T06:00:00.000Z";
    await claimed(playtester, await order(owner, gameId, { scheduledAt: at }), at);
    const reminders = () => server.mails.filter(({ text }) => text.includes("You agreed to playtest"));
    await server.advance(Date.parse("2026-03-04T05:00:00.000Z") - server.clock.now());
    const [summary, reminder, ...more] = reminders();
    expect(summary!.text).toContain("You agreed to playtest Lantern Deep at Wed 2026-03-04 06:00, UTC.");
    expect([summary!.calendar, summary!.text]).toEqual([null, expect.not.stringContaining("calendar")]);
    expect(reminder!.text).toContain("The attached calendar file has the time of the playtest.");
    expect([reminder!.calendar, more]).toEqual([expect.stringContaining("DTSTART:20260304T060000Z"), []]);
  });

  it("do not come for a slot that was given up or moved", async ({ server, owner, playtester, gameId }) => {
    const at = inMs(server, 3 * day);
    const id = await order(owner, gameId, { scheduledAt: at, quantity: 2 });
    const other = await registerPlaytester(server);
    const [released, moved] = [await claimed(playtester, id, at), await claimed(other, id, at)];
    await playtester.releaseSlot({ params: { id: released } });
    await move(owner, id, inMs(server, 6 * day));
    await answer(other, moved, true);
    await server.advance(4 * day);
    expect([await noticesOf(playtester, "slot.starting"), await noticesOf(other, "slot.starting")]).toEqual([[], []]);
    await server.advance(day);
    expect(await noticesOf(other, "slot.starting")).toHaveLength(1);
  });
});

sessions("simulated playtester of a session", (it) => {
  it("claims before the time and submits after it", async ({ server, owner, gameId }) => {
    const id = await order(owner, gameId, { scheduledAt: inMs(server, day) });
    const slotId = (await slotsOf(owner, id))[0]!.id;
    const play = () => server.request("POST", `/sandbox/slots/${slotId}/play`, { key: owner.key });
    expect((await play()).status).toBe(200);
    expect((await slotOf(owner, slotId)).status).toBe("reserved");
    expect((await play()).status).toBe(409);
    await server.advance(day);
    expect((await play()).status).toBe(200);
    expect((await slotOf(owner, slotId)).status).toBe("submitted");
  });

  it("has one slot at a time: another one claims the next", async ({ server, owner, gameId }) => {
    const at = inMs(server, day);
    const holders: unknown[] = [];
    for (const _ of [1, 2]) {
      const [slot] = await slotsOf(owner, await order(owner, gameId, { scheduledAt: at }));
      const played = await server.request("POST", `/sandbox/slots/${slot!.id}/play`, { key: owner.key });
      expect(played.status).toBe(200);
      holders.push((await slotOf(owner, slot!.id)).playtester?.id);
    }
    expect(new Set(holders).size).toBe(2);
  });
});

sessions("time zone of a profile", (it) => {
  it("is an IANA name or null", async ({ owner }) => {
    const zoneNow = async () => (await owner.getMe({})).profile!.timeZone;
    expect(await zoneNow()).toBe(null);
    await owner.updateProfile({ body: { timeZone: "europe/berlin" } });
    expect(await zoneNow()).toBe("Europe/Berlin");
    for (const timeZone of ["+01:00", "Mars/Olympus", ""])
      expect((await owner.patch("/auth/profile", { timeZone })).status).toBe(422);
    await owner.updateProfile({ body: { timeZone: null } });
    expect(await zoneNow()).toBe(null);
  });
});

sessions("scheduled multiplayer playtest across the change to summer time", (it) => {
  it("is walked from the order to the payout", async ({ server, owner, playtester, gameId }) => {
    await Promise.all([
      owner.updateProfile({ body: { timeZone: "Europe/Berlin" } }),
      playtester.updateProfile({ body: { timeZone: "America/New_York" } }),
    ]);
    await Promise.all([verify(server, owner), verify(server, playtester)]);
    // Saturday evening in Berlin, before clocks go forward at 2026-03-29T01:00Z; in New York they did three weeks before.
    const at = "2026-03-28T17:00:00.000Z";
    const id = await order(owner, gameId, { scheduledAt: "2026-03-28T18:00:00+01:00", playerCount: 2, quantity: 2 });
    const slotId = await claimed(playtester, id, at);
    expect((await slotOf(owner, slotId)).deadlineAt).toBe("2026-03-31T17:00:00.000Z");
    await move(owner, id, "2026-03-29T18:00:00+02:00");
    expect((await noticesOf(playtester, "slot.move_proposed"))[0]!.body).toContain(
      "to play at Sun 2026-03-29 12:00, America/New_York (UTC-04:00) instead of Sat 2026-03-28 13:00, America/New_York (UTC-04:00)",
    );
    await answer(playtester, slotId, true);
    expect((await noticesOf(owner, "slot.move_answered"))[0]!.body).toContain("Sun 2026-03-29 18:00, Europe/Berlin (UTC+02:00)");
    const begins = Date.parse("2026-03-29T16:00:00.000Z");
    await server.advance(begins - 1 - server.clock.now());
    await giveVideo(server, slotId, playtester);
    expect((await playtester.post(`/playtester/slots/${slotId}/submit`)).status).toBe(409);
    await server.advance(1);
    expect((await playtestOf(owner, id)).slots).toMatchObject({ reserved: 1, expired: 1 });
    expect(await noticesOf(playtester, "slot.starting")).toHaveLength(2);
    await server.advance(72 * hour - 1);
    await playtester.submitSlot({ params: { id: slotId } });
    await owner.acceptSlot({ params: { id: slotId } });
    const { payoutCents, status } = await playtestOf(owner, id);
    expect([status, (await playtester.getEarnings({})).balanceCents]).toEqual(["completed", payoutCents]);
  });
});
