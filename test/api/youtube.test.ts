import { describe, expect, it } from "vitest";
import { faultsAt } from "../../server/playtests/publications/store.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, firstAdmin, order, type Person, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import type { TestServer } from "../helpers/server.ts";
import { startYoutube, type Youtube } from "../helpers/youtube.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const payoutCents = 300;

interface Scene {
  server: TestServer;
  youtube: Youtube;
  admin: Person;
  owner: Person;
  tester: Person;
  slotId: string;
}

type Serve = Parameters<Parameters<typeof onBothDatabases>[1]>[0];

/** A video that was accepted, on a server that is connected to a YouTube on this machine. */
async function accepted(serve: Serve, prepare: (youtube: Youtube) => void = () => {}): Promise<Scene> {
  const youtube = await startYoutube();
  const server = await serve({
    config(config) {
      config.publishing.to = "youtube";
      config.pricing.publicPayoutCents = payoutCents;
      Object.assign(config.publishing.youtube, { clientId: "client", clientSecret: "secret", apiUrl: youtube.url });
    },
    transcriber: { transcribe: async () => "WEBVTT\n\n00:00.000 --> 00:02.000\nHello\n" },
  });
  const admin = await firstAdmin(server);
  await admin.post("/admin/publishers/connect", { adapter: "youtube", deviceCode: "device-1" });
  const [owner, tester] = [await registerOwner(server), await registerPlaytester(server)];
  const gameId = await createGame(owner, { externalUrl: "https://moon.example/deep" });
  const slotId = await play(server, tester, await order(owner, gameId, { visibility: "public" }));
  await server.advance(0);
  youtube.requests.length = 0;
  prepare(youtube);
  await owner.post(`/slots/${slotId}/accept`);
  return { server, youtube, admin, owner, tester, slotId };
}

const publicationOf = async ({ owner, slotId }: Scene) => (await owner.get(`/slots/${slotId}/publication`)).body.data.publication;
const earned = async ({ tester }: Scene) => (await tester.get("/playtester/earnings")).body.data.balanceCents;

/** What holds however a publication ends: at most one video, paid once, and nothing for `serve doctor`. */
async function expectSound(scene: Scene): Promise<void> {
  expect(await earned(scene)).toBe(payoutCents);
  expect(scene.youtube.videos.size).toBeLessThan(2);
  expect(await scene.server.deps.store.read((q) => faultsAt(q, scene.server.clock.now()))).toEqual([]);
}

onBothDatabases("YouTube", (serve) => {
  it("publishes with title, description, captions and playlist, for a playtester who is named", async () => {
    const scene = await accepted(serve);
    await scene.server.advance(0);
    const [[id, video]] = [...scene.youtube.videos] as [[string, Youtube["videos"] extends Map<string, infer V> ? V : never]];
    expect(video).toMatchObject({ privacy: "public", size: 4096 });
    const [{ id: publicationId }] = (await scene.admin.get("/admin/publications")).body.data.publications;
    expect(video.description).toBe(`playtester-2 plays Lantern Deep. https://moon.example/deep\n\nplaytest:${publicationId}`);
    expect(video.captions[0]).toContain("Hello");
    expect([...scene.youtube.playlists.values()].map(({ videos }) => videos)).toEqual([[id]]);
    expect(await publicationOf(scene)).toMatchObject({
      state: "published",
      adapter: "youtube",
      remoteId: id,
      url: `https://www.youtube.com/watch?v=${id}`,
    });
    await expectSound(scene);
  });

  const passing: [name: string, prepare: (youtube: Youtube) => void][] = [
    ...[0, 1, 255, 1000, 4095, 4096].map((cut): [string, (it: Youtube) => void] => [
      `the connection is cut after ${cut} bytes`,
      (it) => it.fail("part", { cut }),
    ]),
    ["the connection is cut at each of three tries", (it) => it.fail("part", { cut: 10 }, { cut: 10 }, { cut: 10 })],
    ["only a part is kept", (it) => it.fail("part", { keep: 1000 })],
    ["nothing is kept, and 308 has no range", (it) => it.fail("part", "without-range")],
    ["the reply to the beginning is lost", (it) => it.fail("start", "lost")],
    ["the last reply is lost", (it) => it.fail("part", "lost")],
    ["the reply to the question is lost", (it) => it.fail("query", "lost")],
    [
      "the last reply is lost, and the session forgotten",
      (it) => {
        it.fail("part", "lost");
        it.fail("query", { keep: 0 }, "forget");
      },
    ],
    [
      "the session expires",
      (it) => {
        it.fail("part", { cut: 1000 });
        it.fail("query", { keep: 0 }, "forget");
      },
    ],
    ...(["start", "query", "part", "status", "token", "channel", "list"] as const).map(
      (kind): [string, (youtube: Youtube) => void] => [`503 to ${kind}`, (it) => it.fail(kind, { status: 503 })],
    ),
    ...(["start", "query", "part", "status", "token", "channel", "list", "captions", "playlist"] as const).map(
      (kind): [string, (youtube: Youtube) => void] => [`the reply to ${kind} ends in the middle`, (it) => it.fail(kind, "half")],
    ),
    ["the access token ends", (it) => it.fail("part", { status: 401, reason: "authError" })],
    ["it is processed for a while", (it) => it.make({ polls: 3 })],
    [
      "neither captions nor playlist are taken",
      (it) => {
        it.fail("captions", { status: 403, reason: "forbidden" });
        it.fail("playlist", { status: 500 });
      },
    ],
    ["too many requests", (it) => it.fail("start", { status: 429, reason: "rateLimitExceeded" })],
  ];
  it.each(passing)("one video in the end: %s", async (_, prepare) => {
    const scene = await accepted(serve, prepare);
    await scene.server.advance(2 * hour);
    expect(await publicationOf(scene)).toMatchObject({ state: "published", reason: null, bytesSent: 4096 });
    expect(scene.youtube.videos.size).toBe(1);
    await expectSound(scene);
  });

  it("a used up quota: waits until midnight in California", async () => {
    const scene = await accepted(serve, (it) => it.fail("start", { status: 403, reason: "quotaExceeded" }));
    await scene.server.advance(hour);
    expect(await publicationOf(scene)).toMatchObject({
      state: "waiting",
      reason: "The quota of YouTube's API is used up until midnight in California.",
      nextAttemptAt: "2026-03-02T08:00:00.000Z",
    });
    await scene.server.advance(day);
    expect(await publicationOf(scene)).toMatchObject({ state: "published" });
    await expectSound(scene);
  });

  interface End {
    name: string;
    prepare(youtube: Youtube): void;
    state: "blocked" | "failed";
    reason: RegExp;
  }
  const ends: End[] = [
    {
      name: "locked private",
      prepare: (it) => it.make({ privacy: "private" }),
      state: "blocked",
      reason: /^YouTube keeps the video private, .* has not audited/,
    },
    {
      name: "rejected after processing",
      prepare: (it) => it.make({ rejected: "duplicate" }),
      state: "failed",
      reason: /^YouTube rejected the video: the account has the same video already\.$/,
    },
    {
      name: "unreadable",
      prepare: (it) => it.make({ failed: "codec" }),
      state: "failed",
      reason: /^YouTube cannot read the video: it does not know the codec\.$/,
    },
    {
      name: "an account without a channel",
      prepare: (it) => it.fail("start", ...Array(2).fill({ status: 401, reason: "youtubeSignupRequired" })),
      state: "failed",
      reason: /^The account that is connected to YouTube has no channel\.$/,
    },
    {
      name: "a token that was revoked",
      prepare: (it) => {
        it.revoked = true;
        it.expireTokens();
      },
      state: "failed",
      reason: /^It was not published by Wed 2026-03-04 12:00, UTC\. The last try: The connection to YouTube has ended/,
    },
    {
      name: "an account that may upload no more",
      prepare: (it) => it.fail("start", ...Array(20).fill({ status: 400, reason: "uploadLimitExceeded" })),
      state: "failed",
      reason: /^It was not published by .*YouTube takes no more videos of this account for now\.$/,
    },
  ];
  it.each(ends)("$name: the own page takes over", async ({ prepare, state, reason }) => {
    const scene = await accepted(serve, prepare);
    await scene.server.advance(3 * day);
    const publication = await publicationOf(scene);
    expect(publication).toMatchObject({ state, url: `${scene.server.baseUrl}/watch/${scene.slotId}` });
    expect(publication.reason).toMatch(reason);
    expect((await scene.server.request("GET", `//watch/${scene.slotId}`)).status).toBe(200);
    await expectSound(scene);
  });

  it("removed when the last reply was lost and the video is not listed yet: deleted by its session", async () => {
    const scene = await accepted(serve, (it) => {
      it.fail("part", "lost");
      it.fail("query", { keep: 0 }, { status: 503 });
      for (let made = 0; made < 10; made++) it.unlisted.add(`video-${made}`);
    });
    await scene.server.advance(0);
    expect(scene.youtube.videos.size).toBe(1);
    await scene.owner.post(`/slots/${scene.slotId}/unpublish`, { reason: "Private." });
    await scene.server.advance(hour);
    expect([(await publicationOf(scene)).state, scene.youtube.videos.size]).toEqual(["removed", 0]);
  });

  /** The video is made, its session is forgotten, and it is not listed for some minutes. */
  async function forgotten() {
    const scene = await accepted(serve, (it) => {
      // Also the reply to the request that is repeated at once, on another connection.
      it.fail("part", "lost", "lost");
      it.fail("query", { keep: 0 }, "forget");
      for (let made = 0; made < 10; made++) it.unlisted.add(`video-${made}`);
    });
    await scene.server.advance(5 * minute);
    expect(await publicationOf(scene)).toMatchObject({ state: "waiting", bytesSent: 0 });
    expect(scene.youtube.videos.size).toBe(1);
    return scene;
  }

  it("the last reply is lost, the session forgotten, and the video not listed yet: it is not uploaded again", async () => {
    const scene = await forgotten();
    scene.youtube.unlisted.clear();
    await scene.server.advance(2 * hour);
    expect([(await publicationOf(scene)).state, scene.youtube.made.length]).toEqual(["published", 1]);
    await expectSound(scene);
  });

  const removals: [who: string, remove: (scene: Scene) => Promise<unknown>][] = [
    ["its playtester", ({ tester, slotId }) => tester.post(`/playtester/slots/${slotId}/unpublish`)],
    [
      "an operator",
      async ({ admin }) => {
        const [{ id }] = (await admin.get("/admin/publications")).body.data.publications;
        return admin.post(`/admin/publications/${id}/remove`, { reason: "Shows a face." });
      },
    ],
  ];
  it.each(removals)("removed by %s when nothing is known of the video, and it is not listed yet: deleted", async (_, remove) => {
    const scene = await forgotten();
    await remove(scene);
    await scene.server.advance(5 * minute);
    scene.youtube.unlisted.clear();
    await scene.server.advance(hour);
    expect([(await publicationOf(scene)).state, scene.youtube.videos.size]).toEqual(["removed", 0]);
  });

  it("removed when nothing is known of the video, and tried again before it is listed: searched when it is", async () => {
    const scene = await forgotten();
    await scene.owner.post(`/slots/${scene.slotId}/unpublish`, { reason: "Private." });
    const { nextAttemptAt } = await publicationOf(scene);
    const [{ id }] = (await scene.admin.get("/admin/publications")).body.data.publications;
    const retry = () => scene.admin.post(`/admin/publications/${id}/retry`);
    expect((await retry()).body.data.publication).toMatchObject({ state: "removed", nextAttemptAt });
    await scene.server.advance(hour);
    // A video that appears only now is found by another try.
    expect([scene.youtube.videos.size, (await publicationOf(scene)).nextAttemptAt]).toEqual([1, null]);
    scene.youtube.unlisted.clear();
    expect((await retry()).status).toBe(200);
    await scene.server.advance(0);
    expect(scene.youtube.videos.size).toBe(0);
  });

  it.each(removals)("removed by %s after it was given up, when nothing is known of the video: deleted", async (_, remove) => {
    const scene = await forgotten();
    scene.youtube.unlisted.clear();
    scene.youtube.revoked = true;
    scene.youtube.expireTokens();
    await scene.server.advance(3 * day);
    expect(await publicationOf(scene)).toMatchObject({ state: "failed", remoteId: null });
    await remove(scene);
    await scene.server.advance(hour);
    const [{ id, ...waiting }] = (await scene.admin.get("/admin/publications")).body.data.publications;
    expect(waiting).toMatchObject({ state: "removed", reason: expect.stringContaining("connection to YouTube has ended") });
    scene.youtube.revoked = false;
    expect((await scene.admin.post(`/admin/publications/${id}/retry`)).status).toBe(200);
    await scene.server.advance(0);
    expect([(await publicationOf(scene)).state, scene.youtube.videos.size]).toEqual(["removed", 0]);
  });

  it("removed: deleted on YouTube too, after a lost reply", async () => {
    const scene = await accepted(serve);
    await scene.server.advance(0);
    scene.youtube.fail("delete", "lost");
    await scene.owner.post(`/slots/${scene.slotId}/unpublish`, { reason: "Private." });
    await scene.server.advance(hour);
    expect(await publicationOf(scene)).toMatchObject({ state: "removed", remoteId: null, url: null, reason: "Private." });
    expect(scene.youtube.videos.size).toBe(0);
  });
});

onBothDatabases("the connection to YouTube", (serve) => {
  async function configured() {
    const youtube = await startYoutube();
    const server = await serve({
      config: ({ publishing }) =>
        void Object.assign(publishing.youtube, { clientId: "client", clientSecret: "secret", apiUrl: youtube.url }),
    });
    return { youtube, server, admin: await firstAdmin(server) };
  }
  const stateOf = async (admin: Person) =>
    (await admin.get("/admin/publishers")).body.data.publishers.find(({ adapter }: { adapter: string }) => adapter === "youtube");

  it("begins with a page that returns to this computer, and keeps the token sealed", async () => {
    const { server, admin, youtube } = await configured();
    expect(await stateOf(admin)).toMatchObject({ state: "not_connected", inUse: false, account: null });
    const redirect = { redirectUri: "http://127.0.0.1:5000/", codeChallenge: "c".repeat(43), state: "s" };
    const { url } = (await admin.post("/admin/publishers/sign-in", { adapter: "youtube", ...redirect })).body.data;
    const query = Object.fromEntries(new URL(url).searchParams);
    expect(new URL(url).origin).toBe(youtube.url);
    expect(query).toMatchObject({ client_id: "client", access_type: "offline", code_challenge_method: "S256", state: "s" });
    const proof = { code: "4/abc", codeVerifier: "v".repeat(43), redirectUri: redirect.redirectUri };
    const reply = await admin.post("/admin/publishers/connect", { adapter: "youtube", ...proof });
    expect(reply.body.data.publisher).toMatchObject({ state: "connected", account: "Moon Games" });
    const row = await server.deps.store.read((q) => q.one<{ sealed: string }>("SELECT sealed FROM publisher_connections"));
    expect(row!.sealed).not.toContain("refresh");
    expect(server.deps.secrets.open(row!.sealed, "publisher youtube")).toBe("refresh-1");
  });

  it("by a code that is entered elsewhere: 409 until then", async () => {
    const { admin, youtube } = await configured();
    youtube.pending = 1;
    const { deviceCode, userCode } = (await admin.post("/admin/publishers/sign-in", { adapter: "youtube" })).body.data;
    expect(userCode).toBe("AB-CD");
    const connect = () => admin.post("/admin/publishers/connect", { adapter: "youtube", deviceCode });
    expect([(await connect()).status, (await connect()).status]).toEqual([409, 200]);
    expect((await admin.post("/admin/publishers/disconnect", { adapter: "youtube" })).body.data.publisher.state).toBe(
      "not_connected",
    );
    expect((await admin.post("/admin/publishers/disconnect", { adapter: "youtube" })).status).toBe(409);
  });

  describe("is refused", () => {
    it("for an account without a channel, and when Google refuses", async () => {
      const { admin, youtube } = await configured();
      youtube.hasChannel = false;
      const connect = () => admin.post("/admin/publishers/connect", { adapter: "youtube", deviceCode: "device-1" });
      expect((await connect()).body.error.message).toMatch(/has no YouTube channel/);
      youtube.revoked = true;
      expect((await connect()).body.error.message).toMatch(/Google refused the sign-in: Token has been revoked/);
      expect(await stateOf(admin)).toMatchObject({ state: "not_connected" });
    });

    it("on a server without a client, and with half of a proof", async () => {
      const server = await serve();
      const admin = await firstAdmin(server);
      expect((await admin.post("/admin/publishers/sign-in", { adapter: "youtube" })).body.error.code).toBe("NOT_CONFIGURED");
      expect(await stateOf(admin)).toMatchObject({ state: "not_configured" });
      Object.assign(server.deps.config.publishing.youtube, { clientId: "client", clientSecret: "secret" });
      const reply = await admin.post("/admin/publishers/connect", { adapter: "youtube", code: "4/abc" });
      expect([reply.status, reply.body.error.details[0].field]).toEqual([422, "codeVerifier"]);
    });
  });
});
