import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { createFfmpegCutter } from "../../server/sharing/cutter.ts";
import { look, looks } from "../helpers/accessibility.ts";
import { browserAndServer, complaintsOf, giveSession, until, videoReady } from "../helpers/browser.ts";
import { registerPlaytester, videoBytes } from "../helpers/factories.ts";
import { sessionOf } from "../helpers/portal.ts";
import { reviewMarket, submitted, submittedTwice, transcriptOf } from "../helpers/review.ts";

const said = [
  "So this is the well. Let me go down.",
  "The lantern goes out when I open the map. Is that meant to happen?",
  "I cannot find the way back.",
  "Ah, there is a rope here.",
  "The second depth is much harder than the first.",
  "I would like to see how much oil is left.",
  "What does this lever do?",
  "Oh! That was a nice surprise.",
  "The music here is lovely.",
  "It froze for a second.",
  "Now it works again.",
  "I would play this again tomorrow.",
];
const moments = [
  { atMs: 1200, kind: "bug", severity: 3, text: "The lantern goes out when the map opens.", tags: ["lantern", "map"] },
  { atMs: 2000, endMs: 3500, kind: "confusion", severity: 2, text: "Looks for the way back.", tags: ["onboarding"] },
  { atMs: 7300, kind: "delight", text: "Likes the lever." },
  { atMs: 9000, kind: "bug", severity: 1, text: "A short freeze." },
];

const { browser, server } = await browserAndServer();
const { owner, gameId } = await reviewMarket(server);
const cookie = await sessionOf(server, owner, "/studio");

async function contextOf(options: Parameters<Browser["newContext"]>[0] = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: server.baseUrl, reducedMotion: "reduce", ...options });
  await giveSession(context, server, cookie);
  return context;
}

const full = async (name: string) => {
  const playtester = await registerPlaytester(server, name);
  const slotId = await submitted(server, owner, {
    gameId,
    playtester,
    notes: "I got lost once.\nThe rest was fun.",
    transcript: transcriptOf(said),
    takeaways: ["The lantern goes out when the map opens", "The second depth is much harder than the first"],
  });
  for (const moment of moments) await owner.post(`/slots/${slotId}/moments`, moment);
  return slotId;
};

describe("review page: looks", () => {
  const paths: Record<string, string> = {};
  beforeAll(async () => {
    paths["review-full"] = `/studio/slots/${await full("Annegret Vierzehnheiligen")}`;
    const first = (await owner.get(`${paths["review-full"].replace("/studio", "")}/moments`)).body.data.moments[0].id;
    paths["review-edit"] = `${paths["review-full"]}?edit=${first}`;
    paths["review-broken"] = `/studio/slots/${await submitted(server, owner, { gameId, video: videoBytes() })}`;
    const accepted = await full("Bo");
    await owner.post(`/slots/${accepted}/accept`, { rating: 4, comment: "Sharp eyes, thank you." });
    paths["review-accepted"] = `/studio/slots/${accepted}`;
  });

  it.each([...looks, { width: 768, scheme: "light", rules: ["color-contrast"] } as const])(
    "at $width px in a $scheme color scheme: fits, is accessible and breaks no content security policy",
    async ({ width, scheme, rules }) => {
      const context = await contextOf({ viewport: { width, height: 800 }, colorScheme: scheme });
      const page = await context.newPage();
      const complaints = complaintsOf(page);
      const faults: string[] = [];
      for (const [name, path] of Object.entries(paths)) faults.push(...(await look(page, name, path, rules, complaints)));
      await context.close();
      expect(faults).toEqual([]);
    },
  );
});

const statusOf = async (slotId: string) => (await owner.get(`/slots/${slotId}`)).body.data.slot.status as string;
const notesOf = async (slotId: string) =>
  ((await owner.get(`/slots/${slotId}/moments`)).body.data.moments as { text: string }[]).map(({ text }) => text);

async function opened(slotId: string, options: Parameters<Browser["newContext"]>[0] & { hash?: string } = {}) {
  const { hash = "", ...more } = options;
  const context = await contextOf({ viewport: { width: 1280, height: 800 }, ...more });
  const page = await context.newPage();
  await page.goto(`/studio/slots/${slotId}${hash}`);
  if (more.javaScriptEnabled !== false) await videoReady(page);
  return { page, context };
}

/** Lets the page's own timers pass. */
const pass = (page: Page, ms: number) => page.clock.runFor(ms);

it("review page: takes at most 100 kB without the video", async () => {
  const slotId = await full("Lea");
  for (let at = 0; at < 46; at++) await owner.post(`/slots/${slotId}/moments`, { ...moments[0], atMs: at * 100 });
  const { page, context } = await opened(slotId);
  const sizes = await page.evaluate(() =>
    performance
      .getEntries()
      .filter(({ name }) => !name.endsWith("/video"))
      .map((entry) => (entry as { transferSize?: number }).transferSize ?? 0),
  );
  await context.close();
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000);
});

describe("review page: the decision", () => {
  it("is made by keys, waits five seconds and pays once", async () => {
    const slotId = await full("Cleo");
    const { page, context } = await opened(slotId);
    await page.clock.install();
    await page.reload();
    await videoReady(page);
    await page.keyboard.press("a");
    await page.keyboard.press("4");
    await page.keyboard.press("ArrowRight");
    expect(await page.locator("#decide .command code").first().textContent()).toBe(`playtest review accept ${slotId} --rating 5`);
    await page.keyboard.press("Enter");
    expect(await page.locator("#undo [role=status]").textContent()).toBe("Accepting and paying Cleo $10.00.");
    expect(await page.evaluate("document.activeElement.closest('#undo') !== null")).toBe(true);
    await pass(page, 4_500);
    expect(await statusOf(slotId)).toBe("submitted");
    await pass(page, 600);
    await page.waitForURL(/done=accepted$/);
    expect((await owner.get(`/slots/${slotId}`)).body.data.slot).toMatchObject({ status: "accepted", rating: { score: 5 } });
    await context.close();
  });

  it("is undone by Escape, and nothing is sent", async () => {
    const slotId = await full("Dan");
    const { page, context } = await opened(slotId);
    await page.clock.install();
    await page.reload();
    await videoReady(page);
    await page.keyboard.press("r");
    await page.keyboard.type("No sound.");
    await page.click("#reject .danger");
    await page.keyboard.press("Escape");
    expect(await page.locator("#undo [role=status]").textContent()).toBe("Undone. Nothing was sent.");
    await pass(page, 10_000);
    expect(await statusOf(slotId)).toBe("submitted");
    expect(await page.inputValue("#reason")).toBe("No sound.");
    await context.close();
  });

  it("asks before the page is left, and sends nothing when it is left", async () => {
    const slotId = await full("Eve");
    const { page, context } = await opened(slotId);
    await page.click("#accept button");
    const asked = new Promise<string>((done) =>
      page.once("dialog", async (dialog) => {
        await dialog.accept();
        done(dialog.type());
      }),
    );
    await page.goto("/studio");
    expect(await asked).toBe("beforeunload");
    expect(await statusOf(slotId)).toBe("submitted");
    await context.close();
  });

  it("is sent again after the connection was lost, and takes effect once", async () => {
    const slotId = await full("Finn");
    const { page, context } = await opened(slotId);
    await page.clock.install();
    await page.reload();
    await videoReady(page);
    await page.click("#accept button");
    await page.route("**/accept", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await pass(page, 5_100);
    await until(page, "document.querySelector('#undo [role=status]').textContent.startsWith('The connection was lost')");
    expect(await statusOf(slotId)).toBe("accepted");
    await page.unroute("**/accept");
    await page.click("#undo button");
    await page.waitForURL(/done=accepted$/);
    await context.close();
  });

  it("is asked once more by a page without JavaScript", async () => {
    const slotId = await full("Gus");
    const { page, context } = await opened(slotId, { javaScriptEnabled: false });
    await page.locator('.rating label:has(input[value="4"])').click();
    await page.click("#accept button");
    expect(await page.textContent("h1")).toBe("Accept the video of Gus?");
    await page.click("main form button");
    expect(await statusOf(slotId)).toBe("accepted");
    await context.close();
  });

  it("moves to the next submission by keys", async () => {
    const [first, second] = [await full("Hal"), await full("Ida")];
    const { page, context } = await opened(first);
    await page.keyboard.press("n");
    await page.waitForURL(`**/studio/slots/${second}`);
    await videoReady(page);
    await page.keyboard.press("p");
    await page.waitForURL(`**/studio/slots/${first}`);
    await context.close();
  });
});

describe("review page: moments", () => {
  it("are noted by keys at the position of the video, which stays where it is", async () => {
    const slotId = await submitted(server, owner, { gameId });
    const { page, context } = await opened(slotId, { hash: "#t=7s" });
    await page.keyboard.press("m");
    expect(await page.inputValue("#position")).toBe("0:07");
    await page.keyboard.type("Jumps & falls, then n");
    await page.keyboard.press("Control+Enter");
    await until(page, "document.querySelector('#moments .prose')?.textContent === 'Jumps & falls, then n'");
    expect(await page.evaluate("document.querySelector('video').currentTime")).toBe(7);
    expect(await page.locator(".timeline .mark").count()).toBe(1);
    expect(await page.inputValue("#text")).toBe("");
    await page.click("[data-edit]");
    await page.fill("#edit-text", "Jumps");
    await page.click("form[data-swap] button");
    await until(page, "document.querySelector('#moments .prose')?.textContent === 'Jumps'");
    expect(await page.evaluate("document.querySelector('video').currentTime")).toBe(7);
    await context.close();
  });

  it("stop a video that plays, which plays on when they are saved", async () => {
    const slotId = await submitted(server, owner, { gameId });
    const { page, context } = await opened(slotId);
    const isPaused = () => page.evaluate<boolean>("document.querySelector('video').paused");
    await page.evaluate("void document.querySelector('video').play().catch(() => {})");
    expect(await isPaused()).toBe(false);
    await page.keyboard.press("m");
    expect(await isPaused()).toBe(true);
    await page.keyboard.type("Jumps");
    await page.keyboard.press("Control+Enter");
    await until(page, "document.querySelector('video').paused === false");
    await context.close();
  });

  it("get an image at a button, and lose it at a button, without leaving the video", async () => {
    const slotId = await submitted(server, owner, { gameId });
    for (const atMs of [1000, 2000]) await owner.post(`/slots/${slotId}/moments`, { atMs, text: "The door" });
    const ffmpeg = [process.execPath, fileURLToPath(new URL("../fixtures/ffmpeg.mjs", import.meta.url)), "cut"];
    server.deps.cutter = createFfmpegCutter({ ...server.deps.config.clips, ffmpeg });
    const { page, context } = await opened(slotId, { hash: "#t=7s" });
    await page.getByRole("button", { name: "Take an image of the moment at 0:02" }).click();
    await page.locator("#moments [data-cutting]").waitFor();
    await server.advance(0);
    await page.locator("#moments .still img").waitFor();
    server.deps.cutter = null;
    await page.getByRole("button", { name: "Take an image of the moment at 0:01" }).click();
    await page.locator(".swap-problem", { hasText: "cannot cut clips and still images" }).waitFor();
    await page.getByRole("button", { name: "Delete the image of the moment at 0:02" }).click();
    await expect.poll(() => page.locator("#moments .still").count()).toBe(0);
    expect(await page.evaluate("document.querySelector('video').currentTime")).toBe(7);
    await context.close();
  });

  it("are kept while the connection is lost, and saved once by one of two tabs", async () => {
    const slotId = await submitted(server, owner, { gameId });
    const { page, context } = await opened(slotId);
    const other = await context.newPage();
    await other.goto(`/studio/slots/${slotId}`);
    await videoReady(other);
    await context.setOffline(true);
    for (const [tab, text] of [
      [page, "first"],
      [other, "second"],
    ] as const) {
      await tab.fill("#position", "0:03");
      await tab.fill("#text", text);
      await tab.click("#note button");
      await until(tab, `document.querySelector('.waiting').textContent.includes('${text}')`);
    }
    await page.locator(".note-status", { hasText: /^The server cannot be reached/ }).waitFor();
    await context.setOffline(false);
    await until(page, "document.querySelector('.waiting').hidden");
    await until(other, "Object.keys(localStorage).length === 0");
    expect((await notesOf(slotId)).sort()).toEqual(["first", "second"]);
    await context.close();
  });

  it("take effect once when the reply was lost", async () => {
    const slotId = await submitted(server, owner, { gameId });
    const { page, context } = await opened(slotId);
    await page.route("**/moments", async (route) => {
      await route.fetch({ maxRedirects: 0 });
      await route.abort();
    });
    await page.fill("#position", "0:03");
    await page.fill("#text", "once");
    await page.click("#note button");
    await until(page, "document.querySelector('.note-status').textContent.startsWith('The server cannot be reached')");
    await page.unroute("**/moments");
    await page.reload();
    await until(
      page,
      "document.querySelector('#moments .prose')?.textContent === 'once' && Object.keys(localStorage).length === 0",
    );
    expect(await notesOf(slotId)).toEqual(["once"]);
    await context.close();
  });

  it("that are refused are kept with the reason until they are edited or discarded", async () => {
    const slotId = await submitted(server, owner, { gameId });
    const { page, context } = await opened(slotId);
    await page.fill("#position", "soon");
    await page.fill("#text", "kept");
    await page.click("#note button");
    await until(page, "document.querySelector('.waiting .bad')?.textContent.includes('must be a position')");
    await page.click(".waiting [data-act=edit]");
    expect([await page.inputValue("#text"), await page.inputValue("#position")]).toEqual(["kept", "soon"]);
    await page.fill("#position", "0:03");
    await page.click("#note button");
    await until(page, "document.querySelector('#moments .prose')?.textContent === 'kept'");
    await context.close();
  });
});

const partShown = (page: Page) => page.textContent(".part [role=status]");

describe("review page: a part of the video", () => {
  const words = Array.from({ length: 12 }, (_, at) => `Line ${at} of what is said`);

  it("is chosen at the playhead, by dragging and from lines of the transcript, and is noted or cut", async () => {
    const slotId = await submitted(server, owner, { gameId, transcript: transcriptOf(words) });
    const ffmpeg = [process.execPath, fileURLToPath(new URL("../fixtures/ffmpeg.mjs", import.meta.url)), "cut"];
    server.deps.cutter = createFfmpegCutter({ ...server.deps.config.clips, ffmpeg });
    const { page, context } = await opened(slotId, { hash: "#t=2s" });
    server.deps.cutter = null;
    // The list would move under the pointer.
    await page.uncheck(".follow input");
    for (const key of ["i", "ArrowRight", "o"]) await page.keyboard.press(key);
    expect(await partShown(page)).toBe("0:02–0:07 (5 s)");
    await page.click("[data-act=clip-part]");
    expect([await page.inputValue("#part"), await page.evaluate("document.activeElement.id")]).toEqual(["0:02-0:07", "part"]);
    const track = (await page.locator(".track").boundingBox())!;
    const drag = async (from: [x: number, y: number], to: [x: number, y: number]) => {
      await page.mouse.move(...from);
      await page.mouse.down();
      await page.mouse.move(...to, { steps: 5 });
      await page.mouse.up();
    };
    await drag([track.x + track.width / 4, track.y + 5], [track.x + track.width / 2, track.y + 5]);
    expect(await partShown(page)).toBe("0:03–0:06 (3 s)");
    await page.evaluate("scrollTo(0, 0)");
    const [first, last] = [
      await page.locator(".cues a").nth(1).boundingBox(),
      await page.locator(".cues a").nth(3).boundingBox(),
    ];
    await drag([first!.x + 100, first!.y + 15], [last!.x + 120, last!.y + 15]);
    await expect.poll(() => partShown(page)).toBe("0:01–0:04 (3 s)");
    await page.click("[data-act=note-part]");
    expect(await page.inputValue("#position")).toBe("0:01-0:04");
    await page.keyboard.type("Lost");
    await page.keyboard.press("Control+Enter");
    await until(page, "document.querySelectorAll('.timeline .mark.span').length === 1");
    const [moment] = (await owner.get(`/slots/${slotId}/moments`)).body.data.moments;
    expect([moment.atMs, moment.endMs]).toEqual([1000, 4000]);
    await page.click("[data-act=no-part]");
    expect(await page.locator(".part").isVisible()).toBe(false);
    await context.close();
  });

  it("the position of a new moment follows the video until somebody writes", async () => {
    const slotId = await submitted(server, owner, { gameId });
    const { page, context } = await opened(slotId);
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => page.inputValue("#position")).toBe("0:05");
    await page.fill("#text", "The door");
    await page.locator(".track").press("ArrowRight");
    await until(page, "document.querySelector('video').currentTime === 10");
    expect(await page.inputValue("#position")).toBe("0:05");
    await context.close();
  });
});

describe("review page: with the video in view", () => {
  it("the decision is seen without scrolling, and both stay when the moments are scrolled to", async () => {
    const slotId = await full("Una Long-Name von und zu Hohenstein");
    const { page, context } = await opened(slotId, { viewport: { width: 1280, height: 900 } });
    const seen = () =>
      page.evaluate(`["#accept button", "#decide .reject summary", ".player video"].map((one) => {
        const { top, bottom } = document.querySelector(one).getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      })`);
    expect(await seen()).toEqual([true, true, true]);
    await page.evaluate("document.querySelector('#moments').scrollIntoView()");
    expect(await seen()).toEqual([true, true, true]);
    await context.close();
  });

  it("a phone shows one part at a time, below the video, with the decision in view, and no keys", async () => {
    const slotId = await full("Vic");
    const { page, context } = await opened(slotId, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    const shown = () =>
      page.evaluate("[...document.querySelectorAll('[data-panel]')].filter((one) => one.checkVisibility()).map(({ id }) => id)");
    /** Whether the middle of an element can be tapped: it is on the screen, and nothing lies over it. */
    const canBeTapped = (selector: string) =>
      page.evaluate(`((element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
      })(document.querySelector(${JSON.stringify(selector)}))`);
    const isTappable = (selector: string) => expect.poll(() => canBeTapped(selector), { message: selector }).toBe(true);
    expect(await shown()).toEqual(["decide"]);
    for (const selector of [
      "#accept > button",
      "[data-act=toggle]",
      "[data-act=mark]",
      ".track",
      ".review-tabs a[href='#about']",
    ])
      await isTappable(selector);
    expect(await page.locator("kbd:visible").count()).toBe(0);
    await page.getByRole("link", { name: "Moments" }).click();
    expect(await shown()).toEqual(["decide", "notes"]);
    await isTappable("#accept > button");
    await page.click("[data-act=mark]");
    expect(await page.evaluate("document.activeElement.id")).toBe("text");
    await page.getByRole("link", { name: "Transcript" }).click();
    expect(await shown()).toEqual(["decide", "transcript-panel"]);
    await isTappable("#accept > button");
    await page.locator(".reject > summary").click();
    await expect.poll(shown).toEqual(["decide"]);
    await page.fill("#reason", "The video has no sound.");
    await isTappable("#reject button");
    await context.close();
  });

  it("a narrow page has the links to other submissions in one line, and no keys", async () => {
    const [first] = [await full("Noa"), await full("Ole"), await full("Pia")];
    const { page, context } = await opened(first, { viewport: { width: 390, height: 844 } });
    const tops = await page.evaluate(
      "[...document.querySelectorAll('.review-queue > *')].map((one) => Math.round(one.getBoundingClientRect().bottom))",
    );
    expect(new Set((tops as number[]).map((top) => Math.round(top / 12)))).toHaveProperty("size", 1);
    expect(await page.locator(".hint:visible").count()).toBe(0);
    await context.close();
  });

  it("the next submission is fetched ahead, and shown without asking the server again", async () => {
    const [first, second] = [await full("Wim"), await full("Xen")];
    const { page, context } = await opened(first);
    expect(await page.locator("a[rel=next]").getAttribute("href")).toBe(`/studio/slots/${second}`);
    await expect
      .poll(async () => {
        await page.goto(`/studio/slots/${first}`);
        await videoReady(page);
        await page.keyboard.press("n");
        await page.waitForURL(`**/studio/slots/${second}`);
        return page.evaluate("performance.getEntriesByType('navigation')[0].deliveryType");
      })
      .toBe("navigational-prefetch");
    await context.close();
  });

  it("one key and a number say that a moment is the same as a finding", async () => {
    const slotId = await full("Yan");
    await owner.post(`/games/${gameId}/findings`, { title: "The lantern goes out" });
    const { page, context } = await opened(slotId, { hash: "#t=8s" });
    await page.keyboard.press("s");
    await page.keyboard.type("1");
    await page.keyboard.press("Enter");
    await page.waitForURL(/done=same/);
    const { finding } = (await owner.get(`/games/${gameId}/findings`)).body.data.findings.map((one: { id: string }) => ({
      finding: one,
    }))[0];
    const { evidence } = (await owner.get(`/findings/${finding.id}`)).body.data.finding;
    expect(evidence.map(({ fromMs }: { fromMs: number }) => fromMs)).toEqual([7300]);
    await context.close();
  });
});

describe("review page: transcript", () => {
  it("follows the video and seeks on a click", async () => {
    const slotId = await full("Jo");
    const { page, context } = await opened(slotId);
    await page.locator(".cues a", { hasText: "nice surprise" }).click();
    expect(await page.evaluate("document.querySelector('video').currentTime")).toBe(7);
    expect(page.url()).toMatch(/#t=7s$/);
    await page.keyboard.press("ArrowRight");
    await until(page, "document.querySelector('.cues [aria-current]')?.textContent.includes('play this again tomorrow')");
    await context.close();
  });

  it("of 20,000 cues is loaded whole, and only the part that is seen is laid out", async () => {
    const transcript = transcriptOf(Array.from({ length: 20_000 }, (_, at) => `word-${at}`));
    const slotId = await submitted(server, owner, { gameId, transcript });
    const { page, context } = await opened(slotId);
    await until(page, "document.querySelector('[data-transcript]').dataset.loaded === '20000'");
    expect(await page.locator(".cues ol").count()).toBe(100);
    await page.evaluate("document.querySelector('.cues a[data-at=\"15000000\"]').click()");
    const html = await (await context.request.get(`/studio/slots/${slotId}`)).text();
    expect(html.length).toBeLessThan(100_000);
    await context.close();
  });
});

describe("comparison", () => {
  it("plays, pauses and seeks two videos together", async () => {
    const path = await submittedTwice(server, owner, gameId);
    const context = await contextOf({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    expect(await look(page, "compare", path, looks[0].rules, [])).toEqual([]);
    const all = (expression: string) => `[...document.querySelectorAll('video')].every((video) => ${expression})`;
    await until(page, all("video.readyState >= 2"));
    await page.evaluate("for (const video of document.querySelectorAll('video')) video.muted = true");
    await page.keyboard.press("ArrowRight");
    await until(page, all("video.currentTime === 5"));
    await page.keyboard.press("k");
    await until(page, all("!video.paused"));
    await page.click(".together button");
    await until(page, all("video.paused"));
    await context.close();
  });
});
