import { expect, it } from "vitest";
import { type Endpoint, roleScopes } from "../../src/contract/endpoint.ts";
import { contract } from "../../src/contract/index.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { firstAdmin, type Person, personWith, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { mailedToken } from "../helpers/mails.ts";
import type { TestServer } from "../helpers/server.ts";

const limited = ["approve", "money", "accounts"] as const;

/** Operations of admins, each with the scopes that allow it. */
const adminOperations = Object.entries<Endpoint>(contract).flatMap(([name, { access, method, path }]) => {
  const allowed = typeof access === "string" ? [] : "anyOf" in access ? access.anyOf : access;
  return allowed.some((scope) => (roleScopes.admin as readonly string[]).includes(scope))
    ? [{ name, allowed, method, path }]
    : [];
});

onBothDatabases("administrators", (serve) => {
  async function open() {
    const server = await serve();
    const first = await firstAdmin(server);
    return { server, first };
  }
  async function add(server: TestServer, by: Person, name: string, scopes: readonly string[]): Promise<Person> {
    const reply = await by.post("/admin/admins", { name, scopes });
    expect([reply.status, reply.text]).toEqual([201, expect.any(String)]);
    return personWith(server, reply.body.data.apiKey, reply.body.data.admin.id);
  }

  it("each operation is allowed to admins with one of its scopes, to full ones, and to no other", async () => {
    const { server, first } = await open();
    const people = new Map(
      await Promise.all(limited.map(async (scope) => [scope, await add(server, first, scope, [scope])] as const)),
    );
    const full = await add(server, first, "full", ["admin"]);
    const unknown = "0190a000-0000-7000-8000-000000000000";
    for (const { name, allowed, method, path } of adminOperations) {
      const at = path.replace(":id", unknown);
      const send = async (person: Person) =>
        (
          await server.request(method, at, {
            key: person.key,
            body: method === "GET" || method === "DELETE" ? undefined : { bad: 1 },
          })
        ).status;
      for (const scope of limited)
        expect([name, scope, (await send(people.get(scope)!)) !== 403]).toEqual([name, scope, allowed.includes(scope)]);
      expect([name, (await send(full)) !== 403, (await send(first)) !== 403]).toEqual([name, true, true]);
    }
  });

  it("with an email address: emails go there once its link was used, and its password gives no more scopes", async () => {
    const { server, first } = await open();
    await registerOwner(server);
    const body = { name: "Ada", scopes: ["approve"], email: "ada@example.com" };
    const taken = await first.post("/admin/admins", { ...body, email: "game_owner1@example.com" });
    expect([taken.status, (await first.listAdmins()).admins]).toEqual([409, [expect.anything()]]);
    const { admin, apiKey } = (await first.post("/admin/admins", body)).body.data;
    const ada = personWith(server, apiKey, admin.id);
    const address = async (person: Person) => (await person.listNotificationSettings()).address;
    expect([await address(first), await address(ada)]).toEqual([null, null]);
    await server.request("POST", "/auth/password-reset", { body: { email: body.email } });
    await server.advance(0);
    expect(server.mails.map(({ to, subject }) => `${to}: ${subject}`)).toEqual([
      "ada@example.com: Confirm your address as an operator of playtest",
    ]);
    const confirm = async () => {
      const fields = new URLSearchParams({ token: /token=(\S+)/.exec(server.mails[0]!.text)![1]! });
      return (await fetch(`${server.baseUrl}/change-email`, { method: "POST", body: fields })).status;
    };
    expect([await confirm(), await confirm(), await address(ada)]).toEqual([200, 410, body.email]);
    await server.request("POST", "/auth/password-reset", { body: { email: body.email } });
    await server.advance(0);
    const token = mailedToken(server, "reset");
    await server.request("POST", "/auth/password-reset/confirm", { body: { token, newPassword: "ada's own password" } });
    const login = { name: "login", email: body.email, password: "ada's own password" };
    const more = await server.request("POST", "/auth/api-keys", { body: { ...login, scopes: ["admin"] } });
    const own = await server.request("POST", "/auth/api-keys", { body: login });
    expect([more.status, own.body.data.key.scopes]).toEqual([422, ["approve"]]);
  });

  it("the first administrator names an address: without a password, with the newest link, and once", async () => {
    const { server, first } = await open();
    await registerOwner(server);
    const name = (newEmail: string, password?: string) => first.post("/auth/change-email", { newEmail, password });
    const address = async () => (await first.listNotificationSettings()).address;
    expect((await name("game_owner1@example.com")).status).toBe(409);
    const asked = [await name("wrong@example.com"), await name("op@example.com")];
    expect(asked.map(({ status }) => status)).toEqual([200, 200]);
    await server.advance(0);
    expect([server.mails.map(({ to }) => to), await address()]).toEqual([["wrong@example.com", "op@example.com"], null]);
    const confirm = async (mail: { text: string }) => {
      const fields = new URLSearchParams({ token: /token=(\S+)/.exec(mail.text)![1]! });
      return (await fetch(`${server.baseUrl}/change-email`, { method: "POST", body: fields })).status;
    };
    const used: number[] = [];
    for (const mail of server.mails) used.push(await confirm(mail));
    expect([used, await address()]).toEqual([[410, 200], "op@example.com"]);
    // From now on it is a change like any other: with the password, and with a link to both addresses.
    const refused = [await name("other@example.com"), await name("other@example.com", "guess")];
    expect(refused.map(({ status, body }) => [status, body.error.details])).toEqual([
      [
        422,
        [
          {
            field: "password",
            message: "cannot be checked, because the account has no password. Nothing was changed. Set one by a reset first",
          },
        ],
      ],
      [
        422,
        [
          {
            field: "password",
            message: "cannot be checked, because the account has no password. Nothing was changed. Set one by a reset first",
          },
        ],
      ],
    ]);
  });

  it("an administrator who set a password first names an address with it, by one link", async () => {
    const { server, first } = await open();
    // A sandbox would only show the email.
    server.deps.config.sandbox = false;
    await server.request("POST", "/auth/password-reset", { body: { email: "admin@playtest.invalid" } });
    await server.advance(0);
    const reset = { token: mailedToken(server, "reset"), newPassword: "the first password" };
    await server.request("POST", "/auth/password-reset/confirm", { body: reset });
    const name = (password?: string) => first.post("/auth/change-email", { newEmail: "op@example.com", password });
    const statuses = [(await name()).status, (await name("guess")).status, (await name(reset.newPassword)).status];
    await server.advance(0);
    const links = server.mails.filter(({ text }) => text.includes("/change-email")).map(({ to }) => to);
    expect([statuses, links]).toEqual([[422, 422, 200], ["op@example.com"]]);
  });

  it("an administrator without the full scope names no address", async () => {
    const { server, first } = await open();
    const ada = await add(server, first, "Ada", ["approve"]);
    expect((await ada.post("/auth/change-email", { newEmail: "ada@example.com" })).status).toBe(403);
  });

  it("a link to a first address ends after 24 hours", async () => {
    const { server, first } = await open();
    await first.createAdmin({ body: { name: "Ada", scopes: ["approve"], email: "ada@example.com" } });
    await server.advance(24 * 3_600_000);
    const fields = new URLSearchParams({ token: /token=(\S+)/.exec(server.mails[0]!.text)![1]! });
    expect((await fetch(`${server.baseUrl}/change-email`, { method: "POST", body: fields })).status).toBe(410);
  });

  it("every operation of admins but those on admins, the audit log, failed jobs and video platforms needs less than the full scope", () => {
    const full = adminOperations
      .filter(({ allowed }) => !limited.some((scope) => allowed.includes(scope)))
      .map(({ name }) => name);
    expect(full.sort()).toEqual([
      ...["connectPublisher", "createAdmin", "disconnectPublisher", "listAdmins", "listAudit", "listFailedJobs"],
      ...["listPublishers", "retryJob", "revokeAdmin", "startPublisherSignIn"],
    ]);
  });

  it("a key that was made before there were several scopes keeps all of them", async () => {
    const { server, first } = await open();
    await server.deps.store.write((tx) => tx.run("UPDATE api_keys SET scopes = '[\"admin\"]' WHERE user_id = ?", first.id));
    const { key } = await first.createApiKey({ body: { name: "Payouts", scopes: ["money"] } });
    expect(key.scopes).toEqual(["money"]);
    expect((await first.getMe()).scopes).toEqual([...roleScopes.admin]);
    expect((await first.get("/admin/payouts")).status).toBe(200);
  });

  it("an admin's keys never exceed the scopes of the account", async () => {
    const { server, first } = await open();
    const ada = await add(server, first, "Ada", ["money"]);
    expect((await ada.post("/auth/api-keys", { name: "More", scopes: ["admin"] })).status).toBe(403);
    await server.deps.store.write((tx) => tx.run("UPDATE api_keys SET scopes = '[\"admin\"]' WHERE user_id = ?", ada.id));
    expect((await ada.get("/admin/approvals")).status).toBe(403);
    expect((await ada.get("/admin/payouts")).status).toBe(200);
  });

  it("an admin for accounts cannot change the accounts of admins", async () => {
    const { server, first } = await open();
    const ada = await add(server, first, "Ada", ["accounts"]);
    const owner = await registerOwner(server);
    for (const verb of ["suspend", "unsuspend", "verify"]) {
      expect((await ada.post(`/admin/users/${first.id}/${verb}`)).status).toBe(403);
      expect((await ada.post(`/admin/users/${owner.id}/${verb}`)).status).toBe(200);
    }
    expect((await first.get("/admin/stats")).status).toBe(200);
  });

  it("a suspended admin can do nothing, with no key, session or password, and nobody but a full admin ends that", async () => {
    const { server, first } = await open();
    const ada = await add(server, first, "Ada", ["admin"]);
    const accounts = await add(server, first, "Bob", ["accounts"]);
    const { apiKey, key: made } = await ada.createApiKey({ body: { name: "Second" } });
    const second = personWith(server, apiKey, ada.id);
    expect((await first.suspendUser({ params: { id: ada.id } })).user.suspendedAt).not.toBeNull();
    const unknown = "0190a000-0000-7000-8000-000000000000";
    for (const [name, { access, method, path }] of Object.entries<Endpoint>(contract)) {
      if (access === "none") continue;
      for (const { key } of [ada, second]) {
        const body = method === "GET" || method === "DELETE" ? undefined : {};
        const { status } = await server.request(method, path.replaceAll(/:\w+/g, unknown), { key, body });
        expect([name, status]).toEqual([name, 403]);
      }
    }
    expect((await ada.delete(`/auth/api-keys/${made.id}`)).status).toBe(403);
    expect((await ada.post(`/admin/users/${ada.id}/unsuspend`)).status).toBe(403);
    expect((await accounts.post(`/admin/users/${ada.id}/unsuspend`)).status).toBe(403);
    expect((await first.post(`/admin/users/${ada.id}/unsuspend`)).status).toBe(200);
    expect((await ada.get("/admin/stats")).status).toBe(200);
  });

  it("a revoked admin has no key that works; nobody revokes themselves or somebody who is no admin", async () => {
    const { server, first } = await open();
    const ada = await add(server, first, "Ada", ["admin"]);
    const tester = await registerPlaytester(server);
    expect((await ada.delete(`/admin/admins/${ada.id}`)).status).toBe(409);
    expect((await ada.delete(`/admin/admins/${tester.id}`)).status).toBe(404);
    const revoked = await first.revokeAdmin({ params: { id: ada.id } });
    expect(revoked.admin).toMatchObject({ id: ada.id, name: "Ada", suspendedAt: "2026-03-01T12:00:00.000Z" });
    expect((await ada.get("/admin/stats")).status).toBe(401);
    const { admins } = await first.listAdmins();
    expect(admins.map(({ id, scopes }: { id: string; scopes: string[] }) => [id, scopes.length])).toEqual([
      [ada.id, 4],
      [first.id, 4],
    ]);
  });

  it.each([
    { name: "a key", change: "UPDATE api_keys SET created_at = created_at WHERE user_id = ?", status: 200 },
    { name: "a key that has expired", change: "UPDATE api_keys SET expires_at = 1 WHERE user_id = ?", status: 409 },
    { name: "a revoked key", change: "UPDATE api_keys SET revoked_at = 1 WHERE user_id = ?", status: 409 },
    { name: "a key of fewer scopes", change: `UPDATE api_keys SET scopes = '["approve"]' WHERE user_id = ?`, status: 409 },
    { name: "a key that only reads", change: "UPDATE api_keys SET read_only = 1 WHERE user_id = ?", status: 409 },
  ])("deletes the own account while another has every scope and $name: $status", async ({ change, status }) => {
    const { server, first } = await open();
    const ada = await add(server, first, "Ada", ["admin"]);
    const tester = await registerPlaytester(server);
    const setPassword = ({ id }: Person) =>
      server.deps.store.write((tx) =>
        tx.run(
          "UPDATE users SET password_hash = (SELECT t.password_hash FROM users t WHERE t.id = ?) WHERE id = ?",
          tester.id,
          id,
        ),
      );
    await setPassword(first);
    await server.deps.store.write((tx) => tx.run(change, ada.id));
    const remove = () => first.post("/auth/delete-account", { password: "correct horse" });
    const reply = await remove();
    expect(reply.status).toBe(status);
    if (status === 200) return;
    expect(reply.body.error.message).toBe(
      "No other administrator with every scope has an API key that works or a password. Nothing was deleted. Add one first.",
    );
    // A password makes new keys.
    await setPassword(ada);
    expect((await remove()).status).toBe(200);
  });
});
