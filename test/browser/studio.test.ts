import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { look, looks } from "../helpers/accessibility.ts";
import { browserAndServer, giveSession } from "../helpers/browser.ts";
import { startStudio } from "../helpers/cli.ts";
import * as factories from "../helpers/factories.ts";
import { gate } from "../helpers/gate.ts";
import { sessionOf } from "../helpers/portal.ts";

const { browser, server } = await browserAndServer();
let owner: factories.Person;
let ann: factories.Person;
let cookies: { busy: string; fresh: string };
const pages: Record<"signedOut" | "busy" | "fresh", Record<string, string>> = { signedOut: {}, busy: {}, fresh: {} };

beforeAll(async () => {
  owner = await factories.registerOwner(server, "Hearth & Co");
  await factories.giveCredit(server, owner, 100_000);
  ann = await factories.registerPlaytester(server, "Annegret Vierzehnheiligen");
  const nobody = await factories.registerOwner(server, "New here");
  pages.busy = await fillStudio();
  pages.fresh = { "inbox-empty": "/studio", "games-empty": "/studio/games", "messages-empty": "/studio/messages" };
  pages.signedOut = {
    "sign-in": "/studio/sign-in",
    register: "/studio/register",
    forgot: "/studio/forgot",
    start: "/",
    todo: "/todo/review",
  };
  const cookieOf = (who: factories.Person) => sessionOf(server, who, "/studio");
  cookies = { busy: await cookieOf(owner), fresh: await cookieOf(nobody) };
});

/** Creates one of everything that an owner's page can show. */
async function fillStudio(): Promise<Record<string, string>> {
  const bo = await factories.registerPlaytester(server, "Bo");
  const game = await factories.createGame(owner, {
    name: "Lantern Deep",
    description: "Down the well, by the light of one lantern.",
    devices: ["PC", "Linux"],
  });
  const wide = await factories.createGame(owner, { name: "Donaudampfschifffahrtsgesellschaftskapitänssimulator" });
  const manual = await factories.order(owner, wide, {
    selectionMode: "manual",
    qualifications: "Owns a gamepad and a patient cat.",
    quantity: 2,
  });
  await ann.post(`/playtester/playtests/${manual}/applications`, { qualificationsResponse: "I do own one.\nAnd a cat." });
  await bo.post(`/playtester/playtests/${manual}/applications`, { qualificationsResponse: "Two cats." });
  const board = await factories.order(owner, game, { quantity: 8, notesForTesters: "Try the cave." });
  const slots: Record<string, string> = {};
  const others = await Promise.all(["Chidi", "Dao", "Esi", "Farid"].map((name) => factories.registerPlaytester(server, name)));
  const [chidi, dao, esi, farid] = others as [factories.Person, factories.Person, factories.Person, factories.Person];
  slots.accepted = await factories.play(server, ann, board);
  await owner.post(`/slots/${slots.accepted}/accept`, { rating: 4, comment: "Sharp eyes, thank you." });
  slots.rejected = await factories.play(server, bo, board);
  await owner.post(`/slots/${slots.rejected}/reject`, { reason: "No sound." });
  slots.submitted = await factories.play(server, chidi, board);
  await factories.play(server, dao, board);
  slots.blocked = await factories.claim(esi, board);
  await esi.post(`/playtester/slots/${slots.blocked}/report`, { reasonCode: "crash", notes: "At the second door, every time." });
  slots.reserved = await factories.claim(farid, board);
  const contact = (await ann.get("/chat/contacts")).body.data.contacts[0].id;
  const chat = (await ann.post("/chat/conversations", { contactId: contact })).body.data.conversation.id;
  await ann.post(`/chat/conversations/${chat}/messages`, { content: "Thanks for having me." });
  return {
    inbox: "/studio",
    games: "/studio/games",
    game: `/studio/games/${game}`,
    board: `/studio/playtests/${board}`,
    "board-manual": `/studio/playtests/${manual}`,
    applications: `/studio/playtests/${manual}/applications`,
    problem: `/studio/slots/${slots.blocked}/problem`,
    slot: `/studio/slots/${slots.submitted}`,
    messages: "/studio/messages",
    conversation: `/studio/messages/${chat}`,
    nowhere: "/studio/nowhere",
    portal: "/play",
  };
}

async function contextOf(
  who: keyof typeof pages,
  { width, scheme = "light", ...more }: { width: number; scheme?: "light" | "dark"; javaScriptEnabled?: boolean },
): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: server.baseUrl,
    viewport: { width, height: 800 },
    colorScheme: scheme,
    reducedMotion: "reduce",
    ...more,
  });
  if (who !== "signedOut") await giveSession(context, server, cookies[who]);
  return context;
}

describe.each([...looks, { width: 768, scheme: "light", rules: ["color-contrast"] }])(
  "Studio at $width px in a $scheme color scheme",
  ({ width, scheme, rules }) => {
    it.each(["signedOut", "busy", "fresh"] as const)(
      "for the visitor %s: fits the width, is accessible and breaks no content security policy",
      async (who) => {
        const context = await contextOf(who, { width, scheme: scheme as "light" | "dark" });
        const page = await context.newPage();
        const complaints: string[] = [];
        page.on("console", (message) => complaints.push(message.text()));
        page.on("pageerror", (error) => complaints.push(String(error)));
        const faults: string[] = [];
        for (const [name, path] of Object.entries(pages[who]))
          faults.push(...(await look(page, `studio-${name}`, path, rules, complaints)));
        await context.close();
        expect(faults).toEqual([]);
      },
    );
  },
);

it("board: a change appears without a reload, and with a reload where there is no JavaScript", async () => {
  const game = await factories.createGame(owner, { name: "Live" });
  const playtest = await factories.order(owner, game, { quantity: 1 });
  const [live, plain] = await Promise.all([
    contextOf("busy", { width: 1280 }),
    contextOf("busy", { width: 1280, javaScriptEnabled: false }),
  ]);
  const [page, still] = await Promise.all([live.newPage(), plain.newPage()]);
  const streaming = page.waitForResponse((reply) => reply.url().endsWith("/studio/events"));
  await Promise.all([page, still].map((one) => one.goto(`/studio/playtests/${playtest}`)));
  await streaming;
  await factories.play(server, await factories.registerPlaytester(server, "Gus"), playtest);
  await page.locator(".turn .slot", { hasText: "Gus" }).waitFor();
  expect(await still.locator(".slot").count()).toBe(0);
  await still.reload();
  expect(await still.locator(".turn .slot").textContent()).toContain("Gus");
  expect(await still.locator("button[data-copy]").first().isVisible()).toBe(false);
  expect(await page.locator("button[data-copy]").first().isVisible()).toBe(true);
  await Promise.all([live.close(), plain.close()]);
});

it("board: a change appears after a form was refused", async () => {
  const game = await factories.createGame(owner, { name: "Refused" });
  const playtest = await factories.order(owner, game, { quantity: 1 });
  const context = await contextOf("busy", { width: 1280 });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await page.goto(`/studio/playtests/${playtest}`);
  const streaming = page.waitForResponse((reply) => reply.url().endsWith("/studio/events"));
  // What the form promised is not what would happen any more.
  await page.evaluate(
    "document.querySelector('[name=promise]').value = ''; document.querySelector('form:has([name=promise])').submit()",
  );
  await page.getByText("Nothing was cancelled:").waitFor();
  await streaming;
  expect(page.url()).toMatch(/\/cancel$/);
  await factories.play(server, await factories.registerPlaytester(server, "Hal"), playtest);
  await page.locator(".turn .slot", { hasText: "Hal" }).waitFor();
  await context.close();
});

it("board: a change before the stream of events begins appears too", async () => {
  const game = await factories.createGame(owner, { name: "Late" });
  const playtest = await factories.order(owner, game, { quantity: 1 });
  const context = await contextOf("busy", { width: 1280 });
  const page = await context.newPage();
  const played = gate();
  await page.route("**/studio/events", async (route) => {
    await played.passed;
    await route.continue();
  });
  await page.goto(`/studio/playtests/${playtest}`);
  await factories.play(server, await factories.registerPlaytester(server, "Ida"), playtest);
  played.open();
  await page.locator(".turn .slot", { hasText: "Ida" }).waitFor();
  await context.close();
});

it("the first page takes at most 100 kB", async () => {
  const context = await contextOf("busy", { width: 1280 });
  const page = await context.newPage();
  await page.goto("/studio", { waitUntil: "load" });
  const sizes = await page.evaluate(() =>
    performance.getEntries().map((entry) => (entry as { transferSize?: number }).transferSize ?? 0),
  );
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  await context.close();
  expect(bytes).toBeGreaterThan(5_000);
  expect(bytes).toBeLessThan(100_000);
});

it("playtest studio: pages work with scripts and without, and its cookie reaches no other port", async () => {
  const heard: (string | undefined)[] = [];
  const other = createServer((request, response) => {
    heard.push(request.headers.cookie);
    response.end("somebody else");
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  for (const javaScriptEnabled of [true, false]) {
    const { url, stop } = await startStudio({ baseUrl: server.baseUrl, key: owner.key });
    const context = await contextOf("signedOut", { width: 1280, javaScriptEnabled });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    const streaming = javaScriptEnabled && page.waitForResponse((reply) => reply.url().endsWith("/studio/events"));
    await page.goto(url);
    if (streaming) expect((await streaming).status()).toBe(200);
    await page.getByRole("link", { name: "Games" }).click();
    await page.getByRole("link", { name: "Lantern Deep" }).first().click();
    await page.goto(new URL(`.${pages.busy.slot}`, page.url().replace(/studio\/.*/, "")).href);
    const saved = `A moment ${javaScriptEnabled ? "with" : "without"} scripts`;
    await page.locator("#note [name=position]").fill("0:00");
    await page.locator("#note textarea").fill(saved);
    await page.locator("#note button").first().click();
    await page.locator("#moments", { hasText: saved }).waitFor();
    for (const path of ["/", "/studio", "/studio/games"]) await page.goto(elsewhere + path);
    expect(complaints).toEqual([]);
    await context.close();
    await stop();
  }
  expect(heard).toEqual(Array(heard.length).fill(undefined));
  expect(heard.length).toBeGreaterThanOrEqual(6);
  other.close();
});
