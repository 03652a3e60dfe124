import { type Browser, chromium, type Page } from "playwright-core";
import { inject } from "vitest";

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

/** Has a page send uploads in pieces of so many bytes: where a test intercepts them, each goes through it, which takes seconds for 8 MiB. */
export const sendInPieces = (page: Page, bytes: number) =>
  page.route("**/assets/upload.js*", async (route) => {
    const response = await route.fetch();
    const whole = await response.text();
    const body = whole.replace("8*1024*1024", String(bytes));
    if (body === whole) throw new Error("assets/upload.js has no size of pieces any more");
    await route.fulfill({ response, body });
  });
