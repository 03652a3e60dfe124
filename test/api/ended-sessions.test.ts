import { describe, expect, it } from "vitest";
import * as users from "../../server/accounts/users-store.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { claim, createGame, giveCredit, order, type Person, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { setUpFactor } from "../helpers/factors.ts";
import { mailedPath } from "../helpers/mails.ts";
import { hiddenFields, signedIn, type Visitor, visitor } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";

const password = "correct horse";
const hour = 3_600_000;
const emailOf = async (who: Person) => (await who.getMe()).email;

/** Posts as a page of the site does, which browsers say in a header. */
const post = async (server: TestServer, browser: Visitor, path: string, fields: Record<string, string>, site = "same-origin") => {
  const reply = await fetch(server.baseUrl + path, {
    method: "POST",
    redirect: "manual",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "sec-fetch-site": site,
      cookie: browser.cookie(),
    },
    body: new URLSearchParams(fields).toString(),
  });
  for (const line of reply.headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
    browser.cookies.set(name!, value!);
  }
  return { status: reply.status, location: reply.headers.get("location"), html: await reply.text() };
};

onBothDatabases("a session that ended", (serve) => {
  async function held() {
    const server = await serve();
    const owner = await registerOwner(server);
    await giveCredit(server, owner, 10_000);
    const ann = await registerPlaytester(server, "Ann");
    const slotId = await claim(ann, await order(owner, await createGame(owner)));
    const browser = await signedIn(server, ann);
    const page = `/play/slots/${slotId}`;
    const fields = hiddenFields((await browser.get(page)).html, `${page}/report`);
    return { server, ann, browser, page, fields: { ...fields, reason: "crash", problem: "At the second door.\nEvery time." } };
  }

  it("in a form: says so, keeps what was typed, and sends it after signing in again, once", async () => {
    const { server, ann, browser, page, fields } = await held();
    await ann.post("/auth/sign-out-everywhere");
    const ended = await post(server, browser, `${page}/report`, fields);
    expect([ended.status, ended.html]).toEqual([401, expect.stringContaining("You were signed out before this was sent.")]);
    expect(ended.html).toContain("At the second door.\nEvery time.</p>");
    const at = "/play/sign-in/password";
    const wrong = await post(server, browser, at, { ...hiddenFields(ended.html, at), email: await emailOf(ann), password: "no" });
    expect([wrong.status, wrong.html]).toEqual([401, expect.stringContaining("At the second door.")]);
    const again = await post(server, browser, at, { ...hiddenFields(wrong.html, at), email: await emailOf(ann), password });
    expect([again.status, again.html]).toEqual([200, expect.stringContaining("You are signed in again")]);
    expect((await ann.get(page.replace("/play", "/playtester"))).body.data.slot.status).toBe("reserved");
    const sent = hiddenFields(again.html, `${page}/report`);
    expect((await post(server, browser, `${page}/report`, sent)).location).toBe(`${page}?done=reported`);
    const { slot } = (await ann.get(page.replace("/play", "/playtester"))).body.data;
    expect([slot.status, slot.blockedReport.notes]).toEqual(["blocked", "At the second door.\nEvery time."]);
  });

  it("in a form of an account with a second factor: what was typed is still there after a wrong and a right code", async () => {
    const { server, ann, browser, page, fields } = await held();
    const { code } = await setUpFactor(server, ann, password);
    await ann.post("/auth/sign-out-everywhere");
    const ended = await post(server, browser, `${page}/report`, fields);
    const [byPassword, byCode] = ["/play/sign-in/password", "/play/sign-in/code"];
    const signIn = { ...hiddenFields(ended.html, byPassword), email: await emailOf(ann), password };
    const asked = await post(server, browser, byPassword, signIn);
    expect([asked.status, asked.html]).toEqual([200, expect.stringContaining("Enter your code")]);
    const wrong = await post(server, browser, byCode, { ...hiddenFields(asked.html, byCode), code: "000000" });
    expect([wrong.status, wrong.html]).toEqual([422, expect.stringContaining("At the second door.\nEvery time.</p>")]);
    await server.advance(60_000);
    const again = await post(server, browser, byCode, { ...hiddenFields(wrong.html, byCode), code: code() });
    expect([again.status, again.html]).toEqual([200, expect.stringContaining("You are signed in again")]);
    const sent = hiddenFields(again.html, `${page}/report`);
    expect((await post(server, browser, `${page}/report`, sent)).location).toBe(`${page}?done=reported`);
    const { slot } = (await ann.get(page.replace("/play", "/playtester"))).body.data;
    expect(slot.blockedReport.notes).toBe("At the second door.\nEvery time.");
  });

  it("in a form of a page with a query: what was typed is sent there, and the page keeps its query", async () => {
    const server = await serve();
    const owner = await registerOwner(server);
    const browser = await signedIn(server, owner, "/studio");
    await owner.post("/auth/sign-out-everywhere");
    const page = `/studio/games/${await createGame(owner)}/findings`;
    const move = `${page}/move?status=open`;
    const ended = await post(server, browser, move, { finding: "x", status: "fixed" });
    const at = "/studio/sign-in/password";
    const signIn = hiddenFields(ended.html, at);
    expect([signIn.next, JSON.parse(signIn.kept!).action]).toEqual([`${page}?status=open`, move]);
    const again = await post(server, browser, at, { ...signIn, email: await emailOf(owner), password });
    expect(hiddenFields(again.html, move)).toMatchObject({ finding: "x", status: "fixed" });
  });

  it("in a form of another site: nothing waits for the one who signs in", async () => {
    const { server, ann, browser, page, fields } = await held();
    await ann.post("/auth/sign-out-everywhere");
    for (const site of ["same-site", "none"]) {
      const reply = await post(server, browser, `${page}/report`, fields, site);
      const next = encodeURIComponent(page);
      expect([site, reply.status, reply.location]).toEqual([site, 303, `/play/sign-in?next=${next}&done=ended`]);
      expect(reply.html).not.toContain("second door");
    }
  });

  it("what is kept never is a password, and leads nowhere else", async () => {
    const { server, ann, browser } = await held();
    const fields = hiddenFields((await browser.get("/play/account")).html, "/play/account/email");
    await ann.post("/auth/sign-out-everywhere");
    const typed = { ...fields, newEmail: "new@example.com", emailPassword: "correct horse battery" };
    const ended = await post(server, browser, "/play/account/email", typed);
    expect(ended.html).toContain("new@example.com");
    expect(ended.html).not.toContain("correct horse battery");
    const at = "/play/sign-in/password";
    const kept = JSON.stringify({ action: "https://example.com/", fields: { text: "x" } });
    const signIn = { ...hiddenFields(ended.html, at), kept, email: await emailOf(ann), password };
    expect((await post(server, browser, at, signIn)).location).toBe("/play/account");
  });

  it("on a page: says so at the sign-in, and returns to the page", async () => {
    const { server, ann, browser, page } = await held();
    await ann.post("/auth/sign-out-everywhere");
    const { location } = await browser.get(page);
    expect(location).toBe(`/play/sign-in?next=${encodeURIComponent(page)}&done=ended`);
    expect((await browser.get(location!)).html).toContain("Your session ended. Sign in to go on.");
    const reply = await browser.submit(location!, "/play/sign-in/password", { email: await emailOf(ann), password });
    expect(reply.location).toBe(page);
    expect((await visitor(server).get(page)).location).not.toContain("done=ended");
  });
});

onBothDatabases("mailed links that do nothing any more", (serve) => {
  async function unverified(role: "game_owner" | "playtester" = "playtester") {
    const server = await serve({ config: (config) => Object.assign(config, { autoVerify: false }) });
    const body = { email: "new@example.com", password, role };
    await server.request("POST", "/auth/register", { body });
    await server.advance(0);
    return { server, path: mailedPath(server, "verify"), browser: visitor(server) };
  }

  it("verification: leads to the right sign-in with the address, says when it was used, and names the site", async () => {
    const { browser, path } = await unverified("game_owner");
    const done = await browser.submit(path, "/verify-email", { action: "verify" });
    expect(done.html).toContain('href="/studio/sign-in?email=new%40example.com"');
    expect((await browser.get("/studio/sign-in?email=new%40example.com")).html).toContain('value="new@example.com"');
    const used = await browser.get(path);
    expect([used.status, used.html]).toEqual([410, expect.stringContaining("Your email address is verified already.")]);
    expect(used.html).toContain('<a class="brand" href="/">');
    expect(used.html).toContain('<a class="button" href="/studio/sign-in">');
  });

  it("verification: one that expired sends a new link from the page, as does the page without a link", async () => {
    const { browser, path, server } = await unverified();
    await server.advance(24 * hour + 1);
    const expired = await browser.get(path);
    expect([expired.status, expired.html]).toEqual([
      410,
      expect.stringContaining("This link has expired: it worked for 24 hours."),
    ]);
    const again = await browser.send("/verify-email", { action: "again", email: " New@example.com" });
    expect((await browser.get(again.location!)).html).toContain("If an account with that address waits to be verified");
    await server.advance(0);
    const fresh = mailedPath(server, "verify");
    expect(fresh).not.toBe(path);
    expect((await browser.submit(fresh, "/verify-email", { action: "verify" })).html).toContain("Email address verified");
    expect((await browser.get("/verify-email")).html).toContain("Send a new link");
    const mails = server.mails.length;
    await browser.send("/verify-email", { action: "again", email: "nobody@example.com" });
    await browser.send("/verify-email", { action: "again", email: "new@example.com" });
    await server.advance(0);
    expect(server.mails).toHaveLength(mails);
  });

  it.each(["/verify-email", "/change-email", "/reset-password", "/play/sign-in/confirm", "/studio/sign-in/confirm"])(
    "%s: a token that nobody was mailed is said to be unknown, with a way home",
    async (path) => {
      const { browser } = await unverified();
      const { status, html } = await browser.get(`${path}?token=x`);
      expect([status, html]).toEqual([410, expect.stringContaining("This link is not known here.")]);
      expect(html).toContain('<a class="brand" href="/');
    },
  );

  describe("of an account", () => {
    async function account() {
      const server = await serve();
      const owner = await registerOwner(server);
      return { server, owner, email: await emailOf(owner), browser: visitor(server) };
    }

    it("sign-in: used and expired each have their sentence before the click", async () => {
      const { server, email, browser } = await account();
      const ask = () => browser.submit("/studio/sign-in", "/studio/sign-in/link", { email });
      await ask();
      await server.advance(0);
      const path = mailedPath(server, "signIn");
      expect((await visitor(server).submit(path, "/studio/sign-in/confirm")).status).toBe(303);
      expect((await browser.get(path)).html).toContain("This link was used already.");
      await ask();
      await server.advance(0);
      const second = mailedPath(server, "signIn");
      await server.advance(hour);
      const expired = await browser.get(second);
      expect([expired.status, expired.html]).toEqual([410, expect.stringContaining("This link has expired.")]);
      expect(expired.html).toContain('<a class="button" href="/studio/sign-in">Get a new link</a>');
    });

    it("reset: leads the owner to Studio's form for a new link", async () => {
      const { server, email, browser } = await account();
      await browser.submit("/studio/forgot", "/studio/forgot", { email });
      await server.advance(0);
      const path = mailedPath(server, "reset");
      await server.advance(hour + 1);
      const { html } = await browser.get(path);
      expect(html).toContain("This link has expired: it worked for one hour.");
      expect(html).toContain('<a class="button" href="/studio/forgot">Send a new link</a>');
    });

    it("a change of the address: leads the owner to the account", async () => {
      const { server, owner, browser } = await account();
      await owner.post("/auth/change-email", { newEmail: "new@example.com", password });
      await server.advance(0);
      const path = mailedPath(server, "change");
      await server.advance(25 * hour);
      const { html } = await browser.get(path);
      expect(html).toContain("The email address was not changed.");
      expect(html).toContain('href="/studio/account"');
    });

    it("a suspended account gets no new verification", async () => {
      const { server, owner, email, browser } = await account();
      await server.deps.store.write((tx) => users.update(tx, owner.id, { email_verified_at: null, suspended_at: 1 }));
      await browser.send("/verify-email", { action: "again", email });
      await server.advance(0);
      expect(server.mails).toEqual([]);
    });
  });
});
