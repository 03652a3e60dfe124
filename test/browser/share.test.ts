import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { browserAndServer } from "../helpers/browser.ts";
import * as factories from "../helpers/factories.ts";

const sample = readFileSync(new URL("../../server/sandbox/sample.mp4", import.meta.url));
const vtt = "WEBVTT\n\n00:00:00.500 --> 00:00:01.500\nWhere is the lamp?\n\n00:00:02.000 --> 00:00:02.800\nHere it is.\n";

const { browser, server } = await browserAndServer();
let owner: factories.Person;
let slotId: string;
beforeAll(async () => {
  owner = await factories.registerOwner(server);
  await factories.giveCredit(server, owner, 20_000);
  const tester = await factories.registerPlaytester(server, "Pia");
  slotId = await factories.claim(tester, await factories.order(owner, await factories.createGame(owner)));
  await factories.giveVideo(server, slotId, tester, sample);
  await tester.post(`/playtester/slots/${slotId}/submit`);
  await server.request("PUT", `/slots/${slotId}/transcript`, { key: owner.key, body: { vtt } });
});
const share = async (body: object = {}) =>
  (await owner.post(`/slots/${slotId}/shares`, body)).body.data.share as { id: string; url: string };

/** Runs in the page: waits until the video is at a position that it went to. */
const position = `(async () => {
  const video = document.querySelector("video");
  const event = (name) => new Promise((done) => video.addEventListener(name, done, { once: true }));
  while (video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA || video.seeking) await Promise.race([event("seeked"), event("canplay")]);
  return Math.round(video.currentTime * 10) / 10;
})()`;
const positionIn = (page: Page) => page.evaluate(position) as Promise<number>;

describe("a shared video", () => {
  let page: Page;
  let complaints: string[];
  beforeEach(async () => {
    page = await browser.newPage();
    complaints = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    return () => page.close();
  });

  it("plays with captions, starts at the time in its address, and goes to the time of a line", async () => {
    const { url } = await share();
    await page.goto(`${url}#t=2s`);
    expect(await positionIn(page)).toBe(2);
    await page.keyboard.press("c");
    await expect.poll(() => page.evaluate("document.querySelector('track').track.cues?.length")).toBe(2);
    await page.getByRole("link", { name: "0:00" }).click();
    expect([await positionIn(page), new URL(page.url()).hash]).toEqual([0.5, "#t=0s"]);
    await page.evaluate("location.hash = '#t=0m1s'");
    await expect.poll(() => page.evaluate("document.querySelector('video').currentTime")).toBe(1);
    expect(complaints).toEqual([]);
  });

  it("breaks long words of notes instead of growing wider than a phone", async () => {
    await owner.post(`/slots/${slotId}/moments`, { atMs: 0, text: "Endless".repeat(100) });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto((await share({ withNotes: true })).url);
    expect(await page.textContent("td:last-child")).toContain("EndlessEndless");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
  });

  it("asks each browser for its password, and ends everywhere at once, its files too", async () => {
    const { id, url } = await share({ password: "lamp in the dark" });
    const first = await browser.newContext();
    const inFirst = await first.newPage();
    await inFirst.goto(url);
    await inFirst.getByLabel("Password").fill("lamp in the light");
    await inFirst.getByRole("button", { name: "Open" }).click();
    expect(await inFirst.getByRole("alert").textContent()).toBe("This password is wrong.");
    await inFirst.getByLabel("Password").fill("lamp in the dark");
    await inFirst.getByRole("button", { name: "Open" }).click();
    await inFirst.getByRole("heading", { name: "Playtest of Lantern Deep" }).waitFor();
    await expect.poll(() => inFirst.evaluate("document.querySelector('video').readyState")).toBeGreaterThan(0);

    // Another browser knows nothing of it, and neither does a page of the first one about another share.
    await page.goto(url);
    await page.getByLabel("Password").waitFor();
    expect((await page.request.get(`${url}/${slotId}/video`)).status()).toBe(404);
    await inFirst.goto((await share({ password: "lamp in the dark" })).url);
    await inFirst.getByLabel("Password").waitFor();

    await inFirst.goto(url);
    const statusOf = (path: string) =>
      inFirst.evaluate(`fetch(${JSON.stringify(path)}, { headers: { range: "bytes=0-9" } }).then((reply) => reply.status)`);
    const files = ["video", "captions"].map((part) => `${new URL(url).pathname}/${slotId}/${part}`);
    expect(await Promise.all(files.map(statusOf))).toEqual([206, 200]);
    await owner.delete(`/shares/${id}`);
    expect(await Promise.all(files.map(statusOf))).toEqual([404, 404]);
    expect((await inFirst.reload())?.status()).toBe(404);
    await first.close();
  });

  it("without JavaScript opens by its password, and starts where a line leads", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto((await share({ password: "lamp in the dark" })).url);
    await plain.getByLabel("Password").fill("lamp in the dark");
    await plain.getByRole("button", { name: "Open" }).click();
    await plain.getByRole("link", { name: "0:02" }).click();
    expect(await plain.locator("video").getAttribute("src")).toMatch(/\/video#t=2$/);
    await context.close();
  });
});
