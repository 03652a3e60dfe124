import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openTill, type Till } from "../helpers/billing.ts";
import { fileBrowser } from "../helpers/browser.ts";
import { reusedStore } from "../helpers/reused-store.ts";
import { startTestServer } from "../helpers/server.ts";

const day = 24 * 3_600_000;
const desktop = { width: 1280, height: 900 };
const phone = { width: 360, height: 740 };

const browser = await fileBrowser();
let shop: Server;
let store: Awaited<ReturnType<typeof reusedStore>>;
let till: Till;
let page: Page;
/** The return address of the shop. */
let shopUrl: string;

beforeAll(async () => {
  shop = createServer((_request, response) => response.end("<title>The shop</title>Welcome back"));
  await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve));
  shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/back?cart=7`;
});

afterAll(async () => {
  shop?.close();
});

beforeEach(async () => {
  store = await reusedStore();
  till = await openTill(await startTestServer({ store }));
  // The page has to work without scripts: it has none.
  page = await browser.newPage({ viewport: desktop, javaScriptEnabled: false });
});

afterEach(async () => {
  await page.close();
  await till.server.close();
  await store.remove();
});

async function open(returnUrl?: string) {
  const bought = await till.buy(2500, returnUrl);
  await page.goto(bought.checkoutUrl);
  return bought;
}

async function fill(number: string) {
  await page.getByLabel("Card number").fill(number);
  await page.getByLabel("Expiry").fill("12/34");
  await page.getByLabel("CVC").fill("123");
}

const payButton = () => page.getByRole("button", { name: "Pay $25.00" });
/** A double click starts two navigations: Playwright's own wait for one fails when the other ends it. */
const arrivedInShop = (paymentId: string) =>
  expect.poll(() => page.url()).toBe(`${shopUrl}&payment_id=${paymentId}&status=success`);
const heading = () => page.getByRole("heading", { level: 1 }).textContent();
const statusOf = async (id: string) => (await till.payment(id)).status;

test("checkout: paying returns to the shop with the payment's id in the address", async () => {
  const { paymentId } = await open(shopUrl);
  await fill("4242 4242 4242 4242");
  await payButton().click();
  await page.waitForURL(`${shopUrl}&payment_id=${paymentId}&status=success`);
  expect([await page.title(), await till.credit()]).toEqual(["The shop", 2500]);
});

test("checkout: paying without a return address ends on a page that confirms it", async () => {
  await open();
  await fill("4242424242424242");
  await page.getByLabel("CVC").press("Enter");
  await page.getByText("The payment is complete").waitFor();
  expect([await heading(), await till.credit()]).toEqual(["Paid", 2500]);
});

test("checkout: a double click pays once", async () => {
  const { paymentId } = await open(shopUrl);
  await fill("4242 4242 4242 4242");
  await payButton().dblclick();
  await arrivedInShop(paymentId);
  expect([await statusOf(paymentId), await till.credit()]).toEqual(["completed", 2500]);
  expect(await till.events("payment.completed")).toHaveLength(1);
});

test("checkout: going back after paying shows the payment and no card number", async () => {
  await open(shopUrl);
  await fill("4242 4242 4242 4242");
  await payButton().click();
  await page.waitForURL(/status=success/);
  await page.goBack();
  expect(await heading()).toBe("Paid");
  expect([await page.getByLabel("Card number").count(), await page.content()]).toEqual([0, expect.not.stringContaining("4242")]);
  await page.getByRole("link", { name: /Back to/ }).click();
  await page.waitForURL(/status=success/);
});

test("checkout: after a declined card another one can pay, and is charged once", async () => {
  const { paymentId } = await open(shopUrl);
  await fill("4000 0000 0000 0002");
  await payButton().click();
  const alert = page.getByRole("alert");
  await alert.getByText("The bank declined the card. Nothing was charged. Try again with another card").waitFor();
  expect(await page.evaluate("document.activeElement.getAttribute('role')")).toBe("alert");
  expect([await heading(), await statusOf(paymentId), await till.credit()]).toEqual(["Pay by card", "pending", 0]);
  expect([await page.getByLabel("Card number").inputValue(), await page.getByLabel("Expiry").inputValue()]).toEqual([
    "",
    "12/34",
  ]);
  await fill("4242 4242 4242 4242");
  await payButton().dblclick();
  await arrivedInShop(paymentId);
  expect([await statusOf(paymentId), await till.credit()]).toEqual(["completed", 2500]);
  expect(await till.events("payment.completed")).toHaveLength(1);
  expect(await till.events("payment.failed")).toHaveLength(0);
});

test("checkout: an invalid card number is marked and can be corrected", async () => {
  await open();
  await fill("1234 5678 1234 5678");
  await payButton().click();
  await page.getByRole("alert").waitFor();
  const number = page.getByLabel("Card number");
  expect([await number.getAttribute("aria-invalid"), await number.inputValue()]).toEqual(["true", ""]);
  expect(await page.getByLabel("Expiry").inputValue()).toBe("12/34");
  await fill("4242 4242 4242 4242");
  await payButton().click();
  await page.getByText("The payment is complete").waitFor();
});

test("checkout: cancelling returns to the shop as cancelled and ends the checkout", async () => {
  const { paymentId } = await open(shopUrl);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.waitForURL(`${shopUrl}&payment_id=${paymentId}&status=cancelled`);
  await page.goBack();
  expect([await heading(), await statusOf(paymentId)]).toEqual(["This checkout has ended", "cancelled"]);
});

test("checkout: a page that expired while it was open accepts no card", async () => {
  const { paymentId } = await open();
  await fill("4242 4242 4242 4242");
  till.server.clock.set(till.server.clock.now() + day);
  await payButton().click();
  await page.getByText("it expired").waitFor();
  expect([await heading(), await statusOf(paymentId), await till.credit()]).toEqual(["This checkout has ended", "cancelled", 0]);
});

test("checkout: the Tab key reaches every field and button in order", async () => {
  await open();
  const names: (string | null)[] = [];
  for (let step = 0; step < 5; step++) {
    await page.keyboard.press("Tab");
    const focused = page.locator(":focus");
    names.push((await focused.getAttribute("id")) ?? (await focused.textContent()));
  }
  expect(names).toEqual(["number", "expiry", "cvc", "Pay $25.00", "Cancel and go back"]);
});

test.each([
  ["a phone", phone],
  ["a desktop", desktop],
])("checkout: everything fits the width of %s", async (_name, viewport) => {
  await page.setViewportSize(viewport);
  await open();
  const edges = await page
    .locator("main, input, button, table")
    .evaluateAll((elements) => elements.map((element) => element.getBoundingClientRect().right));
  expect(Math.max(...edges)).toBeLessThanOrEqual(viewport.width);
  const table = await page.getByRole("table").boundingBox();
  const main = await page.getByRole("main").boundingBox();
  expect(table!.x + table!.width).toBeLessThanOrEqual(main!.x + main!.width);
});
