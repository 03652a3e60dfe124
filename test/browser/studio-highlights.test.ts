import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { look, looks } from "../helpers/accessibility.ts";
import { browserAndServer, giveSession, until, videoReady } from "../helpers/browser.ts";
import * as factories from "../helpers/factories.ts";
import { sessionOf } from "../helpers/portal.ts";
import { reviewMarket, submitted, transcriptOf } from "../helpers/review.ts";

const cutter = fileURLToPath(new URL("../fixtures/ffmpeg.mjs", import.meta.url));

const { browser, server } = await browserAndServer({
  config: ({ clips }) => void Object.assign(clips, { ffmpeg: [process.execPath, cutter, "cut"] }),
});
let cookie: string;
let gameId: string;
let playtestId: string;
let findingId: string;
const slots: string[] = [];
beforeAll(async () => {
  const market = await reviewMarket(server);
  gameId = market.gameId;
  cookie = await sessionOf(server, market.owner, "/studio");
  for (const [name, severity] of [
    ["Ann", 4],
    ["Bo", 2],
  ] as const) {
    const playtester = await factories.registerPlaytester(server, name);
    const transcript = transcriptOf(["wow"]);
    const slotId = await submitted(server, market.owner, { gameId, playtester, transcript, notes: "It froze at 0:01." });
    await market.owner.post(`/slots/${slotId}/moments`, { atMs: 1000, kind: "bug", severity, text: "A short freeze." });
    slots.push(slotId);
  }
  const { owner } = market;
  playtestId = (await owner.get(`/slots/${slots[0]}`)).body.data.slot.requestId;
  findingId = (await owner.post(`/games/${gameId}/findings`, { title: "It freezes" })).body.data.finding.id;
  await owner.post(`/findings/${findingId}/evidence`, { slotId: slots[0], fromMs: 1000, quote: "wow" });
  for (const [title, status, severity] of [
    ["The boss hits through walls, and the camera turns around behind the door", "filed", 3],
    ["The map cannot be read", "fixed", 2],
    ["Nobody finds the lantern", "open", 4],
  ] as const)
    await owner.post(`/games/${gameId}/findings`, { title, status, severity, kind: "bug", tags: ["boss-fight"] });
});

async function opened(viewport: { width: number; height: number }, colorScheme: "light" | "dark" = "light", scripts = true) {
  const options = {
    baseURL: server.baseUrl,
    reducedMotion: "reduce",
    viewport,
    colorScheme,
    javaScriptEnabled: scripts,
  } as const;
  const context = await browser.newContext(options);
  await giveSession(context, server, cookie);
  return { context, page: await context.newPage() };
}

const path = () => `/studio/games/${gameId}/highlights`;
const shown = "document.querySelector('.highlight-list [aria-current] a').textContent";
const source = "new URL(document.querySelector('video').src).pathname";

describe("highlights in Studio", () => {
  it.each(looks)("at $width px, $scheme, have no fault that a program finds", async ({ width, scheme, rules }) => {
    const { context, page } = await opened({ width, height: 800 }, scheme);
    expect(await look(page, `highlights-${scheme}`, path(), rules, [])).toEqual([]);
    expect(await look(page, `highlights-of-playtest-${scheme}`, `/studio/playtests/${playtestId}/highlights`, rules, [])).toEqual(
      [],
    );
    await page.locator("details.reel > summary").click();
    expect(await page.locator("details.reel button", { hasText: "Cut it" }).isVisible()).toBe(true);
    const board = `/studio/games/${gameId}/findings?status=open&tag=boss-fight`;
    expect(await look(page, `findings-none-${scheme}`, board, rules, [])).toEqual([]);
    expect(await look(page, `findings-${scheme}`, `/studio/games/${gameId}/findings`, rules, [])).toEqual([]);
    expect(await look(page, `finding-${scheme}`, `/studio/findings/${findingId}`, rules, [])).toEqual([]);
    await context.close();
  });

  it("are played one after the other, by keys alone", async () => {
    const { context, page } = await opened({ width: 1280, height: 800 });
    await page.goto(path());
    expect(await page.evaluate(shown)).toMatch(/^Highlight 1: Ann, 0:00-0:\d\d$/);
    await videoReady(page);
    await page.evaluate("document.querySelector('video').muted = true");
    await page.keyboard.press("k");
    await page.keyboard.press(">");
    await until(page, "!document.querySelector('video').paused");
    await page.keyboard.press("ArrowRight");
    await until(page, `${shown}.startsWith('Highlight 2: Bo')`);
    expect(await page.evaluate(source)).toBe(`/studio/slots/${slots[1]}/video`);
    await until(page, "!document.querySelector('video').paused");
    expect(await page.evaluate("document.querySelector('video').playbackRate")).toBe(1.25);
    await page.keyboard.press("p");
    await until(page, `${shown}.startsWith('Highlight 1: Ann')`);
    await page.keyboard.press("n");
    await page.keyboard.press("ArrowRight");
    await until(page, "document.querySelector('.highlight-bar [role=status]').textContent === 'That was the last highlight.'");
    await page.keyboard.press("v");
    await page.waitForURL(`**/studio/slots/${slots[1]}#t=*`);
    await context.close();
  });

  it("are links to their places without scripts", async () => {
    const { context, page } = await opened({ width: 1280, height: 800 }, "light", false);
    await page.goto(path());
    expect(await page.locator(".highlight-list a").first().getAttribute("href")).toBe(`/studio/slots/${slots[0]}#t=0s`);
    expect(await page.locator(".highlight-bar").isVisible()).toBe(false);
    await context.close();
  });
});
