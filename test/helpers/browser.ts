import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, expect, inject } from "vitest";
import { ownServer } from "./own-server.ts";
import type { TestServer } from "./server.ts";

/** How long a page may take to do what a test waits for, on a busy machine. */
const patienceMs = 120_000;

/**
 * A real headless Chromium: the one that came with the tests, or the system's that PLAYTEST_TEST_CHROMIUM names. It is
 * kept from fetching anything of its own.
 */
export async function launchBrowser(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: inject("chromium"),
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(patienceMs);
    return context;
  };
  return browser;
}

/** The browser of a test file, until its tests have run. */
export async function fileBrowser(): Promise<Browser> {
  const browser = await launchBrowser();
  afterAll(() => browser.close());
  return browser;
}

/** The browser and the server of a test file, until its tests have run. */
export async function browserAndServer(
  options: Parameters<typeof ownServer>[0] = {},
): Promise<{ browser: Browser; server: TestServer }> {
  const [browser, server] = await Promise.all([launchBrowser(), ownServer(options)]);
  afterAll(async () => {
    // Its pages have event streams open, on whose end the server would wait.
    await browser.close();
    await server.close();
  });
  return { browser, server };
}

/** What the console of a page says from now on, without what `expected` matches, and what goes wrong in its scripts. */
export function complaintsOf(page: Page, expected?: RegExp): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (!expected?.test(message.text())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  return complaints;
}

/** Signs the browser in with the cookie of a session. */
export const giveSession = (context: BrowserContext, { baseUrl: url }: TestServer, value: string) =>
  context.addCookies([{ name: "playtest_session", value, url }]);

/** Waits for an expression to be true. The page's policy forbids Playwright's own way, which evaluates text in it. */
export const until = (page: Page, expression: string) => expect.poll(() => page.evaluate(expression)).toBe(true);

/** Waits for the video of a page to be able to play. */
export const videoReady = (page: Page) => until(page, "document.querySelector('video').readyState >= 2");

/** Has a page send uploads in pieces of so many bytes: where a test intercepts them, each goes through it, which takes seconds for 8 MiB. */
export const sendInPieces = (page: Page, bytes: number) =>
  page.route("**/assets/upload.js*", async (route) => {
    const response = await route.fetch();
    const whole = await response.text();
    const body = whole.replace("8*1024*1024", String(bytes));
    if (body === whole) throw new Error("assets/upload.js has no size of pieces any more");
    await route.fulfill({ response, body });
  });
