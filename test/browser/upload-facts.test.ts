import { rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Page, Route } from "playwright-core";
import { afterEach, beforeAll, expect, it } from "vitest";
import { browserAndServer, giveSession, sendInPieces } from "../helpers/browser.ts";
import * as factories from "../helpers/factories.ts";
import { gate } from "../helpers/gate.ts";
import { sessionOf } from "../helpers/portal.ts";
import { freshFolder } from "../helpers/store.ts";
import { raw } from "../helpers/tus.ts";

/** What the page says while it uploads a video, and that it is so. */

const MiB = 1024 * 1024;
/** How much of a video the page sends at a time here. */
const piece = MiB;
const film = "film.mp4";

const { browser, server } = await browserAndServer();
let owner: factories.Person;
let gameId: string;
let context: BrowserContext;

beforeAll(async () => {
  owner = await factories.registerOwner(server);
  await factories.giveCredit(server, owner, 200_000);
  gameId = await factories.createGame(owner);
});
afterEach(async () => {
  await context.close();
  server.deps.config.uploads.minFreeBytes = 0;
});
type Handle = (route: Route, offset: number) => unknown;

/** A playtester at the page of a slot, with a video of two pieces. */
async function newScene() {
  const playtester = await factories.registerPlaytester(server);
  const slotId = await factories.claim(playtester, await factories.order(owner, gameId));
  context = await browser.newContext({ baseURL: server.baseUrl });
  const signIn = async () => {
    const value = await sessionOf(server, playtester);
    await giveSession(context, server, value);
  };
  await signIn();
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const file = join(freshFolder(), film);
  writeFileSync(file, factories.videoBytes(2 * piece));
  /** The offset of each piece that was sent; `*` for the start of an upload. */
  const sent: (number | "*")[] = [];
  let handle: Handle = (route) => route.continue();
  const watched = (route: Route) => {
    const { method, offset } = { method: route.request().method(), offset: Number(route.request().headers()["upload-offset"]) };
    if (method === "HEAD") return route.continue();
    sent.push(method === "POST" ? "*" : offset);
    return handle(route, method === "POST" ? -1 : offset);
  };
  await sendInPieces(page, piece);
  await page.route("**/api/v1/uploads/*", watched);
  await page.route("**/video", watched);
  await page.goto(`/play/slots/${slotId}`);

  const scene = {
    playtester,
    slotId,
    page,
    file,
    sent,
    signIn,
    choose: (path = file) => page.locator("#video").setInputFiles(path),
    press: (name: string) => page.getByRole("button", { name, exact: true }).click(),
    text: (id: string) => page.locator(`#${id}`).textContent(),
    /** Waits for what the page says about the upload, in its line or in its alert. */
    says: (words: string) => page.locator("#video-state, #video-error:visible").filter({ hasText: words }).waitFor(),
    on: (next: Handle) => {
      handle = next;
    },
    /** What the server has of the upload that this browser remembers; undefined if it remembers none. */
    async received() {
      const known = await page.evaluate(`localStorage.getItem("playtest upload ${slotId}")`);
      if (known === null) return undefined;
      const reply = await raw(server, playtester, "HEAD", server.baseUrl + JSON.parse(known as string).url);
      return Number(reply.headers.get("upload-offset"));
    },
    /** The size of the video that the server has for the slot. */
    async uploaded() {
      const { slot } = (await playtester.get(`/playtester/slots/${slotId}`)).body.data;
      return slot.uploadedVideo?.sizeBytes ?? null;
    },
    /** Leaves the page as it is while the second piece is on its way. */
    async untilSecondPiece() {
      const reached = gate<Route>();
      scene.on((route, offset) => (offset === piece ? reached.open(route) : route.continue()));
      await scene.choose();
      const route = await reached.passed;
      scene.on((next) => next.continue());
      return route;
    },
    async untilDone() {
      await scene.says(`${film} (2 MiB, length: unknown) is uploaded.`);
      expect(await scene.uploaded()).toBe(2 * piece);
    },
  };
  return scene;
}

type Scene = Awaited<ReturnType<typeof newScene>>;

interface Row {
  says: string;
  /** Makes the page say it. */
  see(scene: Scene): Promise<unknown>;
  holds(scene: Scene): Promise<unknown>;
}

const refusal = (status: number, message?: string) => ({
  status,
  ...(message !== undefined && { contentType: "application/json", body: JSON.stringify({ error: { message } }) }),
});
const signOut = ({ page }: Scene) =>
  page.evaluate(
    `fetch("/play/sign-out", { method: "POST", body: new URLSearchParams({ csrf: document.getElementById("upload").dataset.csrf }) })`,
  );
const isLeftWith = async (page: Page): Promise<string> => {
  const asked = gate<string>();
  page.once("dialog", async (dialog) => {
    asked.open(dialog.type());
    await dialog.dismiss();
  });
  await page.goto("/play").catch(() => undefined);
  return asked.passed;
};

/** Holds the program that reads videos back; what lets it come. */
async function holdReader({ page }: Scene): Promise<() => void> {
  const held = gate();
  await page.route("**/assets/mediabunny.js*", async (route) => {
    await held.passed;
    await route.continue();
  });
  return held.open;
}

let letRead: () => void;

const rows: Row[] = [
  {
    says: `Reading ${film}.`,
    async see(scene) {
      letRead = await holdReader(scene);
      await scene.choose();
    },
    async holds(scene) {
      expect([scene.sent, await scene.page.locator("#upload-progress").isVisible()]).toEqual([[], false]);
      // Another is chosen meanwhile: this one alone is sent.
      const other = join(freshFolder(), "other.mp4");
      writeFileSync(other, factories.videoBytes(MiB / 2));
      await scene.choose(other);
      await scene.says("Reading other.mp4.");
      letRead();
      await scene.says("other.mp4 (512 KiB, length: unknown) is uploaded.");
      expect([scene.sent, await scene.uploaded()]).toEqual([["*", 0], MiB / 2]);
    },
  },
  {
    says: `Uploading ${film}. Keep this page open.`,
    see: (scene) => scene.untilSecondPiece(),
    async holds({ page, text, received, uploaded }) {
      expect([await text("percent"), await text("transfer")]).toEqual(["50 %", expect.stringMatching(/^1\.0 of 2\.0 MiB/)]);
      expect([await received(), await uploaded()]).toEqual([piece, null]);
      await page.mouse.click(1, 1);
      expect(await isLeftWith(page)).toBe("beforeunload");
    },
  },
  {
    says: `Paused. Click Resume to continue uploading ${film}.`,
    async see(scene) {
      await scene.untilSecondPiece();
      await scene.press("Pause");
    },
    async holds(scene) {
      expect([scene.sent, await scene.received()]).toEqual([["*", 0, piece], piece]);
      expect(await scene.text("transfer")).toBe("1.0 of 2.0 MiB");
      await scene.press("Resume");
      await scene.untilDone();
      expect(scene.sent).toEqual(["*", 0, piece, piece]);
    },
  },
  {
    says: "The connection was lost. Retrying…",
    async see(scene) {
      const route = await scene.untilSecondPiece();
      scene.on((next) => next.abort("connectionreset"));
      await route.abort("connectionreset");
    },
    async holds(scene) {
      const held = gate<Route>();
      scene.on((route) => held.open(route));
      const route = await held.passed;
      // It is connected again, and says so.
      await scene.says(`Uploading ${film}. Keep this page open.`);
      scene.on((next) => next.continue());
      await route.continue();
      await scene.untilDone();
    },
  },
  {
    says: "You are offline. The upload resumes when you are online again.",
    async see(scene) {
      const route = await scene.untilSecondPiece();
      await context.setOffline(true);
      await route.abort("internetdisconnected");
    },
    async holds(scene) {
      expect(await scene.received()).toBe(piece);
      await context.setOffline(false);
      await scene.untilDone();
      expect(scene.sent.slice(0, 3)).toEqual(["*", 0, piece]);
      expect(scene.sent.slice(-1)).toEqual([piece]);
    },
  },
  {
    says: "The server returned status 502. Retrying…",
    async see(scene) {
      const route = await scene.untilSecondPiece();
      await route.fulfill(refusal(502));
    },
    holds: (scene) => scene.untilDone(),
  },
  {
    says: "The server is busy. What was sent is kept. Click Resume to try again.",
    async see(scene) {
      scene.on((route, offset) => (offset === piece ? route.fulfill(refusal(503, "The server is busy.")) : route.continue()));
      await scene.choose();
    },
    async holds(scene) {
      expect([scene.sent, await scene.received()]).toEqual([["*", 0, piece, piece, piece, piece], piece]);
      scene.on((route) => route.continue());
      await scene.press("Resume");
      await scene.untilDone();
      expect(scene.sent.slice(6)).toEqual([piece]);
    },
  },
  {
    says: "The server has too little free disk space for this upload. Nothing was stored; try again later. Click Resume to try again.",
    async see(scene) {
      server.deps.config.uploads.minFreeBytes = Number.MAX_SAFE_INTEGER;
      await scene.choose();
    },
    async holds(scene) {
      // There is nothing that it could say is kept.
      expect([await scene.received(), await scene.text("video-error")]).toEqual([undefined, expect.not.stringContaining("kept")]);
      server.deps.config.uploads.minFreeBytes = 0;
      await scene.press("Resume");
      await scene.untilDone();
    },
  },
  {
    says: "You are signed out. What was sent is kept. Reload this page, sign in and choose the same file again.",
    async see(scene) {
      const route = await scene.untilSecondPiece();
      await signOut(scene);
      await route.continue();
    },
    async holds(scene) {
      expect([await scene.received(), await scene.page.locator("#pause").isVisible()]).toEqual([piece, false]);
      await scene.page.reload();
      expect(new URL(scene.page.url()).pathname).toBe("/play/sign-in");
      await scene.signIn();
      await scene.page.goto(`/play/slots/${scene.slotId}`);
      await scene.says(`The upload of ${film} is incomplete. Choose the same file again to resume it.`);
      expect(await scene.text("transfer")).toBe("1.0 of 2.0 MiB");
      await scene.choose();
      await scene.untilDone();
      expect(scene.sent).toEqual(["*", 0, piece, piece]);
    },
  },
  {
    says: "This page is out of date. Nothing was changed. Reload it and try again. What was sent is kept. Reload this page and choose the same file again.",
    async see(scene) {
      const route = await scene.untilSecondPiece();
      // In another tab, the visitor signed out and in again.
      await signOut(scene);
      await scene.signIn();
      await route.continue();
    },
    async holds(scene) {
      expect(await scene.received()).toBe(piece);
      await scene.page.reload();
      await scene.choose();
      await scene.untilDone();
      expect(scene.sent).toEqual(["*", 0, piece, piece]);
    },
  },
  {
    says: "The slot is cancelled. Nothing was uploaded: a video can be uploaded only while the slot is reserved. Choose a video again, or reload this page.",
    async see(scene) {
      await scene.playtester.post(`/playtester/slots/${scene.slotId}/release`);
      await scene.choose();
    },
    async holds(scene) {
      expect([scene.sent, await scene.received()]).toEqual([["*"], undefined]);
      await scene.page.reload();
      expect(await scene.page.locator("#video").count()).toBe(0);
    },
  },
  {
    says: `${film} cannot be read. It was moved or changed since you chose it. Choose it again.`,
    async see(scene) {
      const route = await scene.untilSecondPiece();
      rmSync(scene.file);
      await route.abort("connectionreset");
    },
    async holds(scene) {
      expect(await scene.received()).toBe(piece);
      writeFileSync(scene.file, factories.videoBytes(MiB / 2));
      await scene.choose();
      await scene.says(`${film} (512 KiB, length: unknown) is uploaded.`);
      expect(await scene.uploaded()).toBe(MiB / 2);
    },
  },
  {
    says: "notes.txt is not an MP4, WebM, MOV or MKV video. Nothing was sent. Choose a video file.",
    async see(scene) {
      const notes = join(freshFolder(), "notes.txt");
      writeFileSync(notes, "Not a film at all, this is.");
      await scene.choose(notes);
    },
    holds: async ({ sent, uploaded }) => expect([sent, await uploaded()]).toEqual([[], null]),
  },
  {
    says: `${film} is uploaded. Reload this page, then submit it.`,
    async see(scene) {
      await scene.page.route(`**/play/slots/${scene.slotId}`, (route) => route.abort());
      await scene.choose();
    },
    async holds(scene) {
      expect(await scene.uploaded()).toBe(2 * piece);
      await scene.page.unroute(`**/play/slots/${scene.slotId}`);
      await scene.page.reload();
      await scene.press("Submit");
      await scene.page.getByText("Thank you!").waitFor();
    },
  },
];

it.each(rows)("upload: “$says”", async ({ says, see, holds }) => {
  const scene = await newScene();
  await see(scene);
  await scene.says(says);
  await holds(scene);
});

it("upload: a file that cannot be used leaves the one before as it is: paused, or uploaded", async () => {
  const scene = await newScene();
  const notes = join(freshFolder(), "notes.txt");
  writeFileSync(notes, "Not a film at all, this is.");
  await scene.untilSecondPiece();
  await scene.choose(notes);
  await scene.says("notes.txt is not an MP4");
  await scene.says(`Paused. Click Resume to continue uploading ${film}.`);
  await scene.press("Resume");
  await scene.untilDone();
  await scene.choose(notes);
  await scene.says("notes.txt is not an MP4");
  await scene.untilDone();
});

it("upload: a file that is found to be of no use after another was chosen changes nothing", async () => {
  const scene = await newScene();
  letRead = await holdReader(scene);
  const cut = join(freshFolder(), "cut.mp4");
  writeFileSync(cut, factories.videoBytes(MiB).subarray(0, 500));
  await scene.choose(cut);
  await scene.says("Reading cut.mp4.");
  await scene.choose();
  await scene.says(`Reading ${film}.`);
  letRead();
  await scene.untilDone();
  expect(await scene.page.locator("#video-error").isVisible()).toBe(false);
});

it("upload: where the page cannot show the new video, it does not offer to submit the one before", async () => {
  const scene = await newScene();
  const { page } = scene;
  const submit = page.getByRole("button", { name: "Submit", exact: true });
  await scene.choose();
  await scene.untilDone();
  await expect.poll(() => submit.isEnabled()).toBe(true);
  await page.route(`**/play/slots/${scene.slotId}`, (route) => route.abort());
  const other = join(freshFolder(), "other.mp4");
  writeFileSync(other, factories.videoBytes(MiB / 2));
  await scene.choose(other);
  await scene.says("other.mp4 is uploaded. Reload this page, then submit it.");
  expect([await scene.uploaded(), await submit.isEnabled(), await scene.text("submit-waits")]).toEqual([
    MiB / 2,
    false,
    "You can submit other.mp4 when this page is reloaded.",
  ]);
  await page.unroute(`**/play/slots/${scene.slotId}`);
  await page.reload();
  await expect.poll(() => submit.isEnabled()).toBe(true);
});

it("upload: signed out at its end, the page says that the video is uploaded", async () => {
  const scene = await newScene();
  await scene.page.route(`**/play/slots/${scene.slotId}`, async (route) => {
    await context.clearCookies();
    await route.continue();
  });
  await scene.choose();
  await scene.says(`${film} is uploaded. Reload this page, then submit it.`);
  expect(await scene.uploaded()).toBe(2 * piece);
});

it.each([
  ["less than a minute left", 30],
  ["about 1 minute left", 60],
  ["about 10 minutes left", 600],
  ["about 2 hours left", 7_200],
])("upload: “%s”, at 1 MiB a second, of a file with so many MiB left", async (left, mebibytes) => {
  const scene = await newScene();
  const { page, file } = scene;
  truncateSync(file, piece + mebibytes * MiB);
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  const [first, second] = [gate<Route>(), gate()];
  scene.on((route, offset) => {
    if (offset < 0) return route.continue();
    return offset === 0 ? first.open(route) : second.open();
  });
  await scene.choose();
  const route = await first.passed;
  expect(await scene.text("transfer")).toBe(`0.0 of ${mebibytes + 1}.0 MiB`);
  // The first piece, of 1 MiB, takes a second.
  await page.clock.runFor(1_000);
  await route.continue();
  await second.passed;
  expect(await scene.text("transfer")).toBe(`1.0 of ${mebibytes + 1}.0 MiB · 1.0 MiB/s · ${left}`);
});
