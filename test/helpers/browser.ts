import { type Browser, chromium } from "playwright-core";
import { inject } from "vitest";

/**
 * A real headless Chromium: the one that came with the tests, or the system's that PLAYTEST_TEST_CHROMIUM names. It is
 * kept from fetching anything of its own.
 */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({
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
}
