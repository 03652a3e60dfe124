import { describe, expect, it } from "vitest";
import { ensureAdmin, noPassword } from "../../server/accounts/service.ts";
import { onBothDatabases } from "../helpers/each.ts";
import {
  claim,
  createGame,
  giveCredit,
  order,
  type Person,
  play,
  registerOwner,
  registerPlaytester,
} from "../helpers/factories.ts";
import { signedIn, type Visitor } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";
import { orderTrial } from "../helpers/slots.ts";

const password = "correct horse";
const day = 24 * 60 * 60_000;
const details = { method: "paypal", email: "pay@example.com", password };

interface Scene {
  server: TestServer;
  owner: Person;
  gameId: string;
  playtester: Person;
  ann: Visitor;
}

/** What a page says, how to see it, and that it is so. */
interface Fact {
  says: string;
  arrange(scene: Scene): Promise<string>;
  holds(scene: Scene): Promise<void>;
}

const lastSlot = async ({ playtester }: Scene) => (await playtester.get("/playtester/slots")).body.data.slots[0];
const noticesOf = async ({ playtester }: Scene): Promise<string[]> =>
  (await playtester.get("/notifications")).body.data.notifications.map(({ type }: { type: string }) => type);
const requestOf = async (scene: Scene) => (await lastSlot(scene)).requestId;

/** The problem ended the slot: its playtester earned nothing and its owner has the price back. */
async function isUnpaid(scene: Scene): Promise<void> {
  const slot = await lastSlot(scene);
  expect(slot.status).toBe("cancelled");
  expect((await scene.ann.get(`/play/slots/${slot.id}`)).html).toContain("It is not paid.");
  expect((await scene.playtester.get("/playtester/earnings")).body.data.balanceCents).toBe(0);
  expect((await scene.owner.get("/billing/balance")).body.data.balanceCents).toBe(20_000);
}

const facts: Fact[] = [
  {
    says: "You no longer hold it then, and you cannot take part in this playtest again.",
    arrange: async ({ playtester, owner, gameId }) => `/play/slots/${await claim(playtester, await order(owner, gameId))}`,
    async holds(scene) {
      const { id } = await lastSlot(scene);
      await scene.playtester.post(`/playtester/slots/${id}/release`);
      expect((await scene.playtester.post(`/playtester/playtests/${await requestOf(scene)}/claim`)).status).toBe(409);
      expect((await scene.playtester.post(`/playtester/slots/${id}/submit`)).status).toBe(409);
    },
  },
  {
    says: "The deadline passed before you submitted a video, so you no longer hold this slot.",
    async arrange({ server, playtester, owner, gameId }) {
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
    async arrange({ playtester, owner, gameId }) {
      const slotId = await claim(playtester, await order(owner, gameId));
      await playtester.post(`/playtester/slots/${slotId}/report`, { reasonCode: "crash" });
      return `/play/slots/${slotId}?done=reported`;
    },
    async holds(scene) {
      const { owner, server } = scene;
      const { notifications } = (await owner.get("/notifications")).body.data;
      expect(notifications.map(({ type }: { type: string }) => type)).toContain("slot.blocked");
      await server.advance(3 * day);
      expect((await lastSlot(scene)).status).toBe("blocked");
    },
  },
  {
    says: "Your application was sent to the owner. The decision will be among your notifications.",
    async arrange({ playtester, owner, gameId }) {
      const id = await order(owner, gameId, { selectionMode: "manual" });
      await playtester.post(`/playtester/playtests/${id}/applications`);
      return "/play/applications?done=applied";
    },
    async holds(scene) {
      await scene.server.advance(8 * day);
      expect(await noticesOf(scene)).toContain("application.auto_rejected");
    },
  },
  {
    says: "You have no payout details yet. Without them you cannot be paid.",
    arrange: async () => "/play/earnings/details",
    async holds({ server, owner, gameId, playtester }) {
      await owner.post(`/slots/${await play(server, playtester, await order(owner, gameId))}/accept`);
      const key = (await ensureAdmin(server.deps))!;
      await server.request("POST", "/admin/payout-batches", { key, body: {} });
      expect((await playtester.get("/playtester/earnings")).body.data.balanceCents).toBe(1_000);
    },
  },
  {
    says: "Your payout details were saved. We sent you an email about it.",
    async arrange({ playtester }) {
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
    says: "You are not paid until you enter payout details again.",
    async arrange(scene) {
      await scene.playtester.post("/playtester/payout-details", details);
      const path = "/play/earnings/details";
      await scene.ann.submit(path, `${path}/remove`, { password });
      expect((await scene.ann.get(`${path}?done=removed`)).html).toContain("Your payout details were removed.");
      expect((await scene.playtester.get("/playtester/payout-details")).body.data.details).toBe(null);
      await scene.playtester.post("/playtester/payout-details", details);
      return path;
    },
    async holds({ server, owner, gameId, playtester, ann }) {
      await owner.post(`/slots/${await play(server, playtester, await order(owner, gameId))}/accept`);
      const path = "/play/earnings/details";
      await ann.submit(path, `${path}/remove`, { password });
      const key = (await ensureAdmin(server.deps))!;
      const left = async () => {
        await server.advance(8 * day);
        await server.request("POST", "/admin/payout-batches", { key, body: {} });
        return (await playtester.get("/playtester/earnings")).body.data.balanceCents;
      };
      expect(await left()).toBe(1_000);
      await playtester.post("/playtester/payout-details", details);
      expect(await left()).toBe(0);
    },
  },
  {
    says: "Changing payout details takes a password, and your account has none.",
    async arrange({ server, playtester }) {
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
    async arrange({ server }) {
      server.deps.config.pricing.publicPayoutCents = 500;
      return "/play/earnings";
    },
    async holds({ server, owner, gameId, playtester, ann }) {
      const balance = async () => (await playtester.get("/playtester/earnings")).body.data.balanceCents;
      const slotId = await play(server, playtester, await orderTrial(server, owner, gameId));
      const studio = await signedIn(server, owner, "/studio");
      const asked = (await studio.get(`/studio/slots/${slotId}`)).html;
      expect(asked).toContain("is paid <strong>$5.00</strong> when the video is published.");
      expect(asked).not.toContain("Accept and pay");
      await owner.post(`/slots/${slotId}/accept`);
      const { html } = await ann.get(`/play/slots/${slotId}`);
      expect(html).toContain("Your playtest was accepted. The video is being published.");
      expect(html).toContain("You will be paid when the video is published.");
      expect(await balance()).toBe(0);
      const key = (await ensureAdmin(server.deps))!;
      await server.request("POST", `/admin/slots/${slotId}/approve`, { key, body: {} });
      await server.advance(0);
      expect(await balance()).toBe(500);
      await owner.post(`/slots/${await play(server, playtester, await order(owner, gameId))}/accept`);
      expect(await balance()).toBe(1_500);
    },
  },
  {
    says: "No playtests are available right now. New ones appear here:",
    arrange: async () => "/play",
    async holds({ owner, gameId, playtester, ann }) {
      expect((await playtester.get("/playtester/playtests")).body.data.playtests).toEqual([]);
      await order(owner, gameId);
      expect((await ann.get("/play")).html).toContain("Claim a slot");
    },
  },
  {
    says: "The owner chooses who plays.",
    async arrange({ owner, gameId }) {
      await order(owner, gameId, { selectionMode: "manual" });
      return "/play";
    },
    async holds({ owner, playtester, ann }) {
      const [{ id }] = (await playtester.get("/playtester/playtests")).body.data.playtests;
      expect((await playtester.post(`/playtester/playtests/${id}/claim`)).status).toBe(400);
      await ann.submit("/play", `/play/offers/${id}/apply`);
      const [{ id: application }] = (await owner.get(`/playtests/${id}/applications`)).body.data.applications;
      await owner.post(`/playtest-applications/${application}/approve`);
      expect((await playtester.get("/playtester/slots")).body.data.slots).toMatchObject([{ requestId: id, status: "reserved" }]);
    },
  },
  {
    says: "You can message this owner after they accept one of your playtests.",
    async arrange(scene) {
      const { server, owner, gameId, playtester, ann } = scene;
      const empty = "No contacts yet. When an owner accepts one of your playtests, you can message each other here.";
      expect((await ann.get("/play/messages")).html).toContain(empty);
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
    async arrange({ playtester, owner, gameId }) {
      const slotId = await claim(playtester, await order(owner, gameId));
      await playtester.post(`/playtester/slots/${slotId}/report`, { reasonCode: "crash" });
      await owner.delete(`/slots/${slotId}`);
      return `/play/slots/${slotId}`;
    },
    holds: isUnpaid,
  },
  {
    says: "The problem you reported was not answered in time, so this slot was cancelled.",
    async arrange({ server, playtester, owner, gameId }) {
      const slotId = await claim(playtester, await order(owner, gameId));
      await playtester.post(`/playtester/slots/${slotId}/report`, { reasonCode: "crash" });
      await server.advance(14 * day);
      return `/play/slots/${slotId}`;
    },
    holds: isUnpaid,
  },
  {
    says: "You released the slot.",
    async arrange({ playtester, owner, gameId, ann }) {
      const path = `/play/slots/${await claim(playtester, await order(owner, gameId))}`;
      return (await ann.submit(path, `${path}/release`)).location!;
    },
    async holds(scene) {
      const { id, status } = await lastSlot(scene);
      expect(status).toBe("cancelled");
      expect((await scene.ann.get(`/play/slots/${id}`)).html).toContain("This slot was released.");
      expect((await scene.playtester.get("/playtester/playtests")).body.data.heldSlots).toBe(0);
    },
  },
  {
    says: "The browser was signed out.",
    async arrange({ server, playtester, ann }) {
      const other = await signedIn(server, playtester);
      const end = /\/play\/account\/sessions\/[^/"]+\/end/.exec((await ann.get("/play/account")).html)![0];
      const { location } = await ann.submit("/play/account", end);
      expect((await other.get("/play/account")).location).toContain("/play/sign-in");
      return location!;
    },
    holds: async ({ ann }) => expect((await ann.get("/play/account")).status).toBe(200),
  },
  {
    says: "The owner is reviewing your video.",
    arrange: async ({ server, playtester, owner, gameId }) =>
      `/play/slots/${await play(server, playtester, await order(owner, gameId))}`,
    async holds({ owner }) {
      expect((await owner.get("/playtests/dashboard/stats")).body.data.pendingReviews).toBe(1);
    },
  },
];

onBothDatabases("what the portal states", (serve) => {
  describe("is so", () => {
    it.each(facts)("$says", async ({ says, arrange, holds }) => {
      const server = await serve();
      const owner = await registerOwner(server);
      await giveCredit(server, owner, 20_000);
      const playtester = await registerPlaytester(server);
      const ann = await signedIn(server, playtester);
      const scene = { server, owner, gameId: await createGame(owner), playtester, ann };
      expect((await ann.get(await arrange(scene))).html).toContain(says);
      await holds(scene);
    });
  });
});
