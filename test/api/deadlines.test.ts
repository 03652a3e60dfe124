import { describe, expect, it } from "vitest";
import { zonedText } from "../../src/contract/time/zones.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import type { TestServer } from "../helpers/server.ts";
import { slotIn } from "../helpers/slots.ts";

const hour = 3_600_000;

async function market(server: TestServer) {
  const [owner, playtester] = [await factories.registerOwner(server), await factories.registerPlaytester(server)];
  const gameId = await factories.createGame(owner);
  await factories.giveCredit(server, owner, 100_000);
  return { owner, playtester, gameId };
}

const shown = async (owner: factories.Person, slotId: string) => (await owner.get(`/slots/${slotId}`)).body.data.slot;
const playtestOf = async (owner: factories.Person, id: string) => (await owner.getPlaytest({ params: { id } })).playtest;
const balance = async (owner: factories.Person) => (await owner.quotePlaytest({ body: {} })).balanceCents;

interface Command {
  by: "owner" | "playtester";
  send(person: factories.Person, slotId: string): ReturnType<factories.Person["post"]>;
}

const commands: Record<string, Command> = {
  submit: { by: "playtester", send: (person, id) => person.post(`/playtester/slots/${id}/submit`) },
  report: { by: "playtester", send: (person, id) => person.post(`/playtester/slots/${id}/report`, { reasonCode: "crash" }) },
  release: { by: "playtester", send: (person, id) => person.post(`/playtester/slots/${id}/release`) },
  accept: { by: "owner", send: (person, id) => person.post(`/playtests/slots/${id}/accept`) },
  reject: { by: "owner", send: (person, id) => person.post(`/playtests/slots/${id}/reject`) },
  retry: { by: "owner", send: (person, id) => person.post(`/playtests/slots/${id}/reject`, { allowRetry: true }) },
  unblock: { by: "owner", send: (person, id) => person.post(`/playtests/slots/${id}/unblock`) },
  delete: { by: "owner", send: (person, id) => person.delete(`/playtests/slots/${id}`) },
};

/** What each command makes of a slot, by status; any other is refused and changes nothing. */
const moves: Record<string, Record<string, string>> = {
  open: { delete: "cancelled" },
  reserved: { submit: "submitted", report: "blocked", release: "cancelled" },
  submitted: { accept: "accepted", reject: "rejected", retry: "rejected" },
  blocked: { unblock: "reserved", release: "cancelled", delete: "cancelled" },
  publishing: {},
  accepted: {},
  rejected: {},
  expired: {},
  cancelled: {},
};

onBothDatabases("every command on a slot that is", (serve) => {
  it.each(Object.keys(moves))("%s", async (status) => {
    const server = await serve({ config: (config) => (config.playtesters.maxReserved = 100) });
    const { owner, playtester, gameId } = await market(server);
    const outcomes: Record<string, string> = {};
    let id = await slotIn[status]!(server, owner, playtester, gameId);
    for (const [name, { by, send }] of Object.entries(commands)) {
      if (status === "reserved" && name === "submit") await factories.giveVideo(server, id, playtester);
      const reply = await send(by === "owner" ? owner : playtester, id);
      const now = (await shown(owner, id)).status;
      if (reply.status !== 200) {
        expect([name, reply.status, now]).toEqual([name, status === "open" && by === "playtester" ? 404 : 409, status]);
        continue;
      }
      outcomes[name] = now;
      id = await slotIn[status]!(server, owner, playtester, gameId);
    }
    expect(outcomes).toEqual(moves[status]);
  });
});

onBothDatabases("deadlines", (_serve, it) => {
  it.for([
    { name: "1 player", body: {}, hours: 24 },
    { name: "4 players", body: { playerCount: 4 }, hours: 72 },
  ])("to the millisecond, without a job: $name", async ({ body, hours }, { server }) => {
    const { owner, playtester, gameId } = await market(server);
    const second = await factories.registerPlaytester(server);
    const id = await factories.order(owner, gameId, { quantity: 2, ...body });
    const [inTime, late] = [await factories.claim(playtester, id), await factories.claim(second, id)];
    await factories.giveVideo(server, inTime, playtester);
    await factories.giveVideo(server, late, second);
    server.clock.set(server.clock.now() + hours * hour - 1);
    expect((await playtester.post(`/playtester/slots/${inTime}/submit`)).status).toBe(200);
    server.clock.set(server.clock.now() + 1);
    for (const act of ["submit", "release", "report"])
      expect(
        (await second.post(`/playtester/slots/${late}/${act}`, act === "report" ? { reasonCode: "crash" } : {})).status,
      ).toBe(409);
    expect((await shown(owner, late)).status).toBe("expired");
    expect((await second.getHeldSlot({ params: { id: late } })).slot).not.toHaveProperty("keys");
    expect((await playtestOf(owner, id)).slots).toMatchObject({ submitted: 1, expired: 1, reserved: 0 });
    expect((await owner.get("/submissions?status=expired")).body.data.submissions).toHaveLength(1);
    expect((await owner.get("/submissions?status=reserved")).body.data.submissions).toEqual([]);
  });

  const around = [
    { ms: -1, inTime: true },
    { ms: 0, inTime: false },
    { ms: 1, inTime: false },
  ];

  it.for(around)("$ms ms after a slot's, before any job has run: in time $inTime", async ({ ms, inTime }, { server }) => {
    const { owner, playtester, gameId } = await market(server);
    const others = [await factories.registerPlaytester(server), await factories.registerPlaytester(server)];
    const ids = [
      await factories.order(owner, gameId, { quantity: 3 }),
      await factories.order(owner, gameId),
      await factories.order(owner, gameId),
    ];
    const slotId = await factories.claim(playtester, ids[0]!);
    await factories.giveVideo(server, slotId, playtester);
    const [released, reported] = [await factories.claim(others[0]!, ids[0]!), await factories.claim(others[1]!, ids[0]!)];
    // Three are held, as many as one may: another can be claimed once one of them is over.
    for (const id of ids.slice(1)) await factories.claim(playtester, id);
    const another = await factories.order(owner, gameId);
    server.clock.set(server.clock.now() + 24 * hour + ms);
    expect((await shown(owner, slotId)).status).toBe(inTime ? "reserved" : "expired");
    expect((await playtester.post(`/playtester/playtests/${another}/claim`)).status).toBe(inTime ? 409 : 201);
    const replies = [
      await playtester.post(`/playtester/slots/${slotId}/submit`),
      await others[0]!.post(`/playtester/slots/${released}/release`),
      await others[1]!.post(`/playtester/slots/${reported}/report`, { reasonCode: "crash" }),
    ];
    expect(replies.map((reply) => reply.status)).toEqual(Array(3).fill(inTime ? 200 : 409));
  });

  it.for(around)(
    "$ms ms after the review window's, before any job has run: in time $inTime",
    async ({ ms, inTime }, { server }) => {
      const { owner, gameId } = await market(server);
      const people = [];
      while (people.length < 4) people.push(await factories.registerPlaytester(server));
      const [chosen, refused, gone, late] = people as [factories.Person, factories.Person, factories.Person, factories.Person];
      const id = await factories.order(owner, gameId, { quantity: 3, selectionMode: "manual" });
      const apply = (person: factories.Person) => person.post(`/playtester/playtests/${id}/applications`);
      const ids = [];
      for (const person of [chosen, refused, gone]) ids.push((await apply(person)).body.data.application.id);
      const slotId = (await owner.listSlots({ params: { id } })).slots[0]!.id;
      // A job that is sending an email would lose its lease.
      await server.advance(0);
      server.clock.set(server.clock.now() + 7 * 24 * hour + ms);
      expect((await shown(owner, slotId)).status).toBe(inTime ? "open" : "expired");
      const replies = [
        await apply(late),
        await owner.post(`/playtest-applications/${ids[0]}/approve`),
        await owner.post(`/playtest-applications/${ids[1]}/reject`),
        await gone.post(`/playtester/applications/${ids[2]}/withdraw`),
        await owner.delete(`/slots/${slotId}`),
      ];
      // The oldest slot went to who was approved.
      expect(replies.map((reply) => reply.status)).toEqual(inTime ? [201, 200, 200, 200, 200] : Array(5).fill(409));
    },
  );

  it("expired slot: one slot opens in its place, without refund or charge, and both sides are notified", async ({ server }) => {
    const { owner, playtester, gameId } = await market(server);
    const id = await factories.order(owner, gameId, { notesForTesters: "Mind the gap." });
    const before = await balance(owner);
    const slotId = await factories.claim(playtester, id);
    await server.advance(24 * hour);
    await server.advance(24 * hour);
    expect(await playtestOf(owner, id)).toMatchObject({ status: "active", slots: { expired: 1, open: 1 } });
    expect(await balance(owner)).toBe(before);
    for (const person of [owner, playtester]) {
      const { notifications } = await person.listNotifications();
      expect(notifications.filter((notice: { type: string }) => notice.type === "slot.expired")).toHaveLength(1);
    }
    const next = await factories.registerPlaytester(server);
    const held = (await next.getHeldSlot({ params: { id: await factories.claim(next, id) } })).slot;
    expect(held.notesForTesters).toBe("Mind the gap.");
    expect((await playtester.getHeldSlot({ params: { id: slotId } })).slot).not.toHaveProperty("notesForTesters");
  });

  it("unpaid order: shown as cancelled from the millisecond it expires", async ({ server, owner, gameId }) => {
    const id = await factories.order(owner, gameId);
    server.clock.set(server.clock.now() + 24 * hour - 1);
    expect((await playtestOf(owner, id)).status).toBe("pending_payment");
    server.clock.set(server.clock.now() + 1);
    expect((await playtestOf(owner, id)).status).toBe("cancelled");
    const [listed] = (await owner.listPlaytests({ params: { gameId } })).playtests;
    expect(listed!.status).toBe("cancelled");
    expect((await owner.post(`/playtests/${id}/cancel`)).status).toBe(409);
  });

  describe("deadline of a retry", () => {
    async function retried(server: TestServer) {
      const { owner, playtester, gameId } = await market(server);
      const id = await factories.order(owner, gameId, { playerCount: 2 });
      const first = await factories.play(server, playtester, id);
      await owner.post(`/slots/${first}/reject`, { reason: "No voice.", allowRetry: true });
      const [retry] = (await playtester.listHeldSlots()).slots;
      return { owner, playtester, id, first, retry: retry!.id as string };
    }

    it("is 24 hours whatever the number of players, then it is accepted like any other", async ({ server }) => {
      const { owner, playtester, id, retry } = await retried(server);
      expect(Date.parse((await shown(owner, retry)).deadlineAt) - server.clock.now()).toBe(24 * hour);
      await factories.giveVideo(server, retry, playtester);
      await playtester.submitSlot({ params: { id: retry } });
      await owner.post(`/slots/${retry}/accept`);
      expect(await playtestOf(owner, id)).toMatchObject({ status: "completed", slots: { rejected: 1, accepted: 1 } });
      expect((await playtester.getEarnings()).balanceCents).toBe(2000);
    });

    it.for([
      { what: "missed", act: (server: TestServer) => server.advance(24 * hour), slots: { rejected: 1, expired: 1, open: 1 } },
      {
        what: "given back",
        act: (_server: TestServer, playtester: factories.Person, retry: string) =>
          playtester.post(`/playtester/slots/${retry}/release`),
        slots: { rejected: 1, cancelled: 1, open: 1 },
      },
    ])("$what: opens a slot for another playtester", async ({ act, slots }, { server }) => {
      const { owner, playtester, id, retry } = await retried(server);
      await act(server, playtester, retry);
      expect((await playtestOf(owner, id)).slots).toMatchObject(slots);
      expect((await playtester.post(`/playtester/playtests/${id}/claim`)).status).toBe(409);
      await factories.claim(await factories.registerPlaytester(server), id);
    });

    it("final rejection: the price is not refunded", async ({ server }) => {
      const { owner, playtester, id, retry } = await retried(server);
      const before = await balance(owner);
      await factories.giveVideo(server, retry, playtester);
      await playtester.submitSlot({ params: { id: retry } });
      await owner.post(`/slots/${retry}/reject`);
      expect(await playtestOf(owner, id)).toMatchObject({ status: "completed", slots: { rejected: 2 } });
      expect(await balance(owner)).toBe(before);
      const held = await server.deps.store.read((q) =>
        q.one<{ balance: number }>("SELECT balance FROM ledger_accounts WHERE id = ?", `liab:held:${id}`),
      );
      expect(held?.balance).toBe(0);
    });
  });

  it("blocked slot: has no deadline; unblocked, it has a new one", async ({ server }) => {
    const { owner, playtester, gameId } = await market(server);
    const id = await factories.order(owner, gameId);
    const slotId = await factories.claim(playtester, id);
    await server.advance(23 * hour);
    await playtester.reportSlot({ params: { id: slotId }, body: { reasonCode: "key_invalid" } });
    expect((await shown(owner, slotId)).deadlineAt).toBeNull();
    await server.advance(200 * hour);
    expect((await shown(owner, slotId)).status).toBe("blocked");
    await owner.post(`/slots/${slotId}/unblock`);
    await server.advance(24 * hour - 1);
    expect((await shown(owner, slotId)).status).toBe("reserved");
    await server.advance(1);
    expect((await shown(owner, slotId)).status).toBe("expired");
    expect((await playtestOf(owner, id)).slots).toMatchObject({ expired: 1, open: 1 });
  });

  it("last slot: ends the playtest, with one event", async ({ server }) => {
    const { owner, playtester, gameId } = await market(server);
    const second = await factories.registerPlaytester(server);
    const id = await factories.order(owner, gameId, { quantity: 3 });
    const [accepted, rejected] = [await factories.play(server, playtester, id), await factories.play(server, second, id)];
    await owner.post(`/slots/${accepted}/accept`);
    await owner.post(`/slots/${rejected}/reject`);
    expect((await playtestOf(owner, id)).status).toBe("active");
    await owner.cancelPlaytest({ params: { id } });
    expect((await playtestOf(owner, id)).status).toBe("completed");
    const { notifications } = await owner.listNotifications();
    expect(notifications.filter((notice: { type: string }) => notice.type === "playtest.completed")).toHaveLength(1);
  });

  it("cancelled playtest: is not completed by its last slot", async ({ server }) => {
    const { owner, gameId } = await market(server);
    await owner.cancelPlaytest({ params: { id: await factories.order(owner, gameId) } });
    expect((await owner.get("/notifications")).text).not.toContain("playtest.completed");
  });
});

onBothDatabases("reminders", (serve, it) => {
  const remindersOf = async (server: TestServer, playtester: factories.Person) => {
    const { notifications } = await playtester.listNotifications();
    return {
      notices: notifications.filter((notice: { title: string }) => notice.title === "Deadline soon").length,
      mails: server.mails.filter((mail) => mail.subject.includes("is due at")).length,
    };
  };

  it("sent once, four hours before the deadline, as notification and email", async ({ server }) => {
    const { owner, playtester, gameId } = await market(server);
    const slotId = await factories.claim(playtester, await factories.order(owner, gameId));
    await server.advance(20 * hour - 1);
    expect(await remindersOf(server, playtester)).toEqual({ notices: 0, mails: 0 });
    await server.advance(1);
    expect(await remindersOf(server, playtester)).toEqual({ notices: 1, mails: 1 });
    const { deadlineAt } = await shown(owner, slotId);
    expect(server.mails.find((mail) => mail.subject.includes("is due at"))!.text).toContain(
      zonedText(Date.parse(deadlineAt), null),
    );
    await server.advance(10 * hour);
    expect(await remindersOf(server, playtester)).toEqual({ notices: 1, mails: 1 });
  });

  it.for([
    { name: "where it opens again", body: {}, opens: true },
    { name: "after the window of applications", body: { selectionMode: "manual" }, opens: false },
    { name: "at a fixed time", body: { scheduledAt: "2026-03-05T12:00:00.000Z" }, opens: false },
  ])("says that the slot becomes available to others only where it does: $name", async ({ body, opens }, { server }) => {
    const { owner, playtester, gameId } = await market(server);
    const id = await factories.order(owner, gameId, body);
    if (body.selectionMode === "manual") {
      const { application } = await playtester.applyToPlaytest({ params: { id } });
      await server.advance(6.5 * 24 * hour);
      await owner.approveApplication({ params: { id: application.id } });
    } else await playtester.claimPlaytest({ params: { id }, body });
    const [slot] = (await playtester.listHeldSlots()).slots;
    await server.advance(Date.parse(slot!.deadlineAt!) - server.clock.now());
    const { text } = server.mails.find((mail) => mail.subject.includes("is due at"))!;
    expect(text).toContain(`After that the slot expires${opens ? " and becomes available to other playtesters." : "."}\n`);
    const statuses = (await owner.listSlots({ params: { id } })).slots.map(({ status }) => status);
    expect(statuses.includes("open")).toBe(opens);
  });

  it.each([
    { before: 2, at: 22 },
    { before: 30, at: undefined },
  ])("setting: sent $before hours before a deadline of 24", async ({ before, at }) => {
    const server = await serve({ config: (config) => (config.playtesters.remindBeforeMs = before * hour) });
    const { owner, playtester, gameId } = await market(server);
    await factories.claim(playtester, await factories.order(owner, gameId));
    await server.advance((at ?? 23) * hour - 1);
    expect(await remindersOf(server, playtester)).toEqual({ notices: 0, mails: 0 });
    await server.advance(1);
    const count = at === undefined ? 0 : 1;
    expect(await remindersOf(server, playtester)).toEqual({ notices: count, mails: count });
  });

  it.for([
    {
      after: "a submission",
      act: async (server: TestServer, mine: factories.Person, slotId: string) => {
        await factories.giveVideo(server, slotId, mine);
        await mine.submitSlot({ params: { id: slotId } });
      },
    },
    {
      after: "a release",
      act: (_: TestServer, mine: factories.Person, slotId: string) => mine.post(`/playtester/slots/${slotId}/release`),
    },
    {
      after: "a report",
      act: (_: TestServer, mine: factories.Person, slotId: string) =>
        mine.post(`/playtester/slots/${slotId}/report`, { reasonCode: "crash" }),
    },
  ])("not sent after $after", async ({ act }, { server }) => {
    const { owner, playtester, gameId } = await market(server);
    const slotId = await factories.claim(playtester, await factories.order(owner, gameId));
    await act(server, playtester, slotId);
    await server.advance(30 * hour);
    expect(await remindersOf(server, playtester)).toEqual({ notices: 0, mails: 0 });
  });

  it("unblocked slot: sent before the new deadline", async ({ server }) => {
    const { owner, playtester, gameId } = await market(server);
    const slotId = await factories.claim(playtester, await factories.order(owner, gameId));
    await playtester.reportSlot({ params: { id: slotId }, body: { reasonCode: "crash" } });
    await server.advance(hour);
    await owner.post(`/slots/${slotId}/unblock`);
    await server.advance(20 * hour - 1);
    expect(await remindersOf(server, playtester)).toEqual({ notices: 0, mails: 0 });
    await server.advance(1);
    expect(await remindersOf(server, playtester)).toEqual({ notices: 1, mails: 1 });
  });
});
