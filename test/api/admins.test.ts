import { expect, it } from "vitest";
import { ensureAdmin } from "../../server/accounts/service.ts";
import { type Endpoint, roleScopes } from "../../src/contract/endpoint.ts";
import { contract } from "../../src/contract/index.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { type Person, personWith, registerOwner, registerPlaytester } from "../helpers/factories.ts";
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
    const key = (await ensureAdmin(server.deps))!;
    const first = personWith(server, key, (await server.request("GET", "/auth/me", { key })).body.data.id);
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

  it("every operation of admins but those on admins and the audit log needs less than the full scope", () => {
    const full = adminOperations
      .filter(({ allowed }) => !limited.some((scope) => allowed.includes(scope)))
      .map(({ name }) => name);
    expect(full.sort()).toEqual(["createAdmin", "listAdmins", "listAudit", "revokeAdmin"]);
  });

  it("a key that was made before there were several scopes keeps all of them", async () => {
    const { server, first } = await open();
    await server.deps.store.write((tx) => tx.run("UPDATE api_keys SET scopes = '[\"admin\"]' WHERE user_id = ?", first.id));
    const { key } = (await first.post("/auth/api-keys", { name: "Payouts", scopes: ["money"] })).body.data;
    expect(key.scopes).toEqual(["money"]);
    expect((await first.get("/auth/me")).body.data.scopes).toEqual([...roleScopes.admin]);
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

  it("a revoked admin has no key that works; nobody revokes themselves or somebody who is no admin", async () => {
    const { server, first } = await open();
    const ada = await add(server, first, "Ada", ["admin"]);
    const tester = await registerPlaytester(server);
    expect((await ada.delete(`/admin/admins/${ada.id}`)).status).toBe(409);
    expect((await ada.delete(`/admin/admins/${tester.id}`)).status).toBe(404);
    const revoked = await first.delete(`/admin/admins/${ada.id}`);
    expect(revoked.body.data.admin).toMatchObject({ id: ada.id, name: "Ada", suspendedAt: "2026-03-01T12:00:00.000Z" });
    expect((await ada.get("/admin/stats")).status).toBe(401);
    const { admins } = (await first.get("/admin/admins")).body.data;
    expect(admins.map(({ id, scopes }: { id: string; scopes: string[] }) => [id, scopes.length])).toEqual([
      [ada.id, 4],
      [first.id, 4],
    ]);
  });
});
