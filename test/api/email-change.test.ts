import { expect, it } from "vitest";
import { noPassword, unverifiedMs } from "../../server/accounts/service.ts";
import * as users from "../../server/accounts/users-store.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { type Person, registerPlaytester } from "../helpers/factories.ts";
import { mailedToken } from "../helpers/mails.ts";
import { signedIn, visitor } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";

const old = "playtester1@example.com";
const next = "Ann@example.org";
const password = "correct horse";
const withoutPassword = (server: TestServer, { id }: Person) =>
  server.deps.store.write((tx) => users.update(tx, id, { password_hash: noPassword }));

onBothDatabases("a change of the email address", (serve) => {
  async function open() {
    const server = await serve();
    const ann = await registerPlaytester(server, "Ann");
    const ask = async (newEmail = next, given = password) => {
      const reply = await ann.post("/auth/change-email", { newEmail, password: given });
      await server.advance(0);
      return reply;
    };
    const email = async () => (await ann.getMe()).email;
    return { server, ann, ask, email };
  }
  /** The path of the link that was last mailed to an address. */
  function link(server: TestServer, to: string): string {
    const url = new URL(/https?:\/\/\S+\/change-email\S+/.exec(server.mails.findLast((mail) => mail.to === to)!.text)![0]);
    return url.pathname + url.search;
  }
  const press = (server: TestServer, path: string) => visitor(server).submit(path, "/change-email");

  it.each([
    { first: old, second: next },
    { first: next, second: old },
  ])("takes effect when $first and then $second confirmed it, each once", async ({ first, second }) => {
    const { server, ask, email } = await open();
    expect((await ask()).status).toBe(200);
    expect(server.mails.find((mail) => mail.to === next)!.text).toMatch(/^Hello,\n/);
    const [one, two] = [link(server, first), link(server, second)];
    expect((await visitor(server).get(one)).html).toContain(`<strong>${next}</strong>`);
    expect((await press(server, one)).html).toContain("One confirmation is left");
    expect(await email()).toBe(old);
    expect((await visitor(server).get(one)).status).toBe(410);
    const { html } = await press(server, two);
    expect([html.includes("Email address changed"), html.includes('href="/play/sign-in"')]).toEqual([true, true]);
    expect(await email()).toBe(next);
    const made = (address: string) => server.request("POST", "/auth/api-keys", { body: { name: "k", email: address, password } });
    expect([(await made(old)).status, (await made("ann@example.org")).status]).toEqual([401, 201]);
  });

  it("is refused without a password", async () => {
    const { server, ann } = await open();
    const reply = await ann.post("/auth/change-email", { newEmail: next });
    expect([reply.status, reply.body.error.details, server.mails]).toEqual([
      422,
      [{ field: "password", message: "is required" }],
      [],
    ]);
  });

  it("of an account without a password takes a fresh sign-in in a browser, and no password", async () => {
    const { server, ann, email } = await open();
    const browser = await signedIn(server, ann, "/play");
    await withoutPassword(server, ann);
    const change = (fields = {}) => browser.submit("/play/account", "/play/account/email", { newEmail: next, ...fields });
    expect((await browser.get("/play/account")).html).not.toMatch(/name="(emailPassword|current)"/);
    await change();
    await server.advance(0);
    for (const to of [old, next]) await press(server, link(server, to));
    expect(await email()).toBe(next);
    await server.advance(15 * 60_000);
    expect((await change({ newEmail: "other@example.com" })).html).toContain("Sign out and sign in again first");
  });

  it("no password is right for an account that has none, and the error says so", async () => {
    const { server, ann } = await open();
    await withoutPassword(server, ann);
    const [key] = (await ann.listApiKeys()).keys;
    const passwords = { currentPassword: password, newPassword: "battery staple horse" };
    const replies = [
      await ann.post("/auth/change-password", passwords),
      await ann.post(`/auth/api-keys/${key!.id}/rotate`, { password }),
      // An API key alone does not change the address that resets the password.
      await ann.post("/auth/change-email", { newEmail: next }),
      await ann.post("/auth/change-email", { newEmail: next, password }),
    ];
    for (const { status, body } of replies)
      expect([status, body.error.message]).toEqual([422, expect.stringContaining("because the account has no password")]);
  });

  it("ends the links that were mailed to the old address", async () => {
    const { server, ask } = await open();
    await server.request("POST", "/auth/password-reset", { body: { email: old } });
    await server.advance(0);
    const token = mailedToken(server, "reset");
    await ask();
    for (const to of [old, next]) await press(server, link(server, to));
    const reset = await server.request("POST", "/auth/password-reset/confirm", { body: { token, newPassword: "another one" } });
    expect(reset.status).toBe(422);
  });

  it("is refused with a wrong password, the same address and an address that is taken", async () => {
    const { server, ask } = await open();
    await registerPlaytester(server);
    expect((await ask(next, "wrong")).body.error.details[0].field).toBe("password");
    expect((await ask(old.toUpperCase())).body.error.details[0].field).toBe("newEmail");
    expect((await ask("playtester2@example.com")).status).toBe(409);
    expect(server.mails).toEqual([]);
  });

  it("is replaced by a later one, expires after 24 hours, and fails when another account got the address", async () => {
    const { server, ask, email } = await open();
    await ask("first@example.org");
    const first = link(server, old);
    await ask();
    expect((await visitor(server).get(first)).status).toBe(410);
    const second = link(server, old);
    server.clock.set(server.clock.now() + 24 * 3_600_000);
    expect(await visitor(server).get(second)).toMatchObject({
      status: 410,
      html: expect.stringMatching(
        /(It was opened before, or a newer change took its place\.|This link has expired: it worked for 24 hours\.) The email address was not changed\./,
      ),
    });
    await ask();
    const [one, two] = [link(server, old), link(server, next)];
    await press(server, one);
    await server.request("POST", "/auth/register", { body: { email: next, password: "somebody's own", role: "playtester" } });
    expect((await press(server, two)).status).toBe(409);
    expect(await email()).toBe(old);
  });

  it("to the address of an account that nobody verified: takes it from one that can be removed, and is refused for others", async () => {
    const { server, ask, email } = await open();
    server.deps.config.autoVerify = false;
    const { body } = await server.request("POST", "/auth/register", {
      body: { email: next, password: "somebody's own", role: "playtester" },
    });
    const suspend = (at: number | null) =>
      server.deps.store.write((tx) => users.update(tx, body.data.userId, { suspended_at: at }));
    await suspend(1);
    await server.advance(unverifiedMs);
    expect((await ask()).status).toBe(409);
    await suspend(null);
    expect((await ask()).status).toBe(200);
    await suspend(1);
    expect((await press(server, link(server, old))).status).toBe(200);
    const last = link(server, next);
    for (let count = 0; count < 2; count++) {
      const refused = await press(server, last);
      expect([refused.status, refused.html]).toEqual([409, expect.stringContaining("email address already exists")]);
    }
    expect(await email()).toBe(old);
    await suspend(null);
    expect((await press(server, last)).status).toBe(200);
    expect(await email()).toBe(next);
  });

  it("can be requested in the portal", async () => {
    const { server, ann } = await open();
    const browser = await signedIn(server, ann);
    const change = (emailPassword: string) =>
      browser.submit("/play/account", "/play/account/email", { newEmail: next, emailPassword });
    const refused = await change("wrong");
    expect([refused.status, refused.html]).toEqual([422, expect.stringContaining(`value="${next}"`)]);
    expect((await change(password)).location).toBe("/play/account?done=email");
    await server.advance(0);
    expect((await visitor(server).get(link(server, old))).html).toContain(
      "If you did not request this, close this page: without your confirmation the address stays as it is.",
    );
    const pages = [await press(server, link(server, old)), await press(server, link(server, next))].map(({ html }) => html);
    expect(pages[0]).toContain("Until then the address stays as it is.");
    expect(pages[1]).toContain("Use it when you sign in.");
    expect((await browser.get("/play/account")).html).toContain(next);
    const signIn = async (email: string) =>
      (await visitor(server).submit("/play/sign-in", "/play/sign-in/password", { email, password })).status;
    expect([await signIn(old), await signIn(next)]).toEqual([401, 303]);
  });
});
