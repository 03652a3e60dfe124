import { describe, expect } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import {
  authorizeBy,
  challengeOf,
  connectSignedIn,
  decide,
  type Kind,
  leadsTo,
  oauthOf,
  ProgramMemory,
  readAndOrder,
  redirectUri,
  verifier,
} from "../helpers/oauth.ts";
import { hiddenFields, signedIn, visitor } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

async function scene(server: TestServer, cents = 100_000) {
  const owner = await factories.registerOwner(server);
  if (cents > 0) await factories.giveCredit(server, owner, cents);
  const gameId = await factories.createGame(owner, { name: "Lantern Deep" });
  const browser = await signedIn(server, owner, "/studio");
  const oauth = oauthOf(server);
  const clientId = await oauth.clientId();
  /** A code that the owner gave the program. */
  const code = async (changes: Record<string, string> = {}, fields = readAndOrder as Record<string, string>) =>
    leadsTo(await decide(browser, oauth.authorizeUrl(clientId, changes), fields))!.searchParams.get("code")!;
  const given = (more: Record<string, string>) => ({ client_id: clientId, redirect_uri: redirectUri, ...more });
  const exchange = (code: string, changes: Record<string, string> = {}) =>
    oauth.token(given({ grant_type: "authorization_code", code, code_verifier: verifier, ...changes }));
  const refresh = (token: string, changes: Record<string, string> = {}) =>
    oauth.token(given({ grant_type: "refresh_token", refresh_token: token, ...changes }));
  const tokens = async (fields?: Record<string, string>) => (await exchange(await code({}, fields))).body;
  const connected = async () =>
    ((await owner.get("/auth/api-keys")).body.data.keys as { id: string; connection: string[] | null }[]).filter(
      ({ connection }) => connection !== null,
    );
  return { server, owner, gameId, browser, oauth, clientId, code, exchange, refresh, tokens, connected };
}

const kinds: Kind[] = ["client 2.4", "sdk 1.x"];

onBothDatabases("programs that are connected by OAuth", (serve, it) => {
  it.for(kinds)("%s registers, is connected, orders, refreshes and is revoked", async (kind, { server }) => {
    const { owner, gameId, browser, oauth, connected } = await scene(server);
    const memory = new ProgramMemory({ name: "Claude Code" });
    const url = `${server.baseUrl}/mcp`;
    expect(await authorizeBy(kind, memory, url)).toBe("REDIRECT");
    expect(memory.asked!.searchParams.get("resource")).toBe(url);
    const done = await decide(browser, memory.asked!.pathname + memory.asked!.search);
    const back = leadsTo(done)!;
    expect(back.origin + back.pathname).toBe(redirectUri);
    expect(back.searchParams.get("state")).toBe("a state & more");
    expect(back.searchParams.get("iss")).toBe(server.baseUrl);
    expect(await authorizeBy(kind, memory, url, back.searchParams)).toBe("AUTHORIZED");
    expect(memory.saved).toMatchObject({ token_type: "Bearer", expires_in: 3600, scope: "read order" });

    const agent = await connectSignedIn(kind, memory, url);
    expect(await agent.tools()).toContain("order_playtest");
    expect(await agent.tools()).not.toContain("review");
    expect((await agent.call("list_games")).structuredContent.games).toMatchObject([{ id: gameId }]);
    const ordered = await agent.call("order_playtest", { game: gameId, ref: "one", maxCostCents: 2_000 });
    expect(ordered.structuredContent).toMatchObject({ status: "ordered", budgets: ["Left today: $30.00 of $50.00."] });
    const refused = await agent.call("order_playtest", { game: gameId, quantity: 2, ref: "two", maxCostCents: 4_000 });
    expect([refused.isError, refused.content[0]!.text]).toEqual([true, expect.stringContaining("BUDGET_EXCEEDED")]);

    const first = memory.saved.access_token;
    await server.advance(61 * minute);
    expect(await oauth.mcp(first)).toBe(401);
    expect(await authorizeBy(kind, memory, url)).toBe("AUTHORIZED");
    expect(memory.saved.access_token).not.toBe(first);
    expect((await agent.call("status")).isError).toBeFalsy();

    const [key] = await connected();
    expect(key).toMatchObject({ name: "Claude Code", connection: ["read", "order"], scopes: ["game_owner", "billing"] });
    expect((await owner.delete(`/auth/api-keys/${key!.id}`)).status).toBe(200);
    expect(await oauth.mcp(memory.saved.access_token)).toBe(401);
    expect(await connected()).toEqual([]);
  });

  it("both documents say how, and a call without a token leads to them", async ({ server }) => {
    const read = async (path: string) => (await fetch(server.baseUrl + path)).json();
    expect(await read("/.well-known/oauth-protected-resource/mcp")).toMatchObject({
      resource: `${server.baseUrl}/mcp`,
      authorization_servers: [server.baseUrl],
      scopes_supported: ["read", "order", "review"],
    });
    expect(await read("/.well-known/oauth-authorization-server")).toMatchObject({
      issuer: server.baseUrl,
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    });
    const reply = await fetch(`${server.baseUrl}/mcp?allow=read,order`, { method: "POST" });
    expect([reply.status, reply.headers.get("www-authenticate")]).toEqual([
      401,
      `Bearer scope="read order", resource_metadata="${server.baseUrl}/.well-known/oauth-protected-resource/mcp"`,
    ]);
  });

  it("the owner signs in first, and then sees the program and where the browser goes", async ({ server }) => {
    const { owner, oauth, clientId } = await scene(server);
    const stranger = visitor(server);
    const { location } = await stranger.get(oauth.authorizeUrl(clientId, { scope: "read review" }));
    const door = await stranger.get(location!);
    expect(door.location).toBe(`/studio/sign-in?${new URLSearchParams({ next: location! })}`);
    const { email } = (await owner.get("/auth/me")).body.data;
    const entered = await stranger.submit(door.location!, "/studio/sign-in/password", { email, password: "correct horse" });
    expect(entered.location).toBe(location);
    const { html } = await stranger.get(location!);
    expect(html).toContain("A program that calls itself <strong>Test Agent</strong>");
    expect(html).toContain("a program on this computer (<code>127.0.0.1:5123</code>)");
    expect(html).toMatch(/name="tool-review" value="yes" checked/);
    expect(html).not.toMatch(/name="tool-order" value="yes" checked/);
  });

  it("a document at an HTTPS address is a client, and its host is shown", async ({ server }) => {
    const { browser, oauth } = await scene(server);
    const id = "https://agent.example/client.json";
    const document = { client_id: id, client_name: "Agent", redirect_uris: ["https://agent.example/back"] };
    const answer = (status: number, body: object) => {
      server.deps.outbound.request = async () => ({
        status,
        headers: {},
        body: Buffer.from(JSON.stringify(body)),
        complete: true,
      });
    };
    const open = async () => browser.get(oauth.authorizeUrl(id, { redirect_uri: "https://agent.example/back" }));
    answer(200, document);
    const { html } = await browser.get((await open()).location!);
    expect(html).toContain("<strong>Agent</strong> of <code>agent.example</code>");
    for (const [status, body] of [
      [404, document],
      [200, { ...document, client_id: "https://agent.example/other.json" }],
      [200, { ...document, redirect_uris: ["javascript:alert(1)"] }],
      [200, { ...document, token_endpoint_auth_method: "client_secret_basic" }],
    ] as const) {
      answer(status, body);
      expect((await open()).status).toBe(400);
    }
  });

  it("the document of a client is not fetched from a private address", async ({ server }) => {
    const { browser, oauth } = await scene(server);
    for (const id of ["https://10.0.0.1/client.json", "https://169.254.169.254/latest/meta-data", "https://[fd00::1]/c"]) {
      const reply = await browser.get(oauth.authorizeUrl(id));
      expect([reply.status, reply.html.includes("is not the document of a client")]).toEqual([400, true]);
    }
  });

  describe("registration", () => {
    it.for([
      ["https://agent.example/back"],
      ["http://localhost/back"],
      ["http://[::1]:9/"],
      ["cursor://anysphere.cursor-mcp/oauth/callback"],
    ])("takes %s", async ([uri], { server }) => {
      const { status, body } = await oauthOf(server).register({ redirect_uris: [uri] });
      expect([status, body.token_endpoint_auth_method, body.redirect_uris]).toEqual([201, "none", [uri]]);
    });

    it.for([
      ["http://agent.example/back"],
      ["javascript:alert(1)"],
      ["javascript://x/%0aalert(1)"],
      ["data:text/html,x"],
      ["https://agent.example/back#part"],
      ["https://user:word@agent.example/back"],
      ["http://127.0.0.1@agent.example/"],
      ["http://127.0.0.1.agent.example/"],
      ["//agent.example"],
      [""],
    ])("refuses %s", async ([uri], { server }) => {
      const { status, body } = await oauthOf(server).register({ redirect_uris: [uri] });
      expect([status, body.error]).toEqual([400, "invalid_redirect_uri"]);
    });

    it.for([
      [{ redirect_uris: [] }],
      [{ grant_types: ["client_credentials"] }],
      [{ response_types: ["token"] }],
      [{ client_name: 7 }],
    ])("refuses %j", async ([body], { server }) => {
      const reply = await oauthOf(server).register(body);
      expect([reply.status, reply.body.error]).toEqual([400, "invalid_client_metadata"]);
    });

    it("a name is one line that can be read", async ({ server }) => {
      const { body } = await oauthOf(server).register({ client_name: " Evil\u202e\n<b>Agent</b>\u0000 " });
      expect(body.client_name).toBe("Evil <b>Agent</b>");
    });

    it("a client id that was changed is not known", async ({ server }) => {
      const { browser, oauth, clientId } = await scene(server);
      const forged = `${clientId.slice(0, 20)}A${clientId.slice(21)}`;
      for (const id of [forged, "nobody", "", "http://agent.example/c.json", "https://agent.example"])
        expect((await browser.get(oauth.authorizeUrl(id))).status).toBe(400);
    });
  });

  describe("a request that is wrong leads nowhere", () => {
    const wrong: [string, Record<string, string | undefined>, string][] = [
      ["another address", { redirect_uri: "https://evil.example/" }, "invalid_request"],
      ["no address", { redirect_uri: undefined }, "invalid_request"],
      ["a longer path", { redirect_uri: `${redirectUri}/more` }, "invalid_request"],
      ["a query", { redirect_uri: `${redirectUri}?next=https://evil.example` }, "invalid_request"],
      ["another host of this computer", { redirect_uri: "http://localhost:5123/callback" }, "invalid_request"],
      ["a host before the credentials", { redirect_uri: "http://127.0.0.1:5123@evil.example/callback" }, "invalid_request"],
      ["a longer host", { redirect_uri: "http://127.0.0.1.evil.example/callback" }, "invalid_request"],
      ["a backslash", { redirect_uri: "http://127.0.0.1\\@evil.example/callback" }, "invalid_request"],
      ["HTTPS of this computer", { redirect_uri: "https://127.0.0.1:5123/callback" }, "invalid_request"],
      ["a token at once", { response_type: "token" }, "unsupported_response_type"],
      ["no PKCE", { code_challenge: undefined, code_challenge_method: undefined }, "invalid_request"],
      ["PKCE in plain", { code_challenge: verifier, code_challenge_method: "plain" }, "invalid_request"],
      ["PKCE without its method", { code_challenge_method: undefined }, "invalid_request"],
      ["a challenge that is no hash", { code_challenge: "short" }, "invalid_request"],
      ["another resource", { resource: "https://other.example/mcp" }, "invalid_target"],
      ["a resource below", { resource: "SERVER/mcp/other" }, "invalid_target"],
    ];
    it.for(wrong)("%s", async ([, changes, code], { server }) => {
      const { browser, oauth, clientId } = await scene(server);
      const given = Object.fromEntries(
        Object.entries(changes).map(([name, value]) => [name, value?.replace("SERVER", server.baseUrl)]),
      );
      const reply = await browser.get(oauth.authorizeUrl(clientId, given));
      expect([reply.status, reply.location, leadsTo(reply)]).toEqual([400, null, undefined]);
      expect(reply.html).toContain(`<code>${code}</code>`);
    });

    it("a parameter that is given twice", async ({ server }) => {
      const { browser, oauth, clientId } = await scene(server);
      const reply = await browser.get(`${oauth.authorizeUrl(clientId)}&redirect_uri=https://evil.example`);
      expect([reply.status, reply.location]).toEqual([400, null]);
    });

    it("another port of this computer is the same program", async ({ server }) => {
      const { browser, oauth, clientId } = await scene(server);
      const uri = "http://127.0.0.1:61999/callback";
      expect((await browser.get(oauth.authorizeUrl(clientId, { redirect_uri: uri }))).status).toBe(303);
    });
  });

  describe("a code", () => {
    it("works once; a second use ends the connection", async ({ server }) => {
      const { code, exchange, refresh, oauth, connected } = await scene(server);
      const given = await code();
      const { status, headers, body } = await exchange(given);
      expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
      expect(await oauth.mcp(body.access_token)).toBe(200);
      const again = await exchange(given);
      expect([again.status, again.body.error]).toEqual([400, "invalid_grant"]);
      expect(await oauth.mcp(body.access_token)).toBe(401);
      expect((await refresh(body.refresh_token)).body.error).toBe("invalid_grant");
      expect(await connected()).toEqual([]);
    });

    const wrong: [string, (other: string) => Record<string, string>, string][] = [
      ["of another client", (other) => ({ client_id: other }), "invalid_grant"],
      ["with another secret", () => ({ code_verifier: `${verifier}-other` }), "invalid_grant"],
      ["without the secret", () => ({ code_verifier: "" }), "invalid_grant"],
      ["with the challenge for the secret", () => ({ code_verifier: challengeOf(verifier) }), "invalid_grant"],
      ["with another address", () => ({ redirect_uri: "http://127.0.0.1:9/callback" }), "invalid_grant"],
      ["for another resource", () => ({ resource: "https://other.example/mcp" }), "invalid_target"],
      ["with a forged end", () => ({ code: "0" }), "invalid_grant"],
      ["as something else", () => ({ grant_type: "password" }), "unsupported_grant_type"],
    ];
    it.for(wrong)("%s gets nothing, and its client still gets its tokens", async ([, changes, error], { server }) => {
      const { code, exchange, oauth } = await scene(server);
      const other = await oauth.clientId({ client_name: "Other" });
      const given = await code();
      const more = changes(other);
      const stolen = await exchange(
        given,
        "code" in more ? { code: given.slice(0, -1) + (given.endsWith("A") ? "B" : "A") } : more,
      );
      expect([stolen.status, stolen.body.error]).toEqual([400, error]);
      expect((await exchange(given)).status).toBe(200);
    });

    it("works for a minute", async ({ server }) => {
      const { owner, code, exchange, connected } = await scene(server);
      const admin = await factories.firstAdmin(server);
      const given = await code();
      await server.advance(59_000);
      const listed = await connected();
      expect(listed).toHaveLength(1);
      await server.advance(2_000);
      const { entries } = await admin.listAudit({ query: { target: listed[0]!.id } });
      expect(entries).toMatchObject([
        { action: "key.revoke", actorId: null, before: { revokedAt: null } },
        { action: "key.create", actorId: owner.id },
      ]);
      expect((await exchange(given)).body.error).toBe("invalid_grant");
      expect([await connected(), (await owner.get("/billing/budgets")).body.data.budgets]).toEqual([[], []]);
    });

    it("that is used in time leaves its connection where it is", async ({ server }) => {
      const { tokens, connected } = await scene(server);
      await tokens();
      await server.advance(2 * minute);
      expect(await connected()).toHaveLength(1);
    });
  });

  describe("tokens", () => {
    it("are for /mcp alone, and do no more than the owner allowed", async ({ server }) => {
      const { tokens, oauth, gameId } = await scene(server);
      const { access_token: token, refresh_token: refreshToken } = await tokens({ days: "30" });
      const asApi = factories.personWith(server, token, "");
      expect((await asApi.get("/auth/me")).status).toBe(401);
      expect((await asApi.post(`/games/${gameId}/playtests`, {})).status).toBe(401);
      expect(await oauth.mcp(refreshToken)).toBe(401);
      const memory = new ProgramMemory();
      memory.saved = { access_token: token, token_type: "Bearer" };
      const agent = await connectSignedIn("sdk 1.x", memory, `${server.baseUrl}/mcp?allow=read,order,review&reviews=500`);
      const tools = await agent.tools();
      expect(tools).toContain("list_games");
      expect(tools.filter((name) => ["quote_order", "order_playtest", "review", "create_finding"].includes(name))).toEqual([]);
    });

    it("are renewed in turn; an old refresh token ends the connection", async ({ server }) => {
      const { tokens, refresh, oauth, owner, connected } = await scene(server);
      const first = await tokens();
      const second = (await refresh(first.refresh_token)).body;
      const third = (await refresh(second.refresh_token)).body;
      expect(await Promise.all([first, second, third].map(({ access_token: token }) => oauth.mcp(token)))).toEqual([
        200, 200, 200,
      ]);
      await server.advance(0);
      const before = server.mails.length;
      const stolen = await refresh(first.refresh_token);
      await refresh(first.refresh_token);
      await server.advance(0);
      const told = server.mails.slice(before);
      expect(told.map(({ subject }) => subject)).toEqual(["A connected program was disconnected"]);
      expect(told[0]!.text).toContain("The program Test Agent was disconnected from your account");
      expect(told[0]!.text).toContain("Address: 127.0.0.1");
      expect([stolen.status, stolen.body.error]).toEqual([400, "invalid_grant"]);
      expect(await Promise.all([first, second, third].map(({ access_token: token }) => oauth.mcp(token)))).toEqual([
        401, 401, 401,
      ]);
      expect((await refresh(third.refresh_token)).body.error).toBe("invalid_grant");
      expect(await connected()).toEqual([]);
      expect((await owner.get("/auth/me")).status).toBe(200);
    });

    it("two that refresh at once leave no connection", async ({ server }) => {
      const { tokens, refresh, connected } = await scene(server);
      const { refresh_token: token } = await tokens();
      const both = await Promise.all([refresh(token), refresh(token)]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
      expect(await connected()).toEqual([]);
    });

    it("are refreshed by their client only, for this resource, and for no more", async ({ server }) => {
      const { tokens, refresh, oauth } = await scene(server);
      const { refresh_token: token, access_token: access } = await tokens();
      const other = await oauth.clientId({ client_name: "Other" });
      expect((await refresh(token, { client_id: other })).body.error).toBe("invalid_grant");
      expect((await refresh(token, { resource: "https://other.example/mcp" })).body.error).toBe("invalid_target");
      expect((await refresh(token, { scope: "read review" })).body.error).toBe("invalid_scope");
      expect((await refresh(access)).body.error).toBe("invalid_grant");
      expect((await refresh(token, { scope: "read" })).status).toBe(200);
    });

    it("end when they are not used for 30 days, and with the time that the owner chose", async ({ server }) => {
      const { tokens, refresh, oauth } = await scene(server);
      const unused = await tokens();
      const brief = await tokens({ ...readAndOrder, days: "30" });
      let long = await tokens({ ...readAndOrder, days: "90" });
      await server.advance(20 * day);
      const renewed = (await refresh(brief.refresh_token)).body;
      expect(await oauth.mcp(renewed.access_token)).toBe(200);
      long = (await refresh(long.refresh_token)).body;
      await server.advance(11 * day);
      expect((await refresh(renewed.refresh_token)).body.error).toBe("invalid_grant");
      expect((await refresh(unused.refresh_token)).body.error).toBe("invalid_grant");
      expect((await refresh(long.refresh_token)).status).toBe(200);
    });

    it("are revoked by their client, which ends the connection, and by no other", async ({ server }) => {
      const { tokens, oauth, clientId, refresh } = await scene(server);
      const { access_token: access, refresh_token: token } = await tokens();
      const other = await oauth.clientId({ client_name: "Other" });
      expect((await oauth.revoke({ token, client_id: other })).status).toBe(200);
      expect(await oauth.mcp(access)).toBe(200);
      expect((await oauth.revoke({ token: "unknown", client_id: clientId })).status).toBe(200);
      expect((await oauth.revoke({ token: access, client_id: clientId })).status).toBe(200);
      await server.advance(0);
      expect(server.mails.filter(({ subject }) => subject.includes("disconnected"))).toEqual([]);
      expect(await oauth.mcp(access)).toBe(401);
      expect((await refresh(token)).body.error).toBe("invalid_grant");
    });

    it("end with the suspension and with the deletion of the account", async ({ server }) => {
      const { tokens, oauth, owner, refresh, code, exchange } = await scene(server, 0);
      const admin = await factories.firstAdmin(server);
      const { access_token: access, refresh_token: token } = await tokens();
      const waiting = await code();
      expect((await admin.post(`/admin/users/${owner.id}/suspend`, {})).status).toBe(200);
      expect(await oauth.mcp(access)).toBe(403);
      expect((await refresh(token)).body.error).toBe("invalid_grant");
      expect((await exchange(waiting)).body.error).toBe("invalid_grant");
      expect((await admin.post(`/admin/users/${owner.id}/unsuspend`, {})).status).toBe(200);
      const after = (await refresh(token)).body;
      expect(await oauth.mcp(after.access_token)).toBe(200);
      const deleted = await owner.post("/auth/delete-account", { password: "correct horse" });
      expect(deleted.status).toBe(200);
      expect(await oauth.mcp(after.access_token)).toBe(401);
      expect((await refresh(after.refresh_token)).body.error).toBe("invalid_grant");
    });

    it("cannot be made into an API key", async ({ server }) => {
      const { tokens, owner, connected } = await scene(server);
      await tokens();
      const [key] = await connected();
      const reply = await owner.post(`/auth/api-keys/${key!.id}/rotate`, { password: "correct horse" });
      expect(reply.status).toBe(409);
    });
  });

  describe("the page on which the owner decides", () => {
    it("is no form of another site, and of no other session", async ({ server }) => {
      const { browser, oauth, clientId, connected } = await scene(server);
      const { location } = await browser.get(oauth.authorizeUrl(clientId));
      expect((await browser.send(`${location}/allow`, { ...readAndOrder })).status).toBe(403);
      const other = await signedIn(server, await factories.registerOwner(server, "Other"), "/studio");
      const theirs = hiddenFields((await other.get(location!)).html, `${location}/allow`);
      expect((await browser.send(`${location}/allow`, { ...theirs, ...readAndOrder })).status).toBe(403);
      expect((await visitor(server).send(`${location}/allow`, { ...theirs, ...readAndOrder })).location).toContain(
        "/studio/sign-in",
      );
      expect(await connected()).toEqual([]);
    });

    it("cannot be framed, is not stored, and names no address to others", async ({ server }) => {
      const { browser, oauth, clientId } = await scene(server);
      const { location } = await browser.get(oauth.authorizeUrl(clientId));
      const { headers } = await browser.get(location!);
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("cache-control")).toContain("no-store");
    });

    it("a second decision changes nothing; the same form twice leads to the same code", async ({ server }) => {
      const { browser, oauth, clientId, exchange, connected } = await scene(server);
      const { location } = await browser.get(oauth.authorizeUrl(clientId));
      const fields = { ...hiddenFields((await browser.get(location!)).html, `${location}/allow`), ...readAndOrder };
      const [first, second] = [await browser.send(`${location}/allow`, fields), await browser.send(`${location}/allow`, fields)];
      const code = leadsTo(first)!.searchParams.get("code")!;
      expect(leadsTo(second)!.searchParams.get("code")).toBe(code);
      expect(await connected()).toHaveLength(1);
      expect((await exchange(code)).status).toBe(200);
      expect((await browser.send(`${location}/allow`, fields)).status).toBe(409);
      expect((await browser.get(location!)).status).toBe(409);
      expect(await connected()).toHaveLength(1);
    });

    it("declining tells the program, and connects nothing", async ({ server }) => {
      const { browser, oauth, clientId, connected } = await scene(server);
      const back = leadsTo(await decide(browser, oauth.authorizeUrl(clientId), {}, "decline"))!;
      expect(Object.fromEntries(back.searchParams)).toEqual({ error: "access_denied", state: "xyz", iss: server.baseUrl });
      expect(await connected()).toEqual([]);
    });

    it("orders need a budget for a day or a month", async ({ server }) => {
      const { browser, oauth, clientId, connected } = await scene(server);
      const choices = { "tool-order": "yes", days: "30" };
      const wrong: Record<string, string>[] = [{}, { approveOver: "20" }, { perDay: "much" }];
      for (const more of wrong) {
        const reply = await decide(browser, oauth.authorizeUrl(clientId), { ...choices, ...more });
        expect([reply.status, leadsTo(reply)]).toEqual([422, undefined]);
      }
      expect(await connected()).toEqual([]);
    });

    it("orders above an amount wait for the owner", async ({ server }) => {
      const { browser, gameId, exchange, oauth, clientId } = await scene(server);
      const fields = { ...readAndOrder, approveOver: "10" };
      const code = leadsTo(await decide(browser, oauth.authorizeUrl(clientId), fields))!.searchParams.get("code")!;
      const memory = new ProgramMemory();
      memory.saved = (await exchange(code)).body;
      const agent = await connectSignedIn("sdk 1.x", memory, `${server.baseUrl}/mcp`);
      const reply = await agent.call("order_playtest", { game: gameId, ref: "one", maxCostCents: 2_000 });
      expect(reply.structuredContent.status).toBe("needs_approval");
    });

    it("of a session that ended meanwhile grants nothing, and goes on after signing in again", async ({ server }) => {
      const { owner, browser, oauth, clientId, connected } = await scene(server);
      const { location } = await browser.get(oauth.authorizeUrl(clientId));
      const action = `${location}/allow`;
      const fields = { ...hiddenFields((await browser.get(location!)).html, action), ...readAndOrder };
      await owner.post("/auth/sign-out-everywhere");
      const ended = await browser.send(action, fields);
      expect(leadsTo(ended)).toBeUndefined();
      expect(ended.location).toBe(`/studio/sign-in?${new URLSearchParams({ next: location!, done: "ended" })}`);
      expect(await connected()).toEqual([]);
      const { email } = await owner.getMe();
      const entered = await browser.submit(ended.location!, "/studio/sign-in/password", { email, password: "correct horse" });
      expect(entered.location).toBe(location);
      const again = await browser.submit(location!, action, readAndOrder);
      expect(leadsTo(again)!.searchParams.has("code")).toBe(true);
    });

    it.for(["allow", "decline"])("of a session that ends while the form is read: %s decides nothing", async (way, { server }) => {
      const { owner, browser, oauth, clientId, connected } = await scene(server);
      const { location } = await browser.get(oauth.authorizeUrl(clientId));
      const action = `${location}/${way}`;
      const fields = { ...hiddenFields((await browser.get(location!)).html, action), ...readAndOrder };
      const { store } = server.deps;
      const { write } = store;
      // The session was found; it ends before what was decided is written.
      store.write = async (...given) => {
        store.write = write;
        await owner.post("/auth/sign-out-everywhere");
        return write.apply(store, given) as never;
      };
      const ended = await browser.send(action, fields);
      store.write = write;
      expect([ended.status, leadsTo(ended)]).toEqual([401, undefined]);
      expect(ended.html).toContain("This browser was signed out. Nothing was changed. Sign in again.");
      expect(await connected()).toEqual([]);
    });

    it("ends after an hour", async ({ server }) => {
      const { browser, oauth, clientId, connected } = await scene(server);
      const { location } = await browser.get(oauth.authorizeUrl(clientId));
      const fields = { ...hiddenFields((await browser.get(location!)).html, `${location}/allow`), ...readAndOrder };
      await server.advance(61 * minute);
      expect((await browser.send(`${location}/allow`, fields)).status).toBe(409);
      expect(await connected()).toEqual([]);
    });

    it("that was allowed says so when its page is opened again, also after the time of its code", async ({ server }) => {
      const { browser, oauth, clientId, exchange, connected } = await scene(server);
      const { location } = await browser.get(oauth.authorizeUrl(clientId));
      const fields = { ...hiddenFields((await browser.get(location!)).html, `${location}/allow`), ...readAndOrder };
      const allowed = await browser.send(`${location}/allow`, fields);
      expect((await exchange(leadsTo(allowed)!.searchParams.get("code")!)).status).toBe(200);
      await server.advance(2 * minute);
      for (const reply of [await browser.get(location!), await browser.send(`${location}/allow`, fields)])
        expect([reply.status, reply.html]).toEqual([409, expect.stringContaining("This request was decided before.")]);
      expect(await connected()).toHaveLength(1);
    });

    it("is for game owners", async ({ server, playtester }) => {
      const { oauth, clientId } = await scene(server);
      const browser = await signedIn(server, playtester, "/play");
      const { location } = await browser.get(oauth.authorizeUrl(clientId));
      expect((await browser.get(location!)).status).toBe(403);
    });

    it("what was decided is in the audit log and the owner's mail, and the program can be disconnected where it is listed", async ({
      server,
    }) => {
      const { tokens, browser, connected, oauth } = await scene(server);
      const { access_token: token } = await tokens();
      const [key] = await connected();
      await server.advance(0);
      expect(server.mails.at(-1)!.text).toContain("Test Agent");
      const { html } = await browser.get("/studio/account/keys");
      expect(html).toContain("connected program");
      expect(html).toContain("Left today: $50.00 of $50.00");
      const action = `/studio/account/keys/${key!.id}/revoke`;
      expect((await browser.submit("/studio/account/keys", action)).status).toBe(303);
      expect(await oauth.mcp(token)).toBe(401);
    });
  });

  it("wrong requests count by address", async () => {
    const server = await serve({ config: (config) => (config.limits.enabled = true) });
    const oauth = oauthOf(server);
    const statuses: number[] = [];
    for (let at = 0; at < 80; at++) statuses.push((await oauth.token({ grant_type: "refresh_token" })).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([400, 429]);
    const registered: number[] = [];
    for (let at = 0; at < 20; at++) registered.push((await oauthOf(server).register()).status);
    expect(registered.at(-1)).toBe(429);
  });
});
