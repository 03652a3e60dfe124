import { describe, expect, it } from "vitest";
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

const day = 24 * 60 * 60_000;

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
