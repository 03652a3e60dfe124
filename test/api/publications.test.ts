import { describe, expect, it, vi } from "vitest";
import { faultsAt } from "../../server/playtests/publications/store.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, order, type Person, play, reachableAdmin, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { gate } from "../helpers/gate.ts";
import { Platform, type Step } from "../helpers/platform.ts";
import type { TestServer } from "../helpers/server.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const unreachable = "YouTube cannot be reached, or does not answer as it should.";
const payoutCents = 300;

interface Scene {
  server: TestServer;
  platform: Platform;
  admin: Person;
  owner: Person;
  tester: Person;
  slotId: string;
  accept(): Promise<void>;
}

type Serve = Parameters<Parameters<typeof onBothDatabases>[1]>[0];

/** A submitted video of a public playtest that pays, on a server that publishes on a platform. */
async function scene(serve: Serve, ...script: Step[]): Promise<Scene> {
  const server = await serve({
    config(config) {
      config.publishing.to = "youtube";
      config.pricing.publicPayoutCents = payoutCents;
    },
  });
  const platform = new Platform();
  platform.script.push(...script);
  server.deps.publishers.youtube = platform;
  const admin = await reachableAdmin(server);
  const [owner, tester] = [await registerOwner(server), await registerPlaytester(server)];
  const slotId = await play(server, tester, await order(owner, await createGame(owner), { visibility: "public" }));
  await server.advance(0);
  server.mails.length = 0;
  return {
    server,
    platform,
    admin,
    owner,
    tester,
    slotId,
    accept: async () => void (await owner.post(`/slots/${slotId}/accept`)),
  };
}

const publicationOf = async ({ owner, slotId }: Scene) =>
  (await owner.get(`/slots/${slotId}/publication`)).body.data?.publication;
const statusOf = async ({ owner, slotId }: Scene) => (await owner.get(`/slots/${slotId}`)).body.data.slot.status;
const addressOf = async ({ tester, slotId }: Scene) =>
  (await tester.get(`/playtester/slots/${slotId}`)).body.data.slot.publishedUrl;
const earned = async ({ tester }: Scene) => (await tester.get("/playtester/earnings")).body.data.balanceCents;
const idOf = async ({ admin }: Scene) => (await admin.get("/admin/publications")).body.data.publications[0].id;
const ownPage = ({ server, slotId }: Scene) => `${server.baseUrl}/watch/${slotId}`;
const watched = async ({ server, slotId }: Scene) => (await server.request("GET", `//watch/${slotId}`)).status;
const kinds = async (person: Person) =>
  (await person.get("/notifications")).body.data.notifications
    .map(({ type }: { type: string }) => type)
    .filter((type: string) => type.startsWith("slot.publish"));
const subjects = ({ server }: Scene) => server.mails.map(({ to, subject }) => `${to}: ${subject}`).sort();

const lost: Step = new Error("The connection was lost.");
const quota: Step = { is: "failed", reason: "The quota of today is used up.", retryAt: Date.parse("2026-03-02T08:00:00Z") };

onBothDatabases("publications", (serve) => {
  it("published: the slot is accepted, the playtester paid and told, and everybody knows the address", async () => {
    const world = await scene(serve);
    await world.accept();
    await world.server.advance(0);
    const url = [...world.platform.videos.keys()].map((id) => `https://video.example/${id}`)[0];
    expect(await publicationOf(world)).toEqual({
      state: "published",
      adapter: "youtube",
      url,
      remoteId: url!.split("/").at(-1),
      reason: null,
      attempts: 0,
      nextAttemptAt: null,
      bytesSent: 4096,
      bytesTotal: 4096,
    });
    expect([await statusOf(world), await earned(world), await addressOf(world)]).toEqual(["accepted", payoutCents, url]);
    expect(world.platform.calls).toEqual(["start", "advance"]);
    expect([await kinds(world.owner), await kinds(world.tester)]).toEqual([["slot.published"], ["slot.published"]]);
    expect(subjects(world)).toContain("playtester2@example.com: Your video of Lantern Deep is published");
    const { events } = (await world.owner.get("/events?limit=5")).body.data;
    expect(events.find(({ event }: { event: string }) => event === "slot.published").data).toMatchObject({
      adapter: "youtube",
      url,
    });
  });

  it("published on a platform: the pages of this server do not show it, and its address leads there", async () => {
    const world = await scene(serve);
    await world.accept();
    await world.server.advance(0);
    const page = (path: string) => world.server.request("GET", `//watch${path}`);
    const there = await page(`/${world.slotId}`);
    expect([there.status, there.headers.get("location")]).toEqual([303, await addressOf(world)]);
    const embedded = await page(`/${world.slotId}/embed`);
    expect([embedded.status, embedded.text]).toEqual([200, expect.stringContaining("Watch this video on video.example")]);
    for (const file of ["video", "poster", "captions", "cues"])
      expect([file, (await page(`/${world.slotId}/${file}`)).status]).toEqual([file, 404]);
    expect((await page("")).text).toContain("No video is shown here yet.");
    for (const path of ["//watch/feed.xml", "//sitemap.xml"])
      expect((await world.server.request("GET", path)).text).not.toContain(world.slotId);
  });

  it("of a game that is suspended: it waits, and goes on when the game is reinstated", async () => {
    const world = await scene(serve);
    const game = (await world.owner.get("/games")).body.data.games[0].id;
    await world.admin.post(`/admin/games/${game}/suspend`);
    await world.accept();
    await world.server.advance(minute);
    expect([await publicationOf(world), world.platform.calls]).toMatchObject([
      { state: "waiting", reason: "The game, or the account of its owner, is suspended." },
      [],
    ]);
    await world.admin.post(`/admin/games/${game}/unsuspend`);
    await world.server.advance(hour);
    expect([await statusOf(world), world.platform.videos.size, await earned(world)]).toEqual(["accepted", 1, payoutCents]);
  });

  it("of an owner who is suspended: nothing is sent to the platform", async () => {
    const world = await scene(serve, lost);
    await world.accept();
    await world.server.advance(0);
    await world.admin.suspendUser({ params: { id: world.owner.id }, body: {} });
    await world.server.advance(hour);
    expect([world.platform.calls, world.platform.videos.size]).toEqual([["start", "advance"], 0]);
  });

  it("that its platform processes when the game is suspended: the platform is still asked what became of it", async () => {
    const world = await scene(serve, { is: "processing", retryAt: Date.parse("2026-03-01T13:00:00Z") });
    const game = (await world.owner.get("/games")).body.data.games[0].id;
    await world.accept();
    await world.server.advance(minute);
    await world.admin.post(`/admin/games/${game}/suspend`);
    await world.server.advance(2 * hour);
    expect([(await publicationOf(world)).state, await kinds(world.owner)]).toEqual(["published", []]);
  });

  it("of a game that stays suspended: the playtester is paid, and nobody is told that it can be watched", async () => {
    const world = await scene(serve, lost);
    const game = (await world.owner.get("/games")).body.data.games[0].id;
    await world.accept();
    await world.server.advance(0);
    await world.admin.post(`/admin/games/${game}/suspend`);
    await world.server.advance(4 * day);
    expect([await statusOf(world), world.platform.videos.size, await earned(world), await watched(world)]).toEqual([
      "accepted",
      0,
      payoutCents,
      404,
    ]);
    const { notifications } = (await world.tester.get("/notifications")).body.data;
    expect([await kinds(world.owner), notifications[0]]).toMatchObject([
      [],
      { title: "Playtest paid", body: "Your playtest of Lantern Deep earned you $3.00. The video is not shown now." },
    ]);
    expect(subjects(world)).toContain("playtester2@example.com: You earned $3.00 for your playtest of Lantern Deep");
  });

  it("removed: the deletion on the platform comes before what the owner has yet to upload", async () => {
    const world = await scene(serve);
    await world.accept();
    await world.server.advance(hour);
    await world.owner.post(`/slots/${world.slotId}/unpublish`, { reason: "Shows a face." });
    const [job] = await world.server.deps.store.read((q) =>
      q.all<{ run_at: number }>("SELECT run_at FROM jobs WHERE kind = 'publish-video'"),
    );
    expect(job!.run_at).toBe(world.server.clock.now() - hour);
  });

  interface Row {
    name: string;
    script: Step[];
    /** How long after the acceptance the publication is looked at. */
    after: number;
    shows: object;
    status: "publishing" | "accepted";
  }
  const waits: Row[] = [
    {
      name: "a lost connection: tried again after 10 seconds",
      script: [lost],
      after: 5_000,
      shows: { state: "waiting", reason: unreachable, attempts: 1, nextAttemptAt: "2026-03-01T12:00:10.000Z" },
      status: "publishing",
    },
    {
      name: "failures in a row: the pauses become longer",
      script: [lost, lost, lost],
      after: minute,
      shows: { state: "waiting", attempts: 3, nextAttemptAt: "2026-03-01T12:01:10.000Z" },
      status: "publishing",
    },
    {
      name: "a part of the video: shown, and continued",
      script: [{ is: "progress", bytesSent: 1000 }, lost],
      after: 5_000,
      shows: { state: "uploading", bytesSent: 1000, bytesTotal: 4096, attempts: 1 },
      status: "publishing",
    },
    {
      name: "a lost session: everything is sent again",
      script: [
        { is: "progress", bytesSent: 1000 },
        { is: "failed", reason: "The upload expired.", session: null },
      ],
      after: 5_000,
      shows: { state: "waiting", bytesSent: 0, reason: "The upload expired." },
      status: "publishing",
    },
    {
      name: "a platform that still processes it: asked again",
      script: [{ is: "processing" }],
      after: 5_000,
      shows: { state: "processing", bytesSent: 4096, reason: null, nextAttemptAt: "2026-03-01T12:00:30.000Z" },
      status: "publishing",
    },
    {
      name: "a time that the platform names: not before it",
      script: [quota],
      after: 12 * hour,
      shows: { state: "waiting", reason: "The quota of today is used up.", nextAttemptAt: "2026-03-02T08:00:00.000Z" },
      status: "publishing",
    },
  ];
  it.each(waits)("$name; published in the end", async ({ script, after, shows, status }) => {
    const world = await scene(serve, ...script);
    await world.accept();
    await world.server.advance(after);
    expect(await publicationOf(world)).toMatchObject({ ...shows, adapter: "youtube", url: null });
    expect([await statusOf(world), await earned(world)]).toEqual([status, 0]);
    await world.server.advance(day);
    expect(await publicationOf(world)).toMatchObject({ state: "published", reason: null, attempts: 0 });
    expect([await statusOf(world), await earned(world), world.platform.videos.size]).toEqual(["accepted", payoutCents, 1]);
  });

  const ends: (Row & { reason: string; detail?: string })[] = [
    {
      name: "blocked: at once",
      script: [{ is: "blocked", reason: "The platform keeps it private.", remoteId: "v9" }],
      after: 0,
      shows: { state: "blocked", remoteId: "v9" },
      status: "accepted",
      reason: "The platform keeps it private.",
    },
    {
      name: "refused for good: at once",
      script: [{ is: "failed", reason: "The account has no channel.", permanent: true }],
      after: 0,
      shows: { state: "failed", attempts: 1 },
      status: "accepted",
      reason: "The account has no channel.",
    },
    {
      name: "never published: after three days",
      script: Array<Step>(100).fill(lost),
      after: 3 * day,
      shows: { state: "failed" },
      status: "accepted",
      reason:
        "It was not published by Wed 2026-03-04 12:00, UTC. The last try: YouTube cannot be reached, or does not answer as it should.",
      detail: "The connection was lost.",
    },
  ];
  it.each(ends)("$name, the own page takes over, and everybody is told why", async ({ script, after, shows, reason, detail }) => {
    const world = await scene(serve, ...script);
    await world.accept();
    if (after > 0) {
      await world.server.advance(after - 1);
      expect([await statusOf(world), await earned(world), await watched(world)]).toEqual(["publishing", 0, 404]);
    }
    await world.server.advance(1);
    const url = ownPage(world);
    expect(await publicationOf(world)).toMatchObject({ ...shows, adapter: "youtube", url, reason, nextAttemptAt: null });
    expect([await statusOf(world), await earned(world), await addressOf(world)]).toEqual(["accepted", payoutCents, url]);
    expect(await watched(world)).toBe(200);
    expect(await kinds(world.owner)).toEqual(["slot.publish_failed", "slot.published"]);
    expect(await kinds(world.tester)).toEqual(["slot.published"]);
    await world.server.advance(0);
    expect(subjects(world)).toEqual(
      expect.arrayContaining([
        "game_owner1@example.com: The video of playtester-2 was not published on YouTube",
        "operator@example.com: The video of playtester-2 was not published on YouTube",
        "playtester2@example.com: Your video of Lantern Deep is published",
      ]),
    );
    const mailed = world.server.mails.find(({ to }) => to.startsWith("operator"))!.text;
    expect(mailed).toContain(reason);
    if (detail) {
      expect(mailed).toContain(`What the platform or the server said: ${detail}`);
      const told = [
        JSON.stringify(await publicationOf(world)),
        world.server.mails.find(({ to }) => to.startsWith("game_owner"))!.text,
      ];
      expect(told.join("\n")).not.toContain(detail);
    }
    expect(mailed).toContain(`See the publication:\n${world.server.baseUrl}/admin`);
    const { items } = (await world.admin.get("/inbox")).body.data;
    expect(items.find(({ kind }: { kind: string }) => kind === "failedPublications")).toMatchObject({ count: 1 });
    // Nothing is left to do, and nothing is paid twice.
    const calls = world.platform.calls.length;
    await world.server.advance(30 * day);
    expect([world.platform.calls.length, await earned(world)]).toEqual([calls, payoutCents]);
    expect(await world.server.deps.store.read((q) => faultsAt(q, world.server.clock.now()))).toEqual([]);
  });

  it("a platform to which this server is not connected: the own page takes over", async () => {
    const world = await scene(serve);
    delete world.server.deps.publishers.youtube;
    await world.accept();
    await world.server.advance(3 * day);
    expect(await publicationOf(world)).toMatchObject({ state: "failed", url: ownPage(world) });
    expect(await earned(world)).toBe(payoutCents);
  });

  it("a reply that was lost after the video was made: found again, so that there is one video", async () => {
    const world = await scene(serve, async ({ publicationId }) => {
      world.platform.finish(publicationId, "session-1");
      throw new Error("The connection was lost.");
    });
    await world.accept();
    await world.server.advance(hour);
    expect(world.platform.videos.size).toBe(1);
    expect(await publicationOf(world)).toMatchObject({ state: "published" });
    // The first session was known to the platform no more, and the next start found the video.
    expect(world.platform.calls).toEqual(["start", "advance", "advance", "start", "advance"]);
  });

  it("an upload that ends after it was given up: published there after all, and paid once", async () => {
    const { open, passed } = gate();
    const world = await scene(serve, async ({ slotId }) => {
      await passed;
      return world.platform.finish(slotId, "session-1");
    });
    await world.accept();
    await world.server.deps.store.write(async (tx) => {
      await tx.run("UPDATE publications SET give_up_at = ?", tx.now);
      await tx.run("UPDATE jobs SET run_at = ? WHERE kind = 'end-publishing'", tx.now);
    });
    const given = async () => (await publicationOf(world)).state === "failed";
    await until(given);
    expect([await statusOf(world), await earned(world), await addressOf(world)]).toEqual([
      "accepted",
      payoutCents,
      ownPage(world),
    ]);
    open();
    await world.server.advance(0);
    expect(await publicationOf(world)).toMatchObject({ state: "published", reason: null });
    expect([await addressOf(world), await earned(world)]).toEqual(["https://video.example/v1-2", payoutCents]);
  });
});

/** Asks until it is so: the server works by itself. */
const until = (holds: () => Promise<boolean>) => vi.waitUntil(holds, { timeout: 60_000, interval: 50 });

onBothDatabases("publications: what an operator and an owner can do", (serve) => {
  const refused: Step = { is: "failed", reason: "The account has no channel.", permanent: true };

  it("retry: with the whole time again, and then at the address of the platform", async () => {
    const world = await scene(serve, refused, lost);
    await world.accept();
    await world.server.advance(0);
    const id = await idOf(world);
    await world.server.advance(5 * day);
    expect((await world.admin.post(`/admin/publications/${id}/retry`)).body.data.publication).toMatchObject({
      id,
      state: "waiting",
      attempts: 0,
      reason: null,
      url: ownPage(world),
    });
    await world.server.advance(hour);
    // By a new session, because that of the failed try would fail again.
    expect(await publicationOf(world)).toMatchObject({ state: "published", url: "https://video.example/v1-3" });
    expect([await earned(world), await watched(world), world.platform.videos.size]).toEqual([payoutCents, 303, 1]);
    expect((await world.admin.post(`/admin/publications/${id}/retry`)).status).toBe(409);
  });

  it("move: to the own page at once, and the video of the platform is deleted", async () => {
    const world = await scene(serve);
    await world.accept();
    await world.server.advance(0);
    const first = await idOf(world);
    expect((await world.admin.post(`/admin/publications/${first}/move`, { to: "youtube" })).status).toBe(409);
    expect((await world.admin.post(`/admin/publications/${first}/move`, { to: "nowhere" })).status).toBe(422);
    const moved = (await world.admin.post(`/admin/publications/${first}/move`, { to: "own" })).body.data.publication;
    expect(moved).toMatchObject({ state: "published", adapter: "own", url: ownPage(world), remoteId: null });
    await world.server.advance(0);
    expect(world.platform.videos.size).toBe(0);
    expect(await addressOf(world)).toBe(ownPage(world));
    const { publications } = (await world.admin.get("/admin/publications?state=removed")).body.data;
    expect(publications).toMatchObject([{ id: first, url: null, remoteId: null, reason: "Moved to the server's own page." }]);
    const back = (await world.admin.post(`/admin/publications/${moved.id}/move`, { to: "youtube" })).body.data.publication;
    expect(back).toMatchObject({ state: "waiting", adapter: "youtube", url: ownPage(world) });
    await world.server.advance(0);
    expect([world.platform.videos.size, await earned(world)]).toEqual([1, payoutCents]);
    expect(await addressOf(world)).toMatch(/^https:\/\/video\.example\//);
  });

  it("move: of a video that waits for its platform pays at once", async () => {
    const world = await scene(serve, lost);
    await world.accept();
    await world.server.advance(0);
    const { id } = (await world.admin.post(`/admin/publications/${await idOf(world)}/move`, { to: "own" })).body.data.publication;
    expect([await statusOf(world), await earned(world), await watched(world)]).toEqual(["accepted", payoutCents, 200]);
    await world.admin.post(`/admin/publications/${id}/remove`, { reason: "Shows a face." });
    expect((await world.admin.post(`/admin/publications/${id}/retry`)).status).toBe(409);
  });

  const removals: { name: string; remove(world: Scene): Promise<unknown>; reason: string }[] = [
    {
      name: "by its owner",
      remove: ({ owner, slotId }) => owner.post(`/slots/${slotId}/unpublish`, { reason: "Shows a secret level." }),
      reason: "Shows a secret level.",
    },
    {
      name: "by its playtester",
      remove: ({ tester, slotId }) => tester.post(`/playtester/slots/${slotId}/unpublish`, { reason: "My voice." }),
      reason: "The playtester withdrew the consent to publish it. The reason: My voice.",
    },
    {
      name: "by its playtester, without a reason",
      remove: ({ tester, slotId }) => tester.post(`/playtester/slots/${slotId}/unpublish`),
      reason: "The playtester withdrew the consent to publish it.",
    },
    {
      name: "by an operator",
      remove: async (world) => world.admin.post(`/admin/publications/${await idOf(world)}/remove`, { reason: "Shows a face." }),
      reason: "Shows a face.",
    },
  ];
  it.each(removals)("removed $name: deleted on the platform, 410 here, and without an address", async ({ remove, reason }) => {
    const world = await scene(serve);
    await world.accept();
    await world.server.advance(0);
    world.platform.refusals.push(new Error("Come back later."));
    await remove(world);
    expect([await watched(world), await addressOf(world), await statusOf(world)]).toEqual([410, null, "accepted"]);
    await world.server.advance(0);
    expect(await publicationOf(world)).toMatchObject({ state: "removed", url: null, attempts: 1, reason: unreachable });
    await world.server.advance(hour);
    expect(await publicationOf(world)).toMatchObject({ state: "removed", remoteId: null, attempts: 0, reason });
    expect([world.platform.videos.size, await earned(world)]).toEqual([0, payoutCents]);
    expect((await world.server.request("GET", `//watch/${world.slotId}/video`)).status).toBe(410);
    expect((await world.owner.post(`/slots/${world.slotId}/unpublish`, { reason: "Again" })).status).toBe(409);
    // The help of `review unpublish` and `admin publishing remove` says that it cannot be published again.
    expect((await world.admin.post(`/admin/publications/${await idOf(world)}/retry`)).status).toBe(200);
    await world.server.advance(hour);
    expect(await publicationOf(world)).toMatchObject({ state: "removed", attempts: 0, nextAttemptAt: null, reason });
    expect([world.platform.videos.size, await watched(world)]).toEqual([0, 410]);
  });

  it("removed while it is uploaded: paid, and what the platform makes of it is deleted", async () => {
    const { open, passed } = gate();
    const world = await scene(serve, async ({ slotId }) => {
      await passed;
      return world.platform.finish(slotId, "session-1");
    });
    await world.accept();
    await until(async () => world.platform.calls.includes("advance"));
    await world.owner.post(`/slots/${world.slotId}/unpublish`, { reason: "Wrong video." });
    expect([await statusOf(world), await earned(world), await watched(world)]).toEqual(["accepted", payoutCents, 410]);
    open();
    await world.server.advance(0);
    expect(world.platform.calls.at(-1)).toBe("remove");
    expect(world.platform.videos.size).toBe(0);
    expect(await addressOf(world)).toBeNull();
  });

  it("rejected by an operator while it is uploaded: not paid, and deleted", async () => {
    const world = await scene(serve, { is: "progress", bytesSent: 10 }, lost);
    await world.accept();
    await world.server.advance(0);
    await world.admin.post(`/admin/slots/${world.slotId}/reject`, { reason: "Shows a face." });
    await world.server.advance(0);
    expect([await statusOf(world), await earned(world), world.platform.sessions.size]).toEqual(["rejected", 0, 0]);
  });

  describe("deletion of an account", () => {
    it.each(["owner", "tester"] as const)(
      "of the %s: the video is deleted on the platform, and the page answers 410",
      async (who) => {
        const world = await scene(serve);
        await world.accept();
        await world.server.advance(0);
        const reply = await world.admin.delete(`/admin/users/${world[who].id}`);
        expect(reply.status).toBe(200);
        await world.server.advance(0);
        expect([world.platform.videos.size, await watched(world)]).toEqual([0, 410]);
      },
    );
  });

  it("of another owner or of a slot that is not public: 404", async () => {
    const world = await scene(serve);
    const other = await registerOwner(world.server);
    expect((await world.owner.get(`/slots/${world.slotId}/publication`)).status).toBe(404);
    await world.accept();
    expect((await other.get(`/slots/${world.slotId}/publication`)).status).toBe(404);
    expect((await other.post(`/slots/${world.slotId}/unpublish`, { reason: "Mine" })).status).toBe(404);
    expect((await world.admin.post(`/admin/publications/${world.slotId}/retry`)).status).toBe(404);
  });
});
