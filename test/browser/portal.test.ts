import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterEach, beforeEach, expect, it } from "vitest";
import { look, lookHere, looks } from "../helpers/accessibility.ts";
import { fileBrowser, sendInPieces } from "../helpers/browser.ts";
import * as factories from "../helpers/factories.ts";
import { mailedPath } from "../helpers/mails.ts";
import { reusedStore } from "../helpers/reused-store.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { freshFolder } from "../helpers/store.ts";

const MiB = 1024 * 1024;
/** How much of a video the page sends at a time in tests that intercept it. */
const piece = MiB;

const browser = await fileBrowser();
let server: TestServer;
let remove: () => Promise<unknown>;
let owner: factories.Person;
let playtestId: string;
let context: BrowserContext | undefined;
let complaints: string[];

beforeEach(async () => {
  const store = await reusedStore();
  remove = () => store.remove();
  server = await startTestServer({ store });
  owner = await factories.registerOwner(server, "Hearth & Co");
  await factories.registerPlaytester(server, "Ann");
  await factories.giveCredit(server, owner, 50_000);
  const gameId = await factories.createGame(owner, { buildUrl: `${server.baseUrl}/build.zip` });
  playtestId = await factories.order(owner, gameId, { quantity: 1, keysForTesters: ["AAAA-BBBB"] });
});

afterEach(async () => {
  await context?.close();
  const faults = await factories.ledgerFaults(server);
  await server.close();
  await remove();
  expect([...faults, ...complaints]).toEqual([]);
});

/** A page in a browser context of its own. The test fails if the page logs an error. */
async function open(
  options: Pick<BrowserContextOptions, "javaScriptEnabled" | "colorScheme"> & { width?: number } = {},
): Promise<Page> {
  const { width = 1280, ...rest } = options;
  context = await browser.newContext({ baseURL: server.baseUrl, viewport: { width, height: 800 }, ...rest });
  const page = await context.newPage();
  complaints = [];
  page.setDefaultTimeout(10_000);
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => void dialog.accept());
  return page;
}

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const go = (page: Page, name: string) => page.getByRole("navigation").getByRole("link", { name }).click();

async function signInByLink(page: Page): Promise<void> {
  await page.goto("/play/slots");
  await page.getByLabel("Email address").first().fill("playtester2@example.com");
  await press(page, "Email me a sign-in link");
  await page.getByText("we sent it a link").waitFor();
  await server.advance(0);
  await page.goto(mailedPath(server, "signIn"));
  await press(page, "Sign in");
  await page.getByRole("heading", { name: "My slots" }).waitFor();
}

async function claimSlot(page: Page): Promise<void> {
  await go(page, "Playtests");
  await page.getByRole("link", { name: "See and claim" }).first().click();
  await page.getByLabel("I have the time to play and to submit a video").check();
  await press(page, "Claim a slot");
  await page.getByText("You claimed this slot.").waitFor();
}

/** The field that the script shows in place of the plain form, which has one with the same label until then. */
const videoField = (page: Page) => page.locator("#upload:not([hidden])").getByLabel("Choose a video");

it("portal: sign in by link, claim, upload with a reload in between, submit, be paid, send a message", async () => {
  const page = await open();
  await sendInPieces(page, piece);
  await signInByLink(page);
  await claimSlot(page);
  await page.getByText("AAAA-BBBB").waitFor();

  const bytes = factories.videoBytes(2.5 * piece);
  const video = join(freshFolder(), "Höhle.mp4");
  writeFileSync(video, bytes);
  const offsets: string[] = [];
  let heldUp = () => {};
  const secondPiece = new Promise<void>((resolve) => {
    heldUp = resolve;
  });
  await page.route("**/api/v1/uploads/*", (route) => {
    const request = route.request();
    if (request.method() === "PATCH") offsets.push(request.headers()["upload-offset"]!);
    // The second part of the first upload never arrives.
    if (offsets.length === 2 && request.method() === "PATCH") return heldUp();
    return route.continue();
  });
  const submit = page.getByRole("button", { name: "Submit", exact: true });
  await videoField(page).setInputFiles(video);
  await secondPiece;
  expect(await page.locator("#percent").textContent()).toBe("40 %");
  expect(await submit.isDisabled()).toBe(true);

  await page.reload();
  await page.getByText("The upload of Höhle.mp4 is incomplete.").waitFor();
  expect(await page.locator("#percent").textContent()).toBe("40 %");
  expect(await page.locator("#transfer").textContent()).toBe("1.0 of 2.5 MiB");
  expect(Number(await page.getByRole("progressbar").getAttribute("value"))).toBeCloseTo(0.4, 2);
  await videoField(page).setInputFiles(video);
  await page.getByText(/^Höhle\.mp4 \(2\.5 MiB, length: unknown\) is uploaded\.$/).waitFor();
  expect(offsets).toEqual([0, piece, piece, 2 * piece].map(String));

  await page.getByLabel("Notes for the owner").fill("The cave is lovely.");
  await submit.click();
  await page.getByText("Thank you!").waitFor();
  const slotId = new URL(page.url()).pathname.split("/").at(-1);
  const { slot } = (await owner.get(`/slots/${slotId}`)).body.data;
  expect(slot.submission).toMatchObject({ videoFileSize: bytes.length, notes: "The cave is lovely." });
  const { downloadUrl } = (await owner.get(`/slots/${slotId}/download-url`)).body.data;
  expect(Buffer.from(await (await fetch(downloadUrl)).arrayBuffer()).equals(bytes)).toBe(true);

  await owner.post(`/slots/${slotId}/accept`, { rating: 5 });
  await go(page, "Earnings");
  await page.getByText("$10.00").first().waitFor();
  await go(page, "Messages");
  await press(page, "Send a message");
  await page.getByLabel("Your message").fill("Thanks for <having> me.");
  await press(page, "Send");
  await page.getByText("Thanks for <having> me.").waitFor();
  await press(page, "Sign out");
  await page.getByText("You are signed out.").waitFor();
  await page.goto("/play/earnings");
  expect(new URL(page.url()).pathname).toBe("/play/sign-in");
});

it("portal upload: a file that is not a video is refused with the reason, and another can be chosen", async () => {
  const page = await open({ width: 390 });
  await signInByLink(page);
  await claimSlot(page);
  const choose = videoField(page);
  await choose.setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("Not a film at all, this is.") });
  await page
    .getByRole("alert")
    .filter({ hasText: "notes.txt is not an MP4, WebM, MOV or MKV video. Nothing was sent." })
    .waitFor();
  expect(await choose.getAttribute("aria-invalid")).toBe("true");
  expect(await page.evaluate("document.activeElement.id")).toBe("video");
  await choose.setInputFiles({ name: "film.mp4", mimeType: "video/mp4", buffer: factories.videoBytes() });
  await page.getByText(/^film\.mp4 .* is uploaded\.$/).waitFor();
  expect(await page.getByRole("button", { name: "Submit", exact: true }).isEnabled()).toBe(true);
});

it("portal upload: a file that is too large is refused before anything is sent", async () => {
  server.deps.config.uploads.videoMaxBytes = 1024 * 1024;
  const page = await open();
  await signInByLink(page);
  await claimSlot(page);
  const sent: string[] = [];
  page.on("request", (request) => sent.push(`${request.method()} ${request.url()}`));
  await videoField(page).setInputFiles({ name: "big.mp4", mimeType: "video/mp4", buffer: factories.videoBytes(1_200_000) });
  await page.getByText("big.mp4 has 1.1 MiB, and a video can have at most 1.0 MiB. Nothing was sent.").waitFor();
  expect(sent).toEqual([]);
  expect(await page.getByRole("button", { name: "Submit", exact: true }).isDisabled()).toBe(true);
  await page.getByText("You can submit when your video is uploaded.").waitFor();
});

it("portal upload: it resumes by itself after a lost connection, and stops while paused", async () => {
  const page = await open();
  await sendInPieces(page, piece);
  await signInByLink(page);
  await claimSlot(page);
  const video = join(freshFolder(), "long.mp4");
  writeFileSync(video, factories.videoBytes(1.25 * piece));
  let tries = 0;
  let reached = () => {};
  const held = new Promise<void>((resolve) => {
    reached = resolve;
  });
  await page.route("**/api/v1/uploads/*", (route) => {
    if (route.request().method() !== "PATCH") return route.continue();
    tries++;
    if (tries === 1) return route.abort("connectionreset");
    if (tries === 2) return reached();
    return route.continue();
  });
  await videoField(page).setInputFiles(video);
  await held;
  await press(page, "Pause");
  await page.getByText("Paused. Click Resume to continue uploading long.mp4.").waitFor();
  await press(page, "Resume");
  await page.getByText(/^long\.mp4 .* is uploaded\.$/).waitFor();
  expect(tries).toBe(4);
  complaints.splice(0);
});

it("portal upload: on a slow connection it shows MiB, rate and time left; offline it says so and goes on by itself", async () => {
  const page = await open();
  await signInByLink(page);
  await claimSlot(page);
  const video = join(freshFolder(), "slow.mp4");
  writeFileSync(video, factories.videoBytes(10 * MiB));
  const network = await page.context().newCDPSession(page);
  const connect = (conditions: { offline?: boolean; uploadThroughput?: number }) =>
    network.send("Network.emulateNetworkConditions", {
      ...{ offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 },
      ...conditions,
    });
  await network.send("Network.enable");
  await connect({ uploadThroughput: 100 * 1024 });
  await videoField(page).setInputFiles(video);
  await page.getByText(/^\d\.\d of 10\.0 MiB · 0\.\d MiB\/s · about [12] minutes? left$/).waitFor();
  expect(await page.locator("#percent").textContent()).toMatch(/^\d+ %$/);
  await connect({ offline: true });
  await page.getByText("You are offline. The upload resumes when you are online again.").waitFor();
  // While nothing is sent there is no rate, and nobody knows how long it takes.
  expect(await page.locator("#transfer").textContent()).toMatch(/^\d+\.\d of 10\.0 MiB$/);
  expect(await page.getByText(/^slow\.mp4 .* is uploaded\.$/).count()).toBe(0);
  await connect({ uploadThroughput: 100 * 1024 });
  await page.getByText(/ left$/).waitFor();
  await press(page, "Pause");
  expect(await page.locator("#transfer").textContent()).toMatch(/^\d+\.\d of 10\.0 MiB$/);
  await connect({});
  await press(page, "Resume");
  await page.getByText(/^slow\.mp4 .* is uploaded\.$/).waitFor();
  complaints.splice(0);
});

it("portal: while another video is uploaded, Submit waits; discarded, the one before can be submitted", async () => {
  const page = await open();
  await signInByLink(page);
  await claimSlot(page);
  const submit = page.getByRole("button", { name: "Submit", exact: true });
  await videoField(page).setInputFiles({ name: "first.mp4", mimeType: "video/mp4", buffer: factories.videoBytes() });
  await page.getByText(/^first\.mp4 .* is uploaded\.$/).waitFor();
  expect(await submit.isDisabled()).toBe(false);
  await page.route("**/api/v1/uploads/*", (route) => (route.request().method() === "PATCH" ? undefined : route.continue()));
  await page
    .locator("#video")
    .setInputFiles({ name: "second.mp4", mimeType: "video/mp4", buffer: factories.videoBytes(100_000) });
  await page.getByText("You can submit when second.mp4 is uploaded.").waitFor();
  expect(await submit.isDisabled()).toBe(true);
  await press(page, "Pause");
  expect(await submit.isDisabled()).toBe(true);
  await press(page, "Discard this upload");
  await page.getByText(/^first\.mp4 .* is uploaded\.$/).waitFor();
  await expect.poll(() => submit.isDisabled()).toBe(false);
  await submit.click();
  await page.getByText("Thank you!").waitFor();
  const { slot } = (await owner.get(`/slots/${new URL(page.url()).pathname.split("/").at(-1)}`)).body.data;
  expect(slot.submission.videoFileSize).toBe(factories.videoBytes().length);
});

it("portal: sign in by password, apply, be approved, be asked to retry, be paid for the second submission", async () => {
  const { gameId } = (await owner.get(`/playtests/${playtestId}`)).body.data.playtest;
  const choosy = await factories.order(owner, gameId, {
    selectionMode: "manual",
    qualifications: "Owns a gamepad.",
    notesForTesters: "Try the cave.",
    keysForTesters: ["CCCC-DDDD"],
  });
  const page = await open();
  await page.goto("/play");
  await page.getByLabel("Email address").last().fill("playtester2@example.com");
  await page.getByLabel("Password").fill("correct horse");
  await press(page, "Sign in");
  await page.getByRole("link", { name: "See and apply" }).first().click();
  await page.getByText("Owns a gamepad.").waitFor();
  await page.getByLabel("Why are you a good fit?").fill("I do own one.");
  await press(page, "Apply");
  await page.getByText("Your application was sent to the owner.").waitFor();
  const [application] = (await owner.get(`/playtests/${choosy}/applications`)).body.data.applications;
  expect(application.qualificationsResponse).toBe("I do own one.");
  await owner.post(`/playtests/playtest-applications/${application.id}/approve`);
  await go(page, "Applications");
  await page.getByText("Approved", { exact: true }).waitFor();
  await page.getByRole("link", { name: "View slot" }).click();
  for (const text of ["CCCC-DDDD", "Press start.", "Try the cave.", "in 3 days"]) await page.getByText(text).waitFor();

  const submit = async (name: string): Promise<string> => {
    const video = { name, mimeType: "video/mp4", buffer: factories.videoBytes() };
    await videoField(page).setInputFiles(video);
    await page.getByText(new RegExp(`^${name} .* is uploaded\\.$`)).waitFor();
    await press(page, "Submit");
    await page.getByText("Thank you!").waitFor();
    return new URL(page.url()).pathname.split("/").at(-1)!;
  };
  const first = await submit("silent.mp4");
  await owner.post(`/slots/${first}/reject`, { reason: "There is no sound.", allowRetry: true });
  await go(page, "My slots");
  const [retried, rejected] = await page
    .getByRole("listitem")
    .filter({ has: page.locator(".badge") })
    .all();
  expect(await rejected!.textContent()).toContain("Not accepted");
  expect(await retried!.textContent()).toContain("in 24 hours");
  await rejected!.getByRole("heading").getByRole("link").click();
  await page.getByText("There is no sound.").waitFor();
  await go(page, "My slots");
  await retried!.getByRole("heading").getByRole("link").click();
  await page.getByText("CCCC-DDDD").waitFor();
  const second = await submit("loud.mp4");
  expect(second).not.toBe(first);
  await owner.post(`/slots/${second}/accept`, { rating: 5, comment: "Much better." });
  await page.reload();
  await page.getByText("Much better.").waitFor();
  await go(page, "Earnings");
  await page.getByText("$10.00").first().waitFor();
});

it.each(looks)("empty list, $scheme, $width px wide: a button turns on emails about new playtests", async (view) => {
  const { width, scheme, rules } = view;
  await owner.cancelPlaytest({ params: { id: playtestId } });
  const page = await open({ width, colorScheme: scheme });
  await signInByLink(page);
  const faults = await look(page, `offers-none-${scheme}`, "/play", rules, complaints);
  await press(page, "Email me about new playtests");
  await page.getByRole("status").getByText("When there are new playtests that you can claim").waitFor();
  faults.push(...(await lookHere(page, `offers-none-mailed-${scheme}`, rules, complaints)));
  await page.getByRole("link", { name: "Change your emails" }).click();
  expect(await page.getByLabel("New playtests that you can claim").inputValue()).toBe("digest");
  faults.push(...(await lookHere(page, `emails-asked-${scheme}`, rules, complaints)));
  expect(faults).toEqual([]);
});

it("portal without JavaScript: claim, upload, submit, and release a slot", async () => {
  const page = await open({ javaScriptEnabled: false, width: 390 });
  await signInByLink(page);
  await claimSlot(page);
  await page.getByText("AAAA-BBBB").waitFor();
  const status = async () => (await owner.get(`/playtests/${playtestId}/slots`)).body.data.slots.at(-1).status;
  expect(await status()).toBe("reserved");
  const choose = page.getByRole("button", { name: "Choose a video" });
  await choose.setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.alloc(3_000_000, "no film ") });
  await press(page, "Upload");
  await page.getByRole("alert").filter({ hasText: "not an MP4" }).waitFor();
  complaints.splice(0);
  await choose.setInputFiles({ name: "Höhle.mp4", mimeType: "video/mp4", buffer: factories.videoBytes(3_000_000) });
  await press(page, "Upload");
  await page.getByText("Your video is uploaded. Now submit it.").waitFor();
  await press(page, "Submit");
  await page.getByText("Thank you!").waitFor();
  const slotId = new URL(page.url()).pathname.split("/").at(-1);
  const { downloadUrl } = (await owner.get(`/slots/${slotId}/download-url`)).body.data;
  expect(Buffer.from(await (await fetch(downloadUrl)).arrayBuffer()).equals(factories.videoBytes(3_000_000))).toBe(true);

  const { gameId } = (await owner.get(`/playtests/${playtestId}`)).body.data.playtest;
  playtestId = await factories.order(owner, gameId);
  await claimSlot(page);
  await page.getByText("Release this slot").click();
  await press(page, "Release slot");
  await page.getByText("You released the slot.").waitFor();
  expect((await owner.get(`/playtests/${playtestId}`)).body.data.playtest.slots).toMatchObject({ open: 1, cancelled: 1 });
});
