import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { fileBrowser } from "../helpers/browser.ts";
import { playtest, type RunOptions, startStudio, testFolder } from "../helpers/cli.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, giveCredit, giveVideo, registerOwner } from "../helpers/factories.ts";
import { holdCutter } from "../helpers/held-cutter.ts";
import { startHostedWorld } from "../helpers/hosted-world.ts";
import type { TestServer, TestServerOptions } from "../helpers/server.ts";
import { newId } from "../helpers/walk.ts";

/** The work of an owner from the order to the payout: in a browser, and by commands alone. */

const browser = await fileBrowser();

const sample = new URL("../../server/sandbox/sample.mp4", import.meta.url);
/** Cuts every clip as the whole sample video. */
const cutter = `import { copyFileSync } from "node:fs"; copyFileSync(${JSON.stringify(fileURLToPath(sample))}, process.argv.at(-1));`;
const config: TestServerOptions["config"] = ({ clips }) => {
  clips.ffmpeg = [process.execPath, join(testFolder(), "cut.mjs")];
  writeFileSync(clips.ffmpeg[1]!, cutter);
};

const password = "lamp in the dark";

/** Commands as the owner of an account. */
const commandsOf =
  (baseUrl: string, key: string, more: RunOptions = {}) =>
  async (words: readonly string[]) => {
    const { code, stdout, stderr } = await playtest([...words, "--json"], { baseUrl, key, outside: { newId }, ...more });
    if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout);
  };

async function market(server: TestServer) {
  const owner = await registerOwner(server);
  await giveCredit(server, owner, 20_000);
  const gameId = await createGame(owner);
  const run = commandsOf(server.baseUrl, owner.key);
  return { owner, gameId, run };
}

const ready = (page: Page) => expect.poll(() => page.evaluate("document.querySelector('video').readyState >= 2")).toBe(true);

/** Notes a moment without the mouse. */
async function noteByKeys(page: Page, text: string): Promise<void> {
  await page.keyboard.press("m");
  await page.keyboard.type(text);
  await page.keyboard.press("Control+Enter");
  await page.locator("#moments .prose", { hasText: text }).waitFor();
}

/** Watches the video of the page by keys and notes three moments. */
async function watchAndNote(page: Page): Promise<void> {
  await ready(page);
  await page.evaluate("document.querySelector('video').muted = true");
  await page.keyboard.press("k");
  await expect.poll(() => page.evaluate("document.querySelector('video').currentTime > 0")).toBe(true);
  for (const text of ["The lantern is dark", "Looks for the rope", "Finds the well"]) await noteByKeys(page, text);
  expect(await page.locator("#moments .prose").count()).toBe(3);
}

onBothDatabases("from the order to the payout", (serve) => {
  it("in a browser", { timeout: 300_000 }, async () => {
    const server = await serve({ config });
    const { owner, gameId, run } = await market(server);
    const context = await browser.newContext({ baseURL: server.baseUrl, reducedMotion: "reduce" });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));

    await page.goto("/studio");
    const door = page.locator('form[action="/studio/sign-in/password"]');
    await door.locator("[name=email]").fill((await owner.get("/auth/me")).body.data.email);
    await door.locator("[name=password]").fill("correct horse");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Inbox" }).waitFor();

    await page.goto(`/studio/games/${gameId}`);
    const command = (await page.locator(".command code", { hasText: "playtest order" }).textContent())!;
    const ordered = await run([...command.split(" ").slice(1), "--quantity", "1", "--yes"]);
    await page.goto(`/studio/playtests/${ordered.playtest.id}`);
    const [slot] = (await owner.get(`/playtests/${ordered.playtest.id}/slots`)).body.data.slots;
    await run(["sandbox", "play", slot.id]);
    await page.locator(".turn .slot a").click();
    await watchAndNote(page);
    await server.advance(0);

    await page.locator(".find input").fill("rope");
    await page.keyboard.press("Enter");
    await page.locator(".card h2 a").click();
    await page.waitForURL(new RegExp(`/studio/slots/${slot.id}#t=`));
    await ready(page);

    await page.locator("#clips summary", { hasText: "Cut a clip" }).click();
    await page.locator("#part").fill("0:00-0:01");
    await page.locator("#clip-name").fill("The rope");
    const cut = holdCutter(server);
    await page.getByRole("button", { name: "Cut", exact: true }).click();
    await page.locator("#clips", { hasText: "is being cut" }).waitFor();
    cut();
    await server.advance(0);
    await page.locator("#clips a[data-share]").waitFor();
    await page.reload();
    await page.locator("#clips a[data-share]").click();
    await page.locator("#share-password").fill(password);
    expect(await page.locator("#shares .command code").textContent()).toMatch(/^playtest review share \S+ --for 14d --password$/);
    await page.locator("#shares details form button").click();
    const link = (await page.locator("#shares .shared a").textContent())!;

    const second = await browser.newContext();
    const stranger = await second.newPage();
    await stranger.goto(link);
    await stranger.getByLabel("Password").fill(password);
    await stranger.keyboard.press("Enter");
    await ready(stranger);
    expect(await stranger.textContent("main")).toContain("Clip: The rope");
    await page.getByRole("button", { name: "End this link now" }).click();
    await page.locator(".note", { hasText: "The link has ended" }).waitFor();
    const video = (await stranger.locator("video").getAttribute("src"))!;
    expect((await stranger.request.get(new URL(video, link).href)).status()).toBe(404);
    expect((await stranger.reload())?.status()).toBe(404);

    await page.clock.install();
    await page.goto(`/studio/slots/${slot.id}`);
    await ready(page);
    await page.keyboard.press("a");
    await page.keyboard.press("Enter");
    await page.clock.runFor(5_100);
    await page.waitForURL(/done=accepted$/);
    expect(await page.textContent("main")).toMatch(/was paid \$10\.00/);
    expect((await owner.get(`/slots/${slot.id}`)).body.data.slot.status).toBe("accepted");
    expect(complaints).toEqual([]);
    await context.close();
    await second.close();
  });

  it("by commands alone", async () => {
    const server = await serve({ config });
    const { owner, gameId } = await market(server);
    const cwd = testFolder();
    const env = { PLAYTEST_CONFIG_DIR: testFolder() };
    const outside = { newId, sleep: () => server.advance(0) };
    writeFileSync(join(cwd, "password.txt"), password);
    const { email } = (await owner.get("/auth/me")).body.data;
    const stdin = { stdin: "correct horse\n", env };
    const signedIn = await playtest(["login", "--email", email, "--password-file", "-"], { baseUrl: server.baseUrl, ...stdin });
    expect([signedIn.code, signedIn.stderr]).toEqual([0, expect.any(String)]);
    const run = commandsOf(server.baseUrl, owner.key, { cwd, outside });

    const { playtest: ordered } = await run(["order", gameId, "--quantity", "1", "--yes"]);
    const [slot] = (await run(["playtests", "slots", ordered.id])).slots;
    const { slot: played } = await run(["sandbox", "play", slot.id]);
    const from = { baseUrl: server.baseUrl, key: owner.key };
    await playtest(["review", "download", slot.id, "--dir", "."], { ...from, cwd });
    const [video] = readdirSync(cwd).filter((name) => name.endsWith(".mp4"));
    expect(readFileSync(join(cwd, video!))).toEqual(readFileSync(sample));
    for (const [at, text] of [
      ["0:00", "The lantern is dark"],
      ["0:01", "Looks for the rope"],
      ["0:02", "Finds the well"],
    ])
      await run(["review", "note", slot.id, at!, text!]);
    await server.advance(0);
    expect((await run(["review", "search", "rope"])).results).toMatchObject([{ slotId: slot.id, source: "moment", atMs: 1000 }]);
    const { clip } = await run(["review", "clip", slot.id, "0:00-0:01", "--save", "rope.mp4"]);
    expect(readFileSync(join(cwd, "rope.mp4"))).toEqual(readFileSync(sample));
    const { share } = await run(["review", "share", clip.id, "--password-file", join(cwd, "password.txt")]);

    const second = await browser.newContext();
    const stranger = await second.newPage();
    await stranger.goto(share.url);
    await stranger.getByLabel("Password").fill(password);
    await stranger.keyboard.press("Enter");
    await ready(stranger);
    expect((await run(["review", "shares"])).shares).toMatchObject([{ id: share.id, views: 1 }]);
    await run(["review", "unshare", share.id]);
    expect((await stranger.reload())?.status()).toBe(404);
    await second.close();

    const accepted = await playtest(["review", "accept", slot.id, "--rating", "5"], from);
    expect(accepted.stdout).toBe(`${slot.id}\t${played.playtester.displayName}\t$10.00\n`);
    expect((await playtest(["billing", "spend", "--by", "game"], from)).stdout).toContain("$20.00");
  });
});

it("in a browser, for a server that implements only the specification", { timeout: 300_000 }, async () => {
  const { hosted, owner, claimed, server } = await startHostedWorld();
  const { slotId: id, person } = await claimed();
  await giveVideo(server, id, person, readFileSync(sample));
  await person.submitSlot({ params: { id }, body: { notes: "It was fun." } });
  const { displayName } = (await owner.getSlot({ params: { id } })).slot.playtester!;
  const path = `studio/slots/${id}`;
  const env = { PLAYTEST_CONFIG_DIR: testFolder() };
  const account = { baseUrl: hosted.baseUrl, key: owner.key, env };
  const { url, stop } = await startStudio(account);
  const context = await browser.newContext({ reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.goto(url);
  const base = page.url().replace(/studio$/, "");
  await page
    .getByRole("link", { name: `${displayName} played Lantern Deep` })
    .first()
    .waitFor();
  await page.goto(base + path);
  await watchAndNote(page);
  const run = commandsOf(hosted.baseUrl, owner.key, { env });
  expect((await run(["review", "notes", id])).moments).toHaveLength(3);

  // A note is kept in the browser while the server fails, and saved once it answers.
  hosted.hooks.refuse = () => ({ status: 503, raw: "" });
  await page.keyboard.press("m");
  await page.keyboard.type("While it was away");
  await page.keyboard.press("Control+Enter");
  await page.locator(".waiting", { hasText: "While it was away" }).waitFor();
  hosted.hooks.refuse = undefined;
  await page.evaluate("window.dispatchEvent(new Event('focus'))");
  await page.locator("#moments .prose", { hasText: "While it was away" }).waitFor();
  expect(await page.locator(".waiting").isHidden()).toBe(true);

  expect(await page.locator(".find").count()).toBe(0);
  await page.goto(`${base}studio/search?q=lantern`);
  await page.getByText("has no search").waitFor();

  await page.clock.install();
  await page.goto(base + path);
  await ready(page);
  expect([await page.locator("#clips").count(), await page.locator("#shares").count()]).toEqual([0, 0]);
  await page.keyboard.press("a");
  await page.keyboard.press("Enter");
  await page.clock.runFor(5_100);
  await page.waitForURL(/done=accepted$/);
  expect(await page.textContent("main")).toContain(`${displayName} was paid $10.00.`);
  expect((await owner.getSlot({ params: { id } })).slot.status).toBe("accepted");
  expect(hosted.beyond).toEqual([]);
  await context.close();
  await stop();
});
