import type { BrowserContext } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { look, looks } from "../helpers/accessibility.ts";
import { browserAndServer, complaintsOf, giveSession } from "../helpers/browser.ts";
import { createGame, giveCredit, order, type Person, registerOwner } from "../helpers/factories.ts";
import { sessionOf } from "../helpers/portal.ts";

/** What an owner does in the browser besides looking at videos: the account, games, orders, money and webhooks. */

const { browser, server } = await browserAndServer();

const cookies: Record<"busy" | "fresh", string> = { busy: "", fresh: "" };
/** Name and address of every page, by the owner who sees it. */
const pages: Record<"busy" | "fresh", Record<string, string>> = { busy: {}, fresh: {} };

beforeAll(async () => {
  const owner = await registerOwner(server, "Hearth & Co");
  const nobody = await registerOwner(server, "New here");
  const cookieOf = async (who: Person) => await sessionOf(server, who, "/studio");
  Object.assign(cookies, { busy: await cookieOf(owner), fresh: await cookieOf(nobody) });
  pages.busy = await filled(owner);
  pages.fresh = {
    account: "/studio/account",
    keys: "/studio/account/keys",
    notifications: "/studio/notifications",
    order: "/studio/order",
    inbox: "/studio",
    billing: "/studio/billing",
    webhooks: "/studio/webhooks",
    "verify-again": "/verify-email",
    "verify-unknown": "/verify-email?token=x",
    start: "/",
  };
});

/** Creates one of everything that these pages can show. */
async function filled(owner: Person): Promise<Record<string, string>> {
  await giveCredit(server, owner, 100_000);
  const game = await createGame(owner, { name: "Lantern Deep", description: "Down the well, by the light of one lantern." });
  await order(owner, game, { quantity: 2 });
  const unpaid = (await owner.post(`/games/${game}/playtests`, { quantity: 3 }, { "x-payment-method": "card" })).body.data
    .playtest.id;
  const bought = (await owner.post("/billing/credit", { amountCents: 3000 })).body.data.paymentId;
  await server.request("POST", `/sandbox/payments/${bought}/complete`, { body: { outcome: "paid" } });
  const subscription = (await owner.post("/billing/subscription/checkout", { planKey: "indie_monthly" })).body.data
    .subscriptionId;
  await server.request("POST", `/sandbox/subscriptions/${subscription}/complete`, { body: { outcome: "paid" } });
  const [{ id: payment }] = (await owner.get("/billing/payments")).body.data.payments;
  const url = "https://example.com/a/receiver/with/a/long/address/of/events";
  const webhook = (await owner.post("/webhooks", { url, events: ["slot.submitted", "slot.blocked"] })).body.data.webhook.id;
  const budgets = [{ period: "day", limitCents: 5000 }];
  await owner.post("/auth/api-keys", { name: "A build server with a rather long name, on the second floor", budgets });
  return {
    account: "/studio/account",
    emails: "/studio/account/emails",
    factor: "/studio/account/factor",
    passkeys: "/studio/account/passkeys",
    keys: "/studio/account/keys",
    notifications: "/studio/notifications",
    "new-game": "/studio/games/new",
    "edit-game": `/studio/games/${game}/edit`,
    builds: `/studio/games/${game}/builds`,
    game: `/studio/games/${game}`,
    order: `/studio/order?game=${game}`,
    unpaid: `/studio/playtests/${unpaid}`,
    billing: "/studio/billing",
    payment: `/studio/billing/payments/${payment}`,
    webhooks: "/studio/webhooks",
    webhook: `/studio/webhooks/${webhook}`,
  };
}

async function contextOf(who: keyof typeof cookies, width: number, scheme: "light" | "dark"): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: server.baseUrl,
    viewport: { width, height: 800 },
    colorScheme: scheme,
    timezoneId: "Asia/Kathmandu",
    reducedMotion: "reduce",
  });
  await giveSession(context, server, cookies[who]);
  return context;
}

describe.each(looks)("pages at $width px in a $scheme color scheme", ({ width, scheme, rules }) => {
  it.each(["busy", "fresh"] as const)(
    "for the owner %s: fit the width, are accessible, break no content security policy and are at most 100 kB",
    async (who) => {
      const context = await contextOf(who, width, scheme);
      const page = await context.newPage();
      const complaints = complaintsOf(page);
      const faults: string[] = [];
      for (const [name, path] of Object.entries(pages[who])) {
        faults.push(...(await look(page, `owner-${who}-${name}`, path, rules, complaints)));
        const bytes = (await (await context.request.get(path)).body()).byteLength;
        if (bytes > 100_000) faults.push(`${name} has ${bytes} bytes`);
      }
      await context.close();
      expect(faults).toEqual([]);
    },
  );
});

it("an order: the price and the command follow what is filled in, without a button", async () => {
  const context = await contextOf("busy", 1280, "light");
  const page = await context.newPage();
  await page.goto("/studio/order");
  await page.locator("#quote", { hasText: "Order 1 slot for 60 playtest minutes" }).waitFor();
  await page.fill("#quantity", "3");
  await page.locator("#quote", { hasText: "Order 3 slots for 180 playtest minutes" }).waitFor();
  await page.fill("#keys", "AAAA");
  await page.locator("#quote", { hasText: "Game keys: must hold exactly 3 keys" }).waitFor();
  await page.fill("#keys", "");
  await page.selectOption("#minutes", "30");
  await page.locator("#quote", { hasText: "--duration-minutes 30" }).waitFor();
  await page.locator("#quote button[formaction]").click();
  await page.waitForURL(/\/studio\/playtests\/.*done=ordered/);
  expect(await page.locator("[role=status]").first().textContent()).toBe("The order was placed.");
  await context.close();
});
