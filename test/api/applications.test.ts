import { describe, expect } from "vitest";
import * as users from "../../server/accounts/users-store.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { insertRow } from "../helpers/raw-rows.ts";
import type { TestServer } from "../helpers/server.ts";

const hour = 3_600_000;
const week = 7 * 24 * hour;
const unknown = "01900000-0000-7000-8000-000000000000";

/** An owner's manual playtest, and as many playtesters as asked for. */
async function manual(server: TestServer, quantity: number, applicants: number, body: Record<string, unknown> = {}) {
  const owner = await factories.registerOwner(server, "Olga");
  const gameId = await factories.createGame(owner);
  await factories.giveCredit(server, owner, quantity * 10_000);
  const id = await factories.order(owner, gameId, { quantity, selectionMode: "manual", ...body });
  const playtesters = await Promise.all(Array.from({ length: applicants }, () => factories.registerPlaytester(server)));
  return { owner, gameId, id, playtesters };
}

async function apply(playtester: factories.Person, playtestId: string, qualificationsResponse?: string): Promise<string> {
  const reply = await playtester.applyToPlaytest({ params: { id: playtestId }, body: { qualificationsResponse } });
  return reply.application.id;
}

const applyAll = (playtesters: factories.Person[], id: string) =>
  Promise.all(playtesters.map((playtester) => apply(playtester, id)));
const approve = (owner: factories.Person, id: string) => owner.post(`/playtests/playtest-applications/${id}/approve`);
const reject = (owner: factories.Person, id: string, body?: unknown) =>
  owner.post(`/playtests/playtest-applications/${id}/reject`, body);
const listed = async (owner: factories.Person, id: string) => await owner.listApplications({ params: { id } });
const statuses = async (owner: factories.Person, id: string) =>
  (await listed(owner, id)).applications.map((application: { status: string }) => application.status).sort();
const kinds = async (person: factories.Person) =>
  (await person.listNotifications({ query: { limit: 100 } })).notifications.map((notice: { type: string }) => notice.type);
const balance = async (owner: factories.Person) => (await owner.quotePlaytest({ body: {} })).balanceCents;

const suspend = (server: TestServer, { id }: factories.Person) =>
  server.deps.store.write((tx) => users.update(tx, id, { suspended_at: server.clock.now() }));

onBothDatabases("applications", (serve, it) => {
  it("suspended playtester: an application cannot be approved, but can be rejected", async ({ server }) => {
    const { owner, id, playtesters } = await manual(server, 1, 1);
    const application = await apply(playtesters[0]!, id);
    await suspend(server, playtesters[0]!);
    const refused = await approve(owner, application);
    expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringContaining("account is suspended")]);
    expect((await owner.getPlaytest({ params: { id } })).playtest.slots).toMatchObject({ open: 1, reserved: 0 });
    expect((await reject(owner, application)).status).toBe(200);
  });

  it("suspended playtester: a rejection with a retry is refused, one without is not", async ({
    server,
    owner,
    playtester,
    gameId,
  }) => {
    await factories.giveCredit(server, owner, 10_000);
    const slotId = await factories.play(server, playtester, await factories.order(owner, gameId));
    await suspend(server, playtester);
    expect((await owner.post(`/slots/${slotId}/reject`, { allowRetry: true })).status).toBe(409);
    expect((await owner.post(`/slots/${slotId}/reject`, { allowRetry: false })).status).toBe(200);
  });

  it("suspended playtester: an order cannot target them", async ({ server, owner, playtester, gameId }) => {
    await suspend(server, playtester);
    const target = { targetingType: "past", pastPlaytesterScope: "specific", targetedPlaytesterId: playtester.id };
    expect((await owner.post(`/games/${gameId}/playtests`, target)).body.error.details).toMatchObject([
      { field: "targetedPlaytesterId", message: expect.stringContaining("suspended") },
    ]);
  });

  it("list: has the playtest, the counts and the profile of each playtester", async ({ server }) => {
    const { owner, gameId, id, playtesters } = await manual(server, 2, 2, { qualifications: "Plays horror." });
    const [veteran, novice] = playtesters as [factories.Person, factories.Person];
    for (const rating of [5, 4]) {
      const slotId = await factories.play(server, veteran, await factories.order(owner, gameId));
      await owner.post(`/slots/${slotId}/accept`, { rating });
    }
    await veteran.updateProfile({ body: { gamingExperience: "Twenty years." } });
    server.clock.set(server.clock.now() + 1000);
    await apply(novice, id);
    server.clock.set(server.clock.now() + 1000);
    await apply(veteran, id, "All of them.");
    const data = await listed(owner, id);
    expect(data.request).toEqual({
      id,
      gameId,
      gameName: "Lantern Deep",
      quantity: 2,
      qualifications: "Plays horror.",
      selectionMode: "manual",
      applicationsExpireAt: new Date(server.clock.now() - 2000 + week).toISOString(),
      scheduledAt: null,
    });
    expect(data.counts).toEqual({ approvedCount: 0, pendingCount: 2, slotsRemaining: 2 });
    expect(data.applications).toMatchObject([
      {
        status: "pending",
        qualificationsResponse: "All of them.",
        playtesterId: veteran.id,
        gamingExperience: "Twenty years.",
        ratingAverage: "4.50",
        acceptedCount: "2",
        reviewedAt: null,
        assignedSlotId: null,
      },
      { qualificationsResponse: null, playtesterId: novice.id, gamingExperience: null, ratingAverage: null, acceptedCount: "0" },
    ]);
    expect(data.applications[0]!.validatedAt).toMatch(/^2026-/);
  });

  it.each([1, 4])("approve: reserves a slot for 72 hours, with %i player(s)", async (playerCount) => {
    const server = await serve();
    const { owner, id, playtesters } = await manual(server, 2, 1, { playerCount });
    const application = await apply(playtesters[0]!, id);
    const reply = await approve(owner, application);
    expect(reply.status).toBe(200);
    expect(reply.body.data).toMatchObject({ application: { id: application, status: "approved" }, slotsRemaining: 1 });
    const { assignedSlotId } = reply.body.data;
    const slot = (await owner.get(`/slots/${assignedSlotId}`)).body.data.slot;
    expect(slot).toMatchObject({ status: "reserved", playtester: { id: playtesters[0]!.id } });
    expect(Date.parse(slot.deadlineAt) - server.clock.now()).toBe(72 * hour);
    expect(await listed(owner, id)).toMatchObject({
      counts: { approvedCount: 1, pendingCount: 0, slotsRemaining: 1 },
      applications: [{ assignedSlotId, reviewedAt: new Date(server.clock.now()).toISOString() }],
    });
  });

  it("approve: the last slot closes the other applications, with one notification each", async ({ server }) => {
    const { owner, id, playtesters } = await manual(server, 2, 5);
    const applications = await applyAll(playtesters, id);
    for (const index of [0, 1]) expect((await approve(owner, applications[index]!)).status).toBe(200);
    expect(await statuses(owner, id)).toEqual(["approved", "approved", "auto_rejected", "auto_rejected", "auto_rejected"]);
    expect((await listed(owner, id)).counts).toEqual({ approvedCount: 2, pendingCount: 0, slotsRemaining: 0 });
    for (const [index, playtester] of playtesters.entries()) {
      const expected = index < 2 ? ["application.approved", "slot.reserved"] : ["application.auto_rejected"];
      expect((await kinds(playtester)).filter((kind: string) => kind !== "application.created").sort()).toEqual(expected);
    }
    expect((await approve(owner, applications[4]!)).status).toBe(409);
    const late = await factories.registerPlaytester(server);
    expect((await late.post(`/playtester/playtests/${id}/applications`)).status).toBe(409);
  });

  it.for([
    { how: "deletes it", act: (owner: factories.Person, _: string, slotId: string) => owner.delete(`/slots/${slotId}`) },
    { how: "cancels the playtest", act: (owner: factories.Person, id: string) => owner.post(`/playtests/${id}/cancel`) },
  ])("last open slot cancelled by the owner: the other applications close ($how)", async ({ act }, { server }) => {
    const { owner, id, playtesters } = await manual(server, 2, 2);
    const [first] = await applyAll(playtesters, id);
    await approve(owner, first!);
    const { slots } = await owner.listSlots({ params: { id } });
    await act(owner, id, slots.find((slot: { status: string }) => slot.status === "open")!.id);
    expect(await statuses(owner, id)).toEqual(["approved", "auto_rejected"]);
  });

  it("approve: of 50 concurrent approvals exactly 10 get the 10 slots", async ({ server }) => {
    const { owner, id, playtesters } = await manual(server, 10, 50);
    const applications = await applyAll(playtesters, id);
    const replies = await Promise.all(applications.map((application) => approve(owner, application)));
    expect(replies.map((reply) => reply.status).sort()).toEqual([...Array(10).fill(200), ...Array(40).fill(409)]);
    expect(await statuses(owner, id)).toEqual([...Array(10).fill("approved"), ...Array(40).fill("auto_rejected")]);
    const { slots } = (await owner.getPlaytest({ params: { id } })).playtest;
    expect(slots).toMatchObject({ open: 0, reserved: 10 });
    expect(new Set(replies.map((reply) => reply.body.data?.assignedSlotId)).size).toBe(11);
  });

  it("reject: the owner's message is in the email, as text and escaped in HTML", async ({ server }) => {
    const { owner, id, playtesters } = await manual(server, 1, 1);
    const application = await apply(playtesters[0]!, id);
    const customMessage = 'Sorry <b>Ann</b> & co,\nnext time "maybe".';
    const reply = await reject(owner, application, { customMessage });
    expect(reply.body.data.application).toMatchObject({
      status: "rejected",
      reviewedAt: new Date(server.clock.now()).toISOString(),
    });
    await server.advance(0);
    const mail = server.mails.find((sent) => sent.subject.includes("Your application"))!;
    expect(mail.text).toContain(customMessage);
    expect(mail.html).toContain("Sorry &lt;b&gt;Ann&lt;/b&gt; &amp; co,<br>next time &quot;maybe&quot;.");
    expect(mail.html).not.toContain("<b>Ann");
    expect(await kinds(playtesters[0]!)).toContain("application.rejected");
  });

  it("emails: each applicant gets one about the decision", async ({ server }) => {
    const { owner, id, playtesters } = await manual(server, 1, 3);
    const [first, second] = (await applyAll(playtesters, id)) as [string, string, string];
    await reject(owner, first);
    await approve(owner, second);
    await server.advance(0);
    const ends = [/was approved/, /was not accepted/, /is closed/];
    const ended = server.mails
      .map(({ to, text }) => ({ to, end: ends.findIndex((end) => end.test(text)) }))
      .filter(({ end }) => end >= 0);
    expect(ended.map(({ end }) => end).sort()).toEqual([0, 1, 2]);
    expect(new Set(ended.map(({ to }) => to)).size).toBe(3);
  });

  it("reject: a message can have 1500 characters and no more", async ({ server }) => {
    const { owner, id, playtesters } = await manual(server, 1, 1);
    const application = await apply(playtesters[0]!, id);
    expect((await reject(owner, application, { customMessage: "é".repeat(1501) })).status).toBe(422);
    expect((await reject(owner, application, { customMessage: "𝄞".repeat(1500) })).status).toBe(200);
  });

  describe("apply: once per playtest", () => {
    const rows = [
      { after: "while pending", act: async () => {} },
      { after: "after a rejection", act: (owner: factories.Person, _: factories.Person, id: string) => reject(owner, id) },
      {
        after: "after a withdrawal",
        act: (_: factories.Person, mine: factories.Person, id: string) => mine.post(`/playtester/applications/${id}/withdraw`),
      },
      {
        after: "after losing the slot",
        act: async (owner: factories.Person, mine: factories.Person, id: string) => {
          const slotId = (await approve(owner, id)).body.data.assignedSlotId;
          await mine.releaseSlot({ params: { id: slotId } });
        },
      },
    ];
    it.for(rows)("$after", async ({ act }, { server }) => {
      const { owner, id, playtesters } = await manual(server, 2, 1);
      const [playtester] = playtesters as [factories.Person];
      await act(owner, playtester, await apply(playtester, id));
      expect((await playtester.post(`/playtester/playtests/${id}/applications`)).status).toBe(409);
      expect((await playtester.listOffers()).playtests).toEqual([]);
    });

    it("of two concurrent requests one is refused", async ({ server }) => {
      const { id, playtesters } = await manual(server, 2, 1);
      const replies = await Promise.all([1, 2, 3].map(() => playtesters[0]!.post(`/playtester/playtests/${id}/applications`)));
      expect(replies.map((reply) => reply.status).sort()).toEqual([201, 409, 409]);
    });
  });

  it("decided application: a second decision gets 409", async ({ server }) => {
    const { owner, id, playtesters } = await manual(server, 5, 3);
    const [first, second, third] = await applyAll(playtesters, id);
    const replies = await Promise.all([approve(owner, first!), approve(owner, first!), reject(owner, first!)]);
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409, 409]);
    await playtesters[1]!.post(`/playtester/applications/${second}/withdraw`);
    await reject(owner, third!);
    for (const application of [first, second, third]) {
      expect((await approve(owner, application!)).status).toBe(409);
      expect((await reject(owner, application!)).status).toBe(409);
    }
    expect((await playtesters[2]!.post(`/playtester/applications/${third}/withdraw`)).status).toBe(409);
  });

  it("playtest with automatic selection: takes and lists no applications", async ({ server }) => {
    const { owner, gameId, id, playtesters } = await manual(server, 1, 1);
    const [playtester] = playtesters as [factories.Person];
    const automatic = await factories.order(owner, gameId);
    expect((await playtester.post(`/playtester/playtests/${automatic}/applications`)).status).toBe(400);
    expect((await playtester.post(`/playtester/playtests/${id}/claim`)).status).toBe(400);
    // No request makes an application to an automatic playtest: this one is put there.
    const stray = server.deps.newId();
    const row = { id: stray, playtest_id: automatic, playtester_id: playtester.id, status: "pending", created_at: 0 };
    await server.deps.store.write((tx) => insertRow(tx, "applications", row));
    const replies = [await approve(owner, stray), await reject(owner, stray)];
    expect(replies.map((reply) => [reply.status, reply.body.error.code])).toEqual(Array(2).fill([400, "BAD_REQUEST"]));
  });

  it("application of another owner: 404 for every action", async ({ server }) => {
    const { id, playtesters } = await manual(server, 1, 2);
    const other = await factories.registerOwner(server);
    const application = await apply(playtesters[0]!, id);
    const paths = (playtest: string, own: string) =>
      [
        [other, "GET", `/playtests/${playtest}/applications`],
        [other, "POST", `/playtest-applications/${own}/approve`],
        [other, "POST", `/playtests/playtest-applications/${own}/reject`],
        [playtesters[1]!, "POST", `/playtester/applications/${own}/withdraw`],
      ] as const;
    for (const [index, [person, method, path]] of paths(id, application).entries()) {
      const foreign = await server.request(method, path, { key: person.key });
      const absent = await server.request(method, paths(unknown, unknown)[index]![2], { key: person.key });
      expect([path, foreign.status, foreign.body.error]).toEqual([path, 404, absent.body.error]);
    }
    expect((await playtesters[1]!.post(`/playtester/playtests/${unknown}/applications`)).status).toBe(404);
  });

  it("playtester's own list: has every application with its status", async ({ server }) => {
    const { gameId, id, playtesters } = await manual(server, 1, 1);
    const [playtester] = playtesters as [factories.Person];
    const application = await apply(playtester, id, "Me.");
    const shown = {
      id: application,
      playtestId: id,
      gameId,
      gameName: "Lantern Deep",
      status: "pending",
      qualificationsResponse: "Me.",
      createdAt: new Date(server.clock.now()).toISOString(),
      reviewedAt: null,
      coverPath: null,
      mustAccept: false,
      assignedSlotId: null,
    };
    expect((await playtester.listOwnApplications()).applications).toEqual([shown]);
    const withdrawn = await playtester.withdrawApplication({ params: { id: application } });
    expect(withdrawn.application).toEqual({ ...shown, status: "withdrawn" });
  });

  it("apply: a playtester outside the targeting is refused", async ({ server }) => {
    const { owner, gameId, playtesters } = await manual(server, 1, 2);
    const [veteran, novice] = playtesters as [factories.Person, factories.Person];
    await factories.play(server, veteran, await factories.order(owner, gameId));
    const id = await factories.order(owner, gameId, { selectionMode: "manual", targetingType: "new" });
    expect((await veteran.post(`/playtester/playtests/${id}/applications`)).status).toBe(409);
    await apply(novice, id);
  });

  it("approve: refused while the game is suspended, which hides its offers", async ({ server }) => {
    const { owner, gameId, id, playtesters } = await manual(server, 1, 1);
    const application = await apply(playtesters[0]!, id);
    const admin = await factories.firstAdmin(server);
    expect((await admin.post(`/admin/games/${gameId}/suspend`)).status).toBe(200);
    const refused = await approve(owner, application);
    expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringContaining("The game is suspended")]);
    expect(await statuses(owner, id)).toEqual(["pending"]);
    await admin.post(`/admin/games/${gameId}/unsuspend`);
    expect((await approve(owner, application)).status).toBe(200);
  });

  it("approve: refused when the playtester has played the game by now, and the playtest is for new ones", async ({ server }) => {
    const { owner, gameId, id, playtesters } = await manual(server, 1, 1, { targetingType: "new", targetingScope: "game" });
    await factories.giveCredit(server, owner, 10_000);
    const other = await factories.order(owner, gameId, { selectionMode: "manual", targetingType: "new", targetingScope: "game" });
    const [one, two] = [await apply(playtesters[0]!, id), await apply(playtesters[0]!, other)];
    expect((await approve(owner, one)).status).toBe(200);
    const refused = await approve(owner, two);
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      "This playtest is for playtesters who have never played this game. This playtester is no longer one of them. Nothing was changed. Reject the application instead.",
    ]);
    expect(await statuses(owner, other)).toEqual(["pending"]);
  });

  it("approve: refused when the playtester holds the maximum number of slots", async () => {
    const server = await serve({ config: (config) => (config.playtesters.maxReserved = 1) });
    const { owner, gameId, id, playtesters } = await manual(server, 1, 1);
    const [playtester] = playtesters as [factories.Person];
    const second = await factories.order(owner, gameId, { selectionMode: "manual" });
    const [one, two] = [await apply(playtester, id), await apply(playtester, second)];
    expect((await approve(owner, one)).status).toBe(200);
    expect((await approve(owner, two)).status).toBe(409);
    expect(await statuses(owner, second)).toEqual(["pending"]);
  });
});

onBothDatabases("the review window", (_serve, it) => {
  it("ends to the millisecond although no job has run", async ({ server }) => {
    const { owner, id, playtesters } = await manual(server, 2, 2);
    const [playtester, late] = playtesters as [factories.Person, factories.Person];
    const application = await apply(playtester, id);
    const endsAt = server.clock.now() + week;
    server.clock.set(endsAt - 1);
    expect((await listed(owner, id)).counts).toEqual({ approvedCount: 0, pendingCount: 1, slotsRemaining: 2 });
    server.clock.set(endsAt);
    expect(await listed(owner, id)).toMatchObject({
      counts: { approvedCount: 0, pendingCount: 0, slotsRemaining: 0 },
      applications: [{ status: "auto_rejected", reviewedAt: new Date(endsAt).toISOString() }],
    });
    const shown = (await owner.getPlaytest({ params: { id } })).playtest;
    expect(shown).toMatchObject({ status: "expired", slots: { open: 0, expired: 2 } });
    expect((await owner.getDashboardStats()).activePlaytests).toBe(0);
    expect((await owner.get("/submissions?status=expired")).body.data.submissions).toHaveLength(2);
    expect((await owner.get("/submissions?status=open")).body.data.submissions).toEqual([]);
    const slotId = (await owner.listSlots({ params: { id } })).slots[0]!.id;
    const refused = await Promise.all([
      approve(owner, application),
      reject(owner, application),
      playtester.post(`/playtester/applications/${application}/withdraw`),
      late.post(`/playtester/playtests/${id}/applications`),
      owner.delete(`/playtests/slots/${slotId}`),
      owner.post(`/playtests/${id}/cancel`),
      owner.patch(`/playtests/${id}`, { notesForTesters: "Late." }),
    ]);
    expect(refused.map((reply) => reply.status)).toEqual(Array(7).fill(409));
  });

  it("end: refunds exactly the price of the unfilled slots, once", async ({ server }) => {
    const { owner, id, playtesters } = await manual(server, 3, 2);
    const [first] = await applyAll(playtesters, id);
    await approve(owner, first!);
    const before = await balance(owner);
    await server.advance(week);
    expect((await owner.getPlaytest({ params: { id } })).playtest.slots).toMatchObject({ open: 0, expired: 4, reserved: 0 });
    // Three unfilled ones: the reserved slot expired after 72 hours and another opened in its place.
    expect(await balance(owner)).toBe(before + 3 * 2000);
    const again = { kind: "close-window", key: "again", payload: { playtestId: id }, runAt: server.clock.now() };
    await server.deps.store.write((tx) => server.deps.jobs.schedule(tx, again));
    await server.advance(week);
    expect(await balance(owner)).toBe(before + 3 * 2000);
    expect(await statuses(owner, id)).toEqual(["approved", "auto_rejected"]);
    expect((await kinds(playtesters[1]!)).filter((kind: string) => kind === "application.auto_rejected")).toHaveLength(1);
    expect((await kinds(owner)).filter((kind: string) => kind === "slot.expired")).toHaveLength(4);
  });

  it("end: refunds minutes for an order paid with minutes", async ({ server, owner, gameId }) => {
    await factories.giveMinutes(server, owner, 240);
    const id = await factories.order(owner, gameId, { quantity: 2, playerCount: 2, selectionMode: "manual" });
    await server.advance(week);
    expect((await owner.quotePlaytest({ body: {} })).playtestMinutesAvailable).toBe(240);
    expect((await owner.getPlaytest({ params: { id } })).playtest.status).toBe("expired");
  });

  const after = [
    { what: "a deadline that passes", counts: { expired: 1, cancelled: 0 }, act: async () => {} },
    {
      what: "a slot given back",
      counts: { expired: 1, cancelled: 1 },
      act: (mine: factories.Person, slotId: string) => mine.post(`/playtester/slots/${slotId}/release`),
    },
    {
      what: "a blocked slot given back",
      counts: { expired: 1, cancelled: 1 },
      act: async (mine: factories.Person, slotId: string) => {
        await mine.reportSlot({ params: { id: slotId }, body: { reasonCode: "crash" } });
        await mine.releaseSlot({ params: { id: slotId } });
      },
    },
  ];
  it.for(after)("after it, $what ends unfilled and is paid back", async ({ counts, act }, { server }) => {
    const { owner, id, playtesters } = await manual(server, 1, 1);
    const [playtester] = playtesters as [factories.Person];
    const application = await apply(playtester, id);
    await server.advance(week - 1);
    const slotId = (await approve(owner, application)).body.data.assignedSlotId;
    const before = await balance(owner);
    await server.advance(hour);
    expect((await owner.getPlaytest({ params: { id } })).playtest).toMatchObject({ status: "active", slots: { reserved: 1 } });
    expect(await balance(owner)).toBe(before);
    await act(playtester, slotId);
    await server.advance(72 * hour);
    expect((await owner.getPlaytest({ params: { id } })).playtest).toMatchObject({ status: "expired", slots: counts });
    expect(await balance(owner)).toBe(before + 2000);
  });

  it("end: an approved playtester keeps the slot", async ({ server }) => {
    const { owner, id, playtesters } = await manual(server, 1, 1);
    const application = await apply(playtesters[0]!, id);
    await server.advance(week - 1);
    const slotId = (await approve(owner, application)).body.data.assignedSlotId;
    await playtesters[0]!.reportSlot({ params: { id: slotId }, body: { reasonCode: "crash" } });
    await server.advance(week);
    expect((await owner.get(`/slots/${slotId}`)).body.data.slot.status).toBe("blocked");
    expect((await owner.post(`/slots/${slotId}/unblock`)).body.data.slot.status).toBe("reserved");
  });
});
