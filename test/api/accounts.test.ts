import { expect } from "vitest";
import { mailReset, mailSignIn } from "../../server/accounts/service.ts";
import * as users from "../../server/accounts/users-store.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { registerOwner } from "../helpers/factories.ts";
import { mailedPath, mailedToken } from "../helpers/mails.ts";
import { visitor } from "../helpers/portal.ts";

const account = { email: "Ada@Example.com", password: "correct horse", role: "game_owner" };

onBothDatabases("accounts", (serve, it) => {
  it("register: an email address gets one account and key, whatever its case", async ({ server }) => {
    const reply = await server.request("POST", "/auth/register/api-key", { body: { ...account, companyName: "Lovelace" } });
    expect(reply.status).toBe(201);
    expect(reply.body.data.apiKey).toMatch(/^pt_sk_[0-9a-f]{32}$/);
    expect(reply.body.data.user).toMatchObject({ email: "Ada@Example.com", role: "game_owner", emailVerified: true });
    const me = (await server.request("GET", "/auth/me", { key: reply.body.data.apiKey })).body.data;
    expect(me.profile).toMatchObject({ displayName: "Ada", companyName: "Lovelace", websiteUrl: null });
    const twice = await server.request("POST", "/auth/register", { body: { ...account, email: "ada@example.COM" } });
    expect([twice.status, twice.body.error.code]).toEqual([409, "CONFLICT"]);
  });

  it.each([
    { name: "a short password", body: { ...account, password: "short" }, field: "password" },
    { name: "no address", body: { ...account, email: "ada" }, field: "email" },
    { name: "the admin role", body: { ...account, role: "admin" }, field: "role" },
    { name: "a scope of another role", body: { ...account, scopes: ["playtester"] }, field: "scopes" },
    { name: "an unknown field", body: { ...account, admin: true }, field: "admin" },
  ])("register: $name is refused", async ({ body, field }) => {
    const reply = await (await serve()).request("POST", "/auth/register/api-key", { body });
    expect([reply.status, reply.body.error.details[0].field]).toEqual([422, field]);
  });

  it("verification: the link in the email works once", async () => {
    const server = await serve({ config: (config) => (config.autoVerify = false) });
    const { key } = await registerOwner(server);
    await server.advance(0);
    const token = mailedToken(server, "verify");
    expect((await server.request("GET", `//verify-email?token=${token}`)).text).toContain("Yes, verify");
    expect((await server.request("GET", "/games", { key })).status).toBe(403);
    const press = () =>
      server.request("POST", "//verify-email", {
        body: `token=${token}`,
        headers: { "content-type": "application/x-www-form-urlencoded" },
      });
    expect((await press()).status).toBe(200);
    expect((await server.request("GET", "/games", { key })).status).toBe(200);
    expect((await press()).status).toBe(410);
  });

  it("emails: verification and reset emails go only to accounts that need them, and every reply is the same", async () => {
    const server = await serve({ config: (config) => (config.autoVerify = false) });
    await registerOwner(server);
    const texts = [];
    for (const email of ["game_owner1@example.com", "nobody@example.com"])
      for (const path of ["/auth/resend-verification", "/auth/password-reset"])
        texts.push((await server.request("POST", path, { body: { email } })).body.data.message);
    expect(new Set(texts).size).toBe(1);
    await server.advance(0);
    expect(server.mails.map((mail) => mail.subject)).toEqual([
      "Verify your email address",
      "Verify your email address",
      "Reset your password",
    ]);
  });

  it("emails: an address gets no more than five links of a kind per hour", async ({ server }) => {
    for (const _ of ["one", "another"]) await registerOwner(server);
    const ask = async (number: number) => {
      const reply = await server.request("POST", "/auth/password-reset", { body: { email: `game_owner${number}@example.com` } });
      expect(reply.status).toBe(200);
      await server.advance(0);
      return server.mails.length;
    };
    const sent = [];
    for (let time = 0; time < 7; time++) sent.push(await ask(1));
    expect(sent).toEqual([1, 2, 3, 4, 5, 5, 5]);
    expect(await ask(2)).toBe(6);
    server.clock.set(server.clock.now() + 3_600_001);
    expect(await ask(1)).toBe(7);
  });

  it("emails: who gets five sign-in links gets another as soon as none of them is valid", async ({ server }) => {
    await registerOwner(server);
    const person = visitor(server);
    const ask = async () => {
      await person.submit("/studio/sign-in", "/studio/sign-in/link", { email: "game_owner1@example.com" });
      await server.advance(0);
      return server.mails.length;
    };
    const sent = [];
    for (let time = 0; time < 6; time++) sent.push(await ask());
    expect(sent).toEqual([1, 2, 3, 4, 5, 5]);
    server.clock.set(server.clock.now() + 15 * 60_000);
    expect([await ask(), await ask()]).toEqual([6, 6]);
  });

  it("password reset: the token in the email works once, within an hour", async ({ server }) => {
    await registerOwner(server);
    const ask = async () => {
      await server.request("POST", "/auth/password-reset", { body: { email: "game_owner1@example.com" } });
      await server.advance(0);
      return mailedToken(server, "reset");
    };
    const confirm = (token: string) =>
      server.request("POST", "/auth/password-reset/confirm", { body: { token, newPassword: "another horse" } });
    const login = (password: string) =>
      server.request("POST", "/auth/api-keys", { body: { name: "new", email: "game_owner1@example.com", password } });
    const token = await ask();
    expect((await confirm(token)).status).toBe(200);
    expect((await confirm(token)).status).toBe(422);
    expect([(await login("correct horse")).status, (await login("another horse")).status]).toEqual([401, 201]);
    const late = await ask();
    server.clock.set(server.clock.now() + 3_600_000);
    expect((await confirm(late)).status).toBe(422);
  });

  it("password change: ends every mailed link that would sign in or set a password", async ({ server, owner }) => {
    const tokens = () =>
      server.deps.store.write(async (tx) => {
        const user = (await users.find(tx, owner.id))!;
        await mailReset(tx, user);
        await mailSignIn(tx, user, { page: "/play/sign-in/confirm", next: "/play" });
      });
    const good = () =>
      server.deps.store.read((q) =>
        q.all("SELECT purpose FROM one_time_tokens WHERE user_id = ? AND used_at IS NULL ORDER BY purpose", owner.id),
      );
    await tokens();
    expect(await good()).toEqual([{ purpose: "reset" }, { purpose: "sign-in" }]);
    await owner.changePassword({ body: { currentPassword: "correct horse", newPassword: "another horse" } });
    expect(await good()).toEqual([]);
    await server.advance(0);
    const earlier = server.mails.length;
    await tokens();
    await server.advance(0);
    const mails = server.mails.slice(earlier).map(({ text }) => text);
    const token = /use this token: (\S+)/.exec(mails.join("\n"))![1]!;
    await tokens();
    await server.request("POST", "/auth/password-reset/confirm", { body: { token, newPassword: "third horse" } });
    expect(await good()).toEqual([]);
  });

  it("password reset: the page that the email links to works once", async ({ server }) => {
    await registerOwner(server);
    await server.request("POST", "/auth/password-reset", { body: { email: "game_owner1@example.com" } });
    await server.advance(0);
    const path = mailedPath(server, "reset");
    const token = path.split("=")[1]!;
    expect((await server.request("GET", `/${path}`)).text).toContain("New password");
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const post = (password: string) =>
      server.request("POST", "//reset-password", { body: new URLSearchParams({ token, password }).toString(), headers });
    expect((await post("short")).status).toBe(422);
    const twice = await Promise.all([post("another horse"), post("another horse")]);
    expect(twice.map((reply) => reply.status).sort()).toEqual([200, 410]);
    expect((await server.request("GET", `/${path}`)).status).toBe(410);
    const body = { name: "new", email: "game_owner1@example.com", password: "another horse" };
    expect((await server.request("POST", "/auth/api-keys", { body })).status).toBe(201);
  });

  it("API keys: can be created, listed and revoked, and expire", async ({ server, owner }) => {
    const expiresAt = new Date(server.clock.now() + 60_000).toISOString();
    const made = await owner.createApiKey({ body: { name: "ci", scopes: ["game_owner"], expiresAt } });
    expect(made.key).toMatchObject({ name: "ci", scopes: ["game_owner"], expiresAt, lastUsedAt: null });
    expect(
      (await server.request("POST", "/auth/api-keys", { key: made.apiKey, body: { name: "more", scopes: ["billing"] } })).status,
    ).toBe(422);
    expect((await owner.listApiKeys()).keys.map((key: { name: string }) => key.name)).toEqual(["ci", "Default"]);
    server.clock.set(server.clock.now() + 60_000);
    expect((await server.request("GET", "/auth/me", { key: made.apiKey })).status).toBe(401);
    const other = await owner.createApiKey({ body: { name: "old" } });
    expect((await owner.delete(`/auth/api-keys/${other.key.id}`)).status).toBe(200);
    expect((await server.request("GET", "/auth/me", { key: other.apiKey })).status).toBe(401);
    expect((await owner.delete(`/auth/api-keys/${other.key.id}`)).status).toBe(404);
    expect((await owner.post("/auth/api-keys", { name: "past", expiresAt: "2020-01-01T00:00:00.000Z" })).status).toBe(422);
  });

  it("API keys: a key with an end makes none that lasts longer", async ({ server, owner }) => {
    const at = (seconds: number) => new Date(server.clock.now() + seconds * 1000).toISOString();
    const [expiresAt, sooner, later] = [at(60), at(30), at(61)];
    const { apiKey: key } = await owner.createApiKey({ body: { name: "ci", expiresAt } });
    const make = (body: object) => server.request("POST", "/auth/api-keys", { key, body: { name: "more", ...body } });
    expect((await make({})).body.data.key.expiresAt).toBe(expiresAt);
    expect((await make({ expiresAt: sooner })).body.data.key.expiresAt).toBe(sooner);
    expect((await make({ expiresAt: later })).status).toBe(422);
  });

  it("profile and password: can be changed", async ({ owner }) => {
    expect((await owner.patch("/auth/profile", { displayName: "Ada L.", websiteUrl: "https://ada.example" })).status).toBe(200);
    expect((await owner.getMe()).profile).toMatchObject({
      displayName: "Ada L.",
      websiteUrl: "https://ada.example",
    });
    await owner.updateProfile({ body: { websiteUrl: null } });
    expect((await owner.getMe()).profile!.websiteUrl).toBeNull();
    expect((await owner.post("/auth/change-password", { currentPassword: "wrong", newPassword: "another horse" })).status).toBe(
      422,
    );
    expect(
      (await owner.post("/auth/change-password", { currentPassword: "correct horse", newPassword: "another horse" })).status,
    ).toBe(200);
  });
});
