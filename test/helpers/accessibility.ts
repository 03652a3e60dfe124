import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";

/** A folder to save a picture of each page in. */
const pictures = process.env.PLAYTEST_SCREENSHOTS;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Window sizes and color schemes that pages are looked at in, and the rules of axe for each. */
export const looks = [
  { width: 1280, scheme: "light", rules: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] },
  { width: 390, scheme: "dark", rules: ["color-contrast", "target-size"] },
] as const;

interface Seen {
  overflow: number;
  lang: string;
  title: string;
  headings: number;
  violations: string[];
}

/** Checks a page by those rules of WCAG 2.2 A and AA that a program can check. */
const judge = (runOnly: readonly string[]) => `(async () => {
  const { violations } = await axe.run(document, { runOnly: ${JSON.stringify(runOnly)}, resultTypes: ["violations"] });
  return {
    overflow: document.documentElement.scrollWidth - window.innerWidth,
    lang: document.documentElement.lang,
    title: document.title,
    headings: document.querySelectorAll("h1").length,
    violations: violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ": " + node.html + " " + node.failureSummary)),
  };
})()`;

/** Saves a picture of the page where somebody wants to see it. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

/** Saves a picture of the open page, and expects it to fit its width and to break none of the rules of axe. */
export async function inspect(page: Page, name: string): Promise<void> {
  await picture(page, `${name}-${page.viewportSize()!.width}`);
  await page.evaluate(axe);
  const faults = await page.evaluate(`(async () => {
    const { violations } = await axe.run(document, { resultTypes: ["violations"] });
    const wider = document.documentElement.scrollWidth - window.innerWidth;
    return [...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html)), ...(wider > 0 ? [wider + " px too wide"] : [])];
  })()`);
  expect([name, faults]).toEqual([name, []]);
}

/** Opens a page and says what is wrong with it. `complaints` collects what its console says. */
export async function look(
  page: Page,
  name: string,
  path: string,
  rules: readonly string[],
  complaints: string[],
): Promise<string[]> {
  await page.goto(path);
  return lookHere(page, name, rules, complaints);
}

/** Says what is wrong with the page that is open, which a form may have led to. */
export async function lookHere(page: Page, name: string, rules: readonly string[], complaints: string[]): Promise<string[]> {
  await page.evaluate(axe);
  const seen = (await page.evaluate(judge(rules))) as Seen;
  await picture(page, `${name}-${page.viewportSize()!.width}`);
  const faults = [...seen.violations];
  if (seen.overflow > 0) faults.push(`is ${seen.overflow} px wider than the window`);
  if (seen.lang !== "en" || !/^(.+ · )?playtest$/.test(seen.title) || seen.headings !== 1) faults.push(JSON.stringify(seen));
  // The console names a page that answers 403, 404 or 410, which some are for.
  faults.push(...complaints.splice(0).filter((text) => !/status of 4(03|04|10)/.test(text)));
  return faults.map((fault) => `${name}: ${fault}`);
}
