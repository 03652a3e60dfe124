import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { expect } from "vitest";
import { commandFacts, type Fact, type Scene } from "../helpers/command-facts.ts";
import { claim, giveVideo, registerPlaytester } from "../helpers/factories.ts";
import { startFlakyNetwork } from "../helpers/flaky-network.ts";
import { videoOf } from "../helpers/videos.ts";

const notesOf = async ({ owner }: Scene, slotId: string): Promise<{ id: string; text: string }[]> =>
  (await owner.get(`/slots/${slotId}/moments`)).body.data.moments;
const gameOf = async ({ owner, gameId }: Scene) => (await owner.get(`/games/${gameId}`)).body.data.game;

let [playtestId, slotId] = ["", ""];
/** A submission with a video of 90 seconds. */
async function submitted(scene: Scene): Promise<string> {
  playtestId = await scene.order();
  slotId = await claim(scene.ann, playtestId);
  await giveVideo(scene.server, slotId, scene.ann, await videoOf(90));
  await scene.ann.post(`/playtester/slots/${slotId}/submit`);
  return slotId;
}

const notes: Fact[] = [
  {
    says: "Playtesters do not see notes.",
    line: () => "review note --help",
    async holds(scene) {
      await scene.run(`review note ${await submitted(scene)} 0:10 lost-in-the-tutorial`);
      expect(await notesOf(scene, slotId)).toMatchObject([{ text: "lost-in-the-tutorial" }]);
      const [slot, slots, moments] = await Promise.all([
        scene.ann.get(`/playtester/slots/${slotId}`),
        scene.ann.get("/playtester/slots"),
        scene.ann.get(`/slots/${slotId}/moments`),
      ]);
      expect([slot.status, slots.status, moments.status]).toEqual([200, 200, 403]);
      expect(slot.text + slots.text + moments.text).not.toContain("lost-in-the-tutorial");
    },
  },
  {
    says: "must be within the video, which ends at 1:30",
    code: 2,
    line: async (scene) => `review note ${await submitted(scene)} 5:00 lost`,
    async holds(scene) {
      expect(await notesOf(scene, slotId)).toEqual([]);
      const codes = [];
      for (const time of ["1:30.001", "1:30"]) codes.push((await scene.run(`review note ${slotId} ${time} lost`)).code);
      expect(codes).toEqual([2, 0]);
    },
  },
  {
    says: "The end must be after the start. Nothing was noted.",
    code: 2,
    line: async (scene) => `review note ${await submitted(scene)} 0:30-0:20 lost`,
    holds: async (scene) => expect(await notesOf(scene, slotId)).toEqual([]),
  },
  {
    says: "This slot has no video yet. Nothing was noted. Wait until its playtester has submitted one.",
    code: 6,
    async line(scene) {
      slotId = await claim(scene.ann, await scene.order());
      return `review note ${slotId} 0:30 lost`;
    },
    async holds(scene) {
      expect(await notesOf(scene, slotId)).toEqual([]);
      await giveVideo(scene.server, slotId, scene.ann);
      await scene.ann.post(`/playtester/slots/${slotId}/submit`);
      expect((await scene.run(`review note ${slotId} 0:30 lost`)).code).toBe(0);
    },
  },
  {
    says: "Nothing to change was given. Nothing was changed.",
    code: 2,
    async line(scene) {
      const { body } = await scene.owner.post(`/slots/${await submitted(scene)}/moments`, { atMs: 1000, text: "lost" });
      return `review notes edit ${body.data.moment.id}`;
    },
    holds: async (scene) => expect(await notesOf(scene, slotId)).toMatchObject([{ text: "lost" }]),
  },
  {
    says: "Delete this note?",
    asks: true,
    async line(scene) {
      const { body } = await scene.owner.post(`/slots/${await submitted(scene)}/moments`, { atMs: 1000, text: "lost" });
      return `review notes delete ${body.data.moment.id}`;
    },
    holds: async (scene) => expect(await notesOf(scene, slotId)).toEqual([]),
  },
];

const claims = async ({ ann }: Scene, playtestId: string) => (await ann.post(`/playtester/playtests/${playtestId}/claim`)).status;

const decisions: Fact[] = [
  {
    says: /Rejected \S+\. The playtester may try again\./,
    line: async (scene) => `review reject ${await submitted(scene)} --retry`,
    async holds({ server, ann }) {
      const { slots } = (await ann.get("/playtester/slots")).body.data;
      const { id } = slots.find(({ status }: { status: string }) => status === "reserved");
      await giveVideo(server, id, ann);
      expect([id === slotId, (await ann.post(`/playtester/slots/${id}/submit`)).status]).toEqual([false, 200]);
    },
  },
  {
    says: /Rejected \S+\. $/,
    line: async (scene) => `review reject ${await submitted(scene)}`,
    holds: async (scene) => expect(await claims(scene, playtestId)).toBe(409),
  },
];

const gameKeys: Fact[] = [
  {
    says: "The open slots need 1 more key. Nobody can claim a slot without its keys.",
    async line(scene) {
      playtestId = await scene.order({ quantity: 2, keysForTesters: ["K-1", "K-2"] });
      for (const name of ["Bo", "Cy"]) {
        const tester = await registerPlaytester(scene.server, name);
        await tester.post(`/playtester/slots/${await claim(tester, playtestId)}/release`);
      }
      return `playtests keys add ${playtestId} K-3`;
    },
    async holds(scene) {
      const dan = await registerPlaytester(scene.server, "Dan");
      const second = () => claims({ ...scene, ann: dan }, playtestId);
      expect([await claims(scene, playtestId), await second()]).toEqual([201, 409]);
      await scene.run(`playtests keys add ${playtestId} K-4`);
      expect(await second()).toBe(201);
    },
  },
];

const agreements: Fact[] = [
  {
    says: /Version 1-\w+ of the agreement is in force\./,
    line({ cwd, gameId }) {
      writeFileSync(join(cwd, "nda.md"), "Say nothing.");
      return `games update ${gameId} --consent-file ${join(cwd, "nda.md")}`;
    },
    async holds(scene) {
      playtestId = await scene.order();
      const { playtests } = (await scene.ann.get("/playtester/playtests")).body.data;
      expect(playtests.find(({ id }: { id: string }) => id === playtestId).mustAccept).toBe(true);
      expect(await claims(scene, playtestId)).toBeGreaterThanOrEqual(400);
    },
  },
];

const hooks: Fact[] = [
  {
    says: "There is no webhook to check. Create one with `playtest webhooks create`.",
    code: 1,
    line: () => "webhooks doctor",
    holds: async ({ owner }) => expect((await owner.get("/webhooks")).body.data.webhooks).toEqual([]),
  },
  {
    says: "No webhook has the id 019a0000-0000-7000-8000-000000000001. Nothing was checked.",
    code: 3,
    async line({ owner }) {
      await owner.post("/webhooks", { url: "https://example.com/hook", events: ["*"] });
      return "webhooks doctor 019a0000-0000-7000-8000-000000000001 --send";
    },
    async holds({ owner }) {
      const { webhooks } = (await owner.get("/webhooks")).body.data;
      expect(webhooks).toHaveLength(1);
      expect((await owner.get(`/webhooks/${webhooks[0].id}/deliveries`)).body.data.deliveries).toEqual([]);
    },
  },
];

const buildBytes = async (scene: Scene) => {
  const [{ id }] = (await scene.owner.get(`/games/${scene.gameId}/builds`)).body.data.builds;
  const { downloadUrl } = (await scene.owner.get(`/games/${scene.gameId}/builds/${id}/download-url`)).body.data;
  return (await fetch(downloadUrl)).text();
};

const pushes: Fact[] = [
  {
    says: "game.bin is not a zip file. It is pushed unchanged.",
    line({ cwd, gameId }) {
      writeFileSync(join(cwd, "game.bin"), "not a zip");
      return `games push game.bin ${gameId} --preview`;
    },
    async holds(scene) {
      expect((await gameOf(scene)).buildUrl).toBe(`${scene.server.baseUrl}/build.zip`);
      expect((await scene.run(`games push game.bin ${scene.gameId}`)).code).toBe(0);
      expect(await buildBytes(scene)).toBe("not a zip");
    },
  },
  {
    says: "Cannot compare with the current build: the server returned 404 to a range request.",
    line({ cwd, gameId }) {
      mkdirSync(join(cwd, "next"));
      writeFileSync(join(cwd, "next", "game.bin"), "next");
      return `games push next ${gameId} --preview`;
    },
    async holds(scene) {
      const { buildUrl } = await gameOf(scene);
      expect([buildUrl, (await fetch(buildUrl)).status]).toEqual([`${scene.server.baseUrl}/build.zip`, 404]);
      expect((await scene.run(`games push next ${scene.gameId}`)).code).toBe(0);
      expect((await scene.run(`games push next ${scene.gameId} --preview`)).stderr).not.toContain("Cannot compare");
    },
  },
  {
    says: /^Nothing to do: Lantern Deep already has this build\. /,
    async line({ cwd, gameId, run }) {
      writeFileSync(join(cwd, "game.bin"), "one");
      await run(`games push game.bin ${gameId}`);
      return `games push game.bin ${gameId} --if-changed`;
    },
    async holds({ owner, gameId }) {
      // The one that the game was created with, and the one that was pushed.
      expect((await owner.get(`/games/${gameId}/builds`)).body.data.builds).toHaveLength(2);
    },
  },
  {
    says: "The build was pushed, but nothing was ordered: ",
    code: 10,
    async line({ cwd, gameId, owner, server }) {
      const [order, keyFile] = [join(cwd, "order.json"), join(cwd, "owner.key")];
      writeFileSync(order, "{}");
      writeFileSync(keyFile, owner.key, { mode: 0o600 });
      const isOrder = ({ method, url }: IncomingMessage) => method === "POST" && url!.endsWith("/playtests");
      network = await startFlakyNetwork(server.baseUrl, () => false, isOrder);
      const there = `--base-url ${network.baseUrl} --api-key-file ${keyFile} --retries 0`;
      return `games push https://example.com/next.zip ${gameId} --order ${order} --yes ${there}`;
    },
    async holds(scene, { stderr }) {
      await network.close();
      const playtests = async () => (await scene.owner.get(`/games/${scene.gameId}/playtests`)).body.data.playtests;
      expect([(await gameOf(scene)).buildUrl, await playtests()]).toEqual(["https://example.com/next.zip", []]);
      const command = /To order: playtest (.+)/.exec(stderr)![1]!;
      expect((await scene.run(`${command} --yes`)).code).toBe(0);
      expect(await playtests()).toHaveLength(1);
    },
  },
];
let network: Awaited<ReturnType<typeof startFlakyNetwork>>;

let listener: Server;
const studio: Fact[] = [
  {
    says: /Cannot listen on port \d+ of this computer: .+ Choose another with --port\./,
    code: 1,
    async line() {
      listener = createServer().listen(0, "127.0.0.1");
      await once(listener, "listening");
      return `studio --no-open --port ${(listener.address() as { port: number }).port}`;
    },
    async holds() {
      expect(listener.listening).toBe(true);
      listener.close();
      await once(listener, "close");
    },
  },
  {
    says: "Studio is for game owners, and this API key belongs to a playtester. Nothing was opened.",
    by: "ann",
    code: 5,
    line: () => "studio --no-open",
    async holds({ server, ann }) {
      expect((await ann.get("/auth/me")).body.data.role).toBe("playtester");
      expect((await server.request("GET", "//play")).status).toBeLessThan(400);
    },
  },
];

commandFacts([...notes, ...decisions, ...gameKeys, ...agreements, ...hooks, ...pushes, ...studio]);
