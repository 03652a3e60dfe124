import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { createApp } from "../../server/app/app.ts";
import { listen } from "../../server/app/listen.ts";
import { defaults } from "../../server/config/defaults.ts";
import type { Config } from "../../server/config/schema.ts";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { contract } from "../../src/contract/index.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, giveCredit, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { visitor } from "../helpers/portal.ts";
import { type Reply, startTestServer, type TestServer } from "../helpers/server.ts";
import { drivers } from "../helpers/store.ts";

/** Sends bytes as they are and returns all that comes back until the server closes. */
function raw(server: TestServer, text: string): Promise<string> {
  const { port } = new URL(server.baseUrl);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(text));
    let reply = "";
    socket.setEncoding("utf8").on("data", (chunk) => (reply += chunk));
    socket.on("close", () => resolve(reply)).on("error", reject);
  });
}

const unknownId = "01900000-0000-7000-8000-000000000000";

onBothDatabases("error envelope", (serve, it) => {
  const rows = [
    { name: "unknown path", method: "GET", path: "/nothing", status: 404, code: "NOT_FOUND" },
    { name: "an id that is no UUID", method: "GET", path: "/games/42", status: 404, code: "NOT_FOUND" },
    {
      name: "wrong method",
      method: "PUT",
      path: "/games",
      status: 405,
      code: "METHOD_NOT_ALLOWED",
      headers: { allow: "GET, HEAD, POST" },
    },
    { name: "malformed JSON", method: "POST", path: "/games", body: '{"name":', status: 400, code: "BAD_REQUEST" },
    {
      name: "a field named twice",
      method: "POST",
      path: "/games",
      body: '{"name":"a","name":"b"}',
      status: 400,
      code: "BAD_REQUEST",
    },
    {
      name: "nesting without end",
      method: "POST",
      path: "/games",
      body: `${"[".repeat(10_000)}${"]".repeat(10_000)}`,
      status: 400,
      code: "BAD_REQUEST",
    },
    {
      name: "another content type",
      method: "POST",
      path: "/games",
      body: "name=x",
      type: "text/plain",
      status: 415,
      code: "UNSUPPORTED_MEDIA_TYPE",
    },
    {
      name: "a huge body",
      method: "POST",
      path: "/games",
      body: JSON.stringify({ name: "x".repeat(2 ** 20) }),
      status: 413,
      code: "PAYLOAD_TOO_LARGE",
    },
    { name: "an unknown field", method: "POST", path: "/games", body: '{"nmae":"x"}', status: 422, code: "VALIDATION_ERROR" },
    {
      name: "a body where none is taken",
      method: "POST",
      path: "/notifications/mark-all-read",
      body: '{"all":true}',
      status: 422,
      code: "VALIDATION_ERROR",
    },
    ...["null", "5", "[]", '"text"', "true"].flatMap((body) => [
      { name: `${body} for fields`, method: "PATCH", path: "/auth/profile", body, status: 422, code: "VALIDATION_ERROR" },
      {
        name: `${body} for nothing`,
        method: "POST",
        path: "/notifications/mark-all-read",
        body,
        status: 422,
        code: "VALIDATION_ERROR",
      },
    ]),
    { name: "the folder of the API", method: "GET", path: "//api", status: 404, code: "NOT_FOUND" },
    { name: "another version", method: "GET", path: "//api/v2/games", status: 404, code: "NOT_FOUND" },
    { name: "a limit of 0", method: "GET", path: "/games?limit=0", status: 422, code: "VALIDATION_ERROR" },
    { name: "a limit of 101", method: "GET", path: "/games?limit=101", status: 422, code: "VALIDATION_ERROR" },
    { name: "a limit of -1", method: "GET", path: "/games?limit=-1", status: 422, code: "VALIDATION_ERROR" },
    { name: "a limit of abc", method: "GET", path: "/games?limit=abc", status: 422, code: "VALIDATION_ERROR" },
    { name: "a limit of 1e2", method: "GET", path: "/games?limit=1e2", status: 422, code: "VALIDATION_ERROR" },
    { name: "a forged cursor", method: "GET", path: "/games?cursor=abc", status: 422, code: "VALIDATION_ERROR" },
    {
      name: "an empty idempotency key",
      method: "POST",
      path: "/games",
      body: '{"name":"x","buildUrl":"https://e.com"}',
      key: "",
      status: 422,
      code: "VALIDATION_ERROR",
    },
    {
      name: "an idempotency key with a control character",
      method: "POST",
      path: "/games",
      body: '{"name":"x","buildUrl":"https://e.com"}',
      key: "a\tb",
      status: 422,
      code: "VALIDATION_ERROR",
    },
    {
      name: "a long idempotency key",
      method: "POST",
      path: "/games",
      body: '{"name":"x","buildUrl":"https://e.com"}',
      key: "k".repeat(256),
      status: 422,
      code: "VALIDATION_ERROR",
    },
  ];

  it("every refusal: has the same shape, with the request id in body and header", async ({ server, owner }) => {
    for (const row of rows) {
      const headers: Record<string, string> = { "content-type": row.type ?? "application/json" };
      if (row.key !== undefined) headers["idempotency-key"] = row.key;
      const reply = await server.request(row.method, row.path, { key: owner.key, body: row.body, headers });
      expect([row.name, reply.status, reply.body.error.code]).toEqual([row.name, row.status, row.code]);
      expect(reply.body.meta.requestId).toBe(reply.headers.get("x-request-id"));
      expect(reply.body.meta.requestId).toMatch(/^req_[0-9a-z]{20}$/);
      for (const [name, value] of Object.entries(row.headers ?? {})) expect(reply.headers.get(name)).toBe(value);
    }
  });

  it.each([
    { name: "not HTTP at all", text: "HELLO\r\n\r\n", status: 400 },
    {
      name: "two lengths",
      text: "POST /api/v1/games HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      status: 400,
    },
    {
      name: "length and chunked",
      text: "POST /api/v1/games HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      status: 400,
    },
    {
      name: "headers over 16 KiB",
      text: `GET / HTTP/1.1\r\nHost: localhost\r\nX-Big: ${"a".repeat(20_000)}\r\n\r\n`,
      status: 431,
    },
    {
      name: "an absolute-form target",
      text: "GET http://elsewhere/api/v1/games HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      status: 400,
    },
  ])("parser: $name is refused", async ({ text, status }) => {
    const reply = await raw(await serve(), text);
    expect(reply.split(" ")[1]).toBe(String(status));
    expect(JSON.parse(reply.slice(reply.indexOf("\r\n\r\n") + 4)).error.code).toBe("BAD_REQUEST");
  });

  it("outside the API: a page, also for a path that is what every object has", async ({ server }) => {
    for (const name of ["nothing", "constructor", "toString", "valueOf", "hasOwnProperty", "__proto__"])
      expect(await raw(server, `GET /${name} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 404 /,
      );
  });
});

onBothDatabases("over-limit bodies", (serve, it) => {
  /** Sends `head`, then `chunk` so many times, then a second request; what came back. */
  function send(server: TestServer, head: string, chunk: string, count: number, next: string): Promise<string> {
    const socket = connect(Number(new URL(server.baseUrl).port), "127.0.0.1");
    let reply = "";
    socket.setEncoding("utf8").on("data", (text) => (reply += text));
    socket.write(head);
    for (let sent = 0; sent < count; sent++) socket.write(chunk);
    socket.write(next);
    return new Promise((resolve, reject) => socket.on("error", reject).on("close", () => resolve(reply)));
  }

  const filler = "x".repeat(2 ** 16);
  it.each([
    ["with its length", `Content-Length: ${2 ** 24}`, filler, ""],
    ["in chunks", "Transfer-Encoding: chunked", `10000\r\n${filler}\r\n`, "0\r\n\r\n"],
  ])("are taken to their end %s, so that the client reads its 413 and may go on", async (_, header, chunk, end) => {
    const server = await serve();
    const { key } = await registerOwner(server);
    const common = `HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
    const next = `${end}GET /api/v1/games ${common}Connection: close\r\n\r\n`;
    const replies = await send(server, `POST /api/v1/games ${common}${header}\r\n\r\n`, chunk, 2 ** 8, next);
    expect(replies.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 413", "HTTP/1.1 200"]);
    expect(replies).toContain("The request body is larger than 131072 bytes. Nothing was changed.");
  });

  it("are measured by the endpoint, and by the server's own limit where that is lower", async ({ owner, gameId }) => {
    const status = async (path: string, bytes: number) => (await owner.post(path, { x: "x".repeat(bytes - 8) })).status;
    const [games, orders] = ["/games", `/games/${gameId}/playtests`];
    expect([await status("/webhooks", 2 ** 16), await status("/webhooks", 2 ** 16 + 1)]).toEqual([422, 413]);
    expect([await status(games, 2 ** 17), await status(games, 2 ** 17 + 1)]).toEqual([422, 413]);
    expect([await status(orders, 2 ** 20), await status(orders, 2 ** 20 + 1)]).toEqual([422, 413]);
    const strict = await serve({ config: (config) => (config.http.bodyBytes = 1024) });
    const other = await registerOwner(strict);
    expect((await other.post("/games", { x: "x".repeat(1017) })).status).toBe(413);
  });
});

onBothDatabases("security headers", (serve, it) => {
  const isolated = ["cross-origin-opener-policy", "cross-origin-resource-policy"];
  const paths = ["/info/categories", "/nothing", "//docs", "//nothing", "//livez", "//assets/style.css", "//downloads?token=x"];

  it("an https address is kept to https, on pages and in the API", async () => {
    const { deps } = await serve();
    const app = createApp({ ...deps, config: { ...deps.config, baseUrl: "https://playtest.example.com" } });
    const proxied = createServer((request, response) => void app.handle(request, response)).listen(0, "127.0.0.1");
    await once(proxied, "listening");
    const { port } = proxied.address() as AddressInfo;
    for (const path of ["/docs", "/api/v1/info/categories", "/nothing"]) {
      const { headers } = await fetch(`http://127.0.0.1:${port}${path}`);
      expect([path, headers.get("strict-transport-security")]).toEqual([path, "max-age=31536000"]);
    }
    proxied.closeAllConnections();
    proxied.close();
  });

  it("every reply is isolated from other origins", async ({ server }) => {
    for (const path of paths) {
      const { headers } = await server.request("GET", path);
      expect([path, ...isolated.map((name) => headers.get(name))]).toEqual([path, "same-origin", "same-origin"]);
      expect(headers.get("strict-transport-security")).toBe(null);
    }
  });

  it("security.txt: names the operator's contact, and does not exist without one", async () => {
    const silent = await serve();
    expect((await silent.request("GET", "//.well-known/security.txt")).status).toBe(404);
    const server = await serve({ config: (config) => (config.security.contact = "mailto:security@example.com") });
    const { status, headers, text } = await server.request("GET", "//.well-known/security.txt");
    expect([status, headers.get("content-type"), text]).toEqual([
      200,
      "text/plain; charset=utf-8",
      `Contact: mailto:security@example.com
Expires: 2026-08-28T12:00:00.000Z
Preferred-Languages: en
Canonical: ${server.baseUrl}/.well-known/security.txt
Policy: ${server.baseUrl}/docs/security
`,
    ]);
    expect((await server.request("GET", "//.well-known/other")).status).toBe(404);
    expect((await server.request("POST", "//.well-known/security.txt")).status).toBe(405);
  });
});

/** No database has a part in what is waited for here. */
describe("slow requests", () => {
  async function withServer(work: (server: TestServer, key: string) => Promise<void>, config = (_: Config) => {}): Promise<void> {
    const store = await drivers[0]!.open();
    const server = await startTestServer({ store, config });
    try {
      await work(server, (await registerOwner(server)).key);
    } finally {
      await server.close();
      await store.remove();
    }
  }

  /** Sends `start`, then `more` again and again; what came back until the server closed. */
  function drip(server: TestServer, start: string, more: string): Promise<string> {
    const { port } = new URL(server.baseUrl);
    return new Promise((resolve) => {
      let dripping: NodeJS.Timeout;
      const socket = connect(Number(port), "127.0.0.1", () => {
        socket.write(start);
        dripping = setInterval(() => socket.write(more), 20);
      });
      let reply = "";
      socket.setEncoding("utf8").on("data", (chunk) => (reply += chunk));
      socket
        .on("error", () => {})
        .on("close", () => {
          clearInterval(dripping);
          resolve(reply);
        });
    });
  }

  const json = "Content-Type: application/json\r\n";
  const form = "Content-Type: application/x-www-form-urlencoded\r\n";
  it.concurrent.each([
    { name: "a JSON body", target: "POST /api/v1/games", head: `${json}Content-Length: 60000\r\n`, more: " " },
    { name: "a chunked body", target: "POST /api/v1/games", head: `${json}Transfer-Encoding: chunked\r\n`, more: "1\r\n \r\n" },
    { name: "a page's form", target: "POST /verify-email", head: `${form}Content-Length: 60000\r\n`, more: "t" },
    { name: "headers", target: "GET /api/v1/games", head: "X-Slow: ", more: "x", unfinished: true },
  ])("slow $name: 408", async ({ target, head, more, unfinished }) => {
    const impatient = (config: Config) => Object.assign(config.http, { requestTimeoutMs: 100, headersTimeoutMs: 100 });
    await withServer(async (server, key) => {
      const start = `${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n${head}${unfinished ? "" : "\r\n"}`;
      expect((await drip(server, start, more)).split(" ")[1]).toBe("408");
    }, impatient);
  });

  it.concurrent("unwanted body: the connection is closed", () =>
    withServer(async (server, key) => {
      const head = `HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Length: 1000000\r\n\r\n`;
      const paths = ["/api/v1/games", "/play/sign-in", "/nothing"];
      const replies = await Promise.all(paths.map((path) => drip(server, `GET ${path} ${head}`, " ")));
      expect(replies.map((reply) => reply.split(" ")[1])).toEqual(["200", "200", "404"]);
    }));
});

describe("a client that takes nothing", () => {
  it("is disconnected, so that its replies do not stay in memory", async () => {
    let gone = () => {};
    const cut = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const server = await listen({
      host: "127.0.0.1",
      port: 0,
      config: { behindProxy: false, http: { ...defaults.http, idleTimeoutMs: 200, drainMs: 0 } },
    });
    server.serve({
      clientError: (_, socket) => socket.destroy(),
      async handle(_, response) {
        response.once("close", gone);
        response.end(Buffer.alloc(32 * 2 ** 20));
      },
    });
    const client = connect(server.port, "127.0.0.1", () => client.pause().write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    await cut;
    expect(client.bytesRead).toBeLessThan(32 * 2 ** 20);
    client.destroy();
    await server.close();
  });
});

describe("stopping", () => {
  const answering = (socket: Socket) => new Promise<string>((resolve) => socket.once("data", (chunk) => resolve(String(chunk))));

  it("does not wait for connections that are idle, answered meanwhile, or streaming events", async () => {
    const store = await drivers[0]!.open();
    const server = await startTestServer({ store, config: (config) => (config.http.drainMs = 60_000) });
    const { key } = await registerOwner(server);
    const port = Number(new URL(server.baseUrl).port);
    const ask = (head: string) => {
      const socket = connect(port, "127.0.0.1");
      socket.write(`${head} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n`);
      return socket;
    };
    const [idle, stream, half] = [ask("GET /api/v1/games"), ask("GET /api/v1/events"), ask("POST /api/v1/games")] as const;
    idle.write("\r\n");
    stream.write("Accept: text/event-stream\r\n\r\n");
    half.write("Content-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
    const begun = await Promise.all([idle, stream, half].map(answering));
    expect(begun.map((text) => text.split(" ")[1])).toEqual(["200", "200", "100"]);
    const closed = server.close();
    const answer = answering(half);
    half.write("{}");
    expect(await answer).toMatch(/^HTTP\/1\.1 422 [\s\S]*Connection: close/);
    await closed;
    await store.remove();
  });
});

onBothDatabases("authorization", (serve, it) => {
  it("every route but the keyless ones: requires a key", async ({ server }) => {
    for (const endpoint of Object.values(contract) as Endpoint[]) {
      if (endpoint.access === "none" || endpoint.access === "optional") continue;
      const path = endpoint.path.replace(/:\w+/g, unknownId);
      for (const key of [undefined, "nonsense", "pt_sk_00000000000000000000000000000000"]) {
        const reply = await server.request(endpoint.method, path, { key });
        expect([endpoint.path, reply.status, reply.body.error.code]).toEqual([endpoint.path, 401, "UNAUTHORIZED"]);
      }
    }
  });

  it("every route with a scope: refuses a key without it", async ({ server, owner }) => {
    const bare = (await owner.createApiKey({ body: { name: "chat only", scopes: ["chat"] } })).apiKey;
    for (const endpoint of Object.values(contract) as Endpoint[]) {
      if (typeof endpoint.access === "string" && endpoint.access !== "main") continue;
      if (Array.isArray(endpoint.access) && endpoint.access.every((scope) => scope === "chat")) continue;
      const reply = await server.request(endpoint.method, endpoint.path.replace(/:\w+/g, unknownId), { key: bare });
      expect([endpoint.path, reply.status, reply.body.error.code]).toEqual([endpoint.path, 403, "FORBIDDEN"]);
    }
  });

  it("unverified account: can only use its own account", async () => {
    const server = await serve({ config: (config) => (config.autoVerify = false) });
    const owner = await registerOwner(server);
    expect((await owner.getMe()).emailVerified).toBe(false);
    const reply = await owner.get("/games");
    expect([reply.status, reply.body.error.code]).toEqual([403, "EMAIL_NOT_VERIFIED"]);
  });
});

onBothDatabases("rate limits", (serve) => {
  it("unknown routes: count for the key or the address", async () => {
    const server = await serve({
      config: (config) => Object.assign(config.limits, { enabled: true, keyPerMinute: 60, keyBurst: 3, keylessPerMinute: 2 }),
    });
    const { key } = await registerOwner(server);
    const lost: [string, string, string | undefined, number, string | null][] = [
      ["GET", "/nothing", key, 404, "2"],
      ["PUT", "/games", key, 405, "1"],
      ["GET", "/games/42", key, 404, "0"],
      ["GET", "/games/42", key, 429, "0"],
      ["GET", "/nothing", "no-key", 404, "1"],
      ["GET", "/nothing", undefined, 404, "0"],
      ["GET", "/nothing", undefined, 429, "0"],
    ];
    for (const [method, path, with_, status, remaining] of lost) {
      const reply = await server.request(method, path, { key: with_ });
      expect([path, reply.status, reply.headers.get("x-ratelimit-remaining")]).toEqual([path, status, remaining]);
    }
  });

  it("per key: in the headers of every reply, and 429 with Retry-After", async () => {
    const server = await serve({
      config: (config) => Object.assign(config.limits, { enabled: true, keyPerMinute: 60, keyBurst: 3, registerPerMinute: 100 }),
    });
    const [one, two] = [await registerOwner(server), await registerOwner(server)];
    const seen = [];
    for (let call = 0; call < 4; call++) seen.push(await one.get("/games"));
    expect(seen.map((reply) => [reply.status, reply.headers.get("x-ratelimit-remaining")])).toEqual([
      [200, "2"],
      [200, "1"],
      [200, "0"],
      [429, "0"],
    ]);
    const refused = seen[3]!;
    expect(refused.body.error.code).toBe("RATE_LIMITED");
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.headers.get("x-ratelimit-limit")).toBe("60");
    expect(Number(refused.headers.get("x-ratelimit-reset"))).toBe(Math.floor(server.clock.real() / 1000) + 3);
    expect((await two.get("/games")).status).toBe(200);
    server.clock.set(server.clock.now() + 1000);
    expect((await one.get("/games")).status).toBe(200);
  });

  it("per account: more keys and browsers do not add up to more requests", async () => {
    const limits = {
      enabled: true,
      keyPerMinute: 60,
      keyBurst: 3,
      accountFactor: 2,
      registerPerMinute: 100,
      passwordPerMinute: 100,
    };
    const server = await serve({ config: (config) => Object.assign(config.limits, limits) });
    const [ann, bob] = [await registerPlaytester(server), await registerPlaytester(server)];
    const keys = [ann.key];
    for (const name of ["a", "b"]) keys.push((await ann.createApiKey({ body: { name } })).apiKey);
    const statuses = [];
    for (const key of [...keys, ...keys, ...keys]) statuses.push((await server.request("GET", "/auth/me", { key })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429, 429]);
    expect((await bob.get("/auth/me")).status).toBe(200);
    const browser = visitor(server);
    const fields = { email: "playtester1@example.com", password: "correct horse" };
    expect((await browser.submit("/play/sign-in", "/play/sign-in/password", fields)).status).toBe(303);
    expect((await browser.get("/play")).status).toBe(429);
    server.clock.set(server.clock.now() + 60_000);
    expect((await browser.get("/play")).status).toBe(200);
  });

  it("per address: guesses of keys and passwords are limited", async () => {
    const server = await serve({
      config: (config) => Object.assign(config.limits, { enabled: true, keylessPerMinute: 5, passwordPerMinute: 2 }),
    });
    const guesses = [];
    for (let guess = 0; guess < 6; guess++)
      guesses.push((await server.request("GET", "/games", { key: `guess-${guess}` })).status);
    expect(guesses).toEqual([401, 401, 401, 401, 401, 429]);
    const logins = [];
    for (let guess = 0; guess < 3; guess++)
      logins.push(
        (await server.request("POST", "/auth/api-keys", { body: { name: "k", email: "nobody@example.com", password: "wrong" } }))
          .status,
      );
    expect(logins).toEqual([401, 401, 429]);
  });

  it("counts pages together with the API's requests without a key, but not probes, styles and links that are good", async () => {
    const server = await serve({ config: (config) => Object.assign(config.limits, { enabled: true, keylessPerMinute: 6 }) });
    const get = async (path: string) => (await server.request("GET", path)).status;
    const seen = [];
    for (const path of ["//docs", "//play", "//play/sign-in", "//downloads?token=forged", "//nothing", "/auth/me"])
      seen.push([path, await get(path)]);
    expect(seen).toEqual([
      ["//docs", 200],
      ["//play", 303],
      ["//play/sign-in", 200],
      ["//downloads?token=forged", 403],
      ["//nothing", 404],
      ["/auth/me", 401],
    ]);
    const refused = [
      "//docs/server",
      "//play/sign-in",
      "//play",
      "//downloads?token=forged",
      "//nothing",
      "//checkout/x",
      "//watch/x",
    ];
    for (const path of refused) expect([path, await get(path)]).toEqual([path, 429]);
    for (const path of ["//livez", "//readyz", "//assets/style.css"]) expect([path, await get(path)]).toEqual([path, 200]);
    expect((await server.request("GET", "//docs")).headers.get("retry-after")).toBe("10");
  });

  it("tells the clients of a proxy on this machine apart, also when it is not named", async () => {
    const server = await serve({
      config: (config) => {
        config.behindProxy = true;
        Object.assign(config.limits, { enabled: true, passwordPerMinute: 2 });
      },
    });
    const reset = async (client: string) => {
      const headers = { "x-forwarded-for": client };
      return (await server.request("POST", "/auth/password-reset", { body: { email: "a@example.com" }, headers })).status;
    };
    const seen = [];
    for (const client of ["203.0.113.1", "203.0.113.1", "203.0.113.1", "203.0.113.2", "9.9.9.9, 203.0.113.1"])
      seen.push(await reset(client));
    expect(seen).toEqual([200, 200, 429, 200, 429]);
  });
});

onBothDatabases("idempotency", (_serve, it) => {
  const body = { name: "Lantern Deep", buildUrl: "https://example.com/b.zip" };

  it("replays the same request byte for byte, whatever the order of its fields", async ({ owner }) => {
    const first = await owner.post("/games", body, { "idempotency-key": "one" });
    const again = await owner.post("/games", '{ "buildUrl": "https://example.com/b.zip",  "name": "Lantern Deep" }', {
      "idempotency-key": "one",
    });
    expect([again.status, again.text, again.headers.get("idempotency-replayed")]).toEqual([201, first.text, "true"]);
    expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
    expect((await owner.listGames()).games).toHaveLength(1);
  });

  it("the key of another request is refused; owners do not share keys", async ({ server }) => {
    const [owner, other] = [await registerOwner(server), await registerOwner(server)];
    await owner.createGame({ body, headers: { "idempotency-key": "one" } });
    const changed = await owner.post("/games", { ...body, name: "Other" }, { "idempotency-key": "one" });
    expect([changed.status, changed.body.error.code]).toEqual([422, "IDEMPOTENCY_MISMATCH"]);
    const ids = [await createGame(owner), await createGame(owner)];
    const [placed, elsewhere] = [
      await owner.post(`/games/${ids[0]}/playtests`, { visibility: "public" }, { "idempotency-key": "two" }),
      await owner.post(`/games/${ids[1]}/playtests`, { visibility: "public" }, { "idempotency-key": "two" }),
    ];
    expect([placed.status, elsewhere.status, elsewhere.body.error?.code]).toEqual([201, 422, "IDEMPOTENCY_MISMATCH"]);
    expect((await owner.get(`/games/${ids[1]}/playtests`)).body.data.playtests).toEqual([]);
    expect((await other.post("/games", body, { "idempotency-key": "one" })).headers.get("idempotency-replayed")).toBeNull();
  });

  it("holds across API keys of the same account", async ({ server, owner }) => {
    const second = (await owner.createApiKey({ body: { name: "second" } })).apiKey;
    const first = await owner.post("/games", body, { "idempotency-key": "one" });
    const again = await server.request("POST", "/games", { key: second, body, headers: { "idempotency-key": "one" } });
    expect(again.text).toBe(first.text);
  });

  it("a failed request runs again; a key is forgotten after a day", async ({ server, owner }) => {
    const failed = await owner.post("/games", { name: "x" }, { "idempotency-key": "one" });
    expect(failed.status).toBe(422);
    const first = await owner.post("/games", body, { "idempotency-key": "one" });
    expect(first.status).toBe(201);
    server.clock.set(server.clock.now() + 24 * 3_600_000);
    const later = await owner.createGame({ body, headers: { "idempotency-key": "one" } });
    expect(later.game.id).not.toBe(first.body.data.game.id);
  });

  it("an order refused for too little credit runs under the same key once there is credit", async ({ server, owner, gameId }) => {
    await giveCredit(server, owner, 1999);
    const place = () => owner.post(`/games/${gameId}/playtests`, {}, { "idempotency-key": "one" });
    expect((await place()).status).toBe(402);
    await giveCredit(server, owner, 1);
    const placed = await place();
    expect([placed.status, placed.headers.get("idempotency-replayed")]).toEqual([201, null]);
    expect([(await place()).text, (await place()).headers.get("idempotency-replayed")]).toEqual([placed.text, "true"]);
  });

  it("a stored reply with a secret is encrypted", async ({ server, owner }) => {
    const made = await owner.post("/auth/api-keys", { name: "ci" }, { "idempotency-key": "secret" });
    const stored = await server.deps.store.read((q) =>
      q.one<{ body: Uint8Array }>("SELECT body FROM idempotency WHERE idempotency_key = 'secret'"),
    );
    expect(Buffer.from(stored!.body).toString("latin1")).not.toContain(made.body.data.apiKey);
    expect((await owner.post("/auth/api-keys", { name: "ci" }, { "idempotency-key": "secret" })).text).toBe(made.text);
  });
});

onBothDatabases("paging", (_serve, it) => {
  it("list: newest first, without a repeat or a gap", async ({ owner }) => {
    const ids = [];
    for (let number = 0; number < 7; number++) ids.push(await createGame(owner, { name: `Game ${number}` }));
    const walked = [];
    const sizes = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: Reply["body"] = (await owner.get(`/games?limit=3${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)).body;
      walked.push(...page.data.games.map((game: { id: string }) => game.id));
      sizes.push([page.data.games.length, page.meta.hasMore]);
      cursor = page.meta.cursor;
    }
    expect(walked).toEqual(ids.reverse());
    expect(sizes).toEqual([
      [3, true],
      [3, true],
      [1, false],
    ]);
  });

  it("limit: 20 items per page by default", async ({ owner }) => {
    for (let number = 0; number < 21; number++) await createGame(owner);
    const { data, meta } = (await owner.get("/games")).body;
    expect([data.games.length, meta.hasMore]).toEqual([20, true]);
  });

  it("last page: known as the last when it is exactly full", async ({ owner }) => {
    for (let number = 0; number < 2; number++) await createGame(owner);
    expect((await owner.get("/games?limit=2")).body.meta).toMatchObject({ hasMore: false, cursor: null });
  });

  it("cursor: refused for another list or another owner", async ({ server }) => {
    const [owner, other] = [await registerOwner(server), await registerOwner(server)];
    for (const person of [owner, other]) for (let number = 0; number < 2; number++) await createGame(person);
    const { cursor } = (await owner.get("/games?limit=1")).body.meta;
    expect((await other.get(`/games?limit=1&cursor=${cursor}`)).status).toBe(422);
    expect((await owner.get(`/notifications?cursor=${cursor}`)).body.error.details[0].field).toBe("cursor");
  });
});

onBothDatabases("cursors", (serve, it) => {
  it("every form of a path, its ids and its query: continues the list; another text is refused", async ({
    server,
    owner,
    gameId,
  }) => {
    await giveCredit(server, owner, 100_000);
    const placed = await owner.createPlaytest({ params: { gameId }, body: { quantity: 2 } });
    const { id } = placed.playtest;
    const slots = (await owner.get(`/playtests/${id}/slots?limit=1`)).body.meta.cursor;
    const open = (await owner.get("/submissions?status=open&limit=1")).body.meta.cursor;
    const rows: [string, number][] = [
      [`/playtests/${id}/slots?cursor=${slots}`, 200],
      [`/playtests/${id.toUpperCase()}/slots?utm=1&cursor=${slots}`, 200],
      [`/playtests/submissions?cursor=${open}&status=open`, 200],
      [`/submissions?cursor=${open}`, 422],
      [`/playtests/${id}/slots?cursor=${slots}%3D`, 422],
      [`/playtests/${id}/slots?cursor=${slots}!`, 422],
      [`/playtests/${id}/slots?cursor=${slots.slice(0, -1)}`, 422],
      [`/playtests/${id}/slots?cursor=%20${slots}`, 422],
    ];
    for (const [path, status] of rows) expect([path, (await owner.get(path)).status]).toEqual([path, status]);
  });

  it.each(["categories", "devices", "platforms"])("%s: paged like any list", async (list) => {
    const owner = await registerOwner(await serve());
    const all = (await owner.get(`/info/${list}`)).body;
    expect([all.meta.hasMore, all.meta.cursor]).toEqual([false, null]);
    const walked: unknown[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: Reply["body"] = (await owner.get(`/info/${list}?limit=3${cursor && `&cursor=${cursor}`}`)).body;
      expect(page.data[list].length).toBeLessThanOrEqual(3);
      walked.push(...page.data[list]);
      cursor = page.meta.cursor;
    }
    expect(walked).toEqual(all.data[list]);
    expect((await owner.get(`/info/${list}?cursor=abc`)).status).toBe(422);
  });
});

onBothDatabases("secrets", (_serve, it) => {
  it("no API key, password or game key is in plain text in the database", async ({ server, owner, playtester, gameId }) => {
    const order = { visibility: "public", keysForTesters: ["PLANTED-GAME-KEY"] };
    const { id } = (await owner.post(`/games/${gameId}/playtests`, order, { "idempotency-key": "order" })).body.data.playtest;
    const claim = () => playtester.post(`/playtester/playtests/${id}/claim`, undefined, { "idempotency-key": "claim" });
    const { slot } = (await claim()).body.data;
    expect([slot.keys, (await claim()).body.data.slot.keys]).toEqual([["PLANTED-GAME-KEY"], ["PLANTED-GAME-KEY"]]);
    const report = { reasonCode: "crash" };
    await playtester.post(`/playtester/slots/${slot.id}/report`, report, { "idempotency-key": "report" });
    const readable = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value);
    const tables = ["users", "api_keys", "playtest_keys", "idempotency", "one_time_tokens"];
    const dump = await server.deps.store.read(async (q) =>
      JSON.stringify(
        await Promise.all(
          tables.map(async (table) =>
            (await q.all<object>(`SELECT * FROM ${table}`)).map((row) => Object.values(row).map(readable)),
          ),
        ),
      ),
    );
    for (const secret of [owner.key, playtester.key, "correct horse", "PLANTED-GAME-KEY"]) expect(dump).not.toContain(secret);
  });
});
