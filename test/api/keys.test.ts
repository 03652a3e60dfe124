import { expect, it } from "vitest";
import * as keys from "../../server/accounts/keys-store.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { type Person, personWith, registerOwner } from "../helpers/factories.ts";
import { setUpFactor } from "../helpers/factors.ts";
import type { TestServer } from "../helpers/server.ts";

interface Key extends Person {
  keyId: string;
}

onBothDatabases("API keys", (serve) => {
  /** An owner, and `make` for a key made with another. */
  async function open(limits: Record<string, number> = {}) {
    const server = await serve({ config: (config) => Object.assign(config.limits, limits) });
    const owner = await registerOwner(server);
    const make = async (by: Person, body: object = {}): Promise<Key> => {
      const reply = await by.createApiKey({ body: { name: "child", ...body } });
      return { ...personWith(server, reply.apiKey, owner.id), keyId: reply.key.id };
    };
    return { server, owner, make };
  }
  const works = async (key: Person) => (await key.get("/auth/me")).status === 200;
  const at = (server: TestServer, seconds: number) => new Date(server.clock.now() + seconds * 1000).toISOString();

  it("a key without the main scope manages no key, profile or password, and may revoke itself", async () => {
    const { owner, make } = await open();
    const narrow = await make(owner, { scopes: ["notifications"] });
    const other = await make(owner);
    const refused = [
      await narrow.get("/auth/api-keys"),
      await narrow.post("/auth/api-keys", { name: "more" }),
      await narrow.post(`/auth/api-keys/${narrow.keyId}/rotate`),
      await narrow.delete(`/auth/api-keys/${other.keyId}`),
      await narrow.patch("/auth/profile", { companyName: "Renamed" }),
      await narrow.post("/auth/change-password", { currentPassword: "correct horse", newPassword: "another horse" }),
    ];
    expect(refused.map(({ status, body }) => [status, body.error.code])).toEqual(refused.map(() => [403, "FORBIDDEN"]));
    expect((await owner.getMe()).profile!.companyName).not.toBe("Renamed");
    expect(await works(other)).toBe(true);
    expect((await narrow.delete(`/auth/api-keys/${narrow.keyId}`)).status).toBe(200);
    expect(await works(narrow)).toBe(false);
  });

  it("a key names the key it was made with, and which one is in use", async () => {
    const { owner, make } = await open();
    const child = await make(owner);
    const keys = (await child.listApiKeys()).keys;
    const parent = keys.find(({ name }: { name: string }) => name === "Default");
    expect(parent).toMatchObject({ parentId: null, current: false });
    expect(keys.find(({ id }: { id: string }) => id === child.keyId)).toMatchObject({ parentId: parent!.id, current: true });
  });

  it("revoking a key revokes the keys made with it, and theirs, and no other", async () => {
    const { owner, make } = await open();
    const [parent, other] = [await make(owner), await make(owner)];
    const child = await make(parent);
    const grandchild = await make(child);
    const reply = await owner.revokeApiKey({ params: { id: parent.keyId } });
    expect(reply.message).toBe("The API key and the 2 API keys created with it or in its place were revoked.");
    expect(await Promise.all([owner, parent, child, grandchild, other].map(works))).toEqual([true, false, false, false, true]);
  });

  it("a key that is revoked while it makes a key makes none", async () => {
    const { server, owner, make } = await open();
    const parent = await make(owner);
    // No job is left to write before the request does.
    await server.advance(0);
    const { store, clock } = server.deps;
    const write = store.write.bind(store);
    let revoked: Promise<string[]> | undefined;
    store.write = async (fn) => {
      revoked ??= write((tx) => keys.revoke(tx, parent.keyId, owner.id, clock.now()));
      await revoked;
      return write(fn);
    };
    const reply = await parent.post("/auth/api-keys", { name: "late" });
    expect([reply.status, reply.body.error.message]).toEqual([401, expect.stringContaining("Nothing was changed.")]);
  });

  it("rotation makes a key like the old one and ends the old one, with the keys made with it, after the grace period", async () => {
    const { server, owner, make } = await open();
    const old = await make(owner, { name: "ci", scopes: ["game_owner", "billing"] });
    const child = await make(old);
    const reply = await owner.post(`/auth/api-keys/${old.keyId}/rotate`, { graceSeconds: 3600 });
    expect(reply.status).toBe(201);
    const { key, apiKey, previous } = reply.body.data;
    const successor = personWith(server, apiKey, owner.id);
    expect(key).toMatchObject({ name: "ci", scopes: ["game_owner", "billing"], expiresAt: null });
    expect(previous).toMatchObject({ id: old.keyId, expiresAt: at(server, 3600) });
    expect(await Promise.all([old, child, successor].map(works))).toEqual([true, true, true]);
    server.clock.set(server.clock.now() + 3_600_000);
    expect(await Promise.all([old, child, successor].map(works))).toEqual([false, false, true]);
  });

  it("rotation by the key itself without a grace period ends it at once; revoking the old key ends the successors too", async () => {
    const { server, owner, make } = await open();
    const old = await make(owner);
    const reply = await old.rotateApiKey({ params: { id: old.keyId }, body: { graceSeconds: 0 } });
    const successor = personWith(server, reply.apiKey, owner.id);
    expect(await Promise.all([old, successor].map(works))).toEqual([false, true]);
    const last = (await successor.post(`/auth/api-keys/${reply.key.id}/rotate`)).body.data;
    expect(last.key).toMatchObject({ rotatedFrom: reply.key.id, parentId: expect.any(String) });
    const child = await make(personWith(server, last.apiKey, owner.id));
    expect(await works(child)).toBe(true);
    expect((await owner.revokeApiKey({ params: { id: old.keyId } })).message).toBe(
      "The API key had been revoked before. Now the 3 API keys created with it or in its place were revoked too.",
    );
    const ended = [successor, personWith(server, last.apiKey, owner.id), child];
    expect(await Promise.all(ended.map(works))).toEqual([false, false, false]);
    expect((await owner.delete(`/auth/api-keys/${old.keyId}`)).status).toBe(404);
  });

  it("whoever holds a leaked key cannot outlive its revocation, nor take over another key; its owner can, with the password", async () => {
    const { server, owner, make } = await open();
    const login = { name: "ci", email: "game_owner1@example.com", password: "correct horse" };
    const made = (await server.request("POST", "/auth/api-keys", { body: login })).body.data;
    const leaked = { ...personWith(server, made.apiKey, owner.id), keyId: made.key.id as string };
    const root = (await owner.listApiKeys()).keys.find(({ name }: { name: string }) => name === "Default");
    const refused = await leaked.post(`/auth/api-keys/${root!.id}/rotate`, { graceSeconds: 0 });
    expect([refused.status, refused.body.error.message]).toEqual([403, expect.stringContaining("send the password")]);
    expect(await works(owner)).toBe(true);
    const stolen = await leaked.rotateApiKey({ params: { id: leaked.keyId }, body: { graceSeconds: 2_592_000 } });
    await server.advance(0);
    const mail = server.mails.at(-1)!.text;
    expect(mail).toContain(`It replaces the API key ci (${made.key.prefix}…).`);
    expect(mail.replace(/\s+/g, " ")).toContain(
      `If this was not you, revoke both, then reset your password. See your API keys: ${server.baseUrl}/studio/account/keys`,
    );
    const wrong = await owner.post(`/auth/api-keys/${leaked.keyId}/rotate`, { password: "wrong horse" });
    expect(wrong.status).toBe(422);
    const own = await owner.rotateApiKey({ params: { id: leaked.keyId }, body: { password: "correct horse" } });
    expect(own.key.rotatedFrom).toBeNull();
    expect((await owner.delete(`/auth/api-keys/${leaked.keyId}`)).status).toBe(200);
    const keys = [leaked, personWith(server, stolen.apiKey, owner.id), personWith(server, own.apiKey, owner.id)];
    expect(await Promise.all(keys.map(works))).toEqual([false, false, true]);
    expect(await works(await make(owner))).toBe(true);
  });

  it("a rotation with the password takes a code where the account has a second factor", async () => {
    const { server, owner, make } = await open();
    const app = await setUpFactor(server, owner, "correct horse");
    const key = await make(owner);
    const rotate = (body: object) => owner.post(`/auth/api-keys/${key.keyId}/rotate`, body);
    expect((await rotate({ password: "correct horse" })).body.error.code).toBe("CODE_REQUIRED");
    expect((await rotate({ password: "correct horse", code: await app.nextCode() })).body.data.key.rotatedFrom).toBeNull();
  });

  it("a successor takes the place of the old key: it ends no later and is revoked with the key that made the old one", async () => {
    const { server, owner, make } = await open();
    const expiresAt = at(server, 7200);
    const parent = await make(owner);
    const old = await make(parent, { expiresAt });
    const reply = await old.rotateApiKey({ params: { id: old.keyId } });
    expect(reply.key.expiresAt).toBe(expiresAt);
    expect(reply.previous.expiresAt).toBe(expiresAt);
    await owner.revokeApiKey({ params: { id: parent.keyId } });
    expect(await works(personWith(server, reply.apiKey, owner.id))).toBe(false);
  });

  it("a key rotates only itself and keys made with it", async () => {
    const { server, owner, make } = await open();
    const rotate = async (by: Person, keyId: string) => (await by.post(`/auth/api-keys/${keyId}/rotate`)).status;
    const root = (await owner.listApiKeys()).keys[0]!.id;
    const made = { name: "own", email: "game_owner1@example.com", password: "correct horse" };
    const ownKey = (await server.request("POST", "/auth/api-keys", { body: { ...made, expiresAt: at(server, 60) } })).body.data;
    const ending = personWith(server, ownKey.apiKey, owner.id);
    const child = await make(owner);
    expect(await rotate(child, root)).toBe(403);
    expect(await rotate(ending, root)).toBe(403);
    const plain = await make(owner, { scopes: ["game_owner"] });
    expect(await rotate(plain, plain.keyId)).toBe(201);
    expect(await rotate(owner, ownKey.key.id)).toBe(403);
    expect(await rotate(owner, plain.keyId)).toBe(201);
    expect(await rotate(await registerOwner(server), root)).toBe(404);
  });

  it("an account has a limited number of keys; those that ended do not count", async () => {
    const { server, owner, make } = await open({ keysPerAccount: 3 });
    const one = await make(owner, { expiresAt: at(server, 60) });
    await make(owner);
    const reply = await owner.post("/auth/api-keys", { name: "one too many" });
    expect([reply.status, reply.body.error.code]).toEqual([409, "CONFLICT"]);
    expect(reply.body.error.message).toContain("3 API keys");
    expect((await owner.post(`/auth/api-keys/${one.keyId}/rotate`)).status).toBe(409);
    expect((await owner.post(`/auth/api-keys/${one.keyId}/rotate`, { graceSeconds: 0 })).status).toBe(201);
    server.clock.set(server.clock.now() + 60_000);
    await make(owner);
  });
});
