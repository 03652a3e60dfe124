import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { type LoopbackParts, startLoopback } from "../../server/web/studio/loopback.ts";
import { privatePage } from "../../src/io/files/private-page.ts";
import { createIo } from "../../src/io/io.ts";
import { launchBrowser } from "../helpers/browser.ts";
import { FakeProcess, testFolder } from "../helpers/cli.ts";

it("Studio opens from the file that a browser is started with", async () => {
  const parts: Partial<LoopbackParts> = {
    instance: "example.com",
    site: { baseUrl: "https://example.com", payments: true },
    account: { id: "1", displayName: "Olga" },
    call: () => Promise.reject(new TypeError("no server")),
    offers: async () => false,
    keepsMoments: () => false,
    explain: () => ({ status: 424, code: "UNREACHABLE", message: "The server is away." }),
    cli: (command) => command,
    randomBytes,
    now: () => Date.now(),
    report: () => {},
  };
  const { url, ended, close } = await startLoopback(parts as LoopbackParts, 0);
  const browser = await launchBrowser();
  try {
    const { href } = await privatePage(createIo(new FakeProcess({ env: {}, cwd: testFolder() })), url);
    const page = await browser.newPage();
    await page.goto(href);
    await page.waitForURL(/\/studio$/);
    await ended;
    expect(await page.textContent("body")).toContain("The server is away.");
  } finally {
    await browser.close();
    await close();
  }
});
