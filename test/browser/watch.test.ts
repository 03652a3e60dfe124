import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { fileBrowser } from "../helpers/browser.ts";
import { claim, createGame, giveVideo, order, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { ownServer } from "../helpers/own-server.ts";

const browser = await fileBrowser();

const box = (type: string, content: Buffer) => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length + 8);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, content]);
};

/** The sample with its index behind 8 MiB of padding: a player that does not ask for ranges would have to read it all first. */
function longVideo(): Buffer {
  const sample = Buffer.from(readFileSync(new URL("../../server/sandbox/sample.mp4", import.meta.url)));
  const at = sample.indexOf("moov") - 4;
  const index = Buffer.from(sample.subarray(at, at + sample.readUInt32BE(at)));
  sample.write("free", at + 4, "latin1");
  return Buffer.concat([sample, box("free", Buffer.alloc(8 * 1024 * 1024)), index]);
}

/** Runs in the page: seeks to the middle and plays to the end. */
const watching = `(async () => {
  const video = document.querySelector("video");
  const event = (name) => new Promise((done) => video.addEventListener(name, done, { once: true }));
  if (video.readyState < HTMLMediaElement.HAVE_METADATA) await event("loadedmetadata");
  const { duration, videoWidth } = video;
  const seeked = event("seeked");
  video.currentTime = duration / 2;
  await seeked;
  const started = video.currentTime;
  video.muted = true;
  const ended = event("ended");
  await video.play();
  await ended;
  return { duration, videoWidth, started, stopped: video.currentTime };
})()`;

it("watch page: plays a video, seeks with range requests, and breaks no content security policy", async () => {
  const server = await ownServer();
  const owner = await registerOwner(server);
  const playtester = await registerPlaytester(server, "Ann <b>");
  const id = await order(owner, await createGame(owner), { visibility: "public" });
  const slotId = await claim(playtester, id);
  await giveVideo(server, slotId, playtester, longVideo());
  await playtester.post(`/playtester/slots/${slotId}/submit`);
  await owner.post(`/slots/${slotId}/accept`);
  await server.advance(0);

  const page = await browser.newPage();
  const complaints: string[] = [];
  const ranges: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("response", (response) => {
    if (response.url().endsWith("/video")) ranges.push(`${response.status()} ${response.headers()["content-range"]}`);
  });
  await page.goto(`${server.baseUrl}/watch/${slotId}`);
  expect(await page.textContent("h1")).toBe("Ann <b> plays Lantern Deep");
  const seen = (await page.evaluate(watching)) as Record<"duration" | "videoWidth" | "started" | "stopped", number>;
  expect(seen.videoWidth).toBeGreaterThan(0);
  expect(seen.started).toBeCloseTo(seen.duration / 2, 1);
  expect(seen.stopped).toBeGreaterThan(seen.started);
  expect(ranges.every((range) => range.startsWith("206 bytes "))).toBe(true);
  expect(ranges.some((range) => !range.startsWith("206 bytes 0-"))).toBe(true);
  expect(complaints).toEqual([]);
  await page.close();
  await server.close();
});

interface Feed {
  fault: string | undefined;
  version: string | null;
  channels: number;
  channel: Record<string, string>;
  self: string | null;
  items: Record<string, string>[];
}

/** Runs in the page: reads a feed as XML. */
const readFeed = (text: string) => `(() => {
  const document = new DOMParser().parseFromString(${JSON.stringify(text)}, "application/xml");
  const fieldsOf = (element) => Object.fromEntries([...element.children].filter((one) => one.children.length === 0).map((one) => [one.nodeName, one.textContent]));
  return {
    fault: document.querySelector("parsererror")?.textContent,
    version: document.documentElement.getAttribute("version"),
    channels: document.querySelectorAll("rss > channel").length,
    channel: fieldsOf(document.querySelector("channel")),
    self: document.getElementsByTagNameNS("http://www.w3.org/2005/Atom", "link")[0].getAttribute("href"),
    items: [...document.querySelectorAll("channel > item")].map(fieldsOf),
  };
})()`;

/** RFC 822 with a year of four digits, as RSS 2.0 has it. */
const rfc822 =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

it("feed: well-formed XML that follows the rules of RSS 2.0, whatever games are called", async () => {
  const server = await ownServer();
  const owner = await registerOwner(server);
  const playtester = await registerPlaytester(server, 'Ann "<b>" & Co');
  const names = ["Tide & <Co>", "]]> <!-- -->", "\u0001\u0008 Low \u{1f600}", "&amp; &nbsp; &#0;"];
  for (const name of names) {
    const slotId = await play(
      server,
      playtester,
      await order(owner, await createGame(owner, { name }), { visibility: "public" }),
    );
    await owner.post(`/slots/${slotId}/accept`);
    await server.advance(60_000);
  }
  const page = await browser.newPage();
  const url = `${server.baseUrl}/watch/feed.xml`;
  const feed = (await page.evaluate(readFeed((await server.request("GET", "//watch/feed.xml")).text))) as Feed;
  expect([feed.fault, feed.version, feed.channels, feed.self]).toEqual([undefined, "2.0", 1, url]);
  expect(feed.channel).toMatchObject({ title: expect.stringMatching(/./), description: expect.stringMatching(/./) });
  expect(feed.channel.link).toBe(`${server.baseUrl}/watch`);
  expect(feed.channel.lastBuildDate).toBe(feed.items[0]!.pubDate);
  expect(feed.items).toHaveLength(names.length);
  expect(new Set(feed.items.map(({ guid }) => guid)).size).toBe(names.length);
  for (const [index, item] of feed.items.reverse().entries()) {
    expect(item.title).toContain(names[index]!.replace(/\p{Cc}+/gu, " ").trim());
    expect(item.pubDate).toMatch(rfc822);
    expect(item.link).toBe(item.guid);
    expect((await server.request("GET", `/${new URL(item.guid!).pathname}`)).status).toBe(200);
  }
  await page.close();
  await server.close();
});
