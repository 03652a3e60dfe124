import { expect } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import { personWith, registerPlaytester } from "../helpers/factories.ts";
import { lastMail, mailedPath, mailedToken, subjects } from "../helpers/mails.ts";
import { visitor } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";

const day = 86_400_000;
const victim = "victim@example.com";
const unverified = {
  config: (config: { autoVerify: boolean }) => {
    config.autoVerify = false;
  },
};

onBothDatabases("an account that somebody else registered with a person's address", (serve, it) => {
  /** What a stranger gets: a key, and a password that makes more keys. */
  async function hijack(server: TestServer, role: "game_owner" | "playtester") {
    const body = { email: victim, password: "stranger's password", role, name: "Click https://evil.example" };
    const headers = { "user-agent": "Stranger/1.0" };
    const { apiKey, user } = (await server.request("POST", "/auth/register/api-key", { body, headers })).body.data;
    const more = { name: "more", email: victim, password: body.password };
    const second = (await server.request("POST", "/auth/api-keys", { body: more })).body.data.apiKey as string;
    await server.advance(0);
    return { keys: [apiKey as string, second], userId: user.id as string, makeKey: more };
  }

  const works = async (server: TestServer, { keys, makeKey }: Awaited<ReturnType<typeof hijack>>) => ({
    keys: await Promise.all(keys.map(async (key) => (await server.request("GET", "/auth/me", { key })).status)),
    password: (await server.request("POST", "/auth/api-keys", { body: makeKey })).status,
  });
  const nothing = { keys: [401, 401], password: 401 };

  it("has none of the stranger's keys and passwords after a sign-in link", async () => {
    const server = await serve(unverified);
    const stranger = await hijack(server, "playtester");
    const person = visitor(server);
    await person.submit("/play/sign-in", "/play/sign-in/link", { email: victim });
    await server.advance(0);
    const signedIn = await person.submit(mailedPath(server, "signIn"), "/play/sign-in/confirm");
    expect(signedIn.location).toBe("/play/account?done=verified");
    expect((await person.get(signedIn.location!)).html).toContain("The password and API keys it had before no longer work.");
    expect(await works(server, stranger)).toEqual(nothing);
  });

  it.each(["the page", "the API"])("has none of the stranger's keys and passwords after a password reset by %s", async (by) => {
    const server = await serve(unverified);
    const stranger = await hijack(server, "game_owner");
    await server.request("POST", "/auth/password-reset", { body: { email: victim } });
    await server.advance(0);
    const password = "the victim's own password";
    const token = mailedToken(server, "reset");
    if (by === "the page") {
      const person = visitor(server);
      expect((await person.submit(mailedPath(server, "reset"), "/reset-password", { password })).html).toContain(
        "The API keys that the account had before no longer work.",
      );
    } else await server.request("POST", "/auth/password-reset/confirm", { body: { token, newPassword: password } });
    expect(await works(server, stranger)).toEqual(nothing);
    const mine = await server.request("POST", "/auth/api-keys", { body: { name: "mine", email: victim, password } });
    expect((await server.request("GET", "/games", { key: mine.body.data.apiKey })).status).toBe(200);
  });

  it("shows when and from where it was created before it is verified, and no word of the stranger's", async () => {
    const server = await serve(unverified);
    await hijack(server, "game_owner");
    const { text, html } = lastMail(server, subjects.verify);
    expect([text, html].join()).not.toMatch(/evil|Click/);
    const page = await visitor(server).get(mailedPath(server, "verify"));
    expect(page.html).toContain("Mar 1, 2026, 12:00 UTC");
    expect(page.html).toContain("127.0.0.1");
    expect(page.html).toContain("Stranger/1.0");
    expect(page.html).toContain("Yes, verify");
    expect(page.html).not.toMatch(/evil|Click/);
  });

  it("is deleted by who owns the address", async () => {
    const server = await serve(unverified);
    const stranger = await hijack(server, "game_owner");
    const person = visitor(server);
    const path = mailedPath(server, "verify");
    const reply = await person.submit(path, "/verify-email", { action: "delete" });
    expect([reply.status, reply.html]).toEqual([200, expect.stringContaining("The account was deleted")]);
    expect(await works(server, stranger)).toEqual(nothing);
    expect((await person.get(path)).status).toBe(410);
    const body = { email: victim, password: "the victim's own password", role: "playtester" };
    expect((await server.request("POST", "/auth/register", { body })).status).toBe(201);
  });

  it("no link deletes an account that is verified", async () => {
    const server = await serve(unverified);
    const { userId } = await hijack(server, "game_owner");
    const path = mailedPath(server, "verify");
    const again = { body: { email: victim } };
    await server.request("POST", "/auth/resend-verification", again);
    await server.advance(0);
    const other = mailedPath(server, "verify");
    await visitor(server).submit(path, "/verify-email", { action: "verify" });
    const used = await visitor(server).get(path);
    expect(used).toMatchObject({ status: 410, html: expect.stringContaining("is verified") });
    expect(used.html).toContain("/studio/sign-in");
    const token = new URLSearchParams(other.split("?")[1]).get("token")!;
    expect((await visitor(server).send("/verify-email", { token, action: "delete" })).status).toBe(410);
    const rows = await server.deps.store.read((q) =>
      q.all("SELECT id, created_from, created_with FROM users WHERE id = ?", userId),
    );
    expect(rows).toEqual([{ id: userId, created_from: null, created_with: null }]);
  });

  it("expires after 7 days, and its address can be registered again even before the job ran", async () => {
    const server = await serve({
      config: (config) => {
        config.autoVerify = false;
        config.sandbox = false;
      },
    });
    const { userId } = await hijack(server, "game_owner");
    const verified = await registerPlaytester(server);
    await server.deps.store.write((tx) => tx.run("UPDATE users SET email_verified_at = 1 WHERE id = ?", verified.id));
    const known = () =>
      server.deps.store.read((q) => q.all("SELECT id FROM users WHERE role <> 'admin' ORDER BY created_at, id"));
    const body = { email: victim, password: "the victim's own password", role: "playtester" };
    expect((await server.request("POST", "/auth/register", { body })).status).toBe(409);
    server.clock.set(server.clock.now() + 7 * day);
    const taken = await server.request("POST", "/auth/register", { body });
    expect(taken.status).toBe(201);
    expect(await known()).toEqual([{ id: verified.id }, { id: taken.body.data.userId }]);
    await server.advance(7 * day);
    expect(await known()).toEqual([{ id: verified.id }]);
    expect(userId).not.toBe(taken.body.data.userId);
  });

  it("a key that is made with a password while that password changes is not made", async ({ server }) => {
    const ann = await registerPlaytester(server);
    const { passwords } = server.deps;
    const { verify } = passwords;
    // Between the check of the password and the new key, the password changes.
    passwords.verify = async (...args) => {
      const good = await verify(...args);
      await server.deps.store.write((tx) => tx.run("UPDATE users SET password_hash = 'other' WHERE id = ?", ann.id));
      return good;
    };
    const body = { name: "late", email: "playtester1@example.com", password: "correct horse" };
    expect((await server.request("POST", "/auth/api-keys", { body })).status).toBe(401);
  });
});

onBothDatabases("a password that is guessed first", (_serve, it) => {
  it("is refused wherever a password is set, and nothing is changed", async ({ server }) => {
    const ann = await registerPlaytester(server);
    const own = "playtester1@example.com";
    const common = ["password", "Sunshine", "12345678"];
    const refused = async (path: string, body: object, key?: string) => {
      const { status, body: reply } = await server.request("POST", path, { body, ...(key && { key }) });
      return [status, reply.error?.details?.[0]?.field];
    };
    for (const password of [...common, "new-one@example.com", "new-one"])
      for (const path of ["/auth/register", "/auth/register/api-key"]) {
        const body = { email: "New-One@example.com", password, role: "playtester" };
        expect([password, ...(await refused(path, body))]).toEqual([password, 422, "password"]);
      }
    const change = { currentPassword: "correct horse", newPassword: "password" };
    expect(await refused("/auth/change-password", change, ann.key)).toEqual([422, "newPassword"]);
    await server.request("POST", "/auth/password-reset", { body: { email: own } });
    await server.advance(0);
    const path = mailedPath(server, "reset");
    const token = new URLSearchParams(path.split("?")[1]).get("token")!;
    expect(await refused("/auth/password-reset/confirm", { token, newPassword: own })).toEqual([422, "newPassword"]);
    const page = await visitor(server).submit(path, "/reset-password", { password: "password" });
    expect([page.status, page.html]).toEqual([422, expect.stringContaining("most common passwords")]);
    const portal = await visitor(server).submit("/play/register", "/play/register", {
      email: "b@example.com",
      password: "password",
    });
    expect([portal.status, portal.html]).toEqual([422, expect.stringContaining("most common passwords")]);
    const made = { name: "still", email: own, password: "correct horse" };
    expect((await server.request("POST", "/auth/api-keys", { body: made })).status).toBe(201);
  });
});

onBothDatabases("a password reset of a verified account", (_serve, it) => {
  it.for([
    { revokeApiKeys: true, status: 401 },
    { revokeApiKeys: false, status: 200 },
  ])(
    "by the page and the API with revokeApiKeys $revokeApiKeys: keys then answer $status",
    async ({ revokeApiKeys, status }, { server }) => {
      const ann = await registerPlaytester(server);
      const ask = async () => {
        // Sends the mails queued so far, so that the mail with the token is the last one.
        await server.advance(0);
        await server.request("POST", "/auth/password-reset", { body: { email: "playtester1@example.com" } });
        await server.advance(0);
      };
      await ask();
      const fields = { password: "a new password", ...(revokeApiKeys && { keys: "revoke" }) };
      const page = await visitor(server).submit(mailedPath(server, "reset"), "/reset-password", fields);
      expect(page.html).toContain(revokeApiKeys ? "All API keys were revoked." : "API keys still work.");
      expect((await ann.get("/auth/me")).status).toBe(status);
      const made = { name: "new", email: "playtester1@example.com", password: "a new password" };
      const { apiKey } = (await server.request("POST", "/auth/api-keys", { body: made })).body.data;
      await ask();
      const token = mailedToken(server, "reset");
      const body = { token, newPassword: "another password", revokeApiKeys };
      expect((await server.request("POST", "/auth/password-reset/confirm", { body })).status).toBe(200);
      expect((await personWith(server, apiKey, ann.id).get("/auth/me")).status).toBe(status);
    },
  );
});
