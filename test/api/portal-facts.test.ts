import { expect } from "vitest";
import { ensureAdmin, noPassword } from "../../server/accounts/service.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { claim, order, play } from "../helpers/factories.ts";
import { creditOf, earnedBy, type Fact, type Market, market, noticesOf, pageFacts, slotsOf } from "../helpers/page-facts.ts";
import { signedIn } from "../helpers/portal.ts";
import { orderTrial } from "../helpers/slots.ts";

const password = "correct horse";
const day = 24 * 60 * 60_000;
const details = { method: "paypal", email: "pay@example.com", password };

const lastSlot = async (scene: Market) => (await slotsOf(scene))[0];
const requestOf = async (scene: Market) => (await lastSlot(scene)).requestId;

/** The problem ended the slot: its playtester earned nothing and its owner has the price back. */
async function isUnpaid(scene: Market): Promise<void> {
  const slot = await lastSlot(scene);
  expect(slot.status).toBe("cancelled");
  expect((await scene.browser.get(`/play/slots/${slot.id}`)).html).toContain("It is not paid.");
  expect([await earnedBy(scene), await creditOf(scene)]).toEqual([0, 20_000]);
}

const facts: Fact<Market>[] = [
  {
    says: "You no longer hold it then, and you cannot take part in this playtest again.",
    see: async ({ playtester, owner, gameId }) => `/play/slots/${await claim(playtester, await order(owner, gameId))}`,
    async holds(scene) {
      const { id } = await lastSlot(scene);
      await scene.playtester.post(`/playtester/slots/${id}/release`);
      expect((await scene.playtester.post(`/playtester/playtests/${await requestOf(scene)}/claim`)).status).toBe(409);
      expect((await scene.playtester.post(`/playtester/slots/${id}/submit`)).status).toBe(409);
    },
  },
  {
    says: "Owners do not see it, but some playtests are only for certain players, and you are offered those only if you fit.",
    see: async () => "/play/account",
    async holds({ browser, playtester, owner, gameId }) {
      const country = await order(owner, gameId, { targetCountries: ["IS"] });
      const offered = async () => (await playtester.get("/playtester/playtests")).body.data.playtests;
      expect(await offered()).toEqual([]);
      const fields = { name: "Pia", country: "IS", ageBand: "35-44", languages: "Icelandic", "device-Linux": "yes" };
      await browser.submit("/play/account", "/play/account", fields);
      expect(await offered()).toMatchObject([{ id: country }]);
      await claim(playtester, country);
      const manual = await order(owner, gameId, { selectionMode: "manual" });
      await playtester.post(`/playtester/playtests/${manual}/applications`);
      const seen = [`/playtests/${country}/slots`, `/playtests/${manual}/applications`];
      for (const path of seen) expect((await owner.get(path)).text).not.toMatch(/"IS"|35-44|"is"|Linux/);
    },
  },
  {
    says: "Some playtests are only for certain players.",
    see: async () => "/play",
    async holds({ browser, playtester, owner, gameId }) {
      const id = await order(owner, gameId, { targetDevices: ["Mac"] });
      expect((await playtester.post(`/playtester/playtests/${id}/claim`)).status).toBe(409);
      await browser.submit("/play/account", "/play/account", { name: "Pia", "device-Mac": "yes" });
      expect((await playtester.post(`/playtester/playtests/${id}/claim`)).status).toBe(201);
    },
  },
  {
    says: "The deadline passed before you submitted a video, so you no longer hold this slot.",
    async see({ server, playtester, owner, gameId }) {
      const slotId = await claim(playtester, await order(owner, gameId));
      await server.advance(day);
      return `/play/slots/${slotId}`;
    },
    async holds(scene) {
      expect((await lastSlot(scene)).status).toBe("expired");
      expect((await scene.playtester.get("/playtester/playtests")).body.data.heldSlots).toBe(0);
    },
  },
  {
    says: "The owner was notified. Your deadline is paused until your report is answered.",
    async see({ playtester, owner, gameId }) {
      const slotId = await claim(playtester, await order(owner, gameId));
      await playtester.post(`/playtester/slots/${slotId}/report`, { reasonCode: "crash" });
      return `/play/slots/${slotId}?done=reported`;
    },
    async holds(scene) {
      const { owner, server } = scene;
      expect(await noticesOf(owner)).toContain("slot.blocked");
      await server.advance(3 * day);
      expect((await lastSlot(scene)).status).toBe("blocked");
    },
  },
  {
    says: "Your application was sent to the owner. The decision will be among your notifications.",
    async see({ playtester, owner, gameId }) {
      const id = await order(owner, gameId, { selectionMode: "manual" });
      await playtester.post(`/playtester/playtests/${id}/applications`);
      return "/play/applications?done=applied";
    },
    async holds(scene) {
      await scene.server.advance(8 * day);
      expect(await noticesOf(scene.playtester)).toContain("application.auto_rejected");
    },
  },
  {
    says: "You have no payout details yet. The operator's payout batches skip you without them.",
    see: async () => "/play/earnings/details",
    async holds(scene) {
      const { server, owner, gameId, playtester } = scene;
      await owner.post(`/slots/${await play(server, playtester, await order(owner, gameId))}/accept`);
      const key = (await ensureAdmin(server.deps))!;
      await server.request("POST", "/admin/payout-batches", { key, body: {} });
      expect(await earnedBy(scene)).toBe(1_000);
    },
  },
  {
    says: "Your payout details were saved. We sent you an email about it.",
    async see({ playtester }) {
      await playtester.post("/playtester/payout-details", { method: "paypal", email: "pay@example.com", password });
      return "/play/earnings/details?done=saved";
    },
    async holds({ server, playtester }) {
      await server.advance(0);
      const { email } = (await playtester.get("/auth/me")).body.data;
      expect(server.mails.filter(({ to }) => to === email).map(({ subject }) => subject)).toContainEqual(
        expect.stringContaining("payout details"),
      );
    },
  },
  {
    says: "The operator's payout batches skip you until you enter payout details again.",
    async see(scene) {
      await scene.playtester.post("/playtester/payout-details", details);
      const path = "/play/earnings/details";
      await scene.browser.submit(path, `${path}/remove`, { password });
      expect((await scene.browser.get(`${path}?done=removed`)).html).toContain("Your payout details were removed.");
      expect((await scene.playtester.get("/playtester/payout-details")).body.data.details).toBe(null);
      await scene.playtester.post("/playtester/payout-details", details);
      return path;
    },
    async holds(scene) {
      const { server, owner, gameId, playtester, browser } = scene;
      await owner.post(`/slots/${await play(server, playtester, await order(owner, gameId))}/accept`);
      const path = "/play/earnings/details";
      await browser.submit(path, `${path}/remove`, { password });
      const key = (await ensureAdmin(server.deps))!;
      const left = async () => {
        await server.advance(8 * day);
        await server.request("POST", "/admin/payout-batches", { key, body: {} });
        return earnedBy(scene);
      };
      expect(await left()).toBe(1_000);
      await playtester.post("/playtester/payout-details", details);
      expect(await left()).toBe(0);
    },
  },
  {
    says: "Changing payout details takes a password, and your account has none.",
    async see({ server, playtester }) {
      const none = "UPDATE users SET password_hash = ? WHERE id = ?";
      await server.deps.store.write((tx) => tx.run(none, noPassword, playtester.id));
      return "/play/earnings/details";
    },
    async holds({ playtester }) {
      expect((await playtester.post("/playtester/payout-details", details)).status).toBe(422);
      expect((await playtester.get("/playtester/payout-details")).body.data.details).toBe(null);
    },
  },
  {
    says: "You earn what a playtest pays when its owner accepts your video or, if it will be public, when it is published.",
    async see({ server }) {
      server.deps.config.pricing.publicPayoutCents = 500;
      return "/play/earnings";
    },
    async holds(scene) {
      const { server, owner, gameId, playtester, browser } = scene;
      const slotId = await play(server, playtester, await orderTrial(server, owner, gameId));
      const studio = await signedIn(server, owner, "/studio");
      const asked = (await studio.get(`/studio/slots/${slotId}`)).html;
      expect(asked).toContain("is paid <strong>$5.00</strong> when the video is published.");
      expect(asked).not.toContain("Accept and pay");
      await owner.post(`/slots/${slotId}/accept`);
      const { html } = await browser.get(`/play/slots/${slotId}`);
      expect(html).toContain("Your playtest was accepted. The video is being published.");
      expect(html).toContain("You will be paid when the video is published.");
      expect(await earnedBy(scene)).toBe(0);
      const key = (await ensureAdmin(server.deps))!;
      await server.request("POST", `/admin/slots/${slotId}/approve`, { key, body: {} });
      await server.advance(0);
      expect(await earnedBy(scene)).toBe(500);
      await owner.post(`/slots/${await play(server, playtester, await order(owner, gameId))}/accept`);
      expect(await earnedBy(scene)).toBe(1_500);
    },
  },
  {
    says: "No playtests are available right now. New ones appear here:",
    see: async () => "/play",
    async holds({ owner, gameId, playtester, browser }) {
      expect((await playtester.get("/playtester/playtests")).body.data.playtests).toEqual([]);
      await order(owner, gameId);
      expect((await browser.get("/play")).html).toContain("See and claim");
    },
  },
  {
    says: "The owner chooses who plays.",
    async see({ owner, gameId }) {
      await order(owner, gameId, { selectionMode: "manual" });
      return "/play";
    },
    async holds({ owner, playtester, browser }) {
      const [{ id }] = (await playtester.get("/playtester/playtests")).body.data.playtests;
      expect((await playtester.post(`/playtester/playtests/${id}/claim`)).status).toBe(400);
      await browser.submit(`/play/offers/${id}`, `/play/offers/${id}/apply`);
      const [{ id: application }] = (await owner.get(`/playtests/${id}/applications`)).body.data.applications;
      await owner.post(`/playtest-applications/${application}/approve`);
      expect((await playtester.get("/playtester/slots")).body.data.slots).toMatchObject([{ requestId: id, status: "reserved" }]);
    },
  },
  {
    says: "You can message this owner after they accept one of your playtests.",
    async see(scene) {
      const { server, owner, gameId, playtester, browser } = scene;
      const empty = "No contacts yet. When an owner accepts one of your playtests, you can message each other here.";
      expect((await browser.get("/play/messages")).html).toContain(empty);
      await play(server, playtester, await order(owner, gameId));
      const studio = await signedIn(server, owner, "/studio");
      expect((await studio.get("/studio/messages")).html).toContain(
        "You can message this playtester after you accept one of their playtests.",
      );
      return "/play/messages";
    },
    async holds(scene) {
      const { owner, playtester } = scene;
      const begin = async () => [
        (await playtester.post("/chat/conversations", { contactId: owner.id })).status,
        (await owner.post("/chat/conversations", { contactId: playtester.id })).status,
      ];
      expect(await begin()).toEqual([403, 403]);
      await owner.post(`/slots/${(await lastSlot(scene)).id}/accept`);
      expect(await begin()).toEqual([201, 200]);
    },
  },
  {
    says: "The owner cancelled this slot because of the problem you reported.",
    async see({ playtester, owner, gameId }) {
      const slotId = await claim(playtester, await order(owner, gameId));
      await playtester.post(`/playtester/slots/${slotId}/report`, { reasonCode: "crash" });
      await owner.delete(`/slots/${slotId}`);
      return `/play/slots/${slotId}`;
    },
    holds: isUnpaid,
  },
  {
    says: "The problem you reported was not answered in time, so this slot was cancelled.",
    async see({ server, playtester, owner, gameId }) {
      const slotId = await claim(playtester, await order(owner, gameId));
      await playtester.post(`/playtester/slots/${slotId}/report`, { reasonCode: "crash" });
      await server.advance(14 * day);
      return `/play/slots/${slotId}`;
    },
    holds: isUnpaid,
  },
  {
    says: "You withdrew your consent. The video is not published.",
    async see({ server, playtester, owner, gameId, browser }) {
      const slotId = await play(server, playtester, await order(owner, gameId, { visibility: "public" }));
      await owner.post(`/slots/${slotId}/accept`);
      await server.advance(0);
      const path = `/play/slots/${slotId}`;
      expect((await browser.get(path)).html).toContain("You can withdraw that at any time, without a reason");
      return (await browser.submit(path, `${path}/unpublish`, { why: "My voice." })).location!;
    },
    async holds(scene) {
      const { server, owner, browser } = scene;
      const { id } = await lastSlot(scene);
      expect((await server.request("GET", `//watch/${id}`)).status).toBe(410);
      const { publication } = (await owner.get(`/slots/${id}/publication`)).body.data;
      expect(publication.reason).toBe("The playtester withdrew the consent to publish it. The reason: My voice.");
      expect((await browser.get(`/play/slots/${id}`)).html).not.toContain("Withdraw from publication");
    },
  },
  {
    says: "You released the slot.",
    async see({ playtester, owner, gameId, browser }) {
      const path = `/play/slots/${await claim(playtester, await order(owner, gameId))}`;
      return (await browser.submit(path, `${path}/release`)).location!;
    },
    async holds(scene) {
      const { id, status } = await lastSlot(scene);
      expect(status).toBe("cancelled");
      expect((await scene.browser.get(`/play/slots/${id}`)).html).toContain("You released this slot.");
      expect((await scene.playtester.get("/playtester/playtests")).body.data.heldSlots).toBe(0);
    },
  },
  {
    says: "of your balance may come from card payments, which can still be disputed, and is held for now. All of it is available from",
    async see({ server, owner, gameId, playtester }) {
      server.deps.config.payouts.holdDays = 7;
      await owner.post(`/slots/${await play(server, playtester, await order(owner, gameId))}/accept`);
      return "/play/earnings";
    },
    async holds({ server, playtester, browser }) {
      const { html } = await browser.get("/play/earnings");
      const from = Date.parse(/available from <time datetime="([^"]+)"/.exec(html)![1]!);
      expect(html).toContain("because a card payment can still be disputed");
      const key = (await ensureAdmin(server.deps))!;
      const pay = async () =>
        (await server.request("POST", "/admin/payouts", { key, body: { userId: playtester.id, amountCents: 1000 } })).status;
      await server.advance(from - 60_000 - server.clock.now());
      expect(await pay()).toBe(409);
      await server.advance(60_000);
      expect(await pay()).toBe(201);
    },
  },
  {
    says: "These are new and can be used from",
    async see({ server, playtester }) {
      server.deps.config.payouts.detailsHoldHours = 48;
      await playtester.post("/playtester/payout-details", details);
      return "/play/earnings/details";
    },
    async holds(scene) {
      const { server, owner, gameId, playtester, browser } = scene;
      await owner.post(`/slots/${await play(server, playtester, await order(owner, gameId))}/accept`);
      const { html } = await browser.get("/play/earnings/details");
      const from = Date.parse(/can be used from <time datetime="([^"]+)"/.exec(html)![1]!);
      const key = (await ensureAdmin(server.deps))!;
      const left = async () => {
        await server.request("POST", "/admin/payout-batches", { key, body: {} });
        return earnedBy(scene);
      };
      await server.advance(from - 60_000 - server.clock.now());
      expect(await left()).toBe(1000);
      await server.advance(60_000);
      expect(await left()).toBe(0);
    },
  },
  {
    says: "Your application was withdrawn.",
    async see({ owner, gameId, playtester, browser }) {
      const id = await order(owner, gameId, { selectionMode: "manual" });
      const reply = await playtester.post(`/playtester/playtests/${id}/applications`);
      const path = `/play/applications/${reply.body.data.application.id}/withdraw`;
      return (await browser.submit("/play/applications", path)).location!;
    },
    async holds({ owner, playtester }) {
      const [{ id }] = (await playtester.get("/playtester/applications")).body.data.applications;
      expect((await owner.post(`/playtest-applications/${id}/approve`)).status).toBe(409);
    },
  },
  {
    says: "The agreement of this game was changed. The owner can approve you after you accepted it.",
    async see({ server, owner, gameId, playtester }) {
      const id = await order(owner, gameId, { selectionMode: "manual" });
      await playtester.post(`/playtester/playtests/${id}/applications`);
      await server.request("PUT", `/games/${gameId}/agreement`, { key: owner.key, body: { text: "Tell nobody." } });
      return "/play/applications";
    },
    async holds({ owner, playtester, browser }) {
      const [{ id, playtestId }] = (await playtester.get("/playtester/applications")).body.data.applications;
      const approve = async () => (await owner.post(`/playtest-applications/${id}/approve`)).status;
      expect(await approve()).toBe(409);
      const path = `/play/offers/${playtestId}/agreement`;
      await browser.submit(path, path, { accepted: "on" });
      expect(await approve()).toBe(200);
    },
  },
  {
    says: "Your deadline is paused until your report is answered. If nobody answers by",
    async see({ playtester, owner, gameId }) {
      const slotId = await claim(playtester, await order(owner, gameId));
      await playtester.post(`/playtester/slots/${slotId}/report`, { reasonCode: "crash" });
      return `/play/slots/${slotId}`;
    },
    async holds(scene) {
      const { server, browser } = scene;
      const { html } = await browser.get(`/play/slots/${(await lastSlot(scene)).id}`);
      const by = Date.parse(/If nobody answers by <time datetime="([^"]+)"/.exec(html)![1]!);
      await server.advance(by - 60_000 - server.clock.now());
      expect((await lastSlot(scene)).status).toBe("blocked");
      await server.advance(60_000);
      await isUnpaid(scene);
    },
  },
  {
    says: "The browser was signed out.",
    async see({ server, playtester, browser }) {
      const other = await signedIn(server, playtester);
      const end = /\/play\/account\/sessions\/[^/"]+\/end/.exec((await browser.get("/play/account")).html)![0];
      const { location } = await browser.submit("/play/account", end);
      expect((await other.get("/play/account")).location).toContain("/play/sign-in");
      return location!;
    },
    holds: async ({ browser }) => expect((await browser.get("/play/account")).status).toBe(200),
  },
  {
    says: "The owner is reviewing your video.",
    see: async ({ server, playtester, owner, gameId }) =>
      `/play/slots/${await play(server, playtester, await order(owner, gameId))}`,
    async holds({ owner }) {
      expect((await owner.get("/playtests/dashboard/stats")).body.data.pendingReviews).toBe(1);
    },
  },
];

onBothDatabases("what the portal states", (serve) => {
  pageFacts(facts, async () => market(await serve(), "/play"));
});
