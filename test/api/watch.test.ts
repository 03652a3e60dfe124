import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { copySlots } from "../helpers/copied-slots.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, order, type Person, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import type { TestServer, TestServerOptions } from "../helpers/server.ts";

const picture = [
  ...[process.execPath, fileURLToPath(new URL("../fixtures/ffmpeg.mjs", import.meta.url)), "picture"],
  fileURLToPath(new URL("../fixtures/pictures/baseline.jpg", import.meta.url)),
];
const vtt = "WEBVTT\n\n00:00.000 --> 00:02.000\n<v Ann>Where is the <i>door</i>?\n\n00:03.000 --> 00:04.000\nThere & here\n";

type Serve = Parameters<Parameters<typeof onBothDatabases>[1]>[0];

interface Scene {
  server: TestServer;
  owner: Person;
  tester: Person;
  gameId: string;
  /** Plays the game once more, and has the video published. */
  publish(gameId?: string): Promise<string>;
  page(path: string): ReturnType<TestServer["request"]>;
}

async function scene(serve: Serve, options: Omit<TestServerOptions, "store"> = {}): Promise<Scene> {
  const server = await serve({ transcriber: { transcribe: async () => vtt }, ...options });
  const [owner, tester] = [await registerOwner(server), await registerPlaytester(server)];
  const gameId = await createGame(owner, { externalUrl: "https://moon.example/deep" });
  return {
    server,
    owner,
    tester,
    gameId,
    async publish(game = gameId) {
      const slotId = await play(server, tester, await order(owner, game, { visibility: "public" }));
      await owner.post(`/slots/${slotId}/accept`);
      await server.advance(1000);
      return slotId;
    },
    page: (path) => server.request("GET", `/${path}`),
  };
}

const links = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found]) => found);
const properties = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/<meta property="og:([a-z_:]+)" content="([^"]*)">/g)].map(([, name, value]) => [name, value]),
  );

onBothDatabases("the pages of published videos", (serve) => {
  it("list them, newest first, of all games and of one", async () => {
    const { owner, publish, page, gameId } = await scene(serve);
    const other = await createGame(owner, { name: "Tide & Co" });
    const slots = [await publish(), await publish(other), await publish()];
    const all = await page("/watch");
    expect(all.status).toBe(200);
    expect(links(all.text, /class="film" href="\/watch\/([^"]+)"/g)).toEqual([...slots].reverse());
    const one = await page(`/watch/games/${gameId}`);
    expect(links(one.text, /class="film" href="\/watch\/([^"]+)"/g)).toEqual([slots[2], slots[0]]);
    expect(one.text).toContain('<a href="https://moon.example/deep" rel="noopener">About Lantern Deep</a>');
    expect(properties(one.text)).toMatchObject({
      title: "Playtests of Lantern Deep",
      description: "People play Lantern Deep and say what they think, on video.",
    });
    expect((await page(`/watch/games/${other}`)).text).toContain("<h1>Playtests of Tide &amp; Co</h1>");
    for (const unknown of ["/watch/games", "/watch/games/nothing", `/watch/games/${slots[0]}`, "/watch/feed.xml/more"])
      expect((await page(unknown)).status).toBe(404);
  });

  it("list 24 at a time", async () => {
    const { publish, page, server } = await scene(serve);
    const slotId = await publish();
    await copySlots(server, slotId, 25, (index) => ({ published_at: 1_000 + index }));
    const first = await page("/watch");
    expect(links(first.text, /class="film" href/g)).toHaveLength(24);
    const older = /href="(\/watch\?cursor=[^"]+)"/.exec(first.text)![1]!.replaceAll("&amp;", "&");
    expect(links((await page(older)).text, /class="film" href/g)).toHaveLength(2);
  });

  it("show one with its transcript without names of speakers, the game, the code to embed it, and a preview for links", async () => {
    const { publish, page, server, gameId } = await scene(serve, {
      config: ({ clips }) => void Object.assign(clips, { ffmpeg: picture }),
    });
    const slotId = await publish();
    const { text, headers } = await page(`/watch/${slotId}`);
    expect(text).toContain(`<track kind="captions" src="/watch/${slotId}/captions"`);
    expect(text).toContain('href="?t=0s#player" data-at="0" data-end="2000"><time>0:00</time> Where is the door?</a>');
    expect(text).not.toContain("Ann");
    expect(text).toContain(`<a href="/watch/games/${gameId}">All videos of Lantern Deep</a>`);
    expect(text).toContain('<a href="https://moon.example/deep" rel="noopener">About Lantern Deep</a>');
    expect(text).toContain(`&lt;iframe src=&quot;${server.baseUrl}/watch/${slotId}/embed&quot;`);
    expect(properties(text)).toEqual({
      type: "video.other",
      site_name: "playtest",
      title: "playtester-2 plays Lantern Deep",
      description: "A playtest of Lantern Deep on video.",
      url: `${server.baseUrl}/watch/${slotId}`,
      image: `${server.baseUrl}/watch/${slotId}/poster`,
      "image:width": "64",
      "image:height": "36",
      video: `${server.baseUrl}/watch/${slotId}/video`,
    });
    expect(text).toContain('<meta name="description" content="A playtest of Lantern Deep on video.">');
    expect(text).toContain('<meta name="twitter:card" content="summary_large_image">');
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    // Only the picture may be shown by other sites, which make the preview.
    const policyOf = async (part: string) => (await page(`/watch/${slotId}${part}`)).headers.get("cross-origin-resource-policy");
    expect(await Promise.all(["", "/poster", "/video", "/captions", "/cues"].map(policyOf))).toEqual([
      "same-origin",
      "cross-origin",
      ...Array(3).fill("same-origin"),
    ]);
    const captions = await page(`/watch/${slotId}/captions`);
    expect([captions.headers.get("content-type"), captions.text]).toEqual([
      "text/vtt; charset=utf-8",
      expect.stringMatching(/^WEBVTT\n[\s\S]*Where is the door\?/),
    ]);
    expect(JSON.parse((await page(`/watch/${slotId}/cues`)).text)).toEqual([
      [0, 2000, "Where is the door?"],
      [3000, 4000, "There & here"],
    ]);
    const embedded = await page(`/watch/${slotId}/embed`);
    expect(embedded.headers.get("content-security-policy")).toContain("frame-ancestors *");
    expect(embedded.text).not.toContain("Where is the door");
  });

  it("are small: with styles and scripts, as browsers load them, at most 60 kB", async () => {
    const lines = Array.from({ length: 1000 }, (_, at) => {
      const time = (s: number) => `00:${String(Math.floor(s / 60)).padStart(2, "0")}:${String(s % 60).padStart(2, "0")}.000`;
      return `${time(at)} --> ${time(at + 1)}\nThis is what was said in second ${at} of the video\n`;
    });
    const long = `WEBVTT\n\n${lines.join("\n")}`;
    const { publish, server } = await scene(serve, { transcriber: { transcribe: async () => long } });
    const slotId = await publish();
    const load = async (path: string) => (await fetch(server.baseUrl + path)).arrayBuffer();
    const html = Buffer.from(await load(`/watch/${slotId}`));
    const assets = links(html.toString(), /(?:src|href)="(\/assets\/[^"]+)"/g) as string[];
    let bytes = html.length;
    for (const path of assets) {
      const reply = await fetch(server.baseUrl + path, { headers: { "accept-encoding": "gzip" } });
      bytes += Number(reply.headers.get("content-length"));
    }
    expect(bytes).toBeLessThan(60_000);
  });

  it("may be listed by search engines, unless the operator does not want it", async () => {
    const { publish, page, server, gameId } = await scene(serve);
    const slotId = await publish();
    for (const path of ["/watch", `/watch/games/${gameId}`, `/watch/${slotId}`])
      expect((await page(path)).text).not.toContain("noindex");
    expect((await page("/")).text).toContain('<meta name="robots" content="noindex">');
    const map = await page("/sitemap.xml");
    expect((await page("/robots.txt")).text).toContain(`\nSitemap: ${server.baseUrl}/sitemap.xml\n`);
    expect(map.headers.get("content-type")).toBe("application/xml; charset=utf-8");
    expect(links(map.text, /<loc>([^<]+)<\/loc>/g)).toEqual(
      ["/watch", `/watch/games/${gameId}`, `/watch/${slotId}`].map((path) => server.baseUrl + path),
    );
    const quiet = await scene(serve, { config: ({ publishing }) => void Object.assign(publishing, { indexable: false }) });
    const hidden = await quiet.publish();
    for (const path of ["/watch", `/watch/${hidden}`]) expect((await quiet.page(path)).text).toContain("noindex");
    expect((await quiet.page("/sitemap.xml")).status).toBe(404);
    expect((await quiet.page("/robots.txt")).text).not.toContain("Sitemap");
  });

  it("have a feed", async () => {
    const { owner, publish, page, server } = await scene(serve);
    const slotId = await publish(await createGame(owner, { name: "Tide & <Co>\u0001" }));
    const { headers, text } = await page("/watch/feed.xml");
    expect(headers.get("content-type")).toBe("application/rss+xml; charset=utf-8");
    expect(text).toContain("<title>playtester-2 plays Tide &amp; &lt;Co&gt; </title>");
    expect(text).toContain(`<guid>${server.baseUrl}/watch/${slotId}</guid>`);
    expect(text).toContain("<pubDate>Sun, 01 Mar 2026 12:00:00 GMT</pubDate>");
    expect((await page("/watch")).text).toContain('<link rel="alternate" type="application/rss+xml" href="/watch/feed.xml">');
  });

  it("forget a video that was removed, and one whose game is suspended", async () => {
    const { owner, publish, page, gameId, server } = await scene(serve);
    const [removed, other] = [await publish(), await publish()];
    await owner.post(`/slots/${removed}/unpublish`, { reason: "Private." });
    for (const path of [`/watch/${removed}`, `/watch/${removed}/captions`, `/watch/${removed}/embed`])
      expect((await page(path)).status).toBe(410);
    for (const path of ["/watch", "/watch/feed.xml", "/sitemap.xml"]) {
      const { text } = await page(path);
      expect([text.includes(removed), text.includes(other)]).toEqual([false, true]);
    }
    await server.deps.store.write((tx) => tx.run("UPDATE games SET status = 'suspended' WHERE id = ?", gameId));
    for (const path of [`/watch/${other}`, `/watch/${other}/cues`, `/watch/games/${gameId}`])
      expect((await page(path)).status).toBe(404);
    expect((await page("/watch")).text).toContain("No video is shown here yet.");
  });
});

onBothDatabases("consent to a publication", (serve) => {
  const offered = async ({ tester }: Scene) =>
    (await tester.get("/playtester/playtests")).body.data.playtests[0].publicationConsent;
  const sentence = "If your video is accepted, it is published on this website for everybody,";

  it("is in the offer, is given by the claim, and its version is shown to the owner", async () => {
    const world = await scene(serve);
    const { owner, tester, server, gameId } = world;
    const playtestId = await order(owner, gameId, { visibility: "public" });
    expect(await offered(world)).toEqual({ version: 1, text: `${sentence} with your name, playtester-2.` });
    const slotId = await play(server, tester, playtestId);
    await tester.patch("/auth/profile", { displayName: "Somebody else" });
    const { slot } = (await owner.get(`/slots/${slotId}`)).body.data;
    expect(slot.publicationConsent).toEqual({
      version: 1,
      text: `${sentence} with your name, playtester-2.`,
      acceptedAt: "2026-03-01T12:00:00.000Z",
      withdrawnAt: null,
    });
    await owner.post(`/slots/${slotId}/accept`);
    await server.advance(0);
    expect((await world.page(`/watch/${slotId}`)).text).toContain("<h1>playtester-2 plays Lantern Deep</h1>");
  });

  it("without a name: nothing published shows it", async () => {
    const world = await scene(serve);
    await world.tester.patch("/auth/profile", { publishedName: "hidden" });
    expect((await world.tester.get("/auth/me")).body.data.profile.publishedName).toBe("hidden");
    await order(world.owner, world.gameId, { visibility: "public" });
    expect(await offered(world)).toEqual({ version: 1, text: `${sentence} without your name.` });
    const slotId = await world.publish();
    for (const path of ["/watch", `/watch/${slotId}`, "/watch/feed.xml"]) {
      const { text } = await world.page(path);
      expect(text).toContain("A playtester plays Lantern Deep");
      expect(text).not.toContain("playtester-2");
    }
    const { headers } = await world.page(`/watch/${slotId}/video`);
    expect(headers.get("content-disposition")).toBe('inline; filename="video.mp4"');
  });

  it("of an application is given when it is sent", async () => {
    const world = await scene(serve);
    const { owner, tester, server, gameId } = world;
    const playtestId = await order(owner, gameId, { visibility: "public", selectionMode: "manual", qualifications: "Any." });
    const { id } = (await tester.post(`/playtester/playtests/${playtestId}/applications`, {})).body.data.application;
    await tester.patch("/auth/profile", { publishedName: "hidden" });
    await server.advance(1000);
    await owner.post(`/playtest-applications/${id}/approve`);
    const [slot] = (await tester.get("/playtester/slots")).body.data.slots;
    const { publicationConsent } = (await owner.get(`/slots/${slot.id}`)).body.data.slot;
    expect(publicationConsent).toMatchObject({
      acceptedAt: "2026-03-01T12:00:00.000Z",
      text: expect.stringContaining("playtester-2"),
    });
  });

  describe("of a private playtest", () => {
    it("is not asked for", async () => {
      const world = await scene(serve, { config: ({ payments }) => void Object.assign(payments, { enabled: false }) });
      const playtestId = await order(world.owner, world.gameId);
      expect(await offered(world)).toBeNull();
      const slotId = await play(world.server, world.tester, playtestId);
      expect((await world.owner.get(`/slots/${slotId}`)).body.data.slot.publicationConsent).toBeNull();
    });
  });
});
