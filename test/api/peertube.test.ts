import { describe, expect, it } from "vitest";
import { faultsAt } from "../../server/playtests/publications/store.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, firstAdmin, order, type Person, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { type Peertube, startPeertube } from "../helpers/peertube.ts";
import type { TestServer } from "../helpers/server.ts";

const hour = 3_600_000;
const day = 24 * hour;
const payoutCents = 300;

interface Scene {
  server: TestServer;
  peertube: Peertube;
  admin: Person;
  owner: Person;
  tester: Person;
  slotId: string;
}

type Serve = Parameters<Parameters<typeof onBothDatabases>[1]>[0];

const account = ({ url }: Peertube) => ({ adapter: "peertube", instance: url, username: "moon", password: "correct horse" });
const hostOf = ({ url }: Peertube) => new URL(url).host;

/** A server that is connected to a PeerTube on this machine. */
async function connected(serve: Serve) {
  const peertube = await startPeertube();
  const server = await serve({
    config(config) {
      config.publishing.to = "peertube";
      config.pricing.publicPayoutCents = payoutCents;
    },
    transcriber: { transcribe: async () => "WEBVTT\n\n00:00.000 --> 00:02.000\nHello\n" },
  });
  const admin = await firstAdmin(server);
  const reply = await admin.post("/admin/publishers/connect", account(peertube));
  expect(reply.status).toBe(200);
  return { server, peertube, admin };
}

/** A video that was accepted there. */
async function accepted(serve: Serve, prepare: (peertube: Peertube) => void = () => {}): Promise<Scene> {
  const { server, peertube, admin } = await connected(serve);
  const [owner, tester] = [await registerOwner(server), await registerPlaytester(server)];
  const gameId = await createGame(owner, { externalUrl: "https://moon.example/deep" });
  const slotId = await play(server, tester, await order(owner, gameId, { visibility: "public" }));
  await server.advance(0);
  peertube.requests.length = 0;
  prepare(peertube);
  await owner.post(`/slots/${slotId}/accept`);
  return { server, peertube, admin, owner, tester, slotId };
}

const publicationOf = async ({ owner, slotId }: Scene) => (await owner.get(`/slots/${slotId}/publication`)).body.data.publication;
const earned = async ({ tester }: Scene) => (await tester.get("/playtester/earnings")).body.data.balanceCents;
const listed = async ({ admin }: Scene) => (await admin.get("/admin/publications")).body.data.publications;
const onlyVideo = ({ peertube }: Scene) => {
  expect(peertube.videos.size).toBe(1);
  return [...peertube.videos][0]!;
};

/** What holds however a publication ends: at most one video, paid once, and nothing for `serve doctor`. */
async function expectSound(scene: Scene): Promise<void> {
  expect(await earned(scene)).toBe(payoutCents);
  expect(scene.peertube.videos.size).toBeLessThan(2);
  expect(await scene.server.deps.store.read((q) => faultsAt(q, scene.server.clock.now()))).toEqual([]);
}

onBothDatabases("PeerTube", (serve) => {
  it("publishes with title, description, channel and captions, for a playtester who is named", async () => {
    const scene = await accepted(serve);
    await scene.server.advance(0);
    const [uuid, video] = onlyVideo(scene);
    const [{ id }] = await listed(scene);
    expect(video).toMatchObject({ name: "Lantern Deep: a playtest by playtester-2", privacy: 1, channelId: 11, size: 4096 });
    expect(video.description).toBe(`playtester-2 plays Lantern Deep. https://moon.example/deep\n\nplaytest:${id}`);
    expect(video.captions.get("en")).toContain("Hello");
    expect(await publicationOf(scene)).toMatchObject({
      state: "published",
      adapter: "peertube",
      remoteId: `${uuid}@${hostOf(scene.peertube)}`,
      url: `${scene.peertube.url}/w/short-${uuid.slice(0, 8)}`,
    });
    await expectSound(scene);
  });

  const longWords = (it: Scene) => Object.assign(it.server.deps.config.publishing, { description: "Long. ".repeat(100) });

  const passing: [name: string, prepare: (peertube: Peertube) => void][] = [
    ...[0, 1, 255, 1000, 4095, 4096].map((cut): [string, (it: Peertube) => void] => [
      `the connection is cut after ${cut} bytes`,
      (it) => it.fail("part", { cut }),
    ]),
    ["the connection is cut at each of three tries", (it) => it.fail("part", { cut: 10 }, { cut: 10 }, { cut: 10 })],
    ["only a part is kept", (it) => it.fail("part", { keep: 1000 })],
    ["nothing is kept, and 308 has no range", (it) => it.fail("part", "without-range")],
    ...(["start", "query", "part", "list", "status", "image", "captions"] as const).flatMap(
      (kind): [string, (it: Peertube) => void][] => [
        [`the reply to ${kind} is lost`, (it) => it.fail(kind, "lost")],
        [`the reply to ${kind} ends in the middle`, (it) => it.fail(kind, "half")],
        [`503 to ${kind}`, (it) => it.fail(kind, { status: 503 })],
        [`429 to ${kind}`, (it) => it.fail(kind, { status: 429, headers: { "Retry-After": "60" } })],
      ],
    ),
    ["the last reply is lost, and the description too long for the list", (it) => it.fail("part", "lost")],
    [
      "the upload expires",
      (it) => {
        it.fail("part", { cut: 1000 });
        it.fail("query", { keep: 0 }, "forget");
      },
    ],
    ["it has another part than was thought", (it) => it.fail("part", { status: 409 })],
    [
      "the upload is processed for a while, and its last reply lost",
      (it) => {
        it.busy = 3;
        it.fail("part", "lost");
      },
    ],
    ["it is transcoded for a while", (it) => it.make({ polls: 3 })],
    ["the access token ends", (it) => it.expireTokens()],
    ["the account has no room for some hours", (it) => it.fail("start", { status: 413, reason: "quota_reached" })],
    [
      "neither image nor captions are taken",
      (it) => {
        it.fail("image", { status: 400 });
        it.fail("captions", { status: 413 });
      },
    ],
  ];
  it.each(passing)("one video in the end: %s", async (_, prepare) => {
    const scene = await accepted(serve, prepare);
    if (/too long/.test(_)) longWords(scene);
    await scene.server.advance(3 * hour);
    expect(await publicationOf(scene)).toMatchObject({ state: "published", reason: null, bytesSent: 4096 });
    onlyVideo(scene);
    await expectSound(scene);
  });

  interface End {
    name: string;
    prepare(peertube: Peertube): void;
    state: "blocked" | "failed";
    reason: string;
    detail: RegExp | null;
  }
  const ends: End[] = [
    {
      name: "held back by moderators",
      prepare: (it) => it.make({ blacklisted: true }),
      state: "blocked",
      reason: "The moderators of the PeerTube instance hold the video back.",
      detail: /has to approve it/,
    },
    {
      name: "locked private",
      prepare: (it) => it.make({ privacy: 3 }),
      state: "blocked",
      reason: "PeerTube keeps the video private.",
      detail: /^privacy 3$/,
    },
    {
      name: "rejected after processing",
      prepare: (it) => it.make({ polls: 2, state: 7 }),
      state: "failed",
      reason: "PeerTube cannot convert the video.",
      detail: /^state 7$/,
    },
    {
      name: "refused by a filter",
      prepare: (it) => (it.refused = 403),
      state: "failed",
      reason: "PeerTube refused the video.",
      detail: /^403 It was refused/,
    },
    {
      name: "unreadable",
      prepare: (it) => (it.refused = 422),
      state: "failed",
      reason: "PeerTube cannot read the video.",
      detail: /^422 It was refused/,
    },
    {
      name: "too large",
      prepare: (it) => (it.maxFileSize = 4000),
      state: "failed",
      reason: "The video is larger than PeerTube takes.",
      detail: /^413 max_file_size_reached/,
    },
    {
      name: "a channel that is gone",
      prepare: (it) => (it.channels = []),
      state: "failed",
      reason: "PeerTube refused the video.",
      detail: /^400/,
    },
    {
      name: "tokens that were revoked",
      prepare: (it) => it.revoke(),
      state: "failed",
      reason: "It was not published by Wed 2026-03-04 12:00, UTC. The last try: The connection to PeerTube has ended.",
      detail: /publishing connect peertube/,
    },
    {
      name: "an instance that is gone",
      prepare: (it) => (it.by = () => ({ cut: 0 })),
      state: "failed",
      reason:
        "It was not published by Wed 2026-03-04 12:00, UTC. The last try: PeerTube cannot be reached, or does not answer as it should.",
      detail: /./,
    },
  ];
  it.each(ends)("$name: the own page takes over", async ({ prepare, state, reason, detail }) => {
    const scene = await accepted(serve, prepare);
    await scene.server.advance(3 * day);
    const publication = await publicationOf(scene);
    expect(publication).toMatchObject({ state, reason, url: `${scene.server.baseUrl}/watch/${scene.slotId}` });
    expect(publication.detail).toBeUndefined();
    expect((await listed(scene))[0].detail).toMatch(detail!);
    expect((await scene.server.request("GET", `//watch/${scene.slotId}`)).status).toBe(200);
    await expectSound(scene);
  });

  it("held back, then approved by a moderator: published there when it is tried again", async () => {
    const scene = await accepted(serve, (it) => it.make({ blacklisted: true }));
    await scene.server.advance(hour);
    for (const video of scene.peertube.videos.values()) video.blacklisted = false;
    await scene.admin.post(`/admin/publications/${(await listed(scene))[0].id}/retry`);
    await scene.server.advance(hour);
    expect(await publicationOf(scene)).toMatchObject({ state: "published", url: expect.stringContaining("/w/short-") });
    await expectSound(scene);
  });

  it("the tokens are revoked midway: it goes on with the same upload once it is connected again", async () => {
    const scene = await accepted(serve, (it) => {
      it.fail("part", { keep: 1000 });
      it.fail("part", { status: 401 });
      it.fail("token", { status: 400, reason: "invalid_grant" });
    });
    await scene.server.advance(0);
    scene.peertube.revoke();
    await scene.server.advance(hour);
    expect(await publicationOf(scene)).toMatchObject({ state: "waiting", reason: "The connection to PeerTube has ended." });
    await scene.admin.post("/admin/publishers/connect", account(scene.peertube));
    await scene.server.advance(hour);
    expect(await publicationOf(scene)).toMatchObject({ state: "published" });
    expect(scene.peertube.requests.filter((kind) => kind === "start")).toHaveLength(1);
    await expectSound(scene);
  });

  it("connected to another account midway: the upload begins again there", async () => {
    const scene = await accepted(serve, (it) => it.fail("part", { keep: 1000 }, { status: 503 }));
    await scene.server.advance(0);
    await scene.admin.post("/admin/publishers/connect", {
      ...account(scene.peertube),
      username: "sun",
      password: "battery staple",
    });
    await scene.server.advance(hour);
    expect(await publicationOf(scene)).toMatchObject({ state: "published" });
    onlyVideo(scene);
    await expectSound(scene);
  });

  it.each(["lost", "half", { status: 503 }] as const)("removed: deleted on PeerTube too, after %j", async (fault) => {
    const scene = await accepted(serve);
    await scene.server.advance(0);
    scene.peertube.fail("delete", fault);
    await scene.owner.post(`/slots/${scene.slotId}/unpublish`, { reason: "Private." });
    await scene.server.advance(hour);
    expect(await publicationOf(scene)).toMatchObject({ state: "removed", remoteId: null, url: null, reason: "Private." });
    expect(scene.peertube.videos.size).toBe(0);
  });

  it("removed while the upload is processed: deleted as soon as it is a video", async () => {
    const scene = await accepted(serve, (it) => (it.busy = 4));
    await scene.server.advance(0);
    await scene.owner.post(`/slots/${scene.slotId}/unpublish`, { reason: "Private." });
    await scene.server.advance(day);
    expect([scene.peertube.videos.size, scene.peertube.uploads.size]).toEqual([0, 0]);
    expect(await publicationOf(scene)).toMatchObject({ state: "removed", reason: "Private." });
    await expectSound(scene);
  });

  it("removed in the middle of an upload: nothing of it is left", async () => {
    const scene = await accepted(serve, (it) => it.fail("part", { keep: 1000 }, { status: 503 }));
    await scene.server.advance(0);
    await scene.owner.post(`/slots/${scene.slotId}/unpublish`, { reason: "Private." });
    await scene.server.advance(hour);
    expect([scene.peertube.videos.size, scene.peertube.uploads.size]).toEqual([0, 0]);
    await expectSound(scene);
  });

  it("a video of an instance to which the server is no longer connected stays listed until it is deleted", async () => {
    const scene = await accepted(serve);
    await scene.server.advance(0);
    const other = await startPeertube();
    await scene.admin.post("/admin/publishers/connect", account(other));
    await scene.owner.post(`/slots/${scene.slotId}/unpublish`, { reason: "Private." });
    await scene.server.advance(hour);
    const [row] = await listed(scene);
    expect(row).toMatchObject({
      state: "removed",
      reason: `The video is on ${hostOf(scene.peertube)}, to which this server is no longer connected.`,
    });
    await scene.admin.post("/admin/publishers/connect", account(scene.peertube));
    await scene.server.advance(2 * day);
    expect(scene.peertube.videos.size).toBe(0);
    expect((await listed(scene))[0]).toMatchObject({ reason: "Private.", detail: null, remoteId: null });
  });

  it("two uploads need a new token at once: it is refreshed once", async () => {
    const scene = await accepted(serve);
    await scene.server.advance(0);
    scene.peertube.expireTokens();
    scene.peertube.requests.length = 0;
    const { peertube: publisher } = scene.server.deps.publishers;
    const sought = { publicationId: "none", since: 0, size: 1, remoteId: null, session: null };
    await Promise.all([publisher!.remove(sought), publisher!.remove(sought), publisher!.remove(sought)]);
    expect(scene.peertube.requests.filter((kind) => kind === "token")).toHaveLength(1);
  });
});

onBothDatabases("the connection to PeerTube", (serve) => {
  const stateOf = async (admin: Person) =>
    (await admin.get("/admin/publishers")).body.data.publishers.find(
      ({ adapter }: { adapter: string }) => adapter === "peertube",
    );
  const sealed = async ({ deps }: TestServer) => {
    const row = await deps.store.read((q) => q.one<{ sealed: string }>("SELECT sealed FROM publisher_connections"));
    return [row!.sealed, deps.secrets.open(row!.sealed, "publisher peertube")] as const;
  };

  it("keeps the tokens, sealed, and not the password", async () => {
    const { server, peertube, admin } = await connected(serve);
    expect(await stateOf(admin)).toMatchObject({ state: "connected", inUse: true, account: `moon@${hostOf(peertube)}` });
    const [stored, opened] = await sealed(server);
    expect(stored).not.toContain("refresh");
    expect(JSON.parse(opened)).toMatchObject({
      url: peertube.url,
      refreshToken: expect.stringMatching(/^refresh-/),
      channelId: 11,
    });
    expect(opened).not.toContain("correct horse");
    const audit = JSON.stringify((await admin.get("/admin/audit")).body);
    expect(audit).toContain("publisher.connect");
    expect(audit).not.toContain("correct horse");
  });

  it("stays alive while nothing is published, also when the instance is away for a time", async () => {
    const { server, peertube } = await connected(serve);
    const [, before] = await sealed(server);
    await server.advance(6 * day);
    const [, after] = await sealed(server);
    expect(JSON.parse(after).refreshToken).not.toBe(JSON.parse(before).refreshToken);
    peertube.fail("token", { status: 503 });
    await server.advance(11 * day);
    expect([...peertube.refreshTokens.keys()]).toEqual([JSON.parse((await sealed(server))[1]).refreshToken]);
  });

  it("publishes on the channel that was named, with a one-time code", async () => {
    const { peertube, admin } = await connected(serve);
    peertube.oneTimeCode = "123456";
    const connect = (more: object) => admin.post("/admin/publishers/connect", { ...account(peertube), ...more });
    expect((await connect({})).body.error.message).toMatch(/asks for a one-time code: the account has two-factor/);
    expect((await connect({ oneTimeCode: "1" })).body.error.message).toMatch(
      /refused the one-time code\. Nothing was changed\.$/,
    );
    expect((await connect({ oneTimeCode: "123456", channel: "playtests" })).status).toBe(200);
  });

  describe("is refused", () => {
    const rows: [name: string, given: object, prepare: (it: Peertube) => void, status: number, message: RegExp][] = [
      ["a wrong password", { password: "wrong" }, () => {}, 409, /refused the user name or the password\. Nothing was changed\./],
      ["no password", { password: undefined }, () => {}, 422, /password/],
      ["a channel that is not there", { channel: "none" }, () => {}, 422, /must be one of: moon_channel, playtests/],
      ["an account without a channel", {}, (it) => (it.channels = []), 422, /the account has no channel/],
      ["a server that is no PeerTube", {}, (it) => it.fail("client", "without-range"), 409, /refused the sign-in \(308\)/],
      ["an instance that is away", {}, (it) => it.fail("client", { cut: 0 }), 409, /cannot be reached\. Nothing was changed\./],
      [
        "an instance whose reply ends in the middle",
        {},
        (it) => it.fail("me", "half"),
        409,
        /cannot be reached\. Nothing was changed\./,
      ],
      ["an address inside", { instance: "http://10.0.0.1" }, () => {}, 422, /Only https URLs are allowed|public/],
    ];
    it.each(rows)("%s", async (_, given, prepare, status, message) => {
      const peertube = await startPeertube();
      const server = await serve();
      const admin = await firstAdmin(server);
      prepare(peertube);
      const reply = await admin.post("/admin/publishers/connect", { ...account(peertube), ...given });
      expect([reply.status, JSON.stringify(reply.body.error)]).toEqual([status, expect.stringMatching(message)]);
      expect(await stateOf(admin)).toMatchObject({ state: "not_connected" });
    });
  });
});
