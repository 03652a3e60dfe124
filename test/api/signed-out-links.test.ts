import { expect } from "vitest";
import { behind, playDoor } from "../../server/web/sign-in/doors.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { type Person, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { setUpFactor } from "../helpers/factors.ts";
import { mailedPath } from "../helpers/mails.ts";
import { addPasskey, answerSignIn, nameServer, optionsIn } from "../helpers/passkeys.ts";
import { hiddenFields, type Shown, type Visitor, visitor } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";

const password = "correct horse";
const hour = 3_600_000;
const wanted = "/play/friends?add=ann";
const emailOf = async (who: Person) => (await who.getMe()).email;
const plain = (address: string) => address.replaceAll("&amp;", "&");

/** The address that a link with this text leads to. */
const linkIn = ({ html }: Shown, label: string): string => plain(new RegExp(`href="([^"]*)"[^>]*>${label}`).exec(html)![1]!);

const byPassword = (browser: Visitor, door: string, email: string) =>
  browser.submit(door, "/play/sign-in/password", { email, password });

onBothDatabases("a link that somebody opens who is signed out", (serve, it) => {
  /** Where the server leads somebody who opens the link. */
  async function atDoor(server: TestServer, page = wanted): Promise<{ browser: Visitor; door: string }> {
    const browser = visitor(server);
    const { location } = await browser.get(page);
    return { browser, door: location! };
  }

  it.for([
    ["/play", wanted],
    ["/play", "/play/earnings/statement?month=2026-10"],
    ["/studio", "/studio/slots/01991b6a-0000-7000-8000-000000000000?t=1%3A02"],
    ["/studio", "/studio/search?q=stuck+at+%26+%22door%22"],
  ] as const)("at %s, by password: opens %s", async ([base, page], { server }) => {
    const who = base === "/play" ? await registerPlaytester(server) : await registerOwner(server);
    const { browser, door } = await atDoor(server, page);
    const reply = await browser.submit(door, `${base}/sign-in/password`, { email: await emailOf(who), password });
    expect([reply.status, reply.location]).toEqual([303, page]);
  });

  it("keeps its query after a wrong password, and with a second factor, from the start again too", async ({ server }) => {
    const ann = await registerPlaytester(server);
    const app = await setUpFactor(server, ann, password);
    const { browser, door } = await atDoor(server);
    const wrong = await browser.submit(door, "/play/sign-in/password", { email: await emailOf(ann), password: "no" });
    expect(hiddenFields(wrong.html, "/play/sign-in/password").next).toBe(wanted);
    const { location: codePage } = await byPassword(browser, door, await emailOf(ann));
    expect(linkIn(await browser.get(codePage!), "Start again")).toBe(door);
    const reply = await browser.submit(codePage!, "/play/sign-in/code", { code: await app.nextCode() });
    expect(reply.location).toBe(wanted);
  });

  it("keeps its query through an emailed link, and when another link is asked for", async ({ server }) => {
    const ann = await registerPlaytester(server);
    const { browser, door } = await atDoor(server);
    const sent = await browser.submit(door, "/play/sign-in/link", { email: await emailOf(ann) });
    expect(linkIn(await browser.get(sent.location!), "try again")).toBe(door);
    await server.advance(0);
    const path = mailedPath(server, "signIn");
    expect((await visitor(server).submit(path, "/play/sign-in/confirm")).location).toBe(wanted);
    expect(linkIn(await visitor(server).get(path), "Get a new link")).toBe(door);
  });

  it("keeps its query through a passkey", async () => {
    const server = await serve();
    nameServer(server);
    const { key } = await addPasskey(server, await registerPlaytester(server));
    const { browser, door } = await atDoor(server);
    const page = await browser.submit(door, "/play/sign-in/passkey/start");
    expect(linkIn(page, "Sign in another way")).toBe(door);
    expect((await answerSignIn(browser, page, key.use(optionsIn(page)))).location).toBe(wanted);
  });

  const account = { email: "new@example.com", password: "a long enough password" };

  it("keeps its query for somebody who creates an account", async () => {
    const server = await serve({ config: (config) => Object.assign(config, { autoVerify: true }) });
    const { browser, door } = await atDoor(server);
    const register = linkIn(await browser.get(door), "Create a playtester account");
    const refused = await browser.submit(register, "/play/register", { ...account, password: "short" });
    expect(linkIn(refused, "Sign in")).toBe(door);
    expect((await browser.submit(register, "/play/register", account)).location).toBe(wanted);
  });

  it("keeps its query for somebody who has to verify an address first", async () => {
    const server = await serve({ config: (config) => Object.assign(config, { autoVerify: false }) });
    const { browser, door } = await atDoor(server);
    const register = linkIn(await browser.get(door), "Create a playtester account");
    const { location } = await browser.submit(register, "/play/register", account);
    expect(linkIn(await browser.get(location!), "get a sign-in link")).toBe(door);
    await server.advance(0);
    const verified = await browser.submit(mailedPath(server, "verify"), "/verify-email");
    const reply = await browser.submit(linkIn(verified, "Sign in"), "/play/sign-in/password", account);
    expect(reply.location).toBe(wanted);
  });

  /** Somebody who came for a page and created an account, whose address is not verified. */
  async function registered() {
    const server = await serve({ config: (config) => Object.assign(config, { autoVerify: false }) });
    const { browser, door } = await atDoor(server);
    const register = linkIn(await browser.get(door), "Create a playtester account");
    const { location } = await browser.submit(register, "/play/register", account);
    await server.advance(0);
    return { server, browser, door, sent: await browser.get(location!) };
  }

  it("keeps its query through an emailed link that verifies the address", async () => {
    const { server, browser, door } = await registered();
    await browser.submit(door, "/play/sign-in/link", { email: account.email });
    await server.advance(0);
    const reply = await browser.submit(mailedPath(server, "signIn"), "/play/sign-in/confirm");
    expect(reply.location).toBe(wanted);
  });

  it("keeps its query when another link to verify the address is asked for", async () => {
    const { server, browser, door, sent } = await registered();
    const again = linkIn(sent, "get a new link");
    expect(linkIn(await browser.get(door), "Address not verified yet")).toBe(again);
    const reply = await browser.submit(again, "/verify-email", { email: account.email });
    expect(linkIn(await browser.get(reply.location!), "sign in")).toBe(door);
    await server.advance(0);
    const path = mailedPath(server, "verify");
    const verified = await browser.submit(path, "/verify-email");
    expect((await browser.submit(linkIn(verified, "Sign in"), "/play/sign-in/password", account)).location).toBe(wanted);
    expect(linkIn(await visitor(server).get(path), "Sign in")).toBe(door);
  });

  it("keeps its query when the link to verify the address is too old", async () => {
    const { server, browser } = await registered();
    await server.advance(24 * hour + 1);
    const dead = await browser.get(mailedPath(server, "verify"));
    expect([dead.status, hiddenFields(dead.html, "/verify-email").next]).toEqual([410, wanted]);
  });

  it.for(["https://evil.example/play", "/verify-email", ""])("is mailed to nobody as %j", async (next) => {
    const { server, browser } = await registered();
    await browser.send("/verify-email", { action: "again", email: account.email, next });
    await server.advance(0);
    expect(mailedPath(server, "verify")).toMatch(/^\/verify-email\?token=[\w-]+$/);
  });

  it.for([
    "https://evil.example/play",
    "//evil.example",
    "/\\evil.example",
    "/play/../x",
    "/play\\..\\x",
    "/playful?x=1",
    "/play?x=1\r\nSet-Cookie: a=b",
    "/studio?x=1",
    "?x=1",
    "javascript:alert(1)",
  ])("leads nowhere but behind the door: %j", async (next, { server }) => {
    const email = await emailOf(await registerPlaytester(server));
    const page = `/play/sign-in?${new URLSearchParams({ next })}`;
    const { location } = await byPassword(visitor(server), page, email);
    expect(location).toMatch(/^\/play(\?x=1%0D%0ASet-Cookie%3A\+a%3Db)?$/);
  });

  it("loses a query that is too long for a mail, and keeps its path", () => {
    expect(behind(playDoor, `/play/friends?add=${"x".repeat(996)}`)).toMatch(/\?add=x{996}$/);
    expect(behind(playDoor, `/play/friends?add=${"x".repeat(997)}`)).toBe("/play/friends");
  });
});
