import { createHash } from "node:crypto";
import { createReadStream, readFileSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, it } from "vitest";
import { fileBrowser, sendInPieces } from "../helpers/browser.ts";
import { testFolder } from "../helpers/cli.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { claim, giveVideo, registerPlaytester } from "../helpers/factories.ts";
import type { TestServer, TestServerOptions } from "../helpers/server.ts";

/** From an empty server to an invoice, by an owner who has only a browser. */

const browser = await fileBrowser();

const MiB = 2 ** 20;
const sample = new URL("../../server/sandbox/sample.mp4", import.meta.url);
/** Cuts every clip as the whole sample video. */
const cutter = `import { copyFileSync } from "node:fs"; copyFileSync(${JSON.stringify(fileURLToPath(sample))}, process.argv.at(-1));`;
const config: TestServerOptions["config"] = (settings) => {
  const file = join(testFolder(), "cut.mjs");
  writeFileSync(file, cutter);
  settings.clips.ffmpeg = [process.execPath, file];
  settings.autoVerify = false;
};

/** How large the build is; 1024 in long runs. */
const buildMiB = Number(process.env.PLAYTEST_BUILD_MIB ?? 24);
const devices: readonly { name: string; context: BrowserContextOptions }[] = [
  { name: "at a desk", context: { viewport: { width: 1280, height: 900 } } },
  { name: "on a phone", context: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } },
  { name: "without JavaScript", context: { javaScriptEnabled: false } },
];

/** A disk image of this size, which takes next to no space: a few bytes at the beginning of each MiB. */
async function imageOf(mebibytes: number): Promise<string> {
  const path = join(testFolder(), "lantern.img");
  const file = await open(path, "w");
  for (let number = 0; number < mebibytes; number++) await file.write(`part ${number}`, number * MiB);
  await file.truncate(mebibytes * MiB);
  await file.close();
  return path;
}

async function sha256Of(parts: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const part of parts) hash.update(part);
  return hash.digest("hex");
}

const email = "producer@example.com";
const password = "lamp in the dark";

async function register(server: TestServer, page: Page): Promise<void> {
  await page.goto("/");
  await page.goto("/studio/register");
  await page.fill("#name", "Hearth & Co");
  await page.fill("#email", email);
  await page.fill("#new-password", password);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL("**/register/sent");
  await server.advance(0);
  const letter = server.mails.find(({ to }) => to === email)!;
  await page.goto(/https?:\S+verify-email\S+/.exec(letter.text)![0]);
  await page.getByRole("button", { name: "Yes, verify" }).click();
  await page.getByRole("link", { name: /^Sign in/ }).click();
  const form = page.locator("form:has(#password)");
  expect(await form.locator("[name=email]").inputValue()).toBe(email);
  await form.locator("#password").fill(password);
  await form.getByRole("button").click();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
}

/** Creates a game; its id. */
async function createGame(page: Page): Promise<string> {
  await page.getByRole("link", { name: /game/i }).and(page.locator("main a")).first().click();
  await page.waitForURL("**/studio/games/new");
  await page.fill("#name", "Lantern Deep");
  await page.getByRole("button", { name: "Create the game" }).click();
  await page.waitForURL(/\/builds\?done=created$/);
  return /games\/([^/]+)/.exec(page.url())![1]!;
}

/** Uploads a build with a connection that is lost once, where a script can go on after that. */
async function upload(page: Page, path: string, hasScripts: boolean): Promise<void> {
  await page.fill("#version", "0.9.1");
  if (!hasScripts) {
    await page.setInputFiles("#file", path);
    await page.getByRole("button", { name: "Upload", exact: true }).click();
    await page.waitForURL(/done=uploaded$/);
    return;
  }
  const state = (text: string) => page.locator("#build-state", { hasText: text }).waitFor();
  await page.setInputFiles("#build", path);
  await state("is ready to be sent");
  let pieces = 0;
  await page.route("**/api/v1/uploads/**", async (route) => {
    if (route.request().method() !== "PATCH" || ++pieces !== 2) return route.continue();
    await page.context().setOffline(true);
    await route.abort("internetdisconnected");
    await page.unrouteAll();
  });
  await page.click("#pause"); // Its label is "Upload" now.
  await state("You are offline. The upload resumes when you are online again.");
  await page.context().setOffline(false);
  await state("lantern.img is uploaded.");
}

async function addCredit(page: Page): Promise<void> {
  await page.goto("/studio/billing");
  await page.fill("#amount", "50");
  await page.getByRole("button", { name: "Pay by card" }).click();
  await page.getByLabel("Card number").waitFor();
  // Whoever thinks again is where the amount is entered, and not on an error of the browser about a form that was sent.
  await page.goBack();
  expect(new URL(page.url()).pathname).toBe("/studio/billing");
  await page.goForward();
  await page.getByLabel("Card number").fill("4242 4242 4242 4242");
  await page.getByLabel("Expiry").fill("12/34");
  await page.getByLabel("CVC").fill("123");
  await page.getByRole("button", { name: "Pay $50.00" }).click();
  await page.waitForURL(/\/studio\/billing\?done=credit/);
  expect(await page.textContent("main")).toContain("$50.00");
}

/** Orders one slot; the id of its playtest. */
async function order(page: Page, gameId: string, hasScripts: boolean): Promise<string> {
  await page.goto(`/studio/order?game=${gameId}`);
  if (!hasScripts) await page.getByRole("button", { name: /price/i }).click();
  await page.getByRole("button", { name: "Order 1 slot for $20.00" }).click();
  await page.waitForURL(/\/studio\/playtests\/[^/?]+\?done=ordered/);
  return /playtests\/([^/?]+)/.exec(page.url())![1]!;
}

/** Somebody downloads the build and plays it on video; the hash of what was downloaded. */
async function play(server: TestServer, playtestId: string): Promise<string> {
  const playtester = await registerPlaytester(server, "Tess");
  await server.deps.store.write((tx) => tx.run("UPDATE users SET email_verified_at = 1 WHERE id = ?", playtester.id));
  const slotId = await claim(playtester, playtestId);
  const { buildUrl } = (await playtester.getHeldSlot({ params: { id: slotId } })).slot;
  const downloaded = await sha256Of((await fetch(buildUrl!)).body!);
  await giveVideo(server, slotId, playtester, readFileSync(sample));
  await playtester.submitSlot({ params: { id: slotId } });
  await server.advance(0);
  return downloaded;
}

/** Opens the part of the review that a narrow screen hides. */
async function openPart(page: Page, part: string): Promise<void> {
  const tab = page.locator(`.review-tabs a[href="#${part}"]`);
  if (await tab.isVisible()) await tab.click();
}

async function review(server: TestServer, page: Page, hasScripts: boolean): Promise<void> {
  await page.goto("/studio");
  await page.getByRole("link", { name: "Tess played Lantern Deep" }).first().click();
  await page.waitForURL("**/studio/slots/*");
  await openPart(page, "notes");
  if (!hasScripts) await page.getByLabel("Position").first().fill("0:01");
  await page.fill("#text", "The lantern goes out");
  await page.locator("form:has(#text)").getByRole("button", { name: /^Save/ }).click();
  await page.locator("#moments .prose", { hasText: "The lantern goes out" }).waitFor();
  await openPart(page, "about");
  await page.locator("#clips summary", { hasText: "Cut a clip" }).click();
  await page.fill("#part", "0:00-0:01");
  await page.getByRole("button", { name: "Cut", exact: true }).click();
  await page.waitForURL(/done=clipped/);
  await server.advance(0);
  await page.reload();
  await openPart(page, "about");
  await page.locator("#clips a[data-share], #clips .shared a").first().waitFor();
  await openPart(page, "decide");
  await page.locator("#accept > button").click();
  if (!hasScripts) await page.getByRole("button", { name: /Accept and pay \$10\.00/ }).click();
  await page.waitForURL(/done=accepted/);
  expect(await page.textContent("main")).toMatch(/was paid \$10\.00/);
}

/** Follows the link to the newest invoice; what it is. */
async function invoice(page: Page): Promise<string> {
  await page.goto("/studio/billing");
  const path = await page.locator("#invoices a").first().getAttribute("href");
  return (await (await page.request.get(path!)).body()).subarray(0, 5).toString();
}

onBothDatabases("an owner who has only a browser", (serve) => {
  it.each(devices)("gets from an empty server to an invoice $name", { timeout: 900_000 }, async ({ context: options }) => {
    const server = await serve({ config });
    const context = await browser.newContext({ ...options, baseURL: server.baseUrl, reducedMotion: "reduce" });
    const page = await context.newPage();
    // Small builds in small pieces, so that there is time to cut the connection.
    if (buildMiB < 1024) await sendInPieces(page, MiB);
    const hasScripts = options.javaScriptEnabled !== false;
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    await register(server, page);
    const gameId = await createGame(page);
    const build = await imageOf(buildMiB);
    await upload(page, build, hasScripts);
    await addCredit(page);
    const playtestId = await order(page, gameId, hasScripts);
    expect(await play(server, playtestId)).toBe(await sha256Of(createReadStream(build)));
    await review(server, page, hasScripts);
    expect([await invoice(page), complaints]).toEqual(["%PDF-", []]);
    await context.close();
  });
});
