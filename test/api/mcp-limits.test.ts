import { describe, expect } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { connect } from "../helpers/mcp.ts";
import type { TestServer } from "../helpers/server.ts";

const day = 24 * 3_600_000;

async function studio(server: TestServer, keyBody: object = {}) {
  const owner = await factories.registerOwner(server);
  await factories.giveCredit(server, owner, 100_000);
  const gameId = await factories.createGame(owner);
  const made = await owner.post("/auth/api-keys", { name: "agent", ...keyBody });
  expect(made.status).toBe(201);
  const agent: factories.Person = factories.personWith(server, made.body.data.apiKey, owner.id);
  const orders = async () => (await owner.get(`/games/${gameId}/playtests`)).body.data.playtests.length as number;
  const balance = async () => (await owner.get("/billing/balance")).body.data.balanceCents as number;
  return { owner, gameId, agent, orders, balance };
}

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

const ping = { jsonrpc: "2.0", id: 1, method: "ping" };

/** What `/mcp` answers to a message, with what it says about signing in. */
async function posted(
  server: TestServer,
  {
    key,
    body = initialize,
    headers = {},
    path = "/mcp",
    method = "POST",
  }: {
    key?: string;
    body?: unknown;
    headers?: Record<string, string>;
    path?: string;
    method?: string;
  },
) {
  const reply = await fetch(server.baseUrl + path, {
    method,
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    ...(method !== "GET" && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await reply.text();
  return { status: reply.status, challenge: reply.headers.get("www-authenticate"), text, reply };
}

onBothDatabases("mcp: who may call", (serve, it) => {
  const metadata = (server: TestServer) => `resource_metadata="${server.baseUrl}/.well-known/oauth-protected-resource/mcp"`;

  it("a call without a key is told where to learn how to sign in, and there it says so", async ({ server }) => {
    const { status, challenge, text } = await posted(server, {});
    expect([status, challenge]).toEqual([401, `Bearer scope="read", ${metadata(server)}`]);
    expect(JSON.parse(text)).toMatchObject({ jsonrpc: "2.0", id: null, error: { data: { code: "UNAUTHORIZED" } } });
    const document = await fetch(`${server.baseUrl}/.well-known/oauth-protected-resource/mcp`);
    expect(await document.json()).toEqual({
      resource: `${server.baseUrl}/mcp`,
      resource_name: "playtest",
      authorization_servers: [server.baseUrl],
      bearer_methods_supported: ["header"],
      scopes_supported: ["read", "order", "review"],
      resource_documentation: `${server.baseUrl}/docs/mcp`,
    });
  });

  it("an unknown, revoked or expired key is refused as an invalid token", async ({ server, owner }) => {
    const expected = [401, `Bearer error="invalid_token", scope="read", ${metadata(server)}`];
    const made = await owner.post("/auth/api-keys", {
      name: "agent",
      expiresAt: new Date(server.clock.now() + day).toISOString(),
    });
    const { apiKey: key, key: row } = made.body.data;
    const refusal = async (given: string) => {
      const { status, challenge } = await posted(server, { key: given });
      return [status, challenge];
    };
    expect(await refusal("pt_sk_0123456789abcdef0123456789abcdef")).toEqual(expected);
    expect((await posted(server, { key })).status).toBe(200);
    await server.advance(2 * day);
    expect(await refusal(key)).toEqual(expected);
    const other = (await owner.post("/auth/api-keys", { name: "other" })).body.data;
    await owner.delete(`/auth/api-keys/${other.key.id}`);
    expect(await refusal(other.apiKey)).toEqual(expected);
    expect(row.name).toBe("agent");
  });

  it("a playtester's key, and one without the scope, get insufficient_scope", async ({ server, owner, playtester }) => {
    const expected = [403, `Bearer error="insufficient_scope", scope="game_owner", ${metadata(server)}`];
    const billing = (await owner.post("/auth/api-keys", { name: "money", scopes: ["billing"] })).body.data.apiKey;
    for (const key of [playtester.key, billing]) {
      const { status, challenge } = await posted(server, { key });
      expect([status, challenge]).toEqual(expected);
    }
  });

  const refused: {
    name: string;
    status: number;
    headers?: Record<string, string>;
    body?: unknown;
    path?: string;
    method?: string;
  }[] = [
    { name: "another origin", status: 403, headers: { origin: "https://evil.example" } },
    { name: "no origin that browsers name", status: 403, headers: { origin: "null" } },
    { name: "a batch", status: 400, body: [ping, ping] },
    { name: "what is no JSON", status: 400, body: "{" },
    { name: "no message", status: 400, body: "" },
    { name: "another type", status: 415, headers: { "content-type": "text/plain" } },
    { name: "a large message", status: 413, body: { ...initialize, filler: "x".repeat(300_000) } },
    { name: "GET", status: 405, method: "GET" },
    { name: "DELETE", status: 405, method: "DELETE" },
    { name: "a path below", status: 404, path: "/mcp/more" },
    { name: "an unknown toolset", status: 422, path: "/mcp?allow=everything" },
    { name: "a wrong number of reviews", status: 422, path: "/mcp?reviews=-1" },
  ];
  /** A sandbox refuses other hosts and origins everywhere. */
  const inProduction = () => serve({ config: (config) => Object.assign(config, { sandbox: false }) });

  it.for(refused)("refuses $name with $status", async ({ status, name: _name, ...request }) => {
    const server = await inProduction();
    const owner = await factories.registerOwner(server);
    expect((await posted(server, { key: owner.key })).status).toBe(200);
    expect((await posted(server, { key: owner.key, ...request })).status).toBe(status);
  });

  it("refuses another host name, by which a page could reach it", async () => {
    const server = await inProduction();
    const owner = await factories.registerOwner(server);
    const { request } = await import("node:http");
    const { hostname, port } = new URL(server.baseUrl);
    const statusFor = (host: string) =>
      new Promise<number>((resolve, reject) => {
        const headers = { host, authorization: `Bearer ${owner.key}`, "content-type": "application/json", accept: "*/*" };
        const sent = request({ hostname, port, path: "/mcp", method: "POST", headers }, (reply) => {
          reply.resume();
          resolve(reply.statusCode!);
        });
        sent.once("error", reject).end("{}");
      });
    expect(await statusFor("evil.example")).toBe(403);
    expect(await statusFor(`localhost.evil.example:${port}`)).toBe(403);
    expect(await statusFor(`localhost:${port}`)).not.toBe(403);
  });

  it("each message counts against the rate limit of the key, and one too many is refused", async () => {
    const server = await serve({
      config: ({ limits }) => {
        Object.assign(limits, { enabled: true, keyPerMinute: 3, keyBurst: 3 });
      },
    });
    const owner = await factories.registerOwner(server);
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push((await posted(server, { key: owner.key })).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  it("a stream of changes ends at once, because nothing here changes", async ({ server, owner }) => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const notifications = { toolsListChanged: true, resourceSubscriptions: ["playtest://help/budgets"] };
    const body = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: { notifications, _meta } };
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" };
    const { text } = await posted(server, { key: owner.key, body, headers });
    expect(text).toContain('"resultType":"complete"');
  });
});

onBothDatabases("mcp: limits", (serve, it) => {
  const wish = (gameId: string, more: object = {}) => ({ game: gameId, ref: "one", maxCostCents: 10_000, ...more });
  const perDay = { period: "day", limitCents: 10_000 };

  it("a client that accepts everything spends nothing above the approval amount", async () => {
    const server = await serve();
    const approveOver = { period: "order", approveOverCents: 2_000 };
    const { owner, gameId, agent, orders, balance } = await studio(server, { budgets: [approveOver] });
    const { call, asked } = await connect({ baseUrl: server.baseUrl, key: agent.key, answer: "accept" });
    for (let n = 0; n < 5; n++) {
      const { structuredContent } = await call("order_playtest", wish(gameId, { quantity: 2, ref: `large ${n}` }));
      expect(structuredContent.status).toBe("needs_approval");
    }
    expect(asked).toHaveLength(5);
    expect([await orders(), await balance()]).toEqual([0, 100_000]);
    const again = await call("order_playtest", wish(gameId, { quantity: 2, ref: "large 0" }));
    const { approval, url } = again.structuredContent;
    expect(url).toBe(`${server.baseUrl}/studio/approvals/${approval}`);
    expect((await call("wait_for", { approval, seconds: 0 })).structuredContent).toMatchObject({
      reached: false,
      status: "pending",
    });
    expect((await agent.post(`/approvals/${approval}/approve`)).status).toBe(403);
    expect((await owner.post(`/approvals/${approval}/approve`)).status).toBe(201);
    const decided = (await call("wait_for", { approval })).structuredContent;
    expect(decided).toMatchObject({ reached: true, status: "approved" });
    const placed = await call("order_playtest", wish(gameId, { quantity: 2, ref: "large 0" }));
    expect(placed.structuredContent).toMatchObject({ status: "ordered", playtest: decided.playtest, repeated: true });
    expect([await orders(), await balance()]).toEqual([1, 96_000]);
  });

  it("a budget ends what is ordered, whatever the client says", async () => {
    const server = await serve();
    const { gameId, agent, orders, balance } = await studio(server, { budgets: [{ period: "day", limitCents: 4_000 }] });
    const { call } = await connect({ baseUrl: server.baseUrl, key: agent.key, answer: "accept" });
    const statuses = [];
    for (let n = 0; n < 4; n++) {
      const reply = await call("order_playtest", wish(gameId, { ref: `order ${n}` }));
      statuses.push(reply.isError ? reply.content[0]!.text.split(":")[0] : reply.structuredContent.status);
    }
    expect(statuses).toEqual(["ordered", "ordered", "BUDGET_EXCEEDED", "BUDGET_EXCEEDED"]);
    expect([await orders(), await balance()]).toEqual([2, 96_000]);
  });

  it("orders once for each ref, also at the same time, and says so later", async () => {
    const server = await serve();
    const { gameId, agent, orders } = await studio(server, { budgets: [perDay] });
    const { call } = await connect({ baseUrl: server.baseUrl, key: agent.key });
    const replies = await Promise.all(Array.from({ length: 8 }, () => call("order_playtest", wish(gameId))));
    const placed = replies.filter(({ isError }) => !isError).map(({ structuredContent }) => structuredContent.playtest);
    expect(new Set(placed).size).toBe(1);
    expect(await orders()).toBe(1);
    const other = await call("order_playtest", wish(gameId, { quantity: 3 }));
    expect(other.structuredContent).toMatchObject({ status: "ordered", playtest: placed[0], repeated: true });
    expect(await orders()).toBe(1);
  });

  it("orders again under the ref of an order that was cancelled, and does not call an unpaid one ordered", async () => {
    const server = await serve();
    const { gameId, agent, owner, orders } = await studio(server, { budgets: [perDay] });
    const { call } = await connect({ baseUrl: server.baseUrl, key: agent.key });
    const first = (await call("order_playtest", wish(gameId))).structuredContent.playtest;
    await owner.post(`/playtests/${first}/cancel`);
    const second = (await call("order_playtest", wish(gameId))).structuredContent;
    expect([second.status, second.repeated, second.playtest === first]).toEqual(["ordered", undefined, false]);
    expect((await call("order_playtest", wish(gameId))).structuredContent).toMatchObject({
      playtest: second.playtest,
      repeated: true,
    });
    expect(await orders()).toBe(2);
    await owner.post(`/games/${gameId}/playtests`, { ref: "by card" }, { "x-payment-method": "card" });
    expect((await call("order_playtest", wish(gameId, { ref: "by card" }))).structuredContent).toMatchObject({
      status: "pending_payment",
      repeated: true,
    });
  });

  it("orders nothing above maxCostCents, without credit, or as a public playtest", async () => {
    const server = await serve();
    const { gameId, agent, orders } = await studio(server, { budgets: [{ period: "total", limitSlots: 100 }] });
    const { call } = await connect({ baseUrl: server.baseUrl, key: agent.key });
    const dear = await call("order_playtest", wish(gameId, { quantity: 2, maxCostCents: 3_999 }));
    expect(dear.structuredContent).toMatchObject({ status: "too_expensive", totalCents: 4_000 });
    const poor = await call("order_playtest", wish(gameId, { quantity: 60, maxCostCents: 1_000_000 }));
    expect(poor.structuredContent).toMatchObject({ status: "insufficient_credit", missingCents: 20_000 });
    const open = await call("order_playtest", wish(gameId, { visibility: "public" }));
    expect(open.content[0]!.text).toContain("VALIDATION_ERROR");
    expect(await orders()).toBe(0);
  });

  it("a budget for each order or for one game alone is no limit on all: somebody has to be asked", async () => {
    const server = await serve();
    const { owner, gameId, agent, orders } = await studio(server, { budgets: [{ period: "order", limitCents: 10_000 }] });
    expect((await owner.post("/billing/budgets", { gameId, period: "day", limitCents: 10_000 })).status).toBe(201);
    const { tools, call } = await connect({ baseUrl: server.baseUrl, key: agent.key });
    expect(await tools()).not.toContain("order_playtest");
    expect((await call("order_playtest", wish(gameId))).isError).toBe(true);
    expect(await orders()).toBe(0);
  });

  it("a read-only key orders and reviews nothing", async () => {
    const server = await serve();
    const { owner, gameId, agent, orders } = await studio(server, { readOnly: true });
    const slot = await factories.play(server, await factories.registerPlaytester(server), await factories.order(owner, gameId));
    const { call } = await connect({ baseUrl: server.baseUrl, key: agent.key, answer: "accept" });
    expect((await call("quote_order", { game: gameId })).structuredContent.totalCents).toBe(2_000);
    expect((await call("order_playtest", wish(gameId))).content[0]!.text).toContain("FORBIDDEN: The API key is read-only.");
    expect((await call("review", { slot, decision: "accept" })).content[0]!.text).toContain("read-only");
    expect((await call("create_finding", { game: gameId, title: "No" })).isError).toBe(true);
    expect(await orders()).toBe(1);
  });

  it("only what is allowed is there", async () => {
    const server = await serve();
    const { owner, agent, gameId } = await studio(server, { budgets: [perDay] });
    const slot = await factories.play(server, await factories.registerPlaytester(server), await factories.order(owner, gameId));
    const { tools, call } = await connect({ baseUrl: server.baseUrl, key: agent.key, allow: "read" });
    expect(await tools()).toEqual([
      "status",
      "list_games",
      "list_playtests",
      "get_playtest",
      "get_submission",
      "read_transcript",
      "search_feedback",
      "list_findings",
      "wait_for",
    ]);
    for (const [name, args] of [
      ["order_playtest", wish(gameId)],
      ["review", { slot, decision: "accept" }],
      ["create_finding", { game: gameId, title: "No" }],
      ["push_build", { game: gameId, path: "." }],
    ] as const)
      expect((await call(name, args)).content[0]!.text).toContain("NOT_FOUND: There is no tool");
    expect((await owner.get(`/slots/${slot}`)).body.data.slot.status).toBe("submitted");
  });

  describe("reviews in a day", () => {
    const limited = (most: number) => ({ "x-review-limit": String(most) });

    it("are as many as the address allows, and the server counts them for the key", async () => {
      const server = await serve();
      const { owner, gameId, agent } = await studio(server);
      const playtest = await factories.order(owner, gameId, { quantity: 4 });
      const slots: string[] = [];
      for (let n = 0; n < 4; n++) slots.push(await factories.play(server, await factories.registerPlaytester(server), playtest));
      const { call } = await connect({ baseUrl: server.baseUrl, key: agent.key, reviewsPerDay: 2 });
      const outcome = async (slot: string, more: object = { decision: "accept" }) => {
        const reply = await call("review", { slot, ...more });
        return reply.isError ? reply.content[0]!.text.split(".")[0] : reply.structuredContent.status;
      };
      const refusal = "CONFLICT: This API key has made 2 reviews today, the most that its program allows in a UTC day";
      expect(await outcome(slots[0]!)).toBe("accepted");
      // What is refused for another reason does not count.
      expect(await outcome(slots[0]!)).toContain("CONFLICT");
      expect(await outcome(slots[1]!, { decision: "reject" })).toContain("VALIDATION_ERROR");
      expect(await outcome(slots[1]!, { decision: "reject", reason: "There is no sound." })).toBe("rejected");
      expect(await outcome(slots[2]!)).toBe(refusal);
      // By a connection of its own, too.
      const other = await connect({ baseUrl: server.baseUrl, key: agent.key, reviewsPerDay: 2 });
      expect((await other.call("review", { slot: slots[2], decision: "accept" })).content[0]!.text).toContain(refusal);
      await server.advance(day);
      expect(await outcome(slots[2]!)).toBe("accepted");
      // Without the limit, a person's own key reviews as before.
      expect((await owner.post(`/slots/${slots[3]}/accept`)).status).toBe(200);
    });

    it("none, with a limit of 0; and ten at once are not more than their limit", async () => {
      const server = await serve();
      const { owner, gameId, agent } = await studio(server);
      const playtest = await factories.order(owner, gameId, { quantity: 6 });
      const slots: string[] = [];
      for (let n = 0; n < 6; n++) slots.push(await factories.play(server, await factories.registerPlaytester(server), playtest));
      expect((await agent.post(`/slots/${slots[0]}/accept`, {}, limited(0))).status).toBe(409);
      const replies = await Promise.all(slots.map((slot) => agent.post(`/slots/${slot}/accept`, {}, limited(3))));
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 409, 409, 409]);
      expect((await agent.post(`/slots/${slots[0]}/accept`, {}, { "x-review-limit": "many" })).status).toBe(422);
    });
  });
});
