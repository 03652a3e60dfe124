import { describe, expect, it } from "vitest";
import { ensureAdmin } from "../../server/accounts/service.ts";
import type { Config } from "../../server/config/schema.ts";
import { admin as adminRoutes } from "../../src/contract/admin.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { insertRow } from "../helpers/raw-rows.ts";
import type { TestServer } from "../helpers/server.ts";

async function adminOf(server: TestServer): Promise<factories.Person> {
  const key = (await ensureAdmin(server.deps))!;
  const me = await server.request("GET", "/auth/me", { key });
  return factories.personWith(server, key, me.body.data.id);
}

const day = 24 * 3_600_000;
const unknown = "0190a000-0000-7000-8000-000000000000";

onBothDatabases("admin", (serve) => {
  async function open(config?: (config: Config) => void) {
    const server = await serve(config ? { config } : {});
    const [admin, owner, playtester] = [
      await adminOf(server),
      await factories.registerOwner(server, "Olga"),
      await factories.registerPlaytester(server, "Pia"),
    ];
    const gameId = await factories.createGame(owner);
    return { server, admin, owner, playtester, gameId };
  }

  it("every admin endpoint refuses other roles", async () => {
    const { server, owner, playtester } = await open();
    for (const { method, path } of Object.values(adminRoutes)) {
      const at = path.replace(":id", owner.id);
      const statuses = [];
      for (const key of [undefined, owner.key, playtester.key]) {
        const body = method === "GET" ? undefined : {};
        statuses.push((await server.request(method, at, { key, body })).status);
      }
      expect([method, path, ...statuses]).toEqual([method, path, 401, 403, 403]);
    }
  });

  it("users are found by a part of their name or address; % and _ mean themselves", async () => {
    const { server, admin, playtester } = await open();
    const odd = await factories.registerPlaytester(server, "100%_Öl");
    const found = async (search: string) =>
      (await admin.get(`/admin/users?${new URLSearchParams({ search })}`)).body.data.users.map(({ id }: { id: string }) => id);
    const address: string = (await playtester.getMe()).email;
    expect(await found("pia")).toEqual([playtester.id]);
    expect(await found(address.slice(0, 6).toUpperCase())).toContain(playtester.id);
    for (const written of ["0%_Ö", "0%_Öl"]) expect(await found(written)).toEqual([odd.id]);
    expect(await found("%_p")).toEqual([]);
    expect(await found("P_a")).toEqual([]);
    expect(await found("!")).toEqual([]);
  });

  describe("trial", () => {
    const trial = async () => {
      const opened = await open();
      const playtestId = await factories.order(opened.owner, opened.gameId, { isFreePublicTrial: true, quantity: 2 });
      return { ...opened, playtestId };
    };
    const offers = async (playtester: factories.Person) => (await playtester.listOffers()).playtests.length;

    it("is offered once it is approved, and a second approval gets 409", async () => {
      const { server, admin, owner, playtester, gameId, playtestId } = await trial();
      expect((await admin.listApprovals()).approvals).toEqual([
        {
          kind: "playtest",
          playtestId,
          slotId: null,
          gameId,
          gameName: "Lantern Deep",
          ownerId: owner.id,
          ownerName: "Olga",
          videoUrl: null,
          createdAt: expect.any(String),
        },
      ]);
      expect(await offers(playtester)).toBe(0);
      expect((await playtester.post(`/playtester/playtests/${playtestId}/claim`)).status).toBe(404);
      const approved = await admin.post(`/admin/playtests/${playtestId}/approve`);
      expect(approved).toMatchObject({ status: 200, body: { data: { playtest: { id: playtestId, status: "active" } } } });
      expect(await offers(playtester)).toBe(1);
      await factories.claim(playtester, playtestId);
      expect((await admin.listApprovals()).approvals).toEqual([]);
      await server.advance(0);
      expect(server.mails.map((mail) => mail.subject)).toEqual(["Your free trial of Lantern Deep is approved"]);
      expect((await admin.post(`/admin/playtests/${playtestId}/approve`)).status).toBe(409);
      expect((await admin.post(`/admin/playtests/${playtestId}/reject`)).status).toBe(409);
    });

    it("is cancelled by a rejection and can be ordered again", async () => {
      const { server, admin, owner, gameId, playtestId } = await trial();
      const rejected = await admin.rejectPlaytest({ params: { id: playtestId }, body: { reason: "No build to be found." } });
      expect(rejected.playtest).toMatchObject({ id: playtestId, status: "cancelled" });
      expect((await owner.getPlaytest({ params: { id: playtestId } })).playtest.slots).toMatchObject({ open: 0, cancelled: 2 });
      await server.advance(0);
      expect(server.mails[0]).toMatchObject({
        subject: "Your free trial of Lantern Deep was not approved",
        text: expect.stringContaining("No build to be found."),
      });
      expect((await owner.listPlaytests({ params: { gameId } })).eligibleForFreeTrial).toBe(true);
      await factories.order(owner, gameId, { isFreePublicTrial: true });
      expect((await admin.post(`/admin/playtests/${playtestId}/approve`)).status).toBe(409);
    });

    it("at a fixed time: is cancelled if nobody decides before it, and can be ordered again", async () => {
      const { server, admin, owner, gameId } = await open();
      const scheduledAt = new Date(server.clock.now() + day).toISOString();
      const playtestId = await factories.order(owner, gameId, { isFreePublicTrial: true, quantity: 2, scheduledAt });
      server.clock.set(server.clock.now() + day);
      for (const verb of ["approve", "reject"])
        expect((await admin.post(`/admin/playtests/${playtestId}/${verb}`)).body.error.message).toBe(
          "The fixed time of this free trial has come, so the trial is cancelled. Nothing was changed.",
        );
      await server.advance(0);
      const { playtest } = await owner.getPlaytest({ params: { id: playtestId } });
      expect(playtest).toMatchObject({ status: "cancelled", slots: { open: 0, cancelled: 2, expired: 0 } });
      const reason = "No administrator decided on it before its fixed time.";
      const { events } = await owner.listEvents({ query: {} });
      expect(events.at(-1)).toMatchObject({
        event: "approval.decided",
        data: { playtestId, gameId, decision: "rejected", reason },
      });
      await server.advance(0);
      expect(server.mails.at(-1)).toMatchObject({
        subject: "Your free trial of Lantern Deep was not approved",
        text: expect.stringContaining(`Reason: ${reason}`),
      });
      expect((await admin.listApprovals()).approvals).toEqual([]);
      expect((await owner.listPlaytests({ params: { gameId } })).eligibleForFreeTrial).toBe(true);
      await factories.order(owner, gameId, { isFreePublicTrial: true });
    });

    it("at a fixed time: is used up when it was approved and nobody claimed it", async () => {
      const { server, admin, owner, gameId } = await open();
      const scheduledAt = new Date(server.clock.now() + day).toISOString();
      const playtestId = await factories.order(owner, gameId, { isFreePublicTrial: true, scheduledAt });
      await admin.approvePlaytest({ params: { id: playtestId } });
      await server.advance(day);
      expect((await owner.getPlaytest({ params: { id: playtestId } })).playtest.status).toBe("expired");
      expect((await owner.listPlaytests({ params: { gameId } })).eligibleForFreeTrial).toBe(false);
    });

    it("is the only kind of playtest that can be approved", async () => {
      const { admin, owner, gameId } = await open();
      const paid = await factories.order(owner, gameId, { visibility: "public" });
      for (const verb of ["approve", "reject"]) {
        expect((await admin.post(`/admin/playtests/${paid}/${verb}`)).status).toBe(409);
        expect((await admin.post(`/admin/playtests/${unknown}/${verb}`)).status).toBe(404);
      }
    });
  });

  describe("public video", () => {
    const played = async (body: Record<string, unknown> = { isFreePublicTrial: true }) => {
      const opened = await open();
      const { server, admin, owner, playtester, gameId } = opened;
      await factories.giveCredit(server, owner, 10_000);
      const playtestId = await factories.order(owner, gameId, body);
      if (body.isFreePublicTrial) await admin.approvePlaytest({ params: { id: playtestId } });
      const slotId = await factories.play(server, playtester, playtestId);
      const slot = async () => (await owner.getSlot({ params: { id: slotId } })).slot;
      const waits = async () => {
        const all = ["submitted", "publishing"].map((status) => owner.get(`/playtests/submissions?status=${status}`));
        return (await Promise.all(all)).flatMap((reply) => reply.body.data.submissions)[0]?.awaitingAdminApproval;
      };
      const accept = () => owner.post(`/playtests/slots/${slotId}/accept`);
      const decide = (verb: string, reason?: string) => admin.post(`/admin/slots/${slotId}/${verb}`, reason ? { reason } : {});
      return { ...opened, playtestId, slotId, slot, waits, accept, decide };
    };

    it("of a trial is published when the owner and then an admin approve it", async () => {
      const { server, admin, owner, gameId, playtestId, slotId, slot, waits, accept, decide } = await played();
      await accept();
      await server.advance(3_600_000);
      expect([(await slot()).status, await waits()]).toEqual(["publishing", true]);
      const [approval] = (await admin.listApprovals()).approvals;
      expect(approval).toMatchObject({ kind: "slot", playtestId, slotId, gameId, ownerId: owner.id });
      expect((await decide("approve")).status).toBe(200);
      await server.advance(0);
      expect((await slot()).status).toBe("accepted");
      expect((await admin.listApprovals()).approvals).toEqual([]);
      expect((await decide("approve")).status).toBe(409);
      expect((await decide("reject")).status).toBe(409);
    });

    it("of a trial is published when an admin and then the owner approve it", async () => {
      const { server, admin, slot, waits, accept, decide } = await played();
      expect(await waits()).toBe(true);
      expect((await decide("approve")).body.data.slot.status).toBe("submitted");
      expect((await admin.listApprovals()).approvals).toEqual([]);
      expect(await waits()).toBe(false);
      expect((await decide("approve")).status).toBe(409);
      await accept();
      await server.advance(0);
      expect((await slot()).status).toBe("accepted");
    });

    const rejections = [
      { name: "a trial's that the owner accepted", body: { isFreePublicTrial: true }, accepted: true },
      { name: "a trial's that the owner did not look at yet", body: { isFreePublicTrial: true }, accepted: false },
      { name: "any public one that waits for the owner", body: { visibility: "public" }, accepted: false },
    ];
    it.each(rejections)("$name: a rejection ends the slot with the reason", async ({ body, accepted }) => {
      const { server, owner, playtester, playtestId, slot, accept, decide } = await played(body);
      if (accepted) await accept();
      expect((await decide("reject", "Shows a person's address.")).body.data.slot.status).toBe("rejected");
      await server.advance(3_600_000);
      expect(await slot()).toMatchObject({ status: "rejected", rejection: { reason: "Shows a person's address." } });
      expect((await owner.getPlaytest({ params: { id: playtestId } })).playtest.status).toBe("completed");
      expect((await owner.getBalance()).balanceCents).toBe(10_000);
      const [notice] = (await playtester.listNotifications()).notifications;
      expect(notice!.type).toBe("slot.rejected");
    });

    it("that needs no approval cannot be approved, nor can a private video", async () => {
      const open = await played({ visibility: "public" });
      expect((await open.decide("approve")).status).toBe(409);
      const closed = await played({ visibility: "private" });
      expect([(await closed.decide("approve")).status, (await closed.decide("reject")).status]).toEqual([409, 409]);
      expect((await closed.slot()).status).toBe("submitted");
      expect((await closed.admin.post(`/admin/slots/${unknown}/reject`)).status).toBe(404);
    });
  });

  describe("account", () => {
    it("lists accounts newest first, by role and by email address, in pages", async () => {
      const { admin, owner, playtester } = await open();
      const ids = async (query: string) =>
        (await admin.get(`/admin/users${query}`)).body.data.users.map((user: { id: string }) => user.id);
      expect(await ids("")).toEqual([playtester.id, owner.id, admin.id]);
      expect(await ids("?role=playtester")).toEqual([playtester.id]);
      expect(await ids("?email=GAME_OWNER1@example.com")).toEqual([owner.id]);
      expect(await ids("?role=playtester&email=game_owner1@example.com")).toEqual([]);
      const { meta } = (await admin.get("/admin/users?limit=2")).body;
      expect(await ids(`?limit=2&cursor=${meta.cursor}`)).toEqual([admin.id]);
      expect((await admin.get("/admin/users?role=king")).status).toBe(422);
    });

    it("is verified without an email", async () => {
      const server = await serve({
        config(config) {
          config.autoVerify = false;
        },
      });
      const [admin, owner] = [await adminOf(server), await factories.registerOwner(server)];
      expect((await owner.get("/games")).body.error.code).toBe("EMAIL_NOT_VERIFIED");
      for (const _ of [1, 2])
        expect((await admin.verifyUser({ params: { id: owner.id } })).user).toMatchObject({ emailVerified: true });
      expect((await owner.get("/games")).status).toBe(200);
      expect((await admin.post(`/admin/users/${unknown}/verify`)).status).toBe(404);
    });

    it("that is suspended is refused everywhere", async () => {
      const { server, admin, owner } = await open();
      const now = server.clock.now();
      const session = { hash: "s", user_id: owner.id, csrf: "c", created_at: now, expires_at: now + 1000 };
      await server.deps.store.write((tx) => insertRow(tx, "sessions", session));
      const login = { name: "second", email: "game_owner1@example.com", password: "correct horse" };
      const second = (await server.request("POST", "/auth/api-keys", { body: login })).body.data.apiKey;

      const { user } = await admin.suspendUser({ params: { id: owner.id } });
      expect(user.suspendedAt).toBe(new Date(now).toISOString());
      const tries = [owner.key, second].flatMap((key) =>
        ["/games", "/auth/me", "/info/devices"].map((path) => server.request("GET", path, { key })),
      );
      tries.push(server.request("POST", "/auth/api-keys", { body: login }));
      for (const reply of await Promise.all(tries))
        expect(reply).toMatchObject({ status: 403, body: { error: { code: "FORBIDDEN" } } });
      expect(await server.deps.store.read((q) => q.all("SELECT * FROM sessions"))).toEqual([]);

      await server.advance(1000);
      expect((await admin.suspendUser({ params: { id: owner.id } })).user.suspendedAt).toBe(user.suspendedAt);
      expect((await admin.unsuspendUser({ params: { id: owner.id } })).user.suspendedAt).toBeNull();
      expect((await owner.get("/games")).status).toBe(200);
    });

    it("that is suspended offers nothing, and claimed slots continue", async () => {
      const { server, admin, owner, playtester, gameId } = await open();
      await factories.giveCredit(server, owner, 10_000);
      const playtestId = await factories.order(owner, gameId, { quantity: 2 });
      const slotId = await factories.claim(playtester, playtestId);
      const other = await factories.registerPlaytester(server);
      const offers = async () => (await other.listOffers()).playtests.length;
      await admin.suspendUser({ params: { id: owner.id } });
      expect([await offers(), (await other.post(`/playtester/playtests/${playtestId}/claim`)).status]).toEqual([0, 404]);
      await factories.giveVideo(server, slotId, playtester);
      expect((await playtester.post(`/playtester/slots/${slotId}/submit`)).status).toBe(200);
      await admin.unsuspendUser({ params: { id: owner.id } });
      expect(await offers()).toBe(1);
    });

    it("of the admin who asks cannot be suspended", async () => {
      const { admin } = await open();
      expect((await admin.post(`/admin/users/${admin.id}/suspend`)).status).toBe(409);
      expect((await admin.get("/admin/stats")).status).toBe(200);
    });
  });

  it("game: a suspension hides its offers, and claimed slots continue", async () => {
    const { server, admin, owner, playtester, gameId } = await open();
    await factories.giveCredit(server, owner, 10_000);
    const playtestId = await factories.order(owner, gameId, { quantity: 2 });
    const slotId = await factories.claim(playtester, playtestId);
    const other = await factories.registerPlaytester(server);

    expect((await admin.suspendGame({ params: { id: gameId } })).game).toMatchObject({
      id: gameId,
      status: "suspended",
    });
    expect((await other.listOffers()).playtests).toEqual([]);
    expect((await other.post(`/playtester/playtests/${playtestId}/claim`)).status).toBe(404);
    expect((await owner.post(`/games/${gameId}/playtests`)).status).toBe(409);
    await factories.giveVideo(server, slotId, playtester);
    expect((await playtester.post(`/playtester/slots/${slotId}/submit`)).status).toBe(200);
    expect((await owner.post(`/playtests/slots/${slotId}/accept`)).status).toBe(200);

    expect((await admin.unsuspendGame({ params: { id: gameId } })).game.status).toBe("active");
    await factories.claim(other, playtestId);
    expect((await admin.post(`/admin/games/${unknown}/suspend`)).status).toBe(404);
  });

  describe("grant", () => {
    it("of credit can be spent", async () => {
      const { admin, owner, gameId } = await open();
      const reply = await admin.grantCredit({
        params: { id: owner.id },
        body: { amountCents: 2000, note: "Sorry for the outage." },
      });
      expect(reply).toMatchObject({ user: { id: owner.id }, balanceCents: 2000, playtestMinutes: 0 });
      await factories.order(owner, gameId);
      expect((await owner.getBalance()).balanceCents).toBe(0);
    });

    it("of hours first covers what a chargeback left owing", async () => {
      const { server, admin, owner } = await open();
      const { subscriptionId } = await owner.checkoutSubscription({ body: { planKey: "indie_monthly" } });
      const act = (outcome: string) =>
        server.request("POST", `/sandbox/subscriptions/${subscriptionId}/complete`, { body: { outcome } });
      await act("paid");
      await factories.order(owner, await factories.createGame(owner), { quantity: 5 });
      await act("disputed");
      const given = [];
      for (const minutes of [200, 200]) {
        const reply = await admin.grantHours({ params: { id: owner.id }, body: { minutes, note: "Sorry." } });
        given.push(reply.playtestMinutes);
      }
      expect(given).toEqual([0, 100]);
    });

    it("of hours is in the history with its note", async () => {
      const { admin, owner } = await open();
      const reply = await admin.grantHours({ params: { id: owner.id }, body: { minutes: 90, note: "For the talk." } });
      expect(reply).toMatchObject({ balanceCents: 0, playtestMinutes: 90 });
      const { entries } = await owner.listPlaytestHoursHistory();
      expect(entries).toMatchObject([
        { amountMinutes: 90, note: "For the talk.", source: expect.stringMatching(/^admin_grant:/) },
      ]);
    });

    it("is refused for an account that was deleted", async () => {
      const { admin, owner } = await open();
      await admin.deleteUser({ params: { id: owner.id } });
      for (const [what, amount] of Object.entries({ credit: { amountCents: 500 }, hours: { minutes: 90 } })) {
        const refused = await admin.post(`/admin/users/${owner.id}/${what}`, { ...amount, note: "Sorry." });
        expect([refused.status, refused.body.error.message]).toEqual([409, "This account was deleted. Nothing was granted."]);
      }
    });

    it("takes effect once per idempotency key", async () => {
      const { admin, owner } = await open();
      const body = { amountCents: 500, note: "Once." };
      const grant = () => admin.post(`/admin/users/${owner.id}/credit`, body, { "idempotency-key": "g1" });
      const replies = [await grant(), await grant()];
      expect(replies[1]!.text).toBe(replies[0]!.text);
      expect((await owner.getBalance()).balanceCents).toBe(500);
    });

    const refused = [0, -1, 1.5, "100", 100_000_001, null, undefined];
    it.each(refused)("refuse the amount %s", async (amount) => {
      const { admin, owner } = await open();
      const credit = await admin.post(`/admin/users/${owner.id}/credit`, { amountCents: amount, note: "n" });
      const hours = await admin.post(`/admin/users/${owner.id}/hours`, { minutes: amount, note: "n" });
      expect([credit.status, hours.status]).toEqual([422, 422]);
      expect(await owner.getBalance()).toMatchObject({ balanceCents: 0, playtestMinutes: 0 });
    });

    it("requires a note and a game owner", async () => {
      const { admin, owner, playtester } = await open();
      const to = async (id: string, body: object) => (await admin.post(`/admin/users/${id}/credit`, body)).status;
      expect(await to(owner.id, { amountCents: 1 })).toBe(422);
      expect(await to(owner.id, { amountCents: 1, note: "" })).toBe(422);
      expect(await to(playtester.id, { amountCents: 1, note: "n" })).toBe(409);
      expect(await to(unknown, { amountCents: 1, note: "n" })).toBe(404);
    });
  });

  it("category: a slug can be added once, also by two concurrent requests", async () => {
    const { admin, owner } = await open();
    const add = (name: string, slug: string) => admin.post("/admin/categories", { name, slug });
    const replies = await Promise.all([add("Deck Builder", "deck-builder"), add("Deckbuilder", "deck-builder")]);
    expect(replies.map((reply) => reply.status).sort()).toEqual([201, 409]);
    const { category } = replies.find((reply) => reply.status === 201)!.body.data;
    expect((await owner.listCategories()).categories).toContainEqual(category);
    expect((await owner.post("/games", { name: "G", buildUrl: "https://example.com", tags: [category.id] })).status).toBe(201);
    expect((await add("Puzzle", "puzzle")).status).toBe(409);
    expect((await add("Bad", "Not A Slug")).status).toBe(422);
  });

  describe("payout", () => {
    type Fund = (server: TestServer, owner: factories.Person, cents: number, admin: factories.Person) => Promise<void>;
    const earned = async (holdDays = 0, fund: Fund = factories.giveCredit) => {
      const opened = await open((config) => (config.payouts.holdDays = holdDays));
      const { server, admin, owner, playtester, gameId } = opened;
      await fund(server, owner, 2000, admin);
      const slotId = await factories.play(server, playtester, await factories.order(owner, gameId));
      await owner.acceptSlot({ params: { id: slotId } });
      const pay = (amountCents: unknown, userId = playtester.id) => admin.post("/admin/payouts", { userId, amountCents });
      const earnings = async () => await playtester.getEarnings();
      return { ...opened, pay, earnings };
    };

    it("lowers the balance owed and notifies the playtester", async () => {
      const { admin, playtester, pay, earnings } = await earned();
      const reply = await pay(400);
      expect(reply.status).toBe(201);
      const { payout } = reply.body.data;
      expect(payout).toMatchObject({ userId: playtester.id, amountCents: 400, status: "completed", failedAt: null });
      expect(await earnings()).toMatchObject({ balanceCents: 600, paidCents: 400 });
      const [notice] = (await playtester.listNotifications()).notifications;
      expect(notice).toMatchObject({ type: "payout.completed", body: "$4.00 of your earnings were paid out." });
      expect((await admin.listPayouts()).payouts).toEqual([payout]);
    });

    it("that failed is owed again, once", async () => {
      const { admin, playtester, pay, earnings } = await earned();
      const { id } = (await pay(1000)).body.data.payout;
      expect(await earnings()).toMatchObject({ balanceCents: 0, paidCents: 1000 });
      const fails = await Promise.all([1, 2, 3].map(() => admin.post(`/admin/payouts/${id}/fail`)));
      expect(fails.map((reply) => reply.status).sort()).toEqual([200, 409, 409]);
      const failed = fails.find((reply) => reply.status === 200)!.body.data.payout;
      expect(failed).toMatchObject({ id, status: "failed", failedAt: expect.any(String) });
      expect(await earnings()).toMatchObject({ balanceCents: 1000, paidCents: 0 });
      const notices = (await playtester.listNotifications()).notifications as { type: string }[];
      expect(notices.filter((notice) => notice.type === "payout.failed")).toHaveLength(1);
      expect((await pay(1000)).status).toBe(201);
      expect((await admin.post(`/admin/payouts/${unknown}/fail`)).status).toBe(404);
    });

    it("never exceeds what is owed, also with concurrent requests", async () => {
      const { pay, earnings } = await earned();
      const tooMuch = await pay(1001);
      expect(tooMuch.status).toBe(409);
      expect(tooMuch.body.error.message).toBe("This playtester has $10.00 to pay out, less than $10.01. Nothing was recorded.");
      const replies = await Promise.all([1, 2, 3, 4].map(() => pay(600)));
      expect(replies.map((reply) => reply.status).sort()).toEqual([201, 409, 409, 409]);
      expect(await earnings()).toMatchObject({ balanceCents: 400, paidCents: 600 });
    });

    const day = 24 * 3_600_000;
    const grant: Fund = async (_, owner, amountCents, admin) => {
      await admin.grantCredit({ params: { id: owner.id }, body: { amountCents, note: "Thanks" } });
    };

    it("of card money is refused until payouts.holdDays after it was earned", async () => {
      const { server, pay, earnings } = await earned(7);
      const until = new Date(server.deps.clock.now() + 7 * day).toISOString();
      const held = { balanceCents: 1000, availableCents: 0, heldCents: 1000, heldUntil: until };
      expect(await earnings()).toMatchObject({ ...held, entries: [{ amountCents: 1000, availableFrom: until }] });
      const refused = await pay(1);
      expect(refused.status).toBe(409);
      expect(refused.body.error.message).toBe(
        `This playtester has $0.00 to pay out now, less than $0.01. Another $10.00 may come from card payments and is held until ${until}. Nothing was recorded. Pay it then.`,
      );
      await server.advance(7 * day - 1);
      expect((await pay(1)).status).toBe(409);
      await server.advance(1);
      const free = { balanceCents: 1000, availableCents: 1000, heldCents: 0, heldUntil: null };
      expect(await earnings()).toMatchObject({ ...free, entries: [{ availableFrom: null }] });
      expect((await pay(1000)).status).toBe(201);
    });

    it("of older earnings is possible while newer ones are held", async () => {
      const { server, admin, owner, playtester, pay, earnings } = await earned(7);
      await server.advance(7 * day);
      await factories.giveCredit(server, owner, 2000);
      const slotId = await factories.play(server, playtester, await factories.order(owner, await factories.createGame(owner)));
      await owner.acceptSlot({ params: { id: slotId } });
      const until = new Date(server.deps.clock.now() + 7 * day).toISOString();
      expect(await earnings()).toMatchObject({ balanceCents: 2000, availableCents: 1000, heldCents: 1000, heldUntil: until });
      expect((await pay(1500)).body.error.message).toBe(
        `This playtester has $10.00 to pay out now, less than $15.00. Another $10.00 may come from card payments and is held until ${until}. Nothing was recorded. Pay up to $10.00 now, or wait.`,
      );
      const { id } = (await pay(1000)).body.data.payout;
      expect(await earnings()).toMatchObject({ balanceCents: 1000, availableCents: 0, heldCents: 1000 });
      await admin.failPayout({ params: { id } });
      expect(await earnings()).toMatchObject({ balanceCents: 2000, availableCents: 1000, heldCents: 1000 });
    });

    it("of granted credit is not held, nor once the owner pays by card later", async () => {
      const { server, owner, pay, earnings } = await earned(7, grant);
      await server.advance(1);
      await factories.giveCredit(server, owner, 2000);
      expect(await earnings()).toMatchObject({
        availableCents: 1000,
        heldCents: 0,
        heldUntil: null,
        entries: [{ availableFrom: null }],
      });
      expect((await pay(1000)).status).toBe(201);
    });

    it("of playtest hours is held when the owner had paid by card", async () => {
      const { earnings, pay } = await earned(1, async (server, owner) => {
        await factories.giveCredit(server, owner, 100);
        await factories.giveMinutes(server, owner, 60);
      });
      expect(await earnings()).toMatchObject({ availableCents: 0, heldCents: 1000 });
      expect((await pay(1)).status).toBe(409);
    });

    it("goes only to playtesters, in whole cents", async () => {
      const { owner, pay } = await earned();
      expect((await pay(1, owner.id)).body.error).toMatchObject({
        code: "CONFLICT",
        message: expect.stringMatching(/^Only playtesters/),
      });
      expect((await pay(1, unknown)).status).toBe(404);
      for (const amount of [0, -5, 0.5, "10"]) expect((await pay(amount)).status).toBe(422);
    });
  });

  it("chargeback: is recorded once", async () => {
    const { server, admin, owner, gameId } = await open();
    await factories.giveCredit(server, owner, 5000);
    const [topUp] = (await owner.listPayments()).payments;
    await factories.order(owner, gameId);
    const [charge] = (await owner.listPayments()).payments.filter((payment: { id: string }) => payment.id !== topUp!.id);
    const back = async (id: string) => (await admin.post(`/admin/payments/${id}/chargeback`)).status;
    expect(await back(topUp!.id)).toBe(200);
    expect((await owner.getPayment({ params: { id: topUp!.id } })).payment.status).toBe("disputed");
    expect((await owner.getBalance()).balanceCents).toBe(0);
    expect([await back(topUp!.id), await back(charge!.id), await back(unknown)]).toEqual([409, 409, 404]);
  });

  it("stats: count users, games, playtests, reviews, credit and earnings", async () => {
    const { server, admin, owner, playtester, gameId } = await open();
    const figures = async () => await admin.getStats();
    const backups = { lastBackupAt: null, backupFailing: false };
    const none = {
      ...backups,
      activePlaytests: 0,
      openSlots: 0,
      pendingReviews: 0,
      pendingApprovals: 0,
      creditCents: 0,
      payableCents: 0,
    };
    expect(await figures()).toEqual({ owners: 1, playtesters: 1, games: 1, ...none });
    await factories.giveCredit(server, owner, 10_000);
    await factories.order(owner, gameId, { isFreePublicTrial: true });
    const playtestId = await factories.order(owner, gameId, { quantity: 3 });
    const slotId = await factories.play(server, playtester, playtestId);
    await owner.acceptSlot({ params: { id: slotId } });
    await factories.play(server, await factories.registerPlaytester(server), playtestId);
    expect(await figures()).toEqual({
      ...backups,
      owners: 1,
      playtesters: 2,
      games: 1,
      activePlaytests: 2,
      openSlots: 2,
      pendingReviews: 1,
      pendingApprovals: 1,
      creditCents: 4000,
      payableCents: 1000,
    });
  });
});
