import type { Browser, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { lookHere, looks } from "../helpers/accessibility.ts";
import { browserAndServer, giveSession } from "../helpers/browser.ts";
import { createGame, giveCredit, type Person, registerOwner } from "../helpers/factories.ts";
import { sessionOf } from "../helpers/portal.ts";

/** An owner orders from a file in the browser. */

const { browser, server } = await browserAndServer();

const at = "/studio/order/bulk";
const table = (second: string) =>
  `game,quantity,durationMinutes,notesForTesters,ref\nLantern Deep,1,30,"Play the tutorial, then stop.",tutorial\nSalt Wind,${second},60,,first-hour\nSalt Wind,1,120,Please talk while you play.,whole-evening\n`;

async function scene(options: Parameters<Browser["newContext"]>[0]) {
  const owner = await registerOwner(server, "Hearth & Co");
  await giveCredit(server, owner, 8000);
  for (const name of ["Lantern Deep", "Salt Wind"]) await createGame(owner, { name });
  const context = await browser.newContext({ baseURL: server.baseUrl, reducedMotion: "reduce", ...options });
  const value = await sessionOf(server, owner, "/studio");
  await giveSession(context, server, value);
  const page = await context.newPage();
  await page.goto(at);
  return { owner, page, close: () => context.close() };
}

const creditOf = async (owner: Person) => (await owner.get("/billing/balance")).body.data.balanceCents;
const check = (page: Page) => page.getByRole("button", { name: /^Check/ }).click();

describe.each(looks)("at $width px, $scheme", ({ width, scheme, rules }) => {
  it("errors are corrected in place, the plan is ordered once by a double click, and each page is accessible", async () => {
    const { owner, page, close } = await scene({ viewport: { width, height: 800 }, colorScheme: scheme });
    const complaints: string[] = [];
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    const faults = await lookHere(page, "bulk", rules, complaints);
    const text = page.getByLabel("Or its text");
    await text.fill(table("many"));
    await check(page);
    await page.getByRole("alert").filter({ hasText: 'line 3: quantity: "many" is not a whole number.' }).waitFor();
    // The console names a page that answers 422.
    complaints.splice(0);
    faults.push(...(await lookHere(page, "bulk-errors", rules, complaints)));
    expect(await text.inputValue()).toBe(table("many"));
    await text.fill(table("2"));
    await check(page);
    await page.getByRole("status").filter({ hasText: "3 orders, 4 slots: $90.00; the balance is $80.00." }).waitFor();
    faults.push(...(await lookHere(page, "bulk-plan", rules, complaints)));
    await page.getByRole("button", { name: "Order the first 2 playtests for $55.00" }).dblclick();
    await page.getByRole("alert").filter({ hasText: "1 left" }).waitFor();
    faults.push(...(await lookHere(page, "bulk-result", rules, complaints)));
    expect(faults).toEqual([]);
    expect(await creditOf(owner)).toBe(2500);
    await close();
  });
});

it("without JavaScript: a file is checked and ordered, and another one that was chosen meanwhile is not ordered unseen", async () => {
  const { owner, page, close } = await scene({ javaScriptEnabled: false });
  const choose = (text: string) =>
    page.getByLabel("File").setInputFiles({ name: "orders.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
  await choose("game,quantity\nSalt Wind,1\n");
  await check(page);
  await choose("game,quantity\nSalt Wind,3\n");
  await page.getByRole("button", { name: "Order 1 playtest for $20.00" }).click();
  await page
    .getByRole("alert")
    .filter({ hasText: "The rows or options have changed since the plan was shown. Nothing was ordered." })
    .waitFor();
  expect(await creditOf(owner)).toBe(8000);
  await page.getByRole("button", { name: "Order 1 playtest for $60.00" }).click();
  await page
    .getByRole("status")
    .filter({ hasText: "1 playtest ordered for $60.00; 0 already ordered, 0 failed, 0 left." })
    .waitFor();
  expect(await creditOf(owner)).toBe(2000);
  await close();
});
