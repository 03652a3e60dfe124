import type { BrowserContext, Page } from "playwright-core";
import { afterEach, describe, expect, it } from "vitest";
import { browserAndServer, giveSession } from "../helpers/browser.ts";
import { registerPlaytester } from "../helpers/factories.ts";
import { sessionOf } from "../helpers/portal.ts";
import { reviewMarket, submitted } from "../helpers/review.ts";

/** What somebody typed on the page of a submission stays theirs, whatever else the page does meanwhile. */

const { browser, server } = await browserAndServer();
const { owner, gameId } = await reviewMarket(server);
let context: BrowserContext;
let page: Page;

afterEach(() => context.close());

const open = (slotId: string) => page.goto(`/studio/slots/${slotId}`);

/** The page of a submission in a new browser. */
async function opened(slotId: string): Promise<void> {
  context = await browser.newContext({ baseURL: server.baseUrl, reducedMotion: "reduce" });
  const value = await sessionOf(server, owner, "/studio");
  await giveSession(context, server, value);
  page = await context.newPage();
  page.setDefaultTimeout(10_000);
  await open(slotId);
}

async function note(text: string, position: string): Promise<void> {
  await page.fill("#position", position);
  await page.fill("#text", text);
  await page.click("#note button");
}

const momentsOf = async (slotId: string) =>
  ((await owner.get(`/slots/${slotId}/moments`)).body.data.moments as { text: string }[]).map(({ text }) => text);

const waits = (words: string) => page.locator(".waiting li", { hasText: words }).waitFor();
const shows = (text: string) => page.locator("#moments .prose", { hasText: text }).waitFor();

describe("a moment that was refused", () => {
  it("is edited only on the page of its own video, to which the other pages lead", async () => {
    const [first, second] = [await submitted(server, owner, { gameId }), await submitted(server, owner, { gameId })];
    await opened(first);
    await note("A rope", "soon");
    await waits("must be a position");
    await open(second);
    await waits("A rope");
    expect(await page.locator(".waiting [data-act=edit]").count()).toBe(0);
    await page.getByRole("link", { name: "Open the video that it belongs to" }).click();
    await page.waitForURL(`**/studio/slots/${first}#note`);
    await page.click(".waiting [data-act=edit]");
    await page.fill("#position", "0:03");
    await page.click("#note button");
    await shows("A rope");
    expect([await momentsOf(first), await momentsOf(second)]).toEqual([["A rope"], []]);
  });

  it("is still there when the page is left before the edited moment is saved, and gone afterwards", async () => {
    const slotId = await submitted(server, owner, { gameId });
    await opened(slotId);
    await note("A rope", "soon");
    await waits("must be a position");
    await page.click(".waiting [data-act=edit]");
    expect(await page.locator(".waiting li").count()).toBe(0);
    await page.reload();
    await waits("A rope");
    await page.click(".waiting [data-act=edit]");
    await page.fill("#position", "0:03");
    await page.click("#note button");
    await shows("A rope");
    await page.reload();
    expect([await page.locator(".waiting li").count(), await momentsOf(slotId)]).toEqual([0, ["A rope"]]);
  });

  it("does not replace what is being written", async () => {
    const slotId = await submitted(server, owner, { gameId });
    await opened(slotId);
    await note("A rope", "soon");
    await waits("must be a position");
    await page.fill("#text", "A half");
    await page.click(".waiting [data-act=edit]");
    await page.getByText("The form has a moment that is not saved.").waitFor();
    expect(await page.inputValue("#text")).toBe("A half");
    await page.fill("#text", "");
    await page.click(".waiting [data-act=edit]");
    expect([await page.inputValue("#text"), await page.locator(".waiting li").count()]).toEqual(["A rope", 0]);
  });
});

describe("a decision that waits", () => {
  const rating = () => page.locator("[name=rating]:checked").inputValue();

  it("is sent as the page shows it: its fields cannot be changed", async () => {
    const slotId = await submitted(server, owner, { gameId, playtester: await registerPlaytester(server, "Cleo") });
    await opened(slotId);
    await page.clock.install();
    await page.reload();
    await page.keyboard.press("2");
    await page.keyboard.press("Enter");
    await page.keyboard.press("5");
    await page.locator("#comment").evaluate("(field) => field.focus()");
    expect([await rating(), await page.evaluate("document.activeElement.id")]).toEqual(["2", ""]);
    await page.clock.runFor(5_100);
    await page.waitForURL(/done=accepted$/);
    expect((await owner.get(`/slots/${slotId}`)).body.data.slot.rating).toMatchObject({ score: 2, comment: null });
  });

  it("can be changed once it is undone", async () => {
    const slotId = await submitted(server, owner, { gameId });
    await opened(slotId);
    await page.clock.install();
    await page.reload();
    await page.keyboard.press("2");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await page.keyboard.press("5");
    await page.fill("#comment", "Sharp eyes");
    await page.click("#accept button");
    await page.clock.runFor(5_100);
    await page.waitForURL(/done=accepted$/);
    expect((await owner.get(`/slots/${slotId}`)).body.data.slot.rating).toMatchObject({ score: 5, comment: "Sharp eyes" });
  });
});

describe("a link to another submission", () => {
  const two = async () => [await submitted(server, owner, { gameId }), await submitted(server, owner, { gameId })] as const;
  const next = () => page.click("a[rel=next]");

  it("opens it once a decision that waits is sent", async () => {
    const [first, second] = await two();
    await opened(first);
    await page.clock.install();
    await page.reload();
    await page.keyboard.press("4");
    await page.keyboard.press("Enter");
    const asked: string[] = [];
    page.on("dialog", (dialog) => {
      asked.push(dialog.type());
      return dialog.dismiss();
    });
    await next();
    await page.getByText("Then the page that you chose opens.").waitFor();
    await page.clock.runFor(5_100);
    await page.waitForURL(`**/studio/slots/${second}`);
    expect([asked, (await owner.get(`/slots/${first}`)).body.data.slot.status]).toEqual([[], "accepted"]);
  });

  it("keeps a half-written comment and reason, until the decision is sent", async () => {
    const [first, second] = await two();
    await opened(first);
    await page.fill("#comment", "Sharp ey");
    await page.click(".reject > summary");
    await page.fill("#reason", "No sou");
    await next();
    await page.waitForURL(`**/studio/slots/${second}`);
    expect(await page.inputValue("#comment")).toBe("");
    await page.click("a[rel=prev]");
    await page.waitForURL(`**/studio/slots/${first}`);
    expect([await page.inputValue("#comment"), await page.inputValue("#reason")]).toEqual(["Sharp ey", "No sou"]);
    expect(await page.locator("#reason").isVisible()).toBe(true);
    await page.clock.install();
    await page.reload();
    await page.click("#accept button");
    await page.clock.runFor(5_100);
    await page.waitForURL(/done=accepted$/);
    expect(await page.evaluate("Object.keys(sessionStorage).filter((name) => name.startsWith('playtest draft'))")).toEqual([]);
  });
});

describe("a moment that is saved", () => {
  const momentAt = (slotId: string, atMs: number, text: string) => owner.post(`/slots/${slotId}/moments`, { atMs, text });
  const edit = (at: string) => page.getByRole("link", { name: `Edit the moment at ${at}` }).click();
  const focused = () => page.evaluate("document.activeElement.id");

  it("leaves another that is being edited, and a finding that is being typed", async () => {
    const slotId = await submitted(server, owner, { gameId });
    await momentAt(slotId, 1000, "The door");
    await opened(slotId);
    await edit("0:01");
    await page.fill("#edit-text", "The red door");
    await page.fill("#same-number", "Doors look alike");
    await note("A rope", "0:03");
    await shows("A rope");
    expect([await page.inputValue("#edit-text"), await page.inputValue("#same-number")]).toEqual([
      "The red door",
      "Doors look alike",
    ]);
    // The new one can be chosen for the finding, and the one before still is.
    expect(await page.locator("#same-moment option").allTextContents()).toEqual(["The door", "A rope"]);
    expect(await page.locator("#same-moment option:checked").textContent()).toBe("The door");
    await page.click("form[data-swap] button");
    await shows("The red door");
    expect(await page.inputValue("#same-number")).toBe("Doors look alike");
    await page.click("#same button");
    await page.locator("#findings .facts-list", { hasText: "Doors look alike" }).waitFor();
  });

  it("leaves the focus where somebody writes, when it is delivered late", async () => {
    const slotId = await submitted(server, owner, { gameId });
    await momentAt(slotId, 1000, "The door");
    await opened(slotId);
    await context.setOffline(true);
    await note("A rope", "0:03");
    await waits("A rope");
    await page.route("**/moments", async (route) => {
      await edit("0:01");
      await page.fill("#edit-text", "The red door");
      await route.continue();
    });
    await context.setOffline(false);
    await shows("A rope");
    expect([await focused(), await page.inputValue("#edit-text")]).toEqual(["edit-text", "The red door"]);
  });

  it("takes only its own form away, where several are open", async () => {
    const slotId = await submitted(server, owner, { gameId });
    for (const [atMs, text] of [
      [1000, "The door"],
      [2000, "The lever"],
    ] as const)
      await momentAt(slotId, atMs, text);
    await opened(slotId);
    await edit("0:02");
    await page.locator("#moments li:nth-child(2) textarea").fill("The blue lever");
    await edit("0:01");
    await page.locator("#moments li:nth-child(1) textarea").fill("The red door");
    await page.locator("#moments li:nth-child(1) form[data-swap] button").first().click();
    await shows("The red door");
    expect(await page.locator("#moments textarea").inputValue()).toBe("The blue lever");
  });
});

describe("what was decided in this tab", () => {
  it("is listed for the account that decided it, and for nobody else who signs in there", async () => {
    const slotId = await submitted(server, owner, { gameId });
    await opened(slotId);
    await page.clock.install();
    await page.reload();
    await page.keyboard.press("4");
    await page.keyboard.press("Enter");
    await page.clock.runFor(5_100);
    await page.waitForURL(/done=accepted$/);
    const listed = () => page.locator("#decided li").allTextContents();
    expect(await listed()).toHaveLength(1);
    const other = await reviewMarket(server);
    const theirs = await submitted(server, other.owner, { gameId: other.gameId });
    await other.owner.post(`/slots/${theirs}/accept`);
    await giveSession(context, server, await sessionOf(server, other.owner, "/studio"));
    await open(theirs);
    expect([await listed(), await page.locator("#decided").isVisible()]).toEqual([[], false]);
    await giveSession(context, server, await sessionOf(server, owner, "/studio"));
    await open(slotId);
    expect(await listed()).toHaveLength(1);
  });
});
