import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";

/** A real headless Chromium; `PLAYTEST_TEST_CHROMIUM` names another than the one that comes with the packages. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = process.env.PLAYTEST_TEST_CHROMIUM ?? (await chromium.executablePath());
  return playwright.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"], headless: true });
}
