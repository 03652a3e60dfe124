import { expect, it } from "vitest";
import * as keys from "../../server/accounts/keys-store.ts";
import { sessionPrincipal } from "../../server/accounts/sessions.ts";
import { createOperations } from "../../server/app/app.ts";
import { type Client, CommittedError, type Principal } from "../../server/http/call.ts";
import { createCallAs } from "../../server/http/call-operation.ts";
import { createExecute, type OperationRequest, type ServedOperation } from "../../server/http/execute.ts";
import type { Rendered } from "../../server/http/reply.ts";
import { ApiError } from "../../server/lib/api-error.ts";
import { sha256 } from "../../server/lib/secrets.ts";
import { notifications } from "../../server/web/account/notifications.ts";
import { signedInLayout } from "../../server/web/portal/layout.ts";
import { offersPage } from "../../server/web/portal/offers.ts";
import { slotPage, slotsPage } from "../../server/web/portal/slots.ts";
import type { PageContext, View } from "../../server/web/portal/types.ts";
import { keyedByContent } from "../../server/web/shared/keyed-call.ts";
import { siteOf } from "../../server/web/site.ts";
import { roleScopes } from "../../src/contract/endpoint.ts";
import type { CallOperation, Operation } from "../../src/contract/index.ts";
import { portal } from "../../src/contract/pages/addresses.ts";
import { createClient } from "../../src/index.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { claim, createGame, giveCredit, order, type Person, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import type { TestServer } from "../helpers/server.ts";

async function caller({ deps }: TestServer, { key, id }: Person, role: Principal["role"]): Promise<Principal> {
  const keyId = (await deps.store.read((q) => keys.findByHash(q, sha256(key))))!.id;
  const accountScopes = roleScopes[role];
  const may = { scopes: new Set(accountScopes), accountScopes, readOnly: false };
  return { userId: id, keyId, sessionId: null, keyExpiresAt: null, role, ...may, emailVerified: true };
}

const visitor: Client = { address: "127.0.0.1", agent: null, signal: new AbortController().signal };

/** Executes operations without HTTP. */
function direct({ deps }: TestServer) {
  const operations = createOperations(deps);
  const execute = createExecute(deps);
  const callAs = createCallAs(operations, execute);

  async function run(operation: ServedOperation, principal: Principal, given: Partial<OperationRequest> = {}) {
    const none = { params: {}, query: {}, headers: {}, body: undefined, idempotencyKey: undefined, client: visitor };
    const reply = (await execute(operation, { ...none, requestId: "req_test", ...given, principal })) as Rendered;
    const text = Buffer.from(reply.body).toString();
    return { ...reply, text, body: JSON.parse(text) };
  }

  return {
    run,
    served: (name: Operation) => operations.get(name)!,
    call: (principal: Principal) => callAs(principal, { requestId: "req_test", client: visitor }),
  };
}

const game = { name: "Lantern Deep", buildUrl: "https://example.com/build.zip" };

onBothDatabases("execute", (serve) => {
  async function ownerAt() {
    const server = await serve();
    const owner = await registerOwner(server);
    return { server, owner, principal: await caller(server, owner, "game_owner"), ...direct(server) };
  }

  it("validation: query, body, headers and idempotency key are checked before the handler runs", async () => {
    const { owner, principal, run, served } = await ownerAt();
    const refusals: [Operation, Partial<OperationRequest>, string][] = [
      ["listGames", { query: { limit: "0" } }, "limit"],
      ["createGame", { body: { name: "Lantern Deep" } }, "buildUrl"],
      ["createGame", { body: null }, "body"],
      ["createGame", { body: game, idempotencyKey: "x".repeat(256) }, "Idempotency-Key"],
      ["createPlaytest", { params: { gameId: owner.id }, headers: { "x-payment-method": "gold" } }, "X-Payment-Method"],
    ];
    for (const [operation, given, field] of refusals)
      await expect(run(served(operation), principal, given)).rejects.toMatchObject({
        code: "VALIDATION_ERROR",
        details: [{ field }],
      });
    expect((await owner.listGames()).games).toEqual([]);
  });

  it("idempotency key: replays the stored reply, and is refused for another request", async () => {
    const { owner, principal, run, served } = await ownerAt();
    const create = (body: object) => run(served("createGame"), principal, { body, idempotencyKey: "one" });
    const [first, again] = [await create(game), await create({ buildUrl: game.buildUrl, name: game.name })];
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    expect([first.headers["Idempotency-Replayed"], again.headers["Idempotency-Replayed"]]).toEqual([undefined, "true"]);
    await expect(create({ ...game, name: "Other" })).rejects.toMatchObject({ code: "IDEMPOTENCY_MISMATCH" });
    expect((await owner.listGames()).games).toHaveLength(1);
  });

  it("idempotency key: two concurrent requests run once", async () => {
    const { owner, principal, run, served } = await ownerAt();
    const create = () => run(served("createGame"), principal, { body: game, idempotencyKey: "one" });
    const [first, second] = await Promise.all([create(), create()]);
    expect(second.text).toBe(first.text);
    expect((await owner.listGames()).games).toHaveLength(1);
  });

  it("idempotency key: shared with requests over HTTP, both ways", async () => {
    const { owner, principal, run, served } = await ownerAt();
    const executed = await run(served("createGame"), principal, { body: game, idempotencyKey: "one" });
    const overHttp = await owner.post("/games", game, { "idempotency-key": "one" });
    expect([overHttp.text, overHttp.headers.get("idempotency-replayed")]).toEqual([executed.text, "true"]);
    const sent = await owner.post("/games", game, { "idempotency-key": "two" });
    expect((await run(served("createGame"), principal, { body: game, idempotencyKey: "two" })).text).toBe(sent.text);
  });

  it("committed refusal: kept with its effects, replayed until it expires, then run again", async () => {
    const { server, principal, run, served } = await ownerAt();
    const read = () =>
      server.deps.store.read((q) =>
        q.one<{ display_name: string }>("SELECT display_name FROM users WHERE id = ?", principal.userId),
      );
    const before = (await read())!.display_name;
    const refused: ServedOperation = {
      endpoint: served("createGame").endpoint,
      handler: (call) =>
        call.commit(async (tx) => {
          await tx.run("UPDATE users SET display_name = display_name || '+' WHERE id = ?", principal.userId);
          return new CommittedError(new ApiError("PAYMENT_REQUIRED", "Pay first."), server.clock.now() + 60_000);
        }),
    };
    const attempt = () => run(refused, principal, { body: game, idempotencyKey: "one" });
    const [first, again] = [await attempt(), await attempt()];
    expect([first.status, first.body.error.code, again.text]).toEqual([402, "PAYMENT_REQUIRED", first.text]);
    expect((await read())?.display_name).toBe(`${before}+`);
    server.clock.set(server.clock.now() + 60_000);
    await attempt();
    expect((await read())?.display_name).toBe(`${before}++`);
  });

  it("failed handler: nothing is stored, and the same key runs again", async () => {
    const { principal, run, served } = await ownerAt();
    const fails: ServedOperation = {
      endpoint: served("createGame").endpoint,
      handler: (call) =>
        call.commit(async (tx) => {
          await tx.run("UPDATE users SET display_name = 'gone' WHERE id = ?", principal.userId);
          throw new ApiError("CONFLICT", "Not now.");
        }),
    };
    await expect(run(fails, principal, { body: game, idempotencyKey: "one" })).rejects.toMatchObject({ code: "CONFLICT" });
    const created = await run(served("createGame"), principal, { body: game, idempotencyKey: "one" });
    expect([created.status, created.headers["Idempotency-Replayed"]]).toEqual([201, undefined]);
    expect((await run(served("getMe"), principal)).body.data.name).not.toBe("gone");
  });

  it("cursor: continues a list, and is refused for another list", async () => {
    const { owner, principal, run, served } = await ownerAt();
    const ids = [await createGame(owner), await createGame(owner), await createGame(owner)].reverse();
    const page = async (cursor?: string) =>
      (await run(served("listGames"), principal, { query: { limit: "2", ...(cursor && { cursor }) } })).body;
    const first = await page();
    const second = await page(first.meta.cursor);
    const shown = [...first.data.games, ...second.data.games].map(({ id }: { id: string }) => id);
    expect([shown, first.meta.hasMore, second.meta]).toEqual([
      ids,
      true,
      expect.objectContaining({ cursor: null, hasMore: false }),
    ]);
    const overHttp = await owner.listGames({ query: { limit: 2, cursor: first.meta.cursor } });
    expect(overHttp).toEqual(second.data);
    const elsewhere = run(served("listPayments"), principal, { query: { cursor: first.meta.cursor } });
    await expect(elsewhere).rejects.toMatchObject({ details: [{ field: "cursor" }] });
  });
});

onBothDatabases("calling an operation for a page", (serve) => {
  async function marketplace() {
    const server = await serve();
    const owner = await registerOwner(server);
    await giveCredit(server, owner, 100_000);
    const gameId = await createGame(owner);
    const playtester = await registerPlaytester(server, "Ann");
    const slotId = await claim(playtester, await order(owner, gameId));
    await order(owner, gameId);
    return { server, owner, gameId, playtester, slotId, ...direct(server) };
  }

  it("result: the data and cursor that the API returns over HTTP", async () => {
    const { server, playtester, slotId, call } = await marketplace();
    const ann = call(await caller(server, playtester, "playtester"));
    const pairs = [
      [ann("listOffers", { query: { limit: 1 } }), "/playtester/playtests?limit=1"],
      [ann("listHeldSlots"), "/playtester/slots"],
      [ann("getHeldSlot", { params: { id: slotId } }), `/playtester/slots/${slotId}`],
      [ann("getEarnings"), "/playtester/earnings"],
      [ann("listNotifications"), "/notifications"],
      [ann("listContacts"), "/chat/contacts"],
    ] as const;
    for (const [called, path] of pairs) {
      const { data, meta } = await called;
      const { body } = await playtester.get(path);
      expect([data, meta.cursor, meta.hasMore], path).toEqual([body.data, body.meta.cursor, body.meta.hasMore]);
    }
  });

  it("refusals: those of the API: another account's slot, a missing scope, a state that does not allow it", async () => {
    const { server, owner, playtester, slotId, call } = await marketplace();
    const [ann, stranger] = [await caller(server, playtester, "playtester"), await caller(server, owner, "playtester")];
    await expect(call(stranger)("getHeldSlot", { params: { id: slotId } })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(call(ann)("listGames")).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(call({ ...ann, emailVerified: false })("listOffers")).rejects.toMatchObject({ code: "EMAIL_NOT_VERIFIED" });
    const overHttp = (await playtester.post(`/playtester/slots/${slotId}/submit`)).body.error;
    const submit = call(ann)("submitSlot", { params: { id: slotId } });
    await expect(submit).rejects.toMatchObject({ code: overHttp.code, message: overHttp.message });
  });

  it("committed refusal: thrown with its details, the first time and when it is replayed", async () => {
    const { server, owner, call } = await marketplace();
    const as = call(await caller(server, owner, "game_owner"));
    const buy = () => as("buyCreditWithCrypto", { body: { amountCents: 2000 }, idempotencyKey: "one" });
    const [first, again] = [await buy().catch((error) => error), await buy().catch((error) => error)];
    expect(first).toBeInstanceOf(ApiError);
    expect(first).toMatchObject({ code: "PAYMENT_REQUIRED", status: 402, payment: { chain: "base", currency: "USDC" } });
    expect([again.payment, again.message]).toEqual([first.payment, first.message]);
    const { payments } = (await owner.get("/billing/payments")).body.data;
    expect(payments.filter(({ provider }: { provider: string }) => provider === "x402")).toHaveLength(1);
  });

  it("type: that of the client, so that a portal page renders the same from another instance", async () => {
    const { server, playtester, slotId, call } = await marketplace();
    const client = createClient({ baseUrl: server.baseUrl, apiKey: playtester.key });
    const remote: CallOperation = client.call;
    const rendered = async (view: View, source: CallOperation, id = "") => {
      const session = { userId: playtester.id, displayName: "Ann", csrf: "token" };
      const page = {
        path: "",
        id,
        ids: [id],
        query: new URLSearchParams(),
        form: {},
        faults: {},
        formKey: "key",
        now: server.clock.now(),
      };
      return (await view({ site: siteOf(server.deps), ...page, call: keyedByContent(source), session })).body.text;
    };
    const local = call(sessionPrincipal({ user_id: playtester.id, role: "playtester", hash: "h" } as never));
    const notices = notifications<PageContext>({
      to: portal,
      layout: (context, page, section) => signedInLayout(context, section, page),
    });
    const views: [View, string?][] = [[offersPage], [slotsPage], [slotPage, slotId], [notices.view]];
    for (const [view, id] of views) expect(await rendered(view, remote, id)).toBe(await rendered(view, local, id));
    expect(await rendered(slotPage, remote, slotId)).toContain("Press start.");
    await client.close();
  });
});
