import type { BrowserContext, Page } from "playwright-core";
import { afterEach, expect, it } from "vitest";
import { browserAndServer, giveSession, until, videoReady } from "../helpers/browser.ts";
import { registerPlaytester } from "../helpers/factories.ts";
import { sessionOf } from "../helpers/portal.ts";
import { reviewMarket, submitted, submittedTwice, transcriptOf } from "../helpers/review.ts";

/** What the scripts of Studio's pages say while somebody reviews, and that it is so. */

const { browser, server } = await browserAndServer();
const { owner, gameId } = await reviewMarket(server);
let context: BrowserContext;

afterEach(() => context.close());

/** Copies the command that accepts, which is behind a button. */
async function copyCommand(page: Page): Promise<void> {
  await page.locator("#decide .by-command summary").first().click();
  await page.locator("#decide [data-copy]").first().click();
}

/** An owner at the page of a submission, in a browser that may use the clipboard. */
async function newScene(options: { cues?: number; permissions?: string[] } = {}) {
  const playtester = await registerPlaytester(server, "Cleo");
  const words = Array.from({ length: options.cues ?? 3 }, (_, at) => `word-${at}`);
  const slotId = await submitted(server, owner, { gameId, playtester, transcript: transcriptOf(words) });
  const permissions = options.permissions ?? ["clipboard-read", "clipboard-write"];
  context = await browser.newContext({ baseURL: server.baseUrl, reducedMotion: "reduce", permissions });
  const signIn = async () => {
    const value = await sessionOf(server, owner, "/studio");
    await giveSession(context, server, value);
  };
  await signIn();
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const path = `/studio/slots/${slotId}`;
  const open = async (hash = "") => {
    await page.goto(path + hash);
    await videoReady(page);
  };
  await open();

  const scene = {
    playtester,
    slotId,
    page,
    open,
    path,
    signIn,
    status: async () => (await owner.get(`/slots/${slotId}`)).body.data.slot.status as string,
    earned: async () => (await playtester.get("/playtester/earnings")).body.data.balanceCents as number,
    moments: async () =>
      ((await owner.get(`/slots/${slotId}/moments`)).body.data.moments as { text: string }[]).map(({ text }) => text),
    /** The texts of the moments that this browser keeps. */
    kept: () =>
      page.evaluate(
        "Object.keys(localStorage).filter((name) => name.startsWith('playtest note')).map((name) => JSON.parse(localStorage[name]).fields.text)",
      ) as Promise<string[]>,
    async note(text: string, position = "0:03") {
      await page.fill("#position", position);
      await page.fill("#text", text);
      await page.click("#note button");
    },
    /** Opens the form of the only moment and changes its text. `meanwhile` happens before it is saved. */
    async edit(text: string, meanwhile?: () => Promise<unknown>) {
      await page.click("[data-edit]");
      await page.fill("#edit-text", text);
      await meanwhile?.();
      await page.click("form[data-swap] button");
    },
    signOut: () =>
      page.evaluate(
        'fetch("/studio/sign-out", { method: "POST", body: new URLSearchParams({ csrf: document.querySelector("[name=csrf]").value }) })',
      ),
    says: (words: string) => page.getByText(words).filter({ visible: true }).first().waitFor(),
  };
  return scene;
}

type Scene = Awaited<ReturnType<typeof newScene>>;

interface Row {
  says: string;
  scene?: Parameters<typeof newScene>[0];
  see(scene: Scene): Promise<unknown>;
  holds(scene: Scene): Promise<unknown>;
}

/** The moment is in this browser and not on the server; after a reload it is the other way round. */
async function isSavedByReload({ page, open, kept, moments }: Scene): Promise<void> {
  expect([await kept(), await moments()]).toEqual([["A rope"], []]);
  expect(await page.locator(".waiting li").textContent()).toContain("0:03 A rope Not saved yet.");
  await open();
  await until(page, "document.querySelector('#moments .prose')?.textContent === 'A rope'");
  expect([await kept(), await moments()]).toEqual([[], ["A rope"]]);
}

/** The video that did not load is not offered to be downloaded, and plays after another try. */
async function playsAgain({ page }: { page: Page }): Promise<void> {
  expect(await page.locator(".player-problem .download").isVisible()).toBe(false);
  await page.unroute("**/video");
  await page.getByRole("button", { name: "Try again" }).click();
  await videoReady(page);
  expect(await page.locator(".player-problem").isVisible()).toBe(false);
}

const rows: Row[] = [
  {
    says: "Undone. Nothing was sent.",
    async see({ page }) {
      const sent: string[] = [];
      page.on("request", (request) => sent.push(request.method()));
      await page.clock.install();
      await page.click("#accept button");
      await page.getByRole("button", { name: "Undo" }).click();
      await page.clock.runFor(10_000);
      expect(sent).not.toContain("POST");
    },
    holds: async ({ status, earned }) => expect([await status(), await earned()]).toEqual(["submitted", 0]),
  },
  {
    says: "The connection was lost, so it is not known whether your decision arrived. Sending it again is safe: it takes effect once.",
    async see({ page }) {
      await page.route("**/accept", async (route) => {
        await route.fetch({ maxRedirects: 0 });
        await route.abort();
      });
      await page.clock.install();
      await page.click("#accept button");
      await page.clock.runFor(5_100);
    },
    async holds({ page, status, earned }) {
      expect([await status(), await earned()]).toEqual(["accepted", 1000]);
      await page.unroute("**/accept");
      await page.getByRole("button", { name: "Send again" }).click();
      await page.waitForURL(/done=accepted$/);
      expect([await status(), await earned()]).toEqual(["accepted", 1000]);
    },
  },
  {
    says: "You are signed out. Moments are kept in this browser. Sign in again and reload this page to save them.",
    async see({ signOut, note }) {
      await signOut();
      await note("A rope");
    },
    async holds(scene) {
      await scene.signIn();
      await isSavedByReload(scene);
    },
  },
  {
    says: "This page is out of date. Moments are kept in this browser. Reload the page to save them.",
    async see({ signOut, signIn, note }) {
      await signOut();
      await signIn();
      await note("A rope");
    },
    holds: isSavedByReload,
  },
  {
    says: "The server cannot save moments now. They are kept in this browser and sent again.",
    async see({ page, note }) {
      await page.clock.install();
      await page.route("**/moments", (route) => route.fulfill({ status: 503 }));
      await note("A rope");
    },
    async holds({ page, kept, moments }) {
      expect([await kept(), await moments()]).toEqual([["A rope"], []]);
      await page.unroute("**/moments");
      await page.clock.runFor(10_100);
      await until(page, "document.querySelector('#moments .prose')?.textContent === 'A rope'");
      expect([await kept(), await moments()]).toEqual([[], ["A rope"]]);
    },
  },
  {
    says: "The server cannot be reached. Moments are kept in this browser and sent when it can.",
    async see({ note }) {
      await context.setOffline(true);
      await note("A rope");
    },
    async holds({ page, kept, moments, path }) {
      expect([await kept(), await moments()]).toEqual([["A rope"], []]);
      // Another tab saves it, and this page does not go on saying that it is kept here.
      const other = await context.newPage();
      await page.route("**/moments", (route) => route.abort());
      await context.setOffline(false);
      await other.goto(path);
      await until(page, "document.querySelector('.waiting').hidden");
      await expect.poll(moments).toEqual(["A rope"]);
      await expect.poll(kept).toEqual([]);
      await expect.poll(() => page.textContent(".note-status")).not.toContain("kept");
    },
  },
  {
    says: "A moment was not saved.",
    see: ({ note }) => note("A rope", "soon"),
    async holds({ page, kept, moments }) {
      expect(await page.locator(".waiting .bad").textContent()).toContain("must be a position");
      expect([await kept(), await moments()]).toEqual([["A rope"], []]);
      await page.getByRole("button", { name: "Discard" }).click();
      expect([await kept(), await page.locator(".waiting li").count()]).toEqual([[], 0]);
    },
  },
  {
    says: "You are signed out. Nothing was changed. Copy what you typed, then sign in again and reload this page.",
    async see({ slotId, open, edit, signOut }) {
      await owner.post(`/slots/${slotId}/moments`, { atMs: 3000, text: "A rope" });
      await open();
      await edit("A long rope", signOut);
    },
    async holds({ page, signIn, open, edit, moments }) {
      expect([await page.inputValue("#edit-text"), await moments()]).toEqual(["A long rope", ["A rope"]]);
      await signIn();
      await open();
      await edit("A long rope");
      await expect.poll(moments).toEqual(["A long rope"]);
    },
  },
  {
    says: "The server cannot be reached. It is not known whether this was saved. Try again: it takes effect once.",
    async see({ page, slotId, open, edit }) {
      await owner.post(`/slots/${slotId}/moments`, { atMs: 3000, text: "A rope" });
      await open();
      await page.route("**/moments/change", async (route) => {
        await route.fetch({ maxRedirects: 0 });
        await route.abort();
      });
      await edit("A long rope");
    },
    async holds({ page, moments }) {
      expect(await moments()).toEqual(["A long rope"]);
      await page.unroute("**/moments/change");
      await page.click("form[data-swap] button");
      await until(page, "document.querySelector('#moments .prose')?.textContent === 'A long rope'");
      expect(await moments()).toEqual(["A long rope"]);
    },
  },
  {
    says: "Copied",
    see: ({ page }) => copyCommand(page),
    async holds({ page }) {
      const command = await page.locator("#decide .command code").first().textContent();
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(command);
    },
  },
  {
    says: "Cannot copy",
    scene: { permissions: [] },
    async see({ page }) {
      const network = await context.newCDPSession(page);
      const setting = { permission: { name: "clipboard-write" }, setting: "denied" } as const;
      await network.send("Browser.setPermission", { ...setting, origin: server.baseUrl });
      await copyCommand(page);
    },
    holds: async ({ page }) => {
      const tried = page.evaluate("navigator.clipboard.writeText('x').then(() => 'copied', ({ name }) => name)");
      expect(await tried).toBe("NotAllowedError");
    },
  },
  {
    says: "The rest of the transcript could not be loaded. Reload the page to try again.",
    scene: { cues: 2_000 },
    async see({ page }) {
      await page.route("**/cues*", (route) => route.abort());
      await page.reload();
    },
    async holds({ page }) {
      const shown = await page.locator(".cues a").count();
      expect([shown > 0, shown < 2_000]).toEqual([true, true]);
      await page.unroute("**/cues*");
      await page.reload();
      await until(page, "document.querySelectorAll('.cues a').length === 2000");
      expect(await page.locator(".cues-problem").isVisible()).toBe(false);
    },
  },
  {
    says: "The connection was lost while the video was loading.",
    async see({ page }) {
      await page.route("**/video", (route) => route.abort("connectionreset"));
      await page.reload();
    },
    holds: playsAgain,
  },
  {
    says: "The server cannot send this video right now: it is still being stored, or the storage of files does not answer. Try again in a minute.",
    async see({ page }) {
      const error = { code: "SERVICE_UNAVAILABLE", message: "This file is still being stored by another process." };
      await page.route("**/video", (route) => route.fulfill({ status: 503, json: { error } }));
      await page.reload();
    },
    holds: playsAgain,
  },
  {
    says: "This page is out of date. Reload it to see the video.",
    async see({ page, signOut }) {
      await signOut();
      // Another address, because the browser has what it loaded before.
      await page.evaluate("document.querySelector('video').src += '?again'");
    },
    async holds({ page, signIn }) {
      expect(await page.locator(".player-problem .retry, .player-problem .download").filter({ visible: true }).count()).toBe(0);
      await signIn();
      await page.reload();
      await videoReady(page);
    },
  },
];

it.each(rows)("Studio: “$says”", async ({ says, scene: options, see, holds }) => {
  const scene = await newScene(options);
  await see(scene);
  await scene.says(says);
  await holds(scene);
});

it("Studio: “Copied” is said for two seconds", async () => {
  const { page } = await newScene();
  await page.locator("#decide .by-command summary").first().click();
  const button = page.locator("#decide [data-copy]").first();
  await page.clock.install();
  await button.click();
  await expect.poll(() => button.textContent()).toMatch(/^Copied/);
  await page.clock.runFor(2_000);
  expect(await button.textContent()).toMatch(/^Copy the command/);
});

/** Media events come so many milliseconds late, as on a busy machine. */
const lateMediaEvents = (ms: number) => `(() => {
  const later = window.setTimeout.bind(window);
  const add = HTMLMediaElement.prototype.addEventListener;
  HTMLMediaElement.prototype.addEventListener = function (type, listener) {
    add.call(this, type, (event) => later(() => listener.call(this, event), ${ms}));
  };
})()`;

it.each([0, 400])("comparison: its button and its position say what the videos do, with events %i ms late", async (ms) => {
  const { page } = await newScene();
  if (ms > 0) await page.addInitScript(lateMediaEvents(ms));
  const path = await submittedTwice(server, owner, gameId);
  await page.goto(path);
  const all = (expression: string) => until(page, `[...document.querySelectorAll('video')].every((video) => ${expression})`);
  await all("video.readyState >= 2");
  await page.evaluate("for (const video of document.querySelectorAll('video')) video.muted = true");
  await page.getByRole("button", { name: "Play all" }).click();
  await all("!video.paused");
  await page.getByRole("button", { name: "Pause all" }).click();
  await all("video.paused");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await all("video.currentTime === 5");
  // The browser says that the position has changed a moment after it has.
  await expect.poll(() => page.locator(".together .at").textContent()).toBe("0:05 / 0:12");
  await page.getByRole("button", { name: "Play all" }).waitFor();
});
