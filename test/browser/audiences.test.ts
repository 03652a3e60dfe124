import type { BrowserContext } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { look, looks } from "../helpers/accessibility.ts";
import { browserAndServer, giveSession } from "../helpers/browser.ts";
import * as factories from "../helpers/factories.ts";
import { sessionOf } from "../helpers/portal.ts";

const { browser, server } = await browserAndServer();
let [owner, ann]: [factories.Person?, factories.Person?] = [];
const contexts = {} as Record<"/play" | "/studio", BrowserContext>;

beforeAll(async () => {
  owner = await factories.registerOwner(server, "Olive");
  await factories.giveCredit(server, owner, 1_000_000);
  await factories.createGame(owner, { name: "Cave", devices: ["PC"] });
  ann = await factories.registerPlaytester(server, "Ann");
  for (const [base, person] of [
    ["/play", ann],
    ["/studio", owner],
  ] as const) {
    const value = await sessionOf(server, person, base);
    contexts[base] = await browser.newContext({ baseURL: server.baseUrl, reducedMotion: "reduce" });
    await giveSession(contexts[base], server, value);
  }
});

async function see(base: "/play" | "/studio", name: string, path: string): Promise<string[]> {
  const page = await contexts[base].newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  const faults: string[] = [];
  for (const { width, scheme, rules } of looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    faults.push(...(await look(page, name, path, rules, complaints)));
  }
  await page.close();
  return faults;
}

it("an order for certain players is filled in by their names, priced while it is, and placed", async () => {
  const page = await contexts["/studio"].newPage();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/studio/order");
  await page.getByText("Only for certain players").click();
  await page.getByLabel("They are in").fill("Germany, Austria");
  await page.getByLabel("PC (Windows)").check();
  await page.getByText("Only for players in Germany or Austria with a Windows PC.").waitFor();
  await page.getByRole("button", { name: "Order 1 slot for" }).click();
  await page.waitForURL(/done=ordered/);
  expect(await page.getByText("only for players in Germany or Austria with a Windows PC").count()).toBe(1);
  expect(await see("/studio", "audience-playtest", new URL(page.url()).pathname)).toEqual([]);
  await page.close();
});

it("a playtester says in the profile what fits, on a phone, and is then offered it", async () => {
  const page = await contexts["/play"].newPage();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/play");
  expect(await page.getByRole("heading", { name: "Cave" }).count()).toBe(0);
  await page.getByRole("link", { name: "Say in your profile" }).click();
  await page.getByLabel("PC (Windows)").check();
  await page.getByLabel("Languages you speak").fill("German, English");
  await page.getByLabel("Country").selectOption({ label: "Austria" });
  await page.locator("#age").selectOption({ label: "25 to 34" });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Your changes were saved.").waitFor();
  await page.goto("/play");
  await page.getByRole("link", { name: /See and claim/ }).click();
  expect(await page.getByText("For players in Germany or Austria with a Windows PC").count()).toBe(1);
  const offer = new URL(page.url()).pathname;
  await page.close();
  expect(await see("/play", "audience-account", "/play/account")).toEqual([]);
  expect(await see("/play", "audience-offers", "/play")).toEqual([]);
  expect(await see("/play", "audience-offer", offer)).toEqual([]);
});

it("the order form with its part about players open has nothing that axe finds, and fits a phone", async () => {
  const form = "<details><summary>Only for certain players</summary>";
  await contexts["/studio"].route("**/studio/order", async (route) => {
    const response = await route.fetch();
    const sent = await response.text();
    expect(sent).toContain(form);
    const body = sent.replace(form, form.replace("<details", "<details open"));
    await route.fulfill({ response, body });
  });
  expect(await see("/studio", "audience-order", "/studio/order")).toEqual([]);
});
