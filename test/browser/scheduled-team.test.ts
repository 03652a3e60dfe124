import type { BrowserContext } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { look, looks } from "../helpers/accessibility.ts";
import { browserAndServer, giveSession } from "../helpers/browser.ts";
import * as factories from "../helpers/factories.ts";
import { befriend, registerWithHandle, teamsOn } from "../helpers/friends.ts";
import { sessionOf } from "../helpers/portal.ts";

const hour = 3_600_000;

// The clock of the server stands at 2026-03-01T12:00:00Z. Clocks go forward on 8 March in New York and on 29 March in Berlin.
const at = "2026-03-30T16:00:00.000Z";
const zones = { olive: "Europe/Berlin", ann: "America/New_York", ben: "Asia/Kolkata" } as const;
type Name = keyof typeof zones;
const shown: Record<Name, string> = {
  olive: "Mon 2026-03-30 18:00, Europe/Berlin (UTC+02:00)",
  ann: "Mon 2026-03-30 12:00, America/New_York (UTC-04:00)",
  ben: "Mon 2026-03-30 21:30, Asia/Kolkata (UTC+05:30)",
};

const { browser, server } = await browserAndServer({ config: teamsOn });
let gameId: string;
let people: Record<Name, factories.Person>;
const contexts = {} as Record<Name, BrowserContext>;

beforeAll(async () => {
  const olive = await factories.registerOwner(server, "Olive");
  await factories.giveCredit(server, olive, 1_000_000);
  gameId = await factories.createGame(olive);
  const [ann, ben] = [await registerWithHandle(server, "ann"), await registerWithHandle(server, "ben")];
  await befriend(ann, ben);
  people = { olive, ann, ben };
  for (const name of Object.keys(zones) as Name[]) {
    await server.deps.store.write((tx) => tx.run("UPDATE users SET email_verified_at = 1 WHERE id = ?", people[name].id));
    await people[name].updateProfile({ body: { timeZone: zones[name] } });
    const cookie = await sessionOf(server, people[name], name === "olive" ? "/studio" : "/play");
    contexts[name] = await browser.newContext({ baseURL: server.baseUrl, timezoneId: zones[name], reducedMotion: "reduce" });
    await giveSession(contexts[name], server, cookie);
  }
});

/** Looks at a page as somebody at both sizes. Returns what is wrong, and its text. */
async function see(state: string, who: Name, path: string): Promise<{ faults: string[]; text: string }> {
  const page = await contexts[who].newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  const faults: string[] = [];
  for (const { width, scheme, rules } of looks) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme: scheme });
    faults.push(...(await look(page, `walk-${state}-${who}`, path, rules, complaints)));
  }
  const text = (await page.locator("main").innerText()).replace(/\s+/g, " ");
  await page.close();
  return { faults, text };
}

/** Fills in a form of a page and sends it, as a person does. */
async function fill(who: Name, path: string, act: (page: import("playwright-core").Page) => Promise<void>): Promise<string> {
  const page = await contexts[who].newPage();
  await page.clock.install();
  await page.goto(path);
  await act(page);
  await page.waitForLoadState();
  const url = new URL(page.url());
  await page.close();
  return url.pathname + url.search;
}

it("a playtest for two at a fixed time, from the order to the payout, in three time zones across changes to summer time", async () => {
  const { olive, ann, ben } = people;
  const studio = (
    await fill("olive", `/studio/order?game=${gameId}`, async (page) => {
      await page.fill("#players", "2");
      // In the zone of her profile.
      await page.fill("#at", "2026-03-30T18:00");
      // The price, with the command that does the same, follows what is filled in.
      await page.locator("#quote", { hasText: "--at 2026-03-30T18:00" }).waitFor();
      await page.getByRole("button", { name: /^Order 1 slot for/ }).click();
      await page.waitForURL(/playtests\/.*done=/);
    })
  ).split("?")[0]!;
  const { playtest } = await olive.getPlaytest({ params: { id: studio.split("/").at(-1)! } });
  expect([playtest.scheduledAt, playtest.playerCount]).toEqual([at, 2]);
  const faults: string[] = [];
  const seen: Record<string, boolean> = {};
  const states = async (state: string, paths: Partial<Record<Name, string>>, says: Partial<Record<Name, string>> = shown) => {
    for (const [who, path] of Object.entries(paths) as [Name, string][]) {
      const found = await see(state, who, path);
      faults.push(...found.faults);
      const expected = says[who];
      if (expected !== undefined) seen[`${state}, ${who}: ${expected}`] = found.text.includes(expected);
    }
  };

  const offer = `/play/offers/${playtest.id}`;
  await states("ordered", { olive: studio, ann: offer });
  const claimed = await fill("ann", offer, async (page) => {
    await page.selectOption('[name="friend0"]', "ben");
    for (const box of await page.locator('main input[type="checkbox"]').all()) await box.check();
    await page.locator(`form[action="${offer}/claim"] button`).click();
    await page.waitForURL(/done=/);
  });
  const slot = claimed.split("?")[0]!;
  const slotId = slot.split("/").at(-1)!;
  await states("asked", { olive: studio, ann: slot, ben: slot });
  await fill("ben", slot, async (page) => {
    for (const box of await page.locator('main input[name="scheduledAt"]').all()) await box.check();
    await page.locator(`form[action="${slot}/team/confirm"] button`).click();
    await page.waitForURL(/done=/);
  });
  await states("reserved", { olive: studio, ann: slot, ben: slot });
  await server.advance(Date.parse(at) - hour / 2 - server.clock.now());
  await states("reminded", { olive: studio, ann: slot, ben: slot });
  await server.advance(hour);
  await states("begun", { ann: slot, ben: slot });
  await factories.giveVideo(server, slotId, ann);
  await fill("ann", slot, async (page) => {
    await page.locator("form button", { hasText: /^Submit$/ }).click();
    await page.waitForURL(/done=/);
  });
  await states("submitted", { olive: studio, ann: slot, ben: slot }, { ann: "The owner is reviewing your video." });
  await fill("olive", `/studio/slots/${slotId}`, async (page) => {
    await page.keyboard.press("a");
    await page.keyboard.press("Enter");
    // Until then it can be undone.
    await page.clock.runFor(5_100);
    await page.waitForURL(/done=accepted/);
  });
  await server.advance(1000);
  seen["each sees the video"] = (await Promise.all([see("video", "ann", slot), see("video", "ben", slot)])).every(
    ({ text }) => !text.includes("out of date"),
  );
  await states("accepted", { olive: studio, ann: slot, ben: slot }, { ann: "earned you", ben: "earned you" });
  await states("paid", { ann: "/play/earnings", ben: "/play/earnings" }, {});

  const second = (
    await olive.createPlaytest({ params: { gameId }, body: { playerCount: 2, scheduledAt: "2026-04-20T16:00:00.000Z" } })
  ).playtest;
  const body = { scheduledAt: "2026-04-20T16:00:00.000Z", with: [{ handle: "ben" }] };
  const moved = (await ann.claimPlaytest({ params: { id: second.id }, body })).slot.id;
  const { slot: held } = await ben.getHeldSlot({ params: { id: moved } });
  const agreed = { shareCents: held.team!.yourShareCents, scheduledAt: held.scheduledAt! };
  await ben.confirmTeam({ params: { id: moved }, body: agreed });
  const other = `/play/slots/${moved}`;
  await olive.updatePlaytest({ params: { id: second.id }, body: { scheduledAt: "2026-04-21T16:00:00.000Z" } });
  await states("proposed", { olive: `/studio/playtests/${second.id}`, ann: other, ben: other }, {});
  await ann.rescheduleSlot({ params: { id: moved }, body: { accept: true } });
  await states(
    "moved",
    { olive: `/studio/playtests/${second.id}`, ann: other, ben: other },
    {
      ben: "Tue 2026-04-21 21:30, Asia/Kolkata (UTC+05:30)",
    },
  );
  await ann.releaseSlot({ params: { id: moved } });
  await states("released", { olive: `/studio/playtests/${second.id}`, ann: other, ben: other }, {});
  await server.advance(1000);

  expect(Object.entries(seen).filter(([, isThere]) => !isThere)).toEqual([]);
  expect(faults).toEqual([]);
  const balances = await Promise.all([ann, ben].map(async (one) => (await one.getEarnings()).balanceCents));
  expect(balances[0]).toBe(balances[1]);
  expect(balances[0]! + balances[1]!).toBe(playtest.payoutCents);

  // Each mail, as its HTML is shown.
  const page = await contexts.ann.newPage();
  for (const [index, { subject, html }] of server.mails.entries()) {
    if (html === null) continue;
    await page.route("**/mail", (route) => route.fulfill({ contentType: "text/html", body: html }));
    for (const { width } of looks) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto("/mail");
      const overflow = await page.evaluate("document.documentElement.scrollWidth - window.innerWidth");
      expect([subject, overflow]).toEqual([subject, 0]);
      if (process.env.PLAYTEST_SCREENSHOTS)
        await page.screenshot({ path: `${process.env.PLAYTEST_SCREENSHOTS}/mail-${index}-${width}.png`, fullPage: true });
    }
    await page.unroute("**/mail");
  }
}, 600_000);
