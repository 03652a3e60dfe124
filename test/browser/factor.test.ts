import type { BrowserContext, Page } from "playwright-core";
import { afterEach, expect, it } from "vitest";
import { inspect } from "../helpers/accessibility.ts";
import { browserAndServer, complaintsOf } from "../helpers/browser.ts";
import { registerPlaytester } from "../helpers/factories.ts";
import { codeAt } from "../helpers/factors.ts";

const password = "correct horse";

const { browser, server } = await browserAndServer();
let context: BrowserContext;
let complaints: string[];

afterEach(async () => {
  await context.close();
  expect(complaints).toEqual([]);
});

async function open(width: number): Promise<Page> {
  context = await browser.newContext({ baseURL: server.baseUrl, viewport: { width, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  // A form that was refused answers with 422.
  complaints = complaintsOf(page, /status of 422/);
  return page;
}

it.each([1280, 390])(
  "second factor at %i px: set up with a QR code, signed in with a code and a recovery code, removed",
  async (width) => {
    const pim = await registerPlaytester(server);
    const { email } = (await pim.get("/auth/me")).body.data;
    const page = await open(width);
    const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
    const signIn = async () => {
      await page.goto("/play/sign-in?next=/play/account");
      await page.locator("#email").fill(email);
      await page.locator("#password").fill(password);
      await press("Sign in");
    };

    await signIn();
    await page.getByRole("link", { name: "Set up a second factor" }).click();
    await inspect(page, "factor-off");
    await page.getByLabel("Current password").fill(password);
    await press("Set up a second factor");
    const qr = await page.getByRole("img", { name: "QR code for your authenticator app" }).locator("svg").boundingBox();
    expect(qr!.width).toBeGreaterThan(150);
    await inspect(page, "factor-qr");
    const secret = (await page.locator("li code").innerText()).replaceAll(" ", "");
    await page.getByLabel("Enter the six digits").fill("000000");
    await press("Turn on the second factor");
    await page.getByText("The code is not correct.").waitFor();
    await inspect(page, "factor-qr-wrong");
    await page.getByLabel("Enter the six digits").fill(codeAt(secret, server.clock.real()));
    await press("Turn on the second factor");
    await page.getByText("The second factor is on.").waitFor();
    await inspect(page, "factor-recovery");
    const codes = await page.locator(".recovery code").allInnerTexts();
    expect(codes).toHaveLength(10);
    await page.getByRole("link", { name: "I saved them" }).click();
    await inspect(page, "factor-on");

    await press("Sign out");
    await signIn();
    await page.getByRole("heading", { name: "Enter your code" }).waitFor();
    await inspect(page, "factor-code");
    const box = page.getByLabel("Code from your authenticator app");
    await box.fill("111111");
    await press("Sign in");
    await page.getByText("The code is not correct.").waitFor();
    await inspect(page, "factor-code-wrong");
    await server.advance(30_000);
    await box.fill(codeAt(secret, server.clock.real()));
    await press("Sign in");
    await page.getByRole("heading", { name: "Your account", exact: true }).waitFor();
    await inspect(page, "factor-account");

    await press("Sign out");
    await signIn();
    await page.getByLabel("Code from your authenticator app").fill(codes[0]!.toLowerCase());
    await press("Sign in");
    await page.getByRole("link", { name: "Manage the second factor" }).click();
    await page.getByText("9 of your recovery codes are left.").waitFor();
    await page.locator("#remove-code").fill(codes[1]!);
    await press("Remove the second factor");
    await page.getByText("Signing in takes no code any more.").waitFor();
  },
);
