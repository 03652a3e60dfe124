import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { browserAndServer, giveSession } from "../helpers/browser.ts";
import * as factories from "../helpers/factories.ts";
import { signedIn } from "../helpers/portal.ts";
import { longRecording, videoFixture } from "../helpers/videos.ts";

/** Set PLAYTEST_SCREENSHOTS to a folder to see the pages. */
const pictures = process.env.PLAYTEST_SCREENSHOTS;

const folder = mkdtempSync(join(tmpdir(), "playtest-formats-"));
const { browser, server } = await browserAndServer();
const owner = await factories.registerOwner(server, "Olive");
const tester = await factories.registerPlaytester(server, "Tess");
const second = await factories.registerPlaytester(server, "Tom");
await factories.giveCredit(server, owner, 100_000);
const gameId = await factories.createGame(owner);
let context: BrowserContext;
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => () => context.close());

async function opened(path: string, width: number, as?: "play" | "studio"): Promise<Page> {
  context = await browser.newContext({ baseURL: server.baseUrl, viewport: { width, height: 900 } });
  const page = await context.newPage();
  if (as) {
    const { cookies } = await signedIn(server, as === "play" ? tester : owner, `/${as}`);
    await giveSession(context, server, cookies.get("playtest_session")!);
  }
  await page.goto(path);
  return page;
}

const picture = async (page: Page, name: string) => {
  if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
  const [wide, shown] = (await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")) as [number, number];
  expect(wide).toBeLessThanOrEqual(shown);
};

async function submitted(bytes: Buffer): Promise<string> {
  const slotId = await factories.claim(tester, await factories.order(owner, gameId));
  await factories.giveVideo(server, slotId, tester, bytes);
  await tester.post(`/playtester/slots/${slotId}/submit`);
  return slotId;
}

const blind =
  "Your browser cannot show the picture of this video, only play its sound: it does not support the format, or the file has no picture.";

describe.each([390, 1280])("at %i pixels", (width) => {
  it("a picture that the browser cannot show says so with a download: in a share, in Studio, and for its playtester", async () => {
    const slotId = await submitted(videoFixture("hevc.mp4"));
    const { url } = (await owner.post(`/slots/${slotId}/shares`, {})).body.data.share;
    for (const [name, path, as] of [
      ["share", new URL(url).pathname, undefined],
      ["studio", `/studio/slots/${slotId}`, "studio"],
      ["tester", `/play/slots/${slotId}`, "play"],
    ] as const) {
      const page = await opened(path, width, as);
      await page.getByText(blind).waitFor();
      await page.getByRole("link", { name: "Download it to open it in another player" }).waitFor();
      await picture(page, `hevc-${name}-${width}`);
      if (as === "studio")
        await page.getByText("Format: HEVC (H.265), 160×90, AAC (MP4); not every browser can show it.").waitFor();
      await context.close();
    }
  });

  it("a picture that the browser shows has no such message", async () => {
    const page = await opened(`/studio/slots/${await submitted(videoFixture("frames.webm"))}`, width, "studio");
    await expect.poll(() => page.evaluate("document.querySelector('video').videoWidth")).toBe(320);
    expect(await page.locator(".player-problem").isVisible()).toBe(false);
    expect(await page.getByText("Format:").count()).toBe(0);
  });

  it("a large recording without a length has a timeline, on which a click seeks", async () => {
    const page = await opened(`/studio/slots/${await submitted(longRecording(20, 2 * 1024 * 1024))}`, width, "studio");
    await expect.poll(() => page.evaluate("document.querySelector('video').readyState")).toBeGreaterThan(0);
    expect(await page.evaluate("document.querySelector('video').duration")).toBe(Number.POSITIVE_INFINITY);
    expect(await page.textContent(".length")).toBe("0:40");
    const timeline = page.locator(".timeline");
    const { width: length } = (await timeline.boundingBox())!;
    await timeline.click({ position: { x: length / 2, y: 10 } });
    await expect.poll(() => page.evaluate("Math.round(document.querySelector('video').currentTime)")).toBe(20);
    await picture(page, `streamed-${width}`);
  });

  it("recordings of which nobody knows the length play side by side", async () => {
    const playtestId = await factories.order(owner, gameId, { quantity: 2 });
    const ids: string[] = [];
    for (const one of [tester, second]) {
      const slotId = await factories.claim(one, playtestId);
      await factories.giveVideo(server, slotId, one, longRecording(20, 100_000));
      await one.post(`/playtester/slots/${slotId}/submit`);
      ids.push(slotId);
    }
    await server.deps.store.write((tx) => tx.run("UPDATE submissions SET video_duration_ms = NULL"));
    const page = await opened(`/studio/playtests/${playtestId}/compare?slots=${ids.join()}`, width, "studio");
    const states = (what: string) => page.evaluate(`[...document.querySelectorAll("video")].map((video) => ${what})`);
    await expect.poll(() => states("video.readyState > 0 && video.duration")).toEqual([Infinity, Infinity]);
    await page.evaluate("document.querySelectorAll('video').forEach((video) => { video.muted = true; })");
    await page.getByRole("button", { name: "Play all" }).click();
    await expect.poll(() => states("!video.paused && video.currentTime > 0")).toEqual([true, true]);
    await page.getByRole("button", { name: "Pause all" }).click();
    await expect.poll(() => states("video.paused")).toEqual([true, true]);
    expect(await page.textContent(".together .at")).toMatch(/^0:\d\d \/ –$/);
    expect(await page.locator(".together input").isDisabled()).toBe(true);
    await picture(page, `compare-${width}`);
  });

  it("a file that nobody could watch is refused before any of it is sent; another format is warned of", async () => {
    const slotId = await factories.claim(tester, await factories.order(owner, gameId));
    const page = await opened(`/play/slots/${slotId}`, width, "play");
    const sent: string[] = [];
    page.on("request", (request) => request.url().includes("/api/v1/") && sent.push(request.method()));
    const choose = async (name: string, bytes: Buffer) => {
      writeFileSync(join(folder, name), bytes);
      await page.locator("#video").setInputFiles(join(folder, name));
    };
    const mp4 = videoFixture("index-at-end.mp4");
    for (const [name, bytes, says] of [
      [
        "cut.mp4",
        mp4.subarray(0, mp4.length / 2),
        "cut.mp4 cannot be played: the recording was not finished, or a part of the file is missing. Nothing was sent.",
      ],
      [
        "voice.mp4",
        videoFixture("sound.mp4"),
        "voice.mp4 has no picture. Nothing was sent. Record your screen as well as the sound.",
      ],
      ["voice.webm", videoFixture("sound.webm"), "voice.webm has no picture. Nothing was sent."],
      ["copy.mp4", videoFixture("encrypted.mp4"), "copy.mp4 is encrypted, so nobody could watch it. Nothing was sent."],
      ["empty.mp4", Buffer.alloc(0), "empty.mp4 is empty. Nothing was sent."],
      [
        "letter.mp4",
        Buffer.from("A letter, whatever its name may say."),
        "letter.mp4 is not an MP4, WebM, MOV or MKV video. Nothing was sent.",
      ],
    ] as const) {
      await choose(name, bytes);
      await page.locator("#video-error").getByText(says).waitFor();
    }
    expect(sent).toEqual([]);
    await choose("cut.mp4", mp4.subarray(0, mp4.length / 2));
    await page.locator("#video-error").getByText("cut.mp4").waitFor();
    await picture(page, `upload-refused-${width}`);
    await choose("phone.mp4", videoFixture("hevc.mp4"));
    await page.getByText(/^phone\.mp4 .* is uploaded\.$/).waitFor();
    expect(await page.locator("#video-warning").textContent()).toBe(
      "phone.mp4 is HEVC (H.265), 160×90, AAC in MP4, which some browsers cannot show. It is uploaded all the same. If you can, record in one of the formats above.",
    );
    await picture(page, `upload-warned-${width}`);
    await choose("good.webm", videoFixture("streamed.webm"));
    await page.getByText(/^good\.webm .* is uploaded\.$/).waitFor();
    expect(await page.locator("#video-warning").isVisible()).toBe(false);
  });
});
