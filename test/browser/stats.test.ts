import { beforeAll, expect, it } from "vitest";
import { lookHere, looks, picture } from "../helpers/accessibility.ts";
import { browserAndServer, complaintsOf, giveSession } from "../helpers/browser.ts";
import { createGame, giveCredit, order, type Person, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { signedIn } from "../helpers/portal.ts";

/** The charts of Studio in Chromium, by all rules of accessibility that a program can check. */
const day = 24 * 3_600_000;

const { browser, server } = await browserAndServer();
let cookies: Record<"busy" | "fresh", string>;

beforeAll(async () => {
  const owner = await registerOwner(server, "Hearth & Co");
  await giveCredit(server, owner, 100_000);
  const games = [
    await createGame(owner, { name: "Lantern Deep" }),
    await createGame(owner, { name: "Donaudampfschifffahrtsgesellschaftskapitänssimulator" }),
  ];
  for (const [i, rating] of [5, 3, 4, 2].entries()) {
    const slotId = await play(server, await registerPlaytester(server), await order(owner, games[i % 2]!));
    await owner.post(`/slots/${slotId}/accept`, { rating });
    await server.advance(12 * day);
  }
  await order(owner, games[1]!, { quantity: 2 });
  const cookieOf = async (who: Person) => (await signedIn(server, who, "/studio")).cookies;
  const fresh = await registerOwner(server, "Fresh");
  const [name] = [...(await cookieOf(owner)).keys()].filter((key) => key.includes("session"));
  cookies = { busy: (await cookieOf(owner)).get(name!)!, fresh: (await cookieOf(fresh)).get(name!)! };
});

it.each([
  ["busy", 390, "dark"],
  ["busy", 768, "light"],
  ["busy", 1280, "light"],
  ["busy", 1280, "dark"],
  ["fresh", 390, "light"],
] as const)("statistics of the owner %s at %i px in a %s color scheme", async (who, width, colorScheme) => {
  const context = await browser.newContext({ baseURL: server.baseUrl, viewport: { width, height: 800 }, colorScheme });
  await giveSession(context, server, cookies[who]);
  const page = await context.newPage();
  const complaints = complaintsOf(page);
  await page.goto("/studio/stats");
  await picture(page, `stats-${who}-${width}-${colorScheme}`);
  await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
  expect([await lookHere(page, `stats-${who}-${colorScheme}-open`, looks[0].rules, []), complaints]).toEqual([[], []]);
  const tables = await page.locator("main table").allInnerTexts();
  if (who === "fresh") expect(tables).toEqual([]);
  else {
    expect(tables[0]).toMatch(/Accepted\s+4/);
    expect(tables.some((text) => /Lantern Deep\s+\$40\.00/.test(text))).toBe(true);
    // The chart is drawn: its longest bar is as wide as the track behind it.
    const widths = await page.evaluate(
      `[...document.querySelectorAll(".bars rect.fill")].map((one) => one.getBoundingClientRect().width)`,
    );
    expect(Math.max(...(widths as number[]))).toBeGreaterThan(100);
  }
  await context.close();
});
