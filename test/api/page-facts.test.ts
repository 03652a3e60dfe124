import { describe, expect } from "vitest";
import { openTill, submit } from "../helpers/billing.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, giveCredit, order, type Person, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { mailedPath, subjects } from "../helpers/mails.ts";
import { signedIn, visitor } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";

const [minute, day] = [60_000, 86_400_000];
const password = "correct horse";
const unverified = { config: (config: { autoVerify: boolean }) => Object.assign(config, { autoVerify: false }) };

const emailOf = async (person: Person): Promise<string> => (await person.getMe()).email;
const links = ({ mails }: TestServer) => mails.filter(({ subject }) => subject === subjects.signIn).map(({ to }) => to);
const text = (html: string) => html.replace(/\s+/g, " ");
const signInWith = async (server: TestServer, email: string, given: string, base = "/play") =>
  (await visitor(server).submit(`${base}/sign-in`, `${base}/sign-in/password`, { email, password: given })).location;

onBothDatabases("what pages without an account state", (serve, it) => {
  it("“If a playtester account with that address can sign in, we sent it a link. At most five links work at a time.”", async ({
    server,
  }) => {
    const [pim, sue] = [await registerPlaytester(server), await registerPlaytester(server)];
    const [own, other, owner] = [await emailOf(pim), await emailOf(sue), await emailOf(await registerOwner(server))];
    await server.deps.store.write((tx) => tx.run("UPDATE users SET suspended_at = 1 WHERE id = ?", sue.id));
    const ask = async (email: string) => {
      const browser = visitor(server);
      const { location } = await browser.submit("/play/sign-in", "/play/sign-in/link", { email });
      const { html } = await browser.get(location!);
      expect(text(html)).toContain("If a playtester account with that address can sign in, we sent it a link.");
      expect(html).toContain("At most five links work at a time.");
      await server.advance(0);
    };
    for (const email of [owner, other, "nobody@example.com", own, own, own, own, own, own]) await ask(email);
    expect(links(server)).toEqual(Array(5).fill(own));
    await server.advance(16 * minute);
    await ask(own);
    expect(links(server)).toHaveLength(6);
  });

  it("“A sign-in link works once, for 15 minutes. It also verifies your address, and removes the password: anybody could have set it.”", async () => {
    const server = await serve(unverified);
    const email = "ida@example.com";
    const browser = visitor(server);
    const { location } = await browser.submit("/play/register", "/play/register", { email, password });
    expect((await browser.get(location!)).html).toContain(
      "It also verifies your address, and removes the password: anybody could have set it.",
    );
    await browser.submit("/play/sign-in", "/play/sign-in/link", { email });
    await server.advance(0);
    const press = (who = visitor(server)) => who.submit(mailedPath(server, "signIn"), "/play/sign-in/confirm");
    const first = await press(browser);
    const welcome = (await browser.get(first.location!)).html;
    expect(welcome).toContain("Your email address is verified and you are signed in. The password and API keys it had before");
    expect((await press()).html).toContain("A sign-in link works once, for 15 minutes.");
    expect(await signInWith(server, email, password)).toBe(null);

    expect(welcome).toContain("To set a password, use “Set a password” below.");
    const forgot = /href="(\/play\/forgot)">Set a password/.exec(welcome)![1]!;
    await browser.submit(forgot, "/play/forgot", { email });
    await server.advance(0);
    await visitor(server).submit(mailedPath(server, "reset"), "/reset-password", { password: "a new password" });
    expect(await signInWith(server, email, "a new password")).toBe("/play");
  });

  it("“After you verify, the password and API keys that were set when the account was created work.”", async () => {
    const server = await serve(unverified);
    const body = { email: "olga@example.com", password, role: "game_owner", name: "Olga" };
    const key = (await server.request("POST", "/auth/register/api-key", { body })).body.data.apiKey;
    await server.advance(0);
    const works = async () => [
      (await server.request("GET", "/games", { key })).status,
      await signInWith(server, body.email, password, "/studio"),
    ];
    expect(await works()).toEqual([403, null]);
    const path = mailedPath(server, "verify");
    expect((await visitor(server).get(path)).html).toContain(
      "After you verify, the password and API keys that were set when the account was created work.",
    );
    const done = await visitor(server).submit(path, "/verify-email", { action: "verify" });
    expect(done.html).toContain("Your email address is verified. Your password and API keys work now.");
    expect(await works()).toEqual([200, "/studio"]);
  });

  it("“It was used, or a newer one took its place. Nothing was changed.” of a link that sets a password", async ({ server }) => {
    const email = await emailOf(await registerPlaytester(server));
    await visitor(server).submit("/play/forgot", "/play/forgot", { email });
    await server.advance(0);
    const path = mailedPath(server, "reset");
    const token = new URLSearchParams(path.split("?")[1]).get("token")!;
    const use = (given: string) => visitor(server).send("/reset-password", { token, password: given });
    expect((await use("a new password")).html).toContain("Your password was changed and you were signed out of every browser.");
    expect((await use("a third password")).html).toContain("It was used, or a newer one took its place. Nothing was changed.");
    expect(await signInWith(server, email, "a third password")).toBe(null);
    expect(await signInWith(server, email, "a new password")).toBe("/play");
  });

  describe("a checkout", () => {
    it.each([
      { outcomes: ["paid"], status: "completed", says: "The payment is complete.", credit: 2000 },
      { outcomes: ["declined"], status: "failed", says: "Nothing was charged. This checkout has ended.", credit: 0 },
      { outcomes: ["cancelled"], status: "cancelled", says: "It was cancelled or it expired. Nothing was charged.", credit: 0 },
      { outcomes: ["paid", "disputed"], status: "disputed", says: "The cardholder&#39;s bank reversed this payment.", credit: 0 },
    ])("$status: “$says”", async ({ outcomes, status, says, credit }) => {
      const till = await openTill(await serve());
      const { checkoutUrl, paymentId } = await till.buy(2000);
      for (const outcome of outcomes) expect((await till.complete(paymentId, outcome)).status).toBe(200);
      expect(await (await fetch(checkoutUrl)).text()).toContain(says);
      expect([(await till.payment(paymentId)).status, await till.credit()]).toEqual([status, credit]);
      expect((await submit(checkoutUrl, { number: "4242424242424242", expiry: "12/34", cvc: "123" })).status).toBe(303);
      expect(await till.credit()).toBe(credit);
    });
  });

  it("“Nothing was charged. Try again with another card: the payment is still open, and it is charged only once.”", async () => {
    const till = await openTill(await serve());
    const { checkoutUrl, paymentId } = await till.buy(2000);
    const pay = (number: string) => submit(checkoutUrl, { number, expiry: "12/34", cvc: "123" });
    expect(text(await (await pay("4000000000000002")).text())).toContain(
      "Nothing was charged. Try again with another card: the payment is still open, and it is charged only once.",
    );
    expect([(await till.payment(paymentId)).status, await till.credit()]).toEqual(["pending", 0]);
    for (let times = 0; times < 2; times++) await pay("4242424242424242");
    expect([(await till.payment(paymentId)).status, await till.credit()]).toEqual(["completed", 2000]);
  });

  it("“You will not get these emails any more. To change it again, open the link in the email once more.”", async ({
    server,
  }) => {
    const [owner, pim] = [await registerOwner(server), await registerPlaytester(server)];
    await giveCredit(server, owner, 100_000);
    const gameId = await createGame(owner);
    const mails = async () => {
      server.mails.length = 0;
      await play(server, pim, await order(owner, gameId));
      await server.advance(minute);
      const now = server.mails.length;
      await server.advance(day);
      return { now, later: server.mails.length - now, url: server.mails.at(-1)?.unsubscribeUrl };
    };
    const { url } = await mails();
    const path = new URL(url!).pathname + new URL(url!).search;
    const choose = async (mail: string) => {
      const { status, html } = await visitor(server).get(path);
      expect([status, html.includes("Emails about the security of your account are always sent.")]).toEqual([200, true]);
      return (await visitor(server).send(path, { mail })).html;
    };
    const again = "To change it again, open the link in the email once more.";
    for (const [mail, says, now, later] of [
      ["off", "You will not get these emails any more.", 0, 0],
      [
        "digest",
        "One email a day will list what these emails are about. What would come too late in it, such as the reminder of a deadline, is sent at once.",
        0,
        1,
      ],
      ["on", "You will get each of these emails.", 1, 0],
    ] as const) {
      const html = await choose(mail);
      expect([mail, html.includes(says), html.includes(again)]).toEqual([mail, true, true]);
      expect([mail, await mails()]).toMatchObject([mail, { now, later }]);
    }
  });

  it("“This is an operator account. Operators use the command line. You are not signed in.”", async ({ server }) => {
    const pim = await registerPlaytester(server);
    const email = await emailOf(pim);
    await signedIn(server, pim);
    await server.deps.store.write((tx) => tx.run("UPDATE users SET role = 'admin' WHERE id = ?", pim.id));
    const browser = visitor(server);
    const reply = await browser.submit("/play/sign-in", "/play/sign-in/password", { email, password });
    expect(reply.html).toContain("This is an operator account. Operators use the command line. You are not signed in.");
    expect((await browser.get("/play")).location).toContain("/play/sign-in");
  });
});
