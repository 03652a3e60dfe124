import { expect, it, vi } from "vitest";
import { defaults } from "../../server/config/defaults.ts";
import type { Store } from "../../server/database/port.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { registerOwner } from "../helpers/factories.ts";
import { signedIn } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";

/** The line of a request; it is written after the reply. */
function lineOf(server: TestServer, requestId: string): Promise<Record<string, unknown>> {
  const line = () =>
    server.lines.map((text) => JSON.parse(text)).find((entry) => entry.requestId === requestId && entry.status !== undefined);
  return vi.waitUntil(line, { timeout: 60_000, interval: 1 });
}

const idOf = (reply: { headers: Headers }) => reply.headers.get("x-request-id")!;

onBothDatabases("the line of a request in the log", (serve, it) => {
  it("names the client, the account, its key, and the bytes in both directions", async ({ server, owner }) => {
    const [key] = (await owner.get("/auth/api-keys")).body.data.keys;
    const reply = await owner.post("/games", { name: "Lantern", description: "a".repeat(3000), buildUrl: "https://a.example/b" });
    const line = await lineOf(server, idOf(reply));
    expect(line).toMatchObject({ method: "POST", path: "/api/v1/games", status: 201, client: "127.0.0.1" });
    expect(line).toMatchObject({ account: owner.id, key: key.id });
    expect(line).not.toHaveProperty("session");
    // With headers, which are fewer than 2,000 bytes.
    const within = (bytes: unknown, least: number) => [Number(bytes) > least, Number(bytes) < least + 2000];
    expect(within(line.bytesIn, 3000)).toEqual([true, true]);
    expect(within(line.bytesOut, reply.text.length)).toEqual([true, true]);
    expect(JSON.stringify(line)).not.toContain(owner.key);
  });

  it("has no account where nobody is identified, and that of a session where a browser is signed in", async ({ server }) => {
    const forged = await server.request("GET", "/auth/me", { key: `pt_sk_${"0".repeat(32)}` });
    const unknown = await lineOf(server, idOf(forged));
    expect(unknown).toMatchObject({ status: 401, client: "127.0.0.1" });
    for (const name of ["account", "key", "session"]) expect(unknown).not.toHaveProperty(name);
    const owner = await registerOwner(server);
    const shown = await (await signedIn(server, owner, "/studio")).get("/studio");
    const line = await lineOf(server, idOf(shown));
    expect([shown.status, line]).toEqual([
      200,
      expect.objectContaining({ path: "/studio", account: owner.id, session: expect.any(String) }),
    ]);
    expect(line).not.toHaveProperty("key");
  });

  const proxied = { "x-forwarded-for": "203.0.113.7", "x-request-id": "5f0c7c9e-6f0b-4f7e-9a53-proxy" };

  it("has the address and the request id that a trusted proxy gives, and so has the reply", async () => {
    const server = await serve({ config: (config) => Object.assign(config, { behindProxy: true }) });
    const reply = await server.request("GET", "/auth/me", { headers: proxied });
    expect([idOf(reply), reply.body.meta.requestId]).toEqual([proxied["x-request-id"], proxied["x-request-id"]]);
    expect(await lineOf(server, proxied["x-request-id"])).toMatchObject({ client: "203.0.113.7", path: "/api/v1/auth/me" });
    for (const forged of ["short", "a".repeat(65), "with space1", "<script>alert</script>"])
      expect(idOf(await server.request("GET", "/auth/me", { headers: { "x-request-id": forged } }))).toMatch(/^req_/);
  });

  it("has neither from anybody else", async () => {
    for (const trusted of [[], ["192.0.2.0/24"]]) {
      const server = await serve({ config: (config) => Object.assign(config.http, { trustedProxies: trusted }) });
      const reply = await server.request("GET", "/auth/me", { headers: proxied });
      expect(idOf(reply)).toMatch(/^req_[0-9a-z]{20}$/);
      expect(await lineOf(server, idOf(reply))).toMatchObject({ client: "127.0.0.1" });
    }
  });
});

/** A database that refuses to write while `full` is set, as one does whose disk is full. */
function fillable(): { state: { full: boolean }; through: (store: Store) => Store } {
  const state = { full: false };
  const through = (store: Store): Store => ({
    dialect: store.dialect,
    shared: store.shared,
    read: (fn, options) => store.read(fn, options),
    write: (fn, options) => (state.full ? Promise.reject(new Error("database or disk is full")) : store.write(fn, options)),
    check: (options) => store.check(options),
    close: () => store.close(),
  });
  return { state, through };
}

onBothDatabases("readiness", (serve) => {
  const ready = async (server: TestServer) => {
    const reply = await server.request("GET", "//readyz");
    return [reply.status, reply.text];
  };

  it("is lost below the floor of free space, and has come back a second after there is room", async () => {
    let settings = defaults;
    const server = await serve({
      config: (config) => {
        settings = config;
        config.http.readyMinFreeBytes = 2 ** 50;
      },
    });
    expect(await ready(server)).toEqual([503, "the disk is nearly full\n"]);
    expect((await server.request("GET", "//livez")).status).toBe(200);
    settings.http.readyMinFreeBytes = 0;
    expect(await ready(server)).toEqual([503, "the disk is nearly full\n"]);
    server.clock.set(server.clock.now() + 1_000);
    expect(await ready(server)).toEqual([200, "ok\n"]);
  });

  it("is lost where the database can be read but not written", async () => {
    const { state, through } = fillable();
    const server = await serve({ through });
    expect(await ready(server)).toEqual([200, "ok\n"]);
    state.full = true;
    server.clock.set(server.clock.now() + 1_000);
    expect(await ready(server)).toEqual([503, "the database cannot be written\n"]);
    state.full = false;
    server.clock.set(server.clock.now() + 1_000);
    expect(await ready(server)).toEqual([200, "ok\n"]);
    // Background jobs may have met it as well.
    const others = server.errors.splice(0).filter((error) => !String(error).includes("disk is full"));
    expect(others).toEqual([]);
  });
});
