import { readFileSync } from "node:fs";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { browserAndServer, until, videoReady } from "../helpers/browser.ts";
import { claim, createGame, giveVideo, order, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { videoOf } from "../helpers/videos.ts";

/** Twelve seconds of ten frames. Seven blocks at the top of each frame are its number in binary, the lowest digit first. */
const fixture = (name: string) => readFileSync(new URL(`../fixtures/videos/${name}`, import.meta.url));

const { browser, server } = await browserAndServer();
const owner = await registerOwner(server);

async function published(video: Buffer): Promise<string> {
  const playtester = await registerPlaytester(server, "Ann");
  const slotId = await claim(playtester, await order(owner, await createGame(owner), { visibility: "public" }));
  await giveVideo(server, slotId, playtester, video);
  await playtester.post(`/playtester/slots/${slotId}/submit`);
  await owner.post(`/slots/${slotId}/accept`);
  await server.advance(0);
  return `${server.baseUrl}/watch/${slotId}`;
}

async function opened(url: string, options: Parameters<Browser["newContext"]>[0] = {}): Promise<[Page, BrowserContext]> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(url);
  return [page, context];
}

const video = (page: Page) =>
  page.evaluate(
    "(({ currentTime, paused, playbackRate }) => ({ currentTime, paused, playbackRate }))(document.querySelector('video'))",
  ) as Promise<{ currentTime: number; paused: boolean; playbackRate: number }>;

/** The number of the frame that is shown, from its blocks. */
const frameShown = (page: Page) =>
  page.evaluate(`(async () => {
    const video = document.querySelector("video");
    while (video.seeking || "stepping" in video.dataset) await new Promise((done) => setTimeout(done, 5));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const canvas = Object.assign(document.createElement("canvas"), { width: 320, height: 180 });
    const pen = canvas.getContext("2d");
    pen.drawImage(video, 0, 0);
    return [0, 1, 2, 3, 4, 5, 6].reduce((sum, at) => sum + (pen.getImageData(at * 40 + 20, 20, 1, 1).data[0] > 128 ? 2 ** at : 0), 0);
  })()`) as Promise<number>;

describe.each(["frames.mp4", "frames.webm"])("player: %s", (name) => {
  let url: string;
  beforeAll(async () => {
    url = await published(fixture(name));
  });

  it("opens at the position in the address, and steps by single frames", async () => {
    const [page, context] = await opened(`${url}#t=7.25`);
    await videoReady(page);
    expect(await frameShown(page)).toBe(72);
    const shown: number[] = [];
    for (const key of [".", ".", ",", ",", ","]) {
      await page.keyboard.press(key);
      shown.push(await frameShown(page));
    }
    expect(shown).toEqual([73, 74, 73, 72, 71]);
    expect((await video(page)).paused).toBe(true);
    await context.close();
  });

  it("plays, seeks and changes speed by keys", async () => {
    const [page, context] = await opened(url);
    await videoReady(page);
    await page.evaluate("document.querySelector('video').muted = true");
    const position = async () => Math.round((await video(page)).currentTime);
    await page.keyboard.press("l");
    expect(await position()).toBe(10);
    await page.keyboard.press("ArrowLeft");
    expect(await position()).toBe(5);
    await page.keyboard.press("ArrowRight");
    expect(await position()).toBe(10);
    await page.keyboard.press("j");
    expect(await position()).toBe(0);
    await page.keyboard.press("Space");
    expect((await video(page)).paused).toBe(false);
    await page.keyboard.press("k");
    expect((await video(page)).paused).toBe(true);
    await page.keyboard.press(">");
    await page.keyboard.press(">");
    expect((await video(page)).playbackRate).toBe(1.5);
    await until(page, "document.querySelector('.speed').value === '1.5'");
    await page.keyboard.press("<");
    expect((await video(page)).playbackRate).toBe(1.25);
    await context.close();
  });
});

describe("player", () => {
  let url: string;
  beforeAll(async () => {
    url = await published(fixture("frames.webm"));
  });

  it("has one bar of controls, with a timeline that keys move", async () => {
    const [page, context] = await opened(url);
    await videoReady(page);
    expect(await page.evaluate("document.querySelector('video').controls")).toBe(false);
    const track = page.getByRole("slider", { name: "Position in the video" });
    await track.press("End");
    await expect.poll(() => track.getAttribute("aria-valuetext")).toBe("0:12 of 0:12");
    await track.press("Home");
    await track.press("ArrowUp");
    await expect.poll(() => track.getAttribute("aria-valuetext")).toBe("0:05 of 0:12");
    await page.getByRole("button", { name: "Sound on or off" }).click();
    await until(page, "document.querySelector('video').muted");
    await page.getByRole("button", { name: "Play or pause" }).click();
    await until(page, "document.querySelector('[data-player]').dataset.state === 'playing'");
    await page.click("video");
    await until(page, "document.querySelector('[data-player]').dataset.state === 'paused'");
    await context.close();
  });

  it("plays and pauses once by the space bar when the video has the focus", async () => {
    const [page, context] = await opened(url);
    await videoReady(page);
    await page.evaluate("Object.assign(document.querySelector('video'), { muted: true }).focus()");
    await page.keyboard.press("Space");
    await until(page, "!document.querySelector('video').paused");
    await page.keyboard.press("Space");
    await until(page, "document.querySelector('video').paused");
    await context.close();
  });

  it("shows its keys, and gives the focus back when the list is closed", async () => {
    const [page, context] = await opened(url);
    await videoReady(page);
    await page.focus("[data-act=frame-back]");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    expect(await page.textContent("dialog[open]")).toContain("10 seconds back or forward");
    await page.keyboard.press("l");
    expect((await video(page)).currentTime).toBe(0);
    await page.keyboard.press("Escape");
    expect(await page.locator("dialog[open]").count()).toBe(0);
    expect(await page.evaluate("document.activeElement.dataset.act")).toBe("frame-back");
    await context.close();
  });

  it("leaves keys to a field in which somebody types", async () => {
    const [page, context] = await opened(url);
    await videoReady(page);
    await page.evaluate("document.querySelector('main').append(document.createElement('textarea'))");
    await page.focus("textarea");
    await page.keyboard.type("j l, k.? ");
    expect(await page.inputValue("textarea")).toBe("j l, k.? ");
    expect((await video(page)).currentTime).toBe(0);
    await context.close();
  });

  it("seeks by a click on the timeline", async () => {
    const [page, context] = await opened(url);
    await videoReady(page);
    await page.click(".timeline");
    expect((await video(page)).currentTime).toBeCloseTo(6, 1);
    // The browser says that the position has changed a moment after it has.
    await expect.poll(() => page.textContent(".position")).toMatch(/^0:0[56] \/ 0:12$/);
    await context.close();
  });

  it("works without JavaScript, at the position in the address", async () => {
    const [page, context] = await opened(`${url}?t=12m41s`, { javaScriptEnabled: false });
    const tag = page.locator("video");
    expect(await tag.getAttribute("controls")).toBe("");
    expect(await tag.getAttribute("src")).toMatch(/\/video#t=761$/);
    expect(await page.locator(".player-bar").isVisible()).toBe(false);
    await context.close();
  });

  it("says in words that a video is broken", async () => {
    const [page, context] = await opened(await published(await videoOf(10)));
    await page.waitForSelector(".player-problem:visible");
    expect(await page.textContent(".player-problem span")).toMatch(/^This video cannot be played here/);
    expect(await page.locator(".retry").isVisible()).toBe(false);
    expect(await page.locator(".download").isVisible()).toBe(true);
    await context.close();
  });
});
