import { once } from "node:events";
import { expect, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import { registerPlaytester } from "../helpers/factories.ts";
import { mailedToken } from "../helpers/mails.ts";
import { hiddenFields, signedIn, visitor } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";

const email = "playtester1@example.com";
const stale = "x".repeat(43);
const form = { "content-type": "application/x-www-form-urlencoded" };

interface Request {
  path: string;
  key?: string;
  headers?: Record<string, string>;
  body: string;
}

/** A request for each place where a password is checked or set. */
const requests: Record<string, (server: TestServer) => Promise<Request> | Request> = {
  "registration with a key": () =>
    api("/auth/register/api-key", { email: "a@example.com", password: "a password", role: "playtester" }),
  registration: () => api("/auth/register", { email: "a@example.com", password: "a password", role: "playtester" }),
  "a new key with a password": () => api("/auth/api-keys", { name: "a", email, password: "correct horse" }),
  "a password reset": async (server) =>
    api("/auth/password-reset/confirm", { token: await resetToken(server), newPassword: "a password" }),
  "the page of a password reset": async (server) =>
    page("/reset-password", { token: await resetToken(server), password: "a password" }),
  "registration in the portal": async (server) =>
    portal(server, "/play/register", "/play/register", { email: "a@example.com", password: "a password" }),
  "sign-in in the portal": async (server) =>
    portal(server, "/play/sign-in", "/play/sign-in/password", { email, password: "correct horse" }),
};

const api = (path: string, body: object): Request => ({
  path: `/api/v1${path}`,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});
const page = (path: string, fields: Record<string, string>, cookie = ""): Request => ({
  path,
  headers: { ...form, ...(cookie && { cookie }) },
  body: new URLSearchParams(fields).toString(),
});

async function portal(server: TestServer, from: string, path: string, fields: Record<string, string>): Promise<Request> {
  const person = visitor(server);
  const hidden = hiddenFields((await person.get(from)).html, path);
  return page(path, { ...hidden, ...fields }, person.cookie());
}

async function resetToken(server: TestServer): Promise<string> {
  await server.request("POST", "/auth/password-reset", { body: { email } });
  await server.advance(0);
  return mailedToken(server, "reset");
}

onBothDatabases("guessing the password of one account from many addresses", (serve) => {
  it("is slowed down in the API and the portal together, and locks nobody out", async () => {
    const server = await serve({
      config: (config) => {
        Object.assign(config.limits, { enabled: true, passwordPerMinute: 3, registerPerMinute: 100 });
        config.http.trustedProxies = ["127.0.0.1/32"];
      },
    });
    const ann = await registerPlaytester(server);
    await registerPlaytester(server);
    const waits: number[] = [];
    server.deps.wait = async (ms) => void waits.push(ms);
    const from = (host: number) => ({ "x-forwarded-for": `198.51.100.${host}` });
    const key = (host: number, address: string, password: string) =>
      server.request("POST", "/auth/api-keys", { body: { name: "k", email: address, password }, headers: from(host) });
    const statuses = new Set<number>();
    for (let host = 0; host < 5; host++) statuses.add((await key(host, email.toUpperCase(), "wrong")).status);
    expect([[...statuses], waits]).toEqual([[401], []]);

    const change = { currentPassword: "wrong", newPassword: "a password" };
    const wrong = await ann.post("/auth/change-password", change, from(5));
    expect([wrong.status, waits]).toEqual([422, [250]]);
    const page = await portal(server, "/play/sign-in", "/play/sign-in/password", { email, password: "wrong" });
    const signIn = await fetch(server.baseUrl + page.path, {
      method: "POST",
      headers: { ...page.headers, ...from(6) },
      body: page.body,
    });
    expect([signIn.status, waits]).toEqual([401, [250, 500]]);
    expect((await key(7, "playtester2@example.com", "correct horse")).status).toBe(201);
    expect((await key(8, email, "correct horse")).status).toBe(201);
    expect(waits).toEqual([250, 500, 1000]);
    for (let host = 10; host < 16; host++) expect((await key(host, "nobody@example.com", "wrong")).status).toBe(401);
    expect(waits).toEqual([250, 500, 1000, 250]);
  });
});

onBothDatabases("hashing of passwords", (serve, it) => {
  /** A server whose hashing never ends; the signals it was given. */
  async function stuck(server: TestServer) {
    const signals: (AbortSignal | undefined)[] = [];
    let started = () => {};
    const begun = new Promise<void>((resolve) => {
      started = resolve;
    });
    const wait = (signal: AbortSignal | undefined) =>
      new Promise<never>((_, reject) => {
        signals.push(signal);
        signal?.addEventListener("abort", () => reject(signal.reason));
        started();
      });
    server.deps.passwords.hash = (_, signal) => wait(signal);
    server.deps.passwords.verify = (_, __, signal) => wait(signal);
    return { signals, begun };
  }

  it.each(Object.keys(requests))("%s ends its wait when the client goes away", async (name) => {
    const server = await serve();
    await registerPlaytester(server);
    const { path, headers, body } = await requests[name]!(server);
    const { signals, begun } = await stuck(server);
    const client = new AbortController();
    const asked = fetch(server.baseUrl + path, { method: "POST", headers: headers!, body, signal: client.signal });
    await begun;
    expect(signals[0]?.aborted).toBe(false);
    client.abort();
    await expect(asked).rejects.toThrow();
    if (!signals[0]!.aborted) await once(signals[0]!, "abort");
  });

  it("a change of the password ends its wait when the client goes away", async ({ server }) => {
    const ann = await registerPlaytester(server);
    const browser = await signedIn(server, ann);
    const fields = hiddenFields((await browser.get("/play/account")).html, "/play/account/password");
    for (const request of [
      { ...api("/auth/change-password", { currentPassword: "correct horse", newPassword: "a password" }), key: ann.key },
      page("/play/account/password", { ...fields, current: "correct horse", password: "a password" }, browser.cookie()),
    ]) {
      const { signals, begun } = await stuck(server);
      const client = new AbortController();
      const headers = { ...request.headers, ...("key" in request && { authorization: `Bearer ${request.key}` }) };
      const asked = fetch(server.baseUrl + request.path, { method: "POST", headers, body: request.body, signal: client.signal });
      await begun;
      client.abort();
      await expect(asked).rejects.toThrow();
      if (!signals[0]!.aborted) await once(signals[0]!, "abort");
    }
  });

  it.each<[string, string, object, number]>([
    ["a reset token that does not work", "/auth/password-reset/confirm", { token: stale, newPassword: "a password" }, 422],
    ["an address that is taken", "/auth/register", { email, password: "a password", role: "playtester" }, 409],
    [
      "an address that is taken, with a key",
      "/auth/register/api-key",
      { email, password: "a password", role: "playtester" },
      409,
    ],
    [
      "a new key that has expired",
      "/auth/api-keys",
      { name: "a", email, password: "p", expiresAt: "2020-01-01T00:00:00.000Z" },
      422,
    ],
  ])("%s is refused before any hashing", async (_, path, body, status) => {
    const server = await serve();
    await registerPlaytester(server);
    const { signals } = await stuck(server);
    expect((await server.request("POST", path, { body })).status).toBe(status);
    const reset = await visitor(server).send("/reset-password", { token: stale, password: "a password" });
    expect([reset.status, signals.length]).toEqual([410, 0]);
  });
});
