import type { BrowserContext, CDPSession, Page } from "playwright-core";
import { afterEach, expect, it } from "vitest";
import { inspect } from "../helpers/accessibility.ts";
import { browserAndServer, complaintsOf } from "../helpers/browser.ts";
import { registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { setUpFactor } from "../helpers/factors.ts";
import { nameServer } from "../helpers/passkeys.ts";

const password = "correct horse";

const { browser, server } = await browserAndServer();
const origin = nameServer(server);
let context: BrowserContext;
let complaints: string[];

afterEach(async () => {
  await context.close();
  expect(complaints).toEqual([]);
});

async function open(width: number, options: { javaScriptEnabled?: boolean } = {}): Promise<Page> {
  context = await browser.newContext({ baseURL: origin, viewport: { width, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  complaints = complaintsOf(page, /status of 40[13]/);
  return page;
}

/** The fingerprint reader of a device, with somebody at it. */
async function addAuthenticator(page: Page): Promise<{ cdp: CDPSession; authenticatorId: string }> {
  const cdp = await context.newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const kind = { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true } as const;
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: { ...kind, isUserVerified: true, automaticPresenceSimulation: true },
  });
  return { cdp, authenticatorId };
}

async function newPlaytester() {
  const pim = await registerPlaytester(server);
  return { pim, email: (await pim.get("/auth/me")).body.data.email as string };
}

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

async function byPassword(page: Page, email: string, next = "/play/account"): Promise<void> {
  await page.goto(`/play/sign-in?next=${next}`);
  await page.locator("#email").fill(email);
  await page.locator("#password").fill(password);
  await press(page, "Sign in");
}

it.each([1280, 390])("passkeys at %i px: added, used instead of the password and instead of the code, removed", async (width) => {
  const { pim, email } = await newPlaytester();
  const page = await open(width);
  const { cdp, authenticatorId } = await addAuthenticator(page);
  const present = (enabled: boolean) => cdp.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });

  await byPassword(page, email);
  await page.getByRole("link", { name: "Add a passkey" }).click();
  await inspect(page, "passkeys-none");
  const add = async (name: string) => {
    await page.getByLabel("Name").fill(name);
    await page.getByLabel("Current password").fill(password);
    await press(page, "Add a passkey");
  };
  // Nobody is at the device.
  await present(false);
  await add("Pim's phone");
  await page.getByText("Follow the instructions of your browser.").waitFor();
  await inspect(page, "passkeys-create");
  await page.getByRole("link", { name: "Back to your passkeys" }).click();
  await present(true);
  await add("Pim's phone");
  await page.getByText("The passkey was added.").waitFor();
  await inspect(page, "passkeys-one");
  const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId });
  expect(credentials).toEqual([expect.objectContaining({ isResidentCredential: true, rpId: "localhost" })]);

  // The same device again.
  await add("Again");
  await page.getByText("This device already has a passkey for your account.").waitFor();
  await inspect(page, "passkeys-again");

  // Without a password or an email address.
  await page.goto("/play");
  await press(page, "Sign out");
  await page.goto("/play/sign-in?next=/play/account");
  await inspect(page, "passkeys-sign-in");
  await press(page, "Sign in with a passkey");
  await page.getByRole("heading", { name: "Your account", exact: true }).waitFor();
  await page.getByRole("link", { name: "Manage passkeys" }).click();
  await page.getByText("last used").waitFor();

  // An authenticator that does not check who uses it is not enough alone.
  await press(page, "Sign out");
  await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
  await page.goto("/play/sign-in");
  await press(page, "Sign in with a passkey");
  await page.getByRole("button", { name: "Use a passkey", exact: true }).click();
  await page.getByText("No passkey was used.").waitFor();
  await inspect(page, "passkeys-refused");

  // Instead of the code, after the password, it is.
  const { recoveryCodes } = await setUpFactor(server, pim, password);
  await byPassword(page, email, "/play/account/passkeys");
  await inspect(page, "passkeys-code");
  await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true });
  await press(page, "Use a passkey instead");
  await page.getByRole("heading", { name: "Passkeys", exact: true }).waitFor();

  await page.getByRole("link", { name: "Remove Pim's phone" }).click();
  await inspect(page, "passkeys-remove");
  await page.getByLabel("Current password").fill(password);
  await page.getByLabel("Code from your authenticator app").fill(recoveryCodes[0]!);
  await press(page, "Remove the passkey");
  await page.getByText("The passkey was removed.").waitFor();

  await press(page, "Sign out");
  await page.goto("/play/sign-in");
  await press(page, "Sign in with a passkey");
  await page.getByText("This passkey was not accepted.").waitFor();
  await inspect(page, "passkeys-not-accepted");
});

it("passkeys of a game owner: added in Studio, then used to sign in there and nowhere else", async () => {
  const owner = await registerOwner(server);
  const page = await open(1280);
  await addAuthenticator(page);
  await page.goto("/studio/sign-in");
  await page.locator("#email").fill((await owner.get("/auth/me")).body.data.email);
  await page.locator("#password").fill(password);
  await press(page, "Sign in");
  await page.getByRole("link", { name: "Your account" }).click();
  await page.getByRole("link", { name: "Add a passkey" }).click();
  await page.getByLabel("Name").fill("Laptop");
  await page.getByLabel("Current password").fill(password);
  await press(page, "Add a passkey");
  await page.getByText("The passkey was added.").waitFor();
  await inspect(page, "studio-passkeys");
  await press(page, "Sign out");
  await page.goto("/play/sign-in");
  await press(page, "Sign in with a passkey");
  await page.getByText("This is a game owner account. You are not signed in.").waitFor();
  await page.goto("/studio/sign-in?next=/studio/account/passkeys");
  await inspect(page, "studio-sign-in");
  await press(page, "Sign in with a passkey");
  await page.getByText("last used").waitFor();
});

it("“Your browser does not allow passkeys at this address.”: at the address that is the server's, it does", async () => {
  const page = await open(1280);
  await addAuthenticator(page);
  const numeric = origin.replace("localhost", "127.0.0.1");
  expect(numeric).not.toBe(origin);
  await page.goto(`${numeric}/play/sign-in`);
  await press(page, "Sign in with a passkey");
  await page.getByText("Your browser does not allow passkeys at this address.").waitFor();
  await page.goto("/play/sign-in");
  await press(page, "Sign in with a passkey");
  // It looks for a passkey and finds none.
  await page.getByRole("button", { name: "Use a passkey", exact: true }).click();
  await page.getByText("No passkey was used. Try again, or go back and choose another way.").waitFor();
});

it("“Your browser could not use a passkey: …”: with the reason of the browser, and it can be tried again", async () => {
  const { pim, email } = await newPlaytester();
  const page = await open(1280);
  const { cdp, authenticatorId } = await addAuthenticator(page);
  await byPassword(page, email, "/play/account/passkeys");
  // Nobody is at the device, and the browser asks for somebody already.
  await cdp.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled: false });
  await page.addInitScript(`
    globalThis.other = new AbortController();
    const publicKey = { challenge: new Uint8Array(32), rpId: "localhost" };
    navigator.credentials.get({ publicKey, signal: other.signal }).catch(() => {});
  `);
  await page.getByLabel("Name").fill("Phone");
  await page.getByLabel("Current password").fill(password);
  await press(page, "Add a passkey");
  await page.getByText(/Your browser could not use a passkey: .*pending/).waitFor();
  const passkeys = async () => (await pim.get("/auth/passkeys")).body.data.passkeys;
  expect(await passkeys()).toEqual([]);
  await page.evaluate("other.abort()");
  await cdp.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled: true });
  await page.locator("#passkey button").click();
  await page.getByText("The passkey was added.").waitFor();
  expect(await passkeys()).toEqual([expect.objectContaining({ name: "Phone" })]);
});

it("passkeys without JavaScript: the page says what to do", async () => {
  const { email } = await newPlaytester();
  const page = await open(390, { javaScriptEnabled: false });
  await page.goto("/play/sign-in");
  await press(page, "Sign in with a passkey");
  await page.getByText("Passkeys need JavaScript").waitFor();
  expect(await page.getByRole("button", { name: "Use a passkey" }).isVisible()).toBe(false);
  await page.getByRole("link", { name: "Sign in another way" }).click();
  await byPassword(page, email, "/play/account/passkeys");
  await page.getByLabel("Name").fill("Phone");
  await page.getByLabel("Current password").fill(password);
  await press(page, "Add a passkey");
  await page.getByText("Passkeys need JavaScript").waitFor();
});
