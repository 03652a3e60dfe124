import { fileURLToPath } from "node:url";
import { describe, expect } from "vitest";
import type { PublicVideo } from "../../server/playtests/publications/publisher.ts";
import { approveVideo, rejectVideo } from "../../server/playtests/publishing.ts";
import * as slots from "../../server/playtests/slots/store.ts";
import * as playtests from "../../server/playtests/store.ts";
import { rejectTrial } from "../../server/playtests/trials.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, giveCredit, order, type Person, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import type { TestServer } from "../helpers/server.ts";
import { orderTrial } from "../helpers/slots.ts";

const ffmpeg = [process.execPath, fileURLToPath(new URL("../fixtures/ffmpeg.mjs", import.meta.url)), "cut"];

async function market(server: TestServer) {
  const [owner, playtester] = [await registerOwner(server), await registerPlaytester(server)];
  return { owner, playtester, gameId: await createGame(owner) };
}

const statusOf = async (owner: Person, slotId: string) => (await owner.get(`/slots/${slotId}`)).body.data.slot.status;
const itemOf = async (owner: Person, status: string) =>
  (await owner.get(`/submissions?status=${status}`)).body.data.submissions[0];
const earned = async (playtester: Person) => (await playtester.get("/playtester/earnings")).body.data.balanceCents;

type Decision = (server: TestServer, slotId: string) => Promise<void>;

const decide =
  (move: (tx: Parameters<typeof approveVideo>[0], p: playtests.PlaytestRow, s: slots.SlotRow) => Promise<void>): Decision =>
  ({ deps }, slotId) =>
    deps.store.write(async (tx) => {
      const slot = (await slots.find(tx, slotId))!;
      await move(tx, (await playtests.find(tx, slot.playtest_id))!, slot);
    });
const letThrough = decide(approveVideo);
const keepOut = decide((tx, playtest, slot) => rejectVideo(tx, playtest, slot, "Shows a face."));

onBothDatabases("public playtests", (serve, it) => {
  it("order: free, 30 minutes, without credit", async ({ server }) => {
    const { owner, gameId } = await market(server);
    const reply = await owner.post(`/games/${gameId}/playtests`, { visibility: "public", quantity: 2 });
    expect(reply.status).toBe(201);
    expect(reply.body.data.playtest).toMatchObject({
      status: "active",
      visibility: "public",
      durationMinutes: 30,
      costPerSlotCents: 0,
      payoutCents: 0,
      isFreePublicTrial: false,
    });
    expect((await owner.post(`/games/${gameId}/playtests`, { visibility: "public", durationMinutes: 60 })).status).toBe(422);
    expect((await owner.get("/billing/payments")).body.data.payments).toEqual([]);
  });

  it.each([
    { configured: 0, balance: 0 },
    { configured: 300, balance: 300 },
  ])("accept: publishes first, then pays $configured cents", async ({ configured, balance }) => {
    const server = await serve({ config: (config) => (config.pricing.publicPayoutCents = configured) });
    const { owner, playtester, gameId } = await market(server);
    const id = await order(owner, gameId, { visibility: "public" });
    const slotId = await play(server, playtester, id);
    const videos: PublicVideo[] = [];
    let publish = () => {};
    const out = new Promise<void>((resolve) => {
      publish = resolve;
    });
    server.deps.publishers.own = {
      start: async () => "",
      advance: async (_session, video) => {
        videos.push(video);
        await out;
        return { is: "published", url: "https://video.example/1", remoteId: null };
      },
      remove: async () => {},
    };
    const reply = await owner.post(`/slots/${slotId}/accept`, { rating: 4 });
    expect(reply.body.data.message).toBe("Submission accepted. The video is being published.");
    expect(await statusOf(owner, slotId)).toBe("publishing");
    expect((await owner.get(`/slots/${slotId}`)).body.data.slot.publishedUrl).toBeNull();
    expect(await earned(playtester)).toBe(0);
    expect((await owner.post(`/slots/${slotId}/reject`)).status).toBe(409);
    publish();
    await server.advance(0);
    expect(await statusOf(owner, slotId)).toBe("accepted");
    expect(await earned(playtester)).toBe(balance);
    expect(videos).toMatchObject([{ slotId, gameName: "Lantern Deep", contentType: "video/mp4" }]);
    expect((await owner.get(`/playtests/${id}`)).body.data.playtest.status).toBe("completed");
    for (const path of [`/slots/${slotId}`, `/playtester/slots/${slotId}`]) {
      const { slot } = (await (path.startsWith("/playtester") ? playtester : owner).get(path)).body.data;
      expect(slot.publishedUrl).toBe("https://video.example/1");
    }
    const kinds = (await owner.get("/notifications")).body.data.notifications.map((notice: { type: string }) => notice.type);
    expect(kinds.filter((kind: string) => kind === "slot.accepted")).toHaveLength(1);
  });
});

onBothDatabases("free trials", (serve, it) => {
  it("approval: offered once an admin approved it", async ({ server }) => {
    const { owner, playtester, gameId } = await market(server);
    const id = await order(owner, gameId, { isFreePublicTrial: true });
    const offers = async () => (await playtester.get("/playtester/playtests")).body.data.playtests.length;
    expect(await offers()).toBe(0);
    expect((await playtester.post(`/playtester/playtests/${id}/claim`)).status).toBe(404);
    const other = await createGame(owner, { name: "Other" });
    const approved = await orderTrial(server, owner, other);
    expect(await offers()).toBe(1);
    expect((await playtester.post(`/playtester/playtests/${approved}/claim`)).status).toBe(201);
  });

  it.for([
    { body: { quantity: 6 }, field: "quantity" },
    { body: { visibility: "private" }, field: "visibility" },
    { body: { durationMinutes: 60 }, field: "durationMinutes" },
    { body: { playerCount: 2 }, field: "playerCount" },
    { body: { selectionMode: "manual" }, field: "selectionMode" },
  ])("order: $body is refused", async ({ body, field }, { server }) => {
    const { owner, gameId } = await market(server);
    const reply = await owner.post(`/games/${gameId}/playtests`, { isFreePublicTrial: true, ...body });
    expect([reply.status, reply.body.error.details?.[0]?.field]).toEqual([422, field]);
  });

  it("rejection: another trial can be ordered afterwards", async ({ server }) => {
    const { owner, gameId } = await market(server);
    const eligible = async () => (await owner.get(`/games/${gameId}/playtests`)).body.data.eligibleForFreeTrial;
    expect(await eligible()).toBe(true);
    const id = await order(owner, gameId, { isFreePublicTrial: true });
    expect(await eligible()).toBe(false);
    expect((await owner.post(`/games/${gameId}/playtests`, { isFreePublicTrial: true })).status).toBe(409);
    const { deps } = server;
    await deps.store.write(async (tx) => rejectTrial(tx, (await playtests.find(tx, id))!));
    expect((await owner.get(`/playtests/${id}`)).body.data.playtest).toMatchObject({
      status: "cancelled",
      slots: { cancelled: 1 },
    });
    expect(await eligible()).toBe(true);
    await order(owner, gameId, { isFreePublicTrial: true });
  });

  const steps: Record<string, Decision> = {
    owner: async (server, slotId) => void (await server.request("POST", `/slots/${slotId}/accept`, { key: keyOf.get(server)! })),
    admin: letThrough,
  };
  const keyOf = new WeakMap<TestServer, string>();

  it.each([
    ["owner", "admin"],
    ["admin", "owner"],
  ])("approval: published after both approved, %s, then %s", async (first, second) => {
    const server = await serve();
    const { owner, playtester, gameId } = await market(server);
    keyOf.set(server, owner.key);
    const slotId = await play(server, playtester, await orderTrial(server, owner, gameId));
    expect((await itemOf(owner, "submitted")).awaitingAdminApproval).toBe(true);
    await steps[first]!(server, slotId);
    await server.advance(0);
    const between = first === "owner" ? "publishing" : "submitted";
    expect(await statusOf(owner, slotId)).toBe(between);
    expect((await itemOf(owner, between)).awaitingAdminApproval).toBe(first === "owner");
    await steps[second]!(server, slotId);
    await server.advance(0);
    expect(await statusOf(owner, slotId)).toBe("accepted");
    expect((await itemOf(owner, "accepted")).awaitingAdminApproval).toBe(false);
    await expect(letThrough(server, slotId)).rejects.toThrow(/waiting for approval/);
  });

  it.each(["submitted", "publishing"])("rejection: by an admin while %s", async (status) => {
    const server = await serve();
    const { owner, playtester, gameId } = await market(server);
    const slotId = await play(server, playtester, await orderTrial(server, owner, gameId));
    if (status === "publishing") await owner.post(`/slots/${slotId}/accept`);
    await keepOut(server, slotId);
    await server.advance(0);
    expect((await owner.get(`/slots/${slotId}`)).body.data.slot).toMatchObject({
      status: "rejected",
      rejection: { reason: "Shows a face." },
    });
    expect((await server.request("GET", `//watch/${slotId}`)).status).toBe(404);
  });
});

onBothDatabases("the watch page", (serve, it) => {
  async function published(server: TestServer) {
    const { owner, playtester, gameId } = await market(server);
    const slotId = await play(server, playtester, await order(owner, gameId, { visibility: "public" }));
    await owner.post(`/slots/${slotId}/accept`);
    await server.advance(0);
    return { owner, playtester, gameId, slotId };
  }

  it("published video: visible to everybody, with a strict policy", async ({ server }) => {
    const { slotId, gameId } = await published(server);
    const page = await server.request("GET", `//watch/${slotId}`);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; media-src 'self';/,
    );
    expect(page.headers.get("content-security-policy")).not.toMatch(/unsafe/);
    expect(page.text).toContain(`<video controls playsinline preload="metadata" src="/watch/${slotId}/video"`);
    expect(page.text.match(/<script[^>]*>/g)).toEqual([
      expect.stringMatching(/^<script src="\/assets\/player\.js\?v=\w+" type="module">$/),
    ]);
    const { video } = (await server.request("GET", `/slots/${slotId}/published-video`)).body.data;
    const publishedAt = new Date(server.clock.now()).toISOString();
    const videoUrl = `${server.baseUrl}/watch/${slotId}/video`;
    const pageUrl = `${server.baseUrl}/watch/${slotId}`;
    const shown = {
      slotId,
      gameId,
      gameName: "Lantern Deep",
      gameUrl: null,
      pageUrl,
      publishedUrl: pageUrl,
      captionsUrl: null,
      playtesterName: "playtester-2",
      publishedAt,
      videoUrl,
      posterUrl: null,
      durationSeconds: null,
    };
    expect(video).toEqual(shown);
    const part = await fetch(videoUrl, { headers: { range: "bytes=4-11" } });
    expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([206, "bytes 4-11/4096", "ftypisom"]);
    expect(part.headers.get("content-type")).toBe("video/mp4");
    expect((await server.request("POST", `//watch/${slotId}`)).status).toBe(405);
  });

  it("shows the poster of a published video to everybody, and of no other", async () => {
    const server = await serve({ config: ({ clips }) => void Object.assign(clips, { ffmpeg }) });
    const { owner, playtester, gameId, slotId } = await published(server);
    const waiting = await play(server, playtester, await order(owner, gameId, { visibility: "public" }));
    await server.advance(0);
    const page = await server.request("GET", `//watch/${slotId}`);
    expect(page.text).toContain(`poster="/watch/${slotId}/poster"`);
    const { posterUrl } = (await server.request("GET", `/slots/${slotId}/published-video`)).body.data.video;
    const image = await fetch(posterUrl);
    expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
    expect((await owner.get(`/slots/${waiting}`)).body.data.slot.posterUrl).not.toBeNull();
    expect((await server.request("GET", `//watch/${waiting}/poster`)).status).toBe(404);
  });

  describe("does not exist", () => {
    const rows: { name: string; make(server: TestServer): Promise<string> }[] = [
      { name: "for an unknown slot", make: async () => "01900000-0000-7000-8000-000000000000" },
      { name: "for what is no id", make: async () => "..%2f..%2fetc" },
      { name: "for another file of it", make: async (server) => `${(await published(server)).slotId}/keys` },
      { name: "below its video", make: async (server) => `${(await published(server)).slotId}/video/1` },
      {
        name: "for an accepted private slot",
        async make(server) {
          const { owner, playtester, gameId } = await market(server);
          await giveCredit(server, owner, 2000);
          const slotId = await play(server, playtester, await order(owner, gameId));
          await owner.post(`/slots/${slotId}/accept`);
          return slotId;
        },
      },
      {
        name: "for a public slot that was not accepted yet",
        async make(server) {
          const { owner, playtester, gameId } = await market(server);
          return play(server, playtester, await order(owner, gameId, { visibility: "public" }));
        },
      },
      {
        name: "for a trial's video that waits for an admin",
        async make(server) {
          const { owner, playtester, gameId } = await market(server);
          const slotId = await play(server, playtester, await orderTrial(server, owner, gameId));
          await owner.post(`/slots/${slotId}/accept`);
          return slotId;
        },
      },
    ];
    it.for(rows)("$name", async ({ make }, { server }) => {
      const path = await make(server);
      await server.advance(0);
      expect((await server.request("GET", `//watch/${path}`)).status).toBe(404);
      expect((await server.request("GET", `//watch/${path}/video`)).status).toBe(404);
    });
  });
});
