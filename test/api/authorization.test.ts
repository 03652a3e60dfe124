import { expect, it } from "vitest";
import * as users from "../../server/accounts/users-store.ts";
import { tablesOf } from "../../server/database/tables.ts";
import { type Endpoint, permits, type Role, roleScopes, roles, type Scope } from "../../src/contract/endpoint.ts";
import { contract, type Operation } from "../../src/contract/index.ts";
import { inputSchema } from "../../src/contract/openapi/json-schema.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, order, type Person, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import {
  type RightfulRequest,
  type RightfulWorld,
  rightfulRequests,
  rightfulWorld,
  secretWord,
} from "../helpers/rightful-requests.ts";
import type { Reply, TestServer } from "../helpers/server.ts";
import { withCutter } from "../helpers/walk.ts";

/**
 * Every operation of the contract, as each kind of caller that must not use it. The request is always one that its rightful
 * account could send at this moment, which the last test of the matrix proves by sending it.
 */

const unknownId = "01900000-0000-7000-8000-000000000000";
const endpoints = Object.entries(contract) as [Operation, Endpoint][];
const withKey = endpoints.filter(([, { access }]) => access !== "none");
const ruledByScope = withKey.filter(([, { access }]) => access !== "any");

const rowsOf = ({ store }: TestServer["deps"]) =>
  store.read(async (q) => {
    const tables = (await tablesOf(q, store.dialect)).filter(({ columns }) => columns.length > 0);
    return Promise.all(tables.map(async ({ name }) => ({ name, rows: await q.all<{ id?: unknown }>(`SELECT * FROM ${name}`) })));
  });

/** All rows by table, in one order. When a key was last used is noted in the background, and for refused requests too. */
async function everything({ deps }: TestServer): Promise<Record<string, string[]>> {
  await deps.jobs.advance(deps.clock.now(), deps.clock.moveTo);
  // Entries get their place in the audit log after the commit.
  await deps.audit.chain();
  const textOf = (row: unknown) => JSON.stringify(row, (name, value) => (name === "last_used_at" ? undefined : value));
  return Object.fromEntries((await rowsOf(deps)).map(({ name, rows }) => [name, rows.map(textOf).sort()]));
}

/** The keys of one account that are not its first: each single scope, and all but one. */
interface NarrowKey {
  key: string;
  scopes: readonly Scope[];
}

function scopeSets(role: Role): Scope[][] {
  const all: readonly Scope[] = roleScopes[role];
  if (all.length === 1) return [];
  const sets = [...all.map((scope) => [scope]), ...all.map((scope) => all.filter((other) => other !== scope))];
  return [...new Map(sets.map((set) => [set.join(" "), set])).values()];
}

async function narrowKeys(person: Person, role: Role): Promise<NarrowKey[]> {
  const keys: NarrowKey[] = [];
  for (const scopes of scopeSets(role)) {
    const reply = await person.createApiKey({ body: { name: scopes.join(" "), scopes } });
    keys.push({ key: reply.apiKey, scopes });
  }
  return keys;
}

interface Stranger {
  role: Role;
  person: Person;
  own: { gameId: string; webhookId: string; playtestId: string };
}

interface Matrix {
  world: RightfulWorld;
  requests: Map<Operation, RightfulRequest>;
  /** The rightful accounts and their keys with fewer scopes. */
  narrow: Record<Role, NarrowKey[]>;
  /** Keys of the rightful accounts that no longer work. */
  revoked: Map<Person, string>;
  expired: Map<Person, string>;
  others: Stranger[];
  /** Whatever has an id that belongs to the rightful accounts. */
  victims: Set<string>;
}

async function makeMatrix(server: TestServer): Promise<Matrix> {
  const world = await rightfulWorld(server);
  const requests = new Map<Operation, RightfulRequest>();
  for (const [operation] of endpoints) requests.set(operation, await rightfulRequests[operation](world));
  const people = new Set([...requests.values()].map(({ as }) => as));
  const expired = new Map<Person, string>();
  const revoked = new Map<Person, string>();
  const expiresAt = new Date(server.clock.now() + 60_000).toISOString();
  for (const person of people) {
    expired.set(person, (await person.createApiKey({ body: { name: "short", expiresAt } })).apiKey);
    const { key, apiKey } = await person.createApiKey({ body: { name: "gone" } });
    await person.revokeApiKey({ params: { id: key.id } });
    revoked.set(person, apiKey);
  }
  await server.advance(60_000);
  const { owner, playtester, admin } = world;
  const narrow = {
    game_owner: await narrowKeys(owner, "game_owner"),
    playtester: await narrowKeys(playtester, "playtester"),
    admin: await narrowKeys(admin, "admin"),
  };
  const victims = await idsIn(server);
  const others = await attackers(server);
  await server.advance(0);
  return { world, requests, narrow, revoked, expired, others, victims };
}

async function idsIn({ deps }: TestServer): Promise<Set<string>> {
  const withId: string[] = [];
  for (const { id } of (await rowsOf(deps)).flatMap(({ rows }) => rows))
    if (typeof id === "string" && id.length === 36) withId.push(id);
  return new Set(withId);
}

/** An owner and a playtester who have things of their own, and nothing to do with those of the rightful accounts. */
async function attackers(server: TestServer): Promise<Matrix["others"]> {
  const [owner, playtester] = [await registerOwner(server, "Mallory"), await registerPlaytester(server, "Trudy")];
  const gameId = await createGame(owner);
  const playtestId = await order(owner, gameId);
  const hook = await owner.createWebhook({ body: { url: "http://127.0.0.1:9/", events: ["test.ping"] } });
  const own = { gameId, playtestId, webhookId: hook.webhook.id };
  return [
    { role: "game_owner", person: owner, own },
    { role: "playtester", person: playtester, own },
  ];
}

const fill = (path: string, ids: Record<string, string> = {}) =>
  path.replace(/:(\w+)/g, (_, name: string) => {
    if (ids[name] === undefined) throw new Error(`whose is :${name} in ${path}? Add it to the rightful request.`);
    return ids[name];
  });

interface Sent extends Partial<RightfulRequest> {
  authorization?: string | undefined;
}

function send(server: TestServer, operation: Operation, { authorization, ids, query, body, headers }: Sent): Promise<Reply> {
  const { method, path } = contract[operation] as Endpoint;
  const all = { ...headers, ...(authorization !== undefined && { authorization }), "idempotency-key": `k-${operation}` };
  return server.request(method, `${fill(path, ids)}${query ? `?${new URLSearchParams(query)}` : ""}`, { body, headers: all });
}

const bearer = (key: string) => `Bearer ${key}`;
/** What a reply says that only the rightful account may know. */
function leaks(reply: Reply, victims: Set<string>): string[] {
  const said = reply.text + JSON.stringify([...reply.headers]);
  const named = new RegExp(secretWord, "i").test(said) ? [secretWord] : [];
  return [...named, ...(said.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? []).filter((id) => victims.has(id))];
}

interface Check {
  /** Sends a request that must be refused like `expected`: status and code. */
  refused(operation: Operation, who: string, request: Sent, expected: readonly unknown[]): Promise<Reply>;
  note(fault: unknown): void;
}

/** Runs one column of the matrix: whatever it noted, and that it changed nothing. */
async function column(matrix: Matrix, run: (matrix: Matrix, check: Check) => Promise<void>): Promise<void> {
  const { server } = matrix.world;
  const faults: unknown[] = [];
  const before = await everything(server);
  await run(matrix, {
    note: (fault) => faults.push(fault),
    async refused(operation, who, request, expected) {
      const reply = await send(server, operation, request);
      const found = [reply.status, reply.body?.error?.code, ...leaks(reply, matrix.victims)];
      if (JSON.stringify(found) !== JSON.stringify(expected)) faults.push({ operation, who, expected, found });
      return reply;
    },
  });
  expect(faults).toEqual([]);
  const after = await everything(server);
  for (const table of Object.keys(after)) expect(after[table], `rows of ${table} after refused requests`).toEqual(before[table]);
}

const unauthorized = [401, "UNAUTHORIZED"];
const forbidden = [403, "FORBIDDEN"];

async function keysThatDoNotWork({ requests, revoked, expired }: Matrix, { refused }: Check) {
  for (const [operation] of withKey) {
    const request = requests.get(operation)!;
    const { key } = request.as;
    const last = key.endsWith("0") ? "1" : "0";
    const rows = {
      "no key": undefined,
      "an empty key": "Bearer",
      "a key under another scheme": `Basic ${btoa(`${key}:`)}`,
      "a key that is cut": bearer(key.slice(0, -1)),
      "a key with another last character": bearer(key.slice(0, -1) + last),
      "two keys": `Bearer ${key} ${key}`,
      "an unknown key": bearer(`pt_sk_${"0".repeat(32)}`),
      "a revoked key": bearer(revoked.get(request.as)!),
      "an expired key": bearer(expired.get(request.as)!),
    };
    const each = ([who, authorization]: [string, string | undefined]) =>
      refused(operation, who, { ...request, authorization }, unauthorized);
    await Promise.all(Object.entries(rows).map(each));
  }
}

/** Gives all rightful accounts the same fault, which `undo` takes away. */
async function spoilAccounts({ world: { server }, requests }: Matrix, fault: Partial<users.UserRow>) {
  const ids = [...new Set([...requests.values()].map(({ as }) => as.id))];
  const people = await server.deps.store.read((q) => Promise.all(ids.map((id) => users.find(q, id))));
  const change = (changes: (person: users.UserRow) => Partial<users.UserRow>) =>
    server.deps.store.write(async (tx) => {
      for (const person of people) await users.update(tx, person!.id, changes(person!));
    });
  await change(() => fault);
  return () => change(({ email_verified_at, suspended_at }) => ({ email_verified_at, suspended_at }));
}

async function suspendedAccounts({ requests }: Matrix, { refused }: Check) {
  for (const [operation] of withKey) {
    const request = requests.get(operation)!;
    await refused(operation, "suspended", { ...request, authorization: bearer(request.as.key) }, forbidden);
  }
}

async function unverifiedAccounts({ requests }: Matrix, { refused }: Check) {
  for (const [operation] of withKey.filter(([, { unverified }]) => !unverified)) {
    const request = requests.get(operation)!;
    const authorization = bearer(request.as.key);
    await refused(operation, "unverified", { ...request, authorization }, [403, "EMAIL_NOT_VERIFIED"]);
  }
}

/** Each scope that does not suffice, of the rightful role and of the others. */
async function scopesThatDoNotSuffice({ world, requests, narrow }: Matrix, { refused }: Check) {
  const full = { game_owner: world.owner, playtester: world.playtester, admin: world.admin };
  const keys = roles.flatMap((role) =>
    [{ key: full[role].key, scopes: roleScopes[role] }, ...narrow[role]].map((key) => ({ role, ...key })),
  );
  for (const [operation, { access }] of ruledByScope) {
    const request = requests.get(operation)!;
    const insufficient = keys.filter((key) => !permits(access, key));
    const each = ({ key, role, scopes }: (typeof keys)[number]) =>
      refused(operation, `${role} with ${scopes}`, { ...request, authorization: bearer(key) }, forbidden);
    await Promise.all(insufficient.map(each));
  }
}

/** Operations on things that have an owner. What an operator does is about everybody's. */
const owned = endpoints.filter(([, { path, only }]) => path.includes("/:") && only !== "sandbox" && !path.startsWith("/admin/"));
const notFound = [404, "NOT_FOUND"];

/** Everybody but the rightful account whose role may call: the admin too, unless the operation is one of an operator. */
function strangers({ world, others }: Matrix, endpoint: Endpoint): Stranger[] {
  const { access } = endpoint;
  const named = typeof access === "string" ? [] : "anyOf" in access ? access.anyOf : access;
  const operators = named.some((scope) => (roleScopes.admin as readonly Scope[]).includes(scope));
  const all = operators ? others : [...others, { role: "admin" as const, person: world.admin, own: others[0]!.own }];
  return all.filter(({ role }) => permits(access, { role, scopes: roleScopes[role] }));
}

/** Somebody else's ids are like unknown ones, alone and below an id of one's own. */
async function idsOfOthers(matrix: Matrix, { refused, note }: Check) {
  for (const [operation, endpoint] of owned) {
    const request = matrix.requests.get(operation)!;
    const ids = { ...request.ids, ...request.ownIds };
    const absent = Object.fromEntries(Object.keys(ids).map((name) => [name, unknownId]));
    for (const { role, person, own } of strangers(matrix, endpoint)) {
      const as = { ...request, ids, authorization: endpoint.access === "none" ? undefined : bearer(person.key) };
      const foreign = await refused(operation, `another ${role}`, as, notFound);
      const unknown = await refused(operation, `${role}, unknown id`, { ...as, ids: absent }, notFound);
      if (JSON.stringify(foreign.body.error) !== JSON.stringify(unknown.body.error))
        note({ operation, role, unlikeUnknown: foreign.text });
      if (endpoint.path.split("/:").length === 2) continue;
      const id = endpoint.path.startsWith("/webhooks") ? own.webhookId : own.gameId;
      await refused(operation, `${role}, own parent`, { ...as, ids: { ...ids, id } }, notFound);
    }
  }
}

/** Nothing of the rightful accounts is in what anybody else reads, and no list of theirs goes on for anybody else. */
async function readsOfOthers({ world: { server }, requests, others, victims }: Matrix, { note }: Check) {
  const reads = withKey.filter(([, { method, path }]) => method === "GET" && !path.includes("/:"));
  for (const [operation, { access, list, path }] of reads) {
    const request = requests.get(operation)!;
    if (request.shared) continue;
    const cursor = list && (await request.as.get(`${path}?limit=1`)).body.meta.cursor;
    for (const { role, person } of others) {
      if (!permits(access, { role, scopes: roleScopes[role] })) continue;
      const reply = await send(server, operation, { ...request, authorization: bearer(person.key) });
      const found = [reply.status, ...leaks(reply, victims)];
      if (found.join() !== "200") note({ operation, role, found });
      const next = cursor && (await person.get(`${path}?limit=1&cursor=${encodeURIComponent(cursor)}`));
      if (next && next.status !== 422) note({ operation, role, cursorOfAnother: next.status });
    }
  }
}

/** Where a body names something by its id, and what becomes of a caller who may not name it. */
const idsInBodies: Record<
  string,
  { expected: readonly unknown[]; of?: (world: RightfulWorld, requests: Matrix["requests"]) => unknown } | "anybody may"
> = {
  // Categories belong to nobody.
  "createGame tags": "anybody may",
  "updateGame tags": "anybody may",
  // Whoever is named must be a playtester, which is the only thing the reply says.
  "createPlaytest targetedPlaytesterId": { expected: [422, "VALIDATION_ERROR"], of: ({ owner }) => owner.id },
  "quotePlaytest targetedPlaytesterId": { expected: [422, "VALIDATION_ERROR"], of: ({ owner }) => owner.id },
  "quotePlaytest gameId": { expected: [404, "NOT_FOUND"], of: ({ gameId }) => gameId },
  "setBudget keyId": { expected: [422, "VALIDATION_ERROR"], of: (_, requests) => requests.get("revokeApiKey")!.ids!.id },
  "setBudget gameId": { expected: [422, "VALIDATION_ERROR"], of: ({ gameId }) => gameId },
  "openConversation contactId": { expected: [404, "NOT_FOUND"], of: ({ playtester }) => playtester.id },
  // A share of one's own playtest; a slot of somebody else is not found first.
  "createPlaytestShare noteIds": {
    expected: [422, "VALIDATION_ERROR"],
    of: (_, requests) => [requests.get("updateMoment")!.ids!.id],
  },
  "createSlotShare noteIds": { expected: [404, "NOT_FOUND"], of: (_, requests) => [requests.get("updateMoment")!.ids!.id] },
  "createClipShare noteIds": { expected: [404, "NOT_FOUND"], of: (_, requests) => [requests.get("updateMoment")!.ids!.id] },
  // The game is not found first; `test/api/reels.test.ts` names a slot of somebody else with a game of one's own.
  "createReel parts": {
    expected: [404, "NOT_FOUND"],
    of: (_, requests) => [{ slotId: requests.get("getSlot")!.ids!.id, atMs: 0, endMs: 1000 }],
  },
  // A finding of somebody else is not found first.
  "addEvidence momentId": { expected: [404, "NOT_FOUND"], of: (_, requests) => requests.get("updateMoment")!.ids!.id },
  "addEvidence slotId": { expected: [404, "NOT_FOUND"], of: (_, requests) => requests.get("getSlot")!.ids!.id },
  // These name it without what else they need, which is refused before anything is looked up.
  "createFinding evidence": {
    expected: [422, "VALIDATION_ERROR"],
    of: (_, requests) => [{ momentId: requests.get("updateMoment")!.ids!.id }],
  },
  "mergeFinding findingId": { expected: [404, "NOT_FOUND"], of: (_, requests) => requests.get("updateFinding")!.ids!.id },
  "splitFinding evidenceIds": {
    expected: [422, "VALIDATION_ERROR"],
    of: (_, requests) => [requests.get("updateMoment")!.ids!.id],
  },
  // The operator names whom it concerns.
  "resolveSuspense userId": "anybody may",
  "createPayout userId": "anybody may",
  "playSlot testerId": "anybody may",
};

function bodyIds({ body }: Endpoint): string[] {
  const { properties = {} } = body ? inputSchema(body) : {};
  return Object.keys(properties).filter((name) => JSON.stringify(properties[name]).includes('"uuid"'));
}

async function bodiesThatNameOthers({ world, requests, others }: Matrix, { refused }: Check) {
  const { person, own } = others[0]!;
  for (const [operation, endpoint] of endpoints) {
    for (const field of bodyIds(endpoint)) {
      const row = idsInBodies[`${operation} ${field}`];
      if (row === undefined) throw new Error(`may anybody name what ${field} of ${operation} names? Add it to idsInBodies.`);
      if (row === "anybody may") continue;
      const request = requests.get(operation)!;
      const targeting = { targetingType: "past", pastPlaytesterScope: "specific" };
      const body = { ...(field === "targetedPlaytesterId" && targeting), [field]: row.of!(world, requests) };
      const ids = { id: own.playtestId, gameId: own.gameId };
      await refused(operation, field, { ...request, ids, body, authorization: bearer(person.key) }, row.expected);
    }
  }
}

/** A transaction pays for the account that asked where to send it, so whoever did not ask has nothing to pay. */
async function paymentsOfOthers({ requests, others }: Matrix, { refused }: Check) {
  for (const [operation, request] of requests) {
    if (!request.headers?.["x-payment"]) continue;
    const authorization = bearer(others[0]!.person.key);
    await refused(operation, "the transaction of another", { ...request, authorization }, [409, "CONFLICT"]);
  }
}

const isAboutAccount = ({ path }: Endpoint) => path.startsWith("/auth/");

/** The smallest key that may: a refusal above is worth something only if this succeeds. The first key manages the account. */
function leastKey({ narrow, world }: Matrix, endpoint: Endpoint, { as }: RightfulRequest): string {
  const { access } = endpoint;
  if (isAboutAccount(endpoint)) return as.key;
  const role = roles.find((name) => ({ game_owner: world.owner, playtester: world.playtester, admin: world.admin })[name] === as);
  if (!role) return as.key;
  const fits = narrow[role].filter(({ scopes }) => permits(access, { role, scopes }));
  return fits.sort((a, b) => a.scopes.length - b.scopes.length)[0]?.key ?? as.key;
}

async function rightfulOnes(matrix: Matrix) {
  const { world, requests } = matrix;
  const refused: unknown[] = [];
  // What ends keys and sessions comes last.
  const inOrder = endpoints.toSorted(([, a], [, b]) => Number(isAboutAccount(a)) - Number(isAboutAccount(b)));
  for (const [operation, endpoint] of inOrder) {
    const request = requests.get(operation)!;
    const authorization = endpoint.access === "none" ? "Bearer of nothing" : bearer(leastKey(matrix, endpoint, request));
    const reply = await send(world.server, operation, { ...request, authorization });
    const status = endpoint.media === "tus" ? 201 : endpoint.status;
    if (reply.status !== status && reply.status !== endpoint.existing)
      refused.push({ operation, status: reply.status, text: reply.text.slice(0, 300) });
  }
  return refused;
}

onBothDatabases("authorization matrix", (serve) => {
  it("refuses every operation to everybody but the account it is for, changes nothing and says nothing", async () => {
    const server = await serve({
      config(config) {
        config.playtesters.maxReserved = 100;
        withCutter(config);
      },
    });
    const matrix = await makeMatrix(server);
    await column(matrix, keysThatDoNotWork);
    for (const [fault, run] of [
      [{ suspended_at: server.clock.now() }, suspendedAccounts],
      [{ email_verified_at: null }, unverifiedAccounts],
    ] as const) {
      const undo = await spoilAccounts(matrix, fault);
      await column(matrix, run);
      await undo();
    }
    await column(matrix, scopesThatDoNotSuffice);
    await column(matrix, idsOfOthers);
    await column(matrix, readsOfOthers);
    await column(matrix, bodiesThatNameOthers);
    await column(matrix, paymentsOfOthers);
    expect(await rightfulOnes(matrix)).toEqual([]);
  }, 600_000);
});

it("authorization matrix: every operation has a rightful request", () => {
  expect(Object.keys(rightfulRequests).sort()).toEqual(Object.keys(contract).sort());
});
