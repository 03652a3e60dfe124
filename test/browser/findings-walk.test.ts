import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { browserAndServer, giveSession } from "../helpers/browser.ts";
import { giveVideo, order, type Person, registerPlaytester } from "../helpers/factories.ts";
import { sessionOf } from "../helpers/portal.ts";
import { framesVideo, reviewMarket } from "../helpers/review.ts";
import { startTrackers, type Trackers } from "../helpers/trackers.ts";

const cutter = fileURLToPath(new URL("../fixtures/ffmpeg.mjs", import.meta.url));
const videos = 20;
const titles = ["Nobody finds the lantern", "The boss hits through walls", "The map cannot be read"];

const { browser, server } = await browserAndServer({
  config: ({ clips }) => void Object.assign(clips, { ffmpeg: [process.execPath, cutter, "cut"] }),
});
let trackers: Trackers;
let owner: Person;
let gameId: string;
let page: Page;
beforeAll(async () => {
  ({ owner, gameId } = await reviewMarket(server));
  trackers = await startTrackers(server.clock.now);
  server.deps.config.webhooks.allowPrivate = ["127.0.0.0/8"];
  await owner.post("/trackers/connect", { tracker: "github", token: "t", site: trackers.url });
  const playtestId = await order(owner, gameId, { quantity: videos });
  for (let number = 1; number <= videos; number++) {
    const playtester = await registerPlaytester(server, `Player ${number}`);
    const { slot } = (await playtester.post(`/playtester/playtests/${playtestId}/claim`)).body.data;
    await giveVideo(server, slot.id, playtester, framesVideo());
    await playtester.submitSlot({ params: { id: slot.id } });
    await server.advance(60_000);
  }
  const cookie = await sessionOf(server, owner, "/studio");
  const context = await browser.newContext({ baseURL: server.baseUrl, reducedMotion: "reduce" });
  await giveSession(context, server, cookie);
  page = await context.newPage();
});
const until = (expression: string) => expect.poll(() => page.evaluate(expression)).toBe(true);

/** Presses Tab until what has the focus says this. */
async function tabTo(text: string): Promise<void> {
  const focused = "(({ innerText, labels, value }) => labels?.[0]?.innerText ?? innerText ?? value)(document.activeElement)";
  for (let presses = 0; presses < 300; presses++) {
    await page.keyboard.press("Tab");
    if (String(await page.evaluate(focused)).includes(text)) return;
  }
  throw new Error(`no element says ${text}`);
}

async function follow(text: string, url: string): Promise<void> {
  await tabTo(text);
  await page.keyboard.press("Enter");
  await page.waitForURL(url);
}

/** Notes what is seen in the video that is shown, and says of which finding it is. */
async function note(text: string, findingText: string): Promise<void> {
  await until("document.querySelector('video').readyState >= 2");
  await page.keyboard.press("m");
  await page.keyboard.type(text);
  await page.keyboard.press("Control+Enter");
  await until(`document.querySelector('#moments .prose')?.textContent === ${JSON.stringify(text)}`);
  await page.keyboard.press("Escape");
  await page.keyboard.press("s");
  await page.keyboard.type(findingText);
  await page.keyboard.press("Enter");
  await page.waitForURL(/done=same/);
}

describe("from twenty videos to filed findings, by keyboard alone", () => {
  it("notes become evidence of three findings, which are filed as issues, and one is cut into a reel", async () => {
    await page.goto("/studio");
    await follow("Player 1", "**/studio/slots/*");
    for (let seen = 0; seen < videos; seen++) {
      const which = seen % titles.length;
      await note(`Seen by ${seen + 1}`, seen < titles.length ? titles[which]! : `${which + 1}`);
      if (seen === videos - 1) break;
      const before = new URL(page.url()).pathname;
      await page.keyboard.press("n");
      await page.waitForURL(({ pathname }) => pathname !== before);
    }
    for (const [index, title] of titles.entries()) {
      await page.goto(`/studio/games/${gameId}/findings`);
      await follow(`#${index + 1} ${title}`, "**/studio/findings/*");
      await tabTo("File it as an issue");
      await page.keyboard.press("Enter");
      await tabTo("Tracker and place in it");
      await page.keyboard.type("github:acme/lantern");
      await page.keyboard.press("Enter");
      await page.waitForURL(/done=filed/);
    }
    await server.advance(0);
    await page.reload();
    expect(await page.textContent("main")).toMatch(/6 of 20 playtesters.*Issue: GitHub acme\/lantern #\d, open/s);
    await tabTo("Cut a reel");
    await page.keyboard.press("Enter");
    await tabTo("Cut it");
    await page.keyboard.press("Enter");
    await page.waitForURL(/done=clipped/);
    await server.advance(0);
    const { findings } = (await owner.get(`/games/${gameId}/findings`)).body.data as {
      findings: { number: number; testers: { seen: number; of: number }; status: string; issue: { state: string } }[];
    };
    expect(findings.map(({ number, testers, status, issue }) => [number, testers.seen, testers.of, status, issue.state])).toEqual(
      [
        [1, 7, 20, "filed", "open"],
        [2, 7, 20, "filed", "open"],
        [3, 6, 20, "filed", "open"],
      ],
    );
    const reels = (await owner.get(`/slots/${page.url().match(/slots\/([\w-]+)/)![1]}/clips`)).body.data.clips;
    expect(reels).toMatchObject([{ name: `#3 ${titles[2]}`, status: "ready", parts: Array(6).fill({ title: titles[2] }) }]);
  });
});
