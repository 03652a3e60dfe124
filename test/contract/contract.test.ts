import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { type Access, type Endpoint, permits, roleScopes } from "../../src/contract/endpoint.ts";
import { type Contract, contract, type Operation, resources } from "../../src/contract/index.ts";
import { inputSchema } from "../../src/contract/openapi/json-schema.ts";
import { coreRoutes } from "./core-routes.ts";

const endpoints = Object.entries<Endpoint>(contract);
const bodyOf = (operation: Operation) => (contract[operation] as Endpoint).body as z.ZodType;

/** The fields that a value is refused for, sorted, or `ok`. An unknown field counts with its name. */
function verdict(type: z.ZodType, value: unknown): string {
  const parsed = type.safeParse(value);
  if (parsed.success) return "ok";
  const fields = parsed.error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path, key].join(".")) : [issue.path.join(".")],
  );
  return [...new Set(fields)].sort().join(" ");
}

const astral = (count: number) => "🎮".repeat(count);
const uuid = "01890a5d-ac96-774b-bcce-b302099a8057";
const game = { name: "Tide", buildUrl: "https://example.com/build.zip" };
const account = { email: "ada@example.com", password: "correct horse", role: "game_owner" };

describe("contract: text lengths", () => {
  const rows: [Operation, string, number, object][] = [
    ["createGame", "name", 200, game],
    ["createGame", "description", 5000, game],
    ["createGame", "instructions", 5000, game],
    ["updateGame", "name", 200, {}],
    ["updateGame", "description", 5000, {}],
    ["createPlaytest", "notesForTesters", 5000, {}],
    ["createPlaytest", "qualifications", 2000, {}],
    ["createPlaytest", "ref", 100, {}],
    ["quotePlaytest", "qualifications", 2000, {}],
    ["updatePlaytest", "notesForTesters", 5000, {}],
    ["acceptSlot", "comment", 1000, {}],
    ["rejectSlot", "reason", 5000, {}],
    ["rejectApplication", "customMessage", 1500, {}],
    ["sendMessage", "content", 5000, {}],
    ["registerApiKey", "password", 256, account],
  ];
  test.each(rows)("%s: %s has at most %i code points", (operation, field, max, base) => {
    const check = (value: string) => verdict(bodyOf(operation), { ...base, [field]: value });
    expect(check("x".repeat(max))).toBe("ok");
    expect(check("x".repeat(max + 1))).toBe(field);
    expect(check(astral(max))).toBe("ok");
    expect(check(astral(max + 1))).toBe(field);
  });

  test.each([
    ["registerApiKey", "password", "1234567", account],
    ["registerApiKey", "password", astral(7), account],
    ["createGame", "name", "", game],
    ["createGame", "name", " \t ", game],
    ["createGame", "name", "\u200b\u2060\u3164", game],
    ["registerApiKey", "name", "  ", account],
    ["registerApiKey", "companyName", "\u00a0", account],
    ["registerApiKey", "keyName", " ", account],
    ["updateProfile", "displayName", " ", {}],
    ["createCategory", "name", " ", { slug: "x" }],
    ["sendMessage", "content", "", {}],
    ["createGame", "name", "nul \0", game],
    ["createGame", "name", "half \ud83c", game],
  ] as const)("%s: %s is invalid: %j", (operation, field, value, base) => {
    expect(verdict(bodyOf(operation), { ...base, [field]: value })).toBe(field);
  });
});

describe("contract: values are not converted and unknown fields are refused", () => {
  const wrong = [2000.5, "2000", 1e21, -1, null, true, Number.NaN, [2000], {}];
  const amounts: [Operation, number, number, object][] = [
    ["buyCredit", 2000, 1_000_000, {}],
    ["buyCreditWithCrypto", 500, 1_000_000, {}],
    ["grantCredit", 1, 100_000_000, { note: "sorry" }],
    ["createPayout", 1, 100_000_000, { userId: uuid }],
  ];
  test.each(amounts)("%s: amountCents is an integer from %i to %i", (operation, min, max, base) => {
    const check = (amountCents: unknown) => verdict(bodyOf(operation), { ...base, amountCents });
    expect([min, max].map(check)).toEqual(["ok", "ok"]);
    expect([min - 1, max + 1, ...wrong].map(check)).toEqual(Array(wrong.length + 2).fill("amountCents"));
  });

  test.each([
    ["createPlaytest", { quantity: "2" }, "quantity"],
    ["createPlaytest", { quantity: 0 }, "quantity"],
    ["createPlaytest", { quantity: 101 }, "quantity"],
    ["createPlaytest", { playerCount: 9 }, "playerCount"],
    ["createPlaytest", { playerCount: 1.5 }, "playerCount"],
    ["createPlaytest", { durationMinutes: 90 }, "durationMinutes"],
    ["createPlaytest", { durationMinutes: "60" }, "durationMinutes"],
    ["createPlaytest", { isFreePublicTrial: "true" }, "isFreePublicTrial"],
    ["createPlaytest", { isFreePublicTrial: 1 }, "isFreePublicTrial"],
    ["createPlaytest", { targetingType: null }, "targetingType"],
    ["createPlaytest", { visibility: "PUBLIC" }, "visibility"],
    ["createPlaytest", { durationMinute: 30 }, "durationMinute"],
    ["createPlaytest", [], ""],
    ["createPlaytest", null, ""],
    ["createGame", { ...game, description: 5 }, "description"],
    ["createGame", { ...game, tags: "Roguelike" }, "tags"],
    ["createGame", { ...game, tags: ["roguelike"] }, "tags.0"],
    ["createGame", { ...game, devices: ["Amiga"] }, "devices.0"],
    ["createGame", { ...game, coverImageUrl: null }, "coverImageUrl"],
    ["createGame", { ...game, ownerId: uuid }, "ownerId"],
    ["createGame", { name: "Tide" }, "buildUrl"],
    ["updateGame", { coverImageUrl: null, externalUrl: null }, "ok"],
    ["updateGame", { name: null }, "name"],
    ["updateGame", { description: null, instructions: null }, "ok"],
    ["createGame", { ...game, description: null, instructions: null }, "ok"],
    ["updatePlaytest", { notesForTesters: null }, "ok"],
    ["updateGame", undefined, "ok"],
    ["acceptSlot", { rating: 5, comment: "ok" }, "ok"],
    ["acceptSlot", { rating: 0 }, "rating"],
    ["acceptSlot", { rating: 6 }, "rating"],
    ["acceptSlot", { rating: 4.5 }, "rating"],
    ["acceptSlot", undefined, "ok"],
    ["rejectSlot", { allowRetry: "yes" }, "allowRetry"],
    ["createWebhook", { url: "https://example.com", events: [] }, "events"],
    ["createWebhook", { url: "https://example.com", events: ["slot.opened"] }, "events.0"],
    ["createWebhook", { url: "https://example.com", events: ["*"] }, "ok"],
    ["checkoutSubscription", { planKey: "indie" }, "planKey"],
    ["registerApiKey", { ...account, scopes: ["playtester"] }, "scopes"],
    ["registerApiKey", { ...account, scopes: ["billing"] }, "ok"],
    ["registerApiKey", { ...account, role: "admin" }, "role"],
    ["registerApiKey", { ...account, name: "Ada", companyName: "Ada Ltd", keyName: "CI" }, "ok"],
    ["createApiKey", { name: "CI", email: account.email }, "password"],
    ["createApiKey", { name: "CI", password: account.password }, "email"],
    ["createTransaction", { chain: "base", currency: "USDC", to: "0x1", amount: 5 }, "amount"],
    ["advanceClock", { seconds: 400 * 86_400 + 1 }, "seconds"],
  ] as [Operation, unknown, string][])("%s with %j: %s", (operation, body, expected) => {
    expect(verdict(bodyOf(operation), body)).toBe(expected);
  });

  test.each([
    ["https://example.com/a?b#c", "ok"],
    ["http://127.0.0.1:8080/x", "ok"],
    ["ftp://example.com/x", "buildUrl"],
    ["javascript:alert(1)", "buildUrl"],
    ["//example.com", "buildUrl"],
    ["https:///example.com", "buildUrl"],
    ["https:example.com", "buildUrl"],
    ["https:/example.com", "buildUrl"],
    ["https:\\\\example.com", "buildUrl"],
    ["https://", "buildUrl"],
    ["HTTPS://example.com", "ok"],
    ["https://user:pass@example.com", "buildUrl"],
    ["https://exa\nmple.com", "buildUrl"],
    ["https://example.com/\0", "buildUrl"],
    [`https://example.com/${"x".repeat(2029)}`, "buildUrl"],
    [`https://example.com/${"x".repeat(2028)}`, "ok"],
  ])("address %j: %s", (buildUrl, expected) => {
    expect(verdict(bodyOf("createGame"), { ...game, buildUrl })).toBe(expected);
  });

  test.each([
    [undefined, 20],
    ["1", 1],
    ["100", 100],
    ["0", "limit"],
    ["101", "limit"],
    ["-1", "limit"],
    ["1e2", "limit"],
    ["1.0", "limit"],
    [" 5", "limit"],
    ["", "limit"],
    ["abc", "limit"],
  ])("limit %j is %j", (limit, expected) => {
    const query = contract.listGames.query as z.ZodType<{ limit: number }>;
    expect(query.safeParse({ limit }).data?.limit ?? verdict(query, { limit })).toBe(expected);
  });
});

describe("contract: fields of an order that depend on each other", () => {
  const past = { targetingType: "past", pastPlaytesterScope: "any" };
  const specific = { targetingType: "past", pastPlaytesterScope: "specific", targetedPlaytesterId: uuid };
  const trial = { isFreePublicTrial: true };
  const rows: [object, string][] = [
    [past, "ok"],
    [specific, "ok"],
    [{ targetingType: "new", targetingScope: "game" }, "ok"],
    [{ targetingType: "past" }, "pastPlaytesterScope"],
    [{ targetingType: "new", pastPlaytesterScope: "any" }, "ok"],
    [{ ...specific, targetingType: "new" }, "pastPlaytesterScope"],
    [{ pastPlaytesterScope: "any" }, "pastPlaytesterScope"],
    [{ notesForTesters: null }, "ok"],
    [{ targetingType: "past", pastPlaytesterScope: "specific" }, "targetedPlaytesterId"],
    [{ ...past, targetedPlaytesterId: uuid }, "targetedPlaytesterId"],
    [{ ...specific, targetedPlaytesterId: "someone" }, "targetedPlaytesterId"],
    [{ ...past, selectionMode: "manual" }, "ok"],
    [{ ...specific, selectionMode: "manual" }, "selectionMode"],
    [trial, "ok"],
    [{ ...trial, visibility: "public", durationMinutes: 30, playerCount: 1 }, "ok"],
    [{ ...trial, visibility: "private" }, "visibility"],
    [{ ...trial, playerCount: 2 }, "playerCount"],
    [{ ...trial, durationMinutes: 60 }, "durationMinutes"],
    [{ ...trial, selectionMode: "manual" }, "selectionMode"],
    [{ visibility: "public", durationMinutes: 60 }, "durationMinutes"],
    [{ visibility: "public", playerCount: 4 }, "ok"],
    [{ visibility: "private", durationMinutes: 180, playerCount: 8, quantity: 100 }, "ok"],
    [{ keysForTesters: ["a"] }, "ok"],
    [{ keysForTesters: [] }, "keysForTesters"],
    [{ keysForTesters: ["a", "b"] }, "keysForTesters"],
    [{ quantity: 2, playerCount: 2, keysForTesters: ["a", "b", "c", "d"] }, "ok"],
    [{ quantity: 2, playerCount: 2, keysForTesters: ["a", "b", "c"] }, "keysForTesters"],
    [{ quantity: 2, keysForTesters: ["a", "a"] }, "keysForTesters"],
    [{ quantity: 2, keysForTesters: ["a", ""] }, "keysForTesters.1"],
    [{ keysForTesters: ["k".repeat(200)] }, "ok"],
    [{ keysForTesters: ["k".repeat(201)] }, "keysForTesters.0"],
    [{ keysForTesters: [5] }, "keysForTesters.0"],
  ];
  test.each(rows)("%j: %s", (order, expected) => {
    expect(verdict(bodyOf("createPlaytest"), order)).toBe(expected);
    expect(verdict(bodyOf("quotePlaytest"), { ...order, gameId: uuid })).toBe(expected);
  });

  test.each([
    [undefined, { visibility: "private", durationMinutes: 60, quantity: 1, playerCount: 1, selectionMode: "automatic" }],
    [{ visibility: "public" }, { visibility: "public", durationMinutes: 30 }],
    [trial, { visibility: "public", durationMinutes: 30, isFreePublicTrial: true }],
    [{ durationMinutes: 120 }, { visibility: "private", durationMinutes: 120 }],
    [past, { targetingScope: "owner" }],
    [{ ...past, targetingScope: "game" }, { targetingScope: "game" }],
    [{}, { targetingScope: undefined }],
  ])("defaults: %j becomes %j", (order, expected) => {
    expect(bodyOf("createPlaytest").parse(order)).toMatchObject(expected);
  });

  test("an order has no gameId in its body, a quote has", () => {
    expect(verdict(bodyOf("createPlaytest"), { gameId: uuid })).toBe("gameId");
  });
});

describe("contract: operations that a key may call", () => {
  const owner = { role: "game_owner", scopes: roleScopes.game_owner } as const;
  const billing = { role: "game_owner", scopes: ["billing"] } as const;
  const hooks = { role: "game_owner", scopes: ["webhooks"] } as const;
  const tester = { role: "playtester", scopes: roleScopes.playtester } as const;
  const admin = { role: "admin", scopes: ["admin"] } as const;
  const operations: Operation[] = [
    "listGames",
    "getBalance",
    "createWebhook",
    "listDevices",
    "listEvents",
    "unblockSlot",
    "listUsers",
  ];
  const may = (key: typeof owner | typeof billing | typeof hooks | typeof tester | typeof admin) =>
    operations.filter((operation) => permits(contract[operation].access as Access, key)).join(" ");
  test.each([
    ["an owner", owner, "listGames getBalance createWebhook listDevices listEvents unblockSlot"],
    ["a billing key", billing, "getBalance listDevices"],
    ["a webhooks key", hooks, "listDevices"],
    ["a playtester", tester, "listDevices listEvents"],
    ["an admin", admin, "listDevices listEvents unblockSlot listUsers"],
  ] as const)("%s", (_, key, expected) => {
    expect(may(key)).toBe(expected);
  });
});

describe("contract: endpoints", () => {
  const access = (e: Endpoint) => (Array.isArray(e.access) ? e.access.join("+") : String(e.access));
  const described = new Map<string, Endpoint>(
    endpoints.flatMap(([, e]) => [e.path, ...(e.also ?? [])].map((path) => [`${e.method} ${path}`, e] as const)),
  );

  test("the list of core routes has each route once", () => {
    expect(coreRoutes.length).toBe(54);
    expect(new Set(coreRoutes.map(([route]) => route)).size).toBe(coreRoutes.length);
  });

  test.each(coreRoutes)("the core route %s requires the scope %s and returns %i", (route, scope, status) => {
    const e = described.get(route);
    expect(e && { scope: access(e), status: e.status, extension: e.extension }).toEqual({ scope, status, extension: false });
  });

  test("routes that are not core routes are marked as extensions", () => {
    const routes = new Set<string>(coreRoutes.map(([route]) => route));
    const unmarked = endpoints.filter(([, e]) => !e.extension && !routes.has(`${e.method} ${e.path}`));
    expect(unmarked.map(([id]) => id)).toEqual([]);
  });

  test("operation ids and routes are unique", () => {
    const ids = Object.values(resources).flatMap((group) => Object.keys(group));
    expect(ids.length).toBe(endpoints.length);
    const routes = endpoints.flatMap(([, e]) =>
      [e.path, ...(e.also ?? [])].map((path) => `${e.method} ${path.replace(/:\w+/g, ":")}`),
    );
    expect(new Set(routes).size).toBe(routes.length);
  });

  test("every request field has a one-sentence description", () => {
    const nameless = endpoints.flatMap(([operation, { body, query }]) =>
      [body, query].flatMap((type) => {
        const properties = type ? (inputSchema(type).properties ?? {}) : {};
        return Object.entries(properties).flatMap(([name, property]) =>
          typeof property === "object" && /^\S.*\.$/.test(property.description ?? "") ? [] : [`${operation}.${name}`],
        );
      }),
    );
    expect(nameless).toEqual([]);
  });

  test("lists take limit and cursor, other operations do not", () => {
    const paged = (e: Endpoint) => {
      const names = e.query ? Object.keys(inputSchema(e.query).properties ?? {}) : [];
      return names.includes("limit") && names.includes("cursor");
    };
    expect(endpoints.filter(([, e]) => paged(e) !== e.list).map(([id]) => id)).toEqual([]);
  });

  test("every admin action and every change of credentials is recorded in the audit log", () => {
    const credentials = Object.entries<Endpoint>(resources.auth).filter(([, e]) => e.method !== "GET");
    const named = ({ access }: Endpoint) => (typeof access === "string" ? [] : "anyOf" in access ? access.anyOf : access);
    const actions = endpoints.filter(
      ([, e]) => e.method !== "GET" && named(e).some((scope) => (roleScopes.admin as readonly string[]).includes(scope)),
    );
    // These change no credentials: two change what others see or which emails come, two send a mail that does nothing until its link is
    // used, and what begins to set up a factor or a sign-in counts when it is enabled, added or connected.
    const others = ["updateProfile", "updateNotificationSettings", "resendVerification", "requestPasswordReset"];
    others.push("startFactor", "startPasskey", "startPublisherSignIn");
    const unrecorded = [...credentials, ...actions].filter(([id, e]) => e.audit === undefined && !others.includes(id));
    expect(unrecorded.map(([id]) => id)).toEqual([]);
    expect(actions.length).toBeGreaterThan(15);
  });

  test("the audit log records no field of a body that is or may hold a secret", () => {
    const recorded = endpoints.flatMap(([, e]) => e.audit?.details ?? []);
    expect([...new Set(recorded)].sort().join(" ")).toMatchInlineSnapshot(
      `"adapter again amountCents graceSeconds method minCents minutes note rateCents reason removePasskeys revokeApiKeys scopes share site target to tracker userId validForSeconds withName withNotes"`,
    );
    for (const [id, e] of endpoints)
      for (const name of e.audit?.details ?? [])
        expect([id, inputSchema(e.body!).properties]).toMatchObject([id, { [name]: {} }]);
  });

  test("operations that spend or destroy something are declared so", () => {
    const of = (risk: string) => endpoints.filter(([, e]) => e.risk === risk).map(([id]) => id);
    expect(of("spend").join(" ")).toMatchInlineSnapshot(
      `"createPlaytest payPlaytest buyCredit buyCreditWithCrypto checkoutSubscription approveOrder grantCredit grantHours liftDispute resolveSuspense createPayout completePayout failPayout createPayoutBatch settlePayoutBatch"`,
    );
    expect(of("destroy").join(" ")).toMatchInlineSnapshot(
      `"revokeApiKey rotateApiKey endSession signOutEverywhere deleteAccount disableFactor renewRecoveryCodes removePasskey cancelPlaytest deleteSlot deleteSlotTranscript unpublishSlot deleteMoment deleteStill deleteFinding disconnectTracker deleteShare deleteClip cancelSubscription removeBudget declineOrder deleteWebhook rotateWebhookSecret releaseSlot withdrawVideo removePayoutDetails resetFactor deleteUser deleteGroup chargebackPayment revokeInvitation refundSuspense revokeAdmin movePublication removePublication disconnectPublisher"`,
    );
    expect(endpoints.filter(([, e]) => (e.method === "GET") !== (e.risk === "read")).map(([id]) => id)).toEqual([
      "quotePlaytest",
      "findPlaytestsByRef",
    ]);
  });

  test("sandbox routes are below /sandbox and need no API key, except emitEvent", () => {
    const sandbox = endpoints.filter(([, e]) => e.path.startsWith("/sandbox/"));
    expect(sandbox.every(([, e]) => e.only === "sandbox" && e.extension)).toBe(true);
    expect(endpoints.filter(([, e]) => e.only === "sandbox").length).toBe(sandbox.length);
    expect(sandbox.filter(([, e]) => e.access !== "none").map(([id]) => id)).toEqual(["emitEvent"]);
  });

  test("no other routes work without an API key than these", () => {
    const keyless = endpoints.filter(([, e]) => (e.access === "none" || e.access === "optional") && !e.only);
    expect(keyless.map(([id]) => id).join(" ")).toMatchInlineSnapshot(
      `"registerApiKey register createApiKey resendVerification requestPasswordReset confirmPasswordReset getPublishedVideo listPublishedVideos getServerInfo getOpenapi"`,
    );
  });

  test("replies that contain a secret are marked", () => {
    expect(
      endpoints
        .filter(([, e]) => e.secretReply)
        .map(([id]) => id)
        .join(" "),
    ).toMatchInlineSnapshot(
      `"registerApiKey createApiKey rotateApiKey exportAccountInFull startFactor enableFactor renewRecoveryCodes createSlotShare createPlaytestShare createClipShare createWebhook rotateWebhookSecret claimPlaytest submitSlot rescheduleSlot reportSlot confirmTeam replaceTeamMember setTeamShares setPayoutDetails readPayoutInstructions createAdmin startPublisherSignIn createTesters"`,
    );
  });
});

describe("contract: replies", () => {
  const at = "2026-01-02T03:04:05.678Z";
  const playtest = {
    id: uuid,
    gameId: uuid,
    ref: null,
    visibility: "private",
    quantity: 1,
    durationMinutes: 60,
    playerCount: 1,
    costPerSlotCents: 2000,
    payoutCents: 1000,
    notesForTesters: null,
    status: "active",
    isFreePublicTrial: false,
    targetingType: null,
    targetingScope: null,
    pastPlaytesterScope: null,
    targetedPlaytesterId: null,
    panel: null,
    targetCountries: [],
    targetLanguages: [],
    targetDevices: [],
    targetAges: [],
    selectionMode: "automatic",
    qualifications: null,
    applicationsExpireAt: null,
    scheduledAt: null,
    createdAt: at,
  };
  const paid = { playtest, paid: true, totalCents: 2000, paymentId: uuid };
  const pending = {
    playtest,
    requiresPayment: true,
    costPerSlotCents: 2000,
    totalCents: 2000,
    playtestMinutesNeeded: 60,
    playtestMinutesAvailable: 0,
  };
  const hours = {
    playtest: { ...playtest, playtestMinutesPerSlot: 60 },
    paid: true,
    paidWithPlaytestHours: true,
    playtestMinutesUsed: 60,
    playtestMinutesRemaining: 0,
    paymentId: uuid,
  };
  const rows: [string, Operation, unknown, boolean][] = [
    ["an unpaid order", "createPlaytest", pending, true],
    [
      "an unpaid order with a card checkout",
      "createPlaytest",
      { ...pending, checkoutUrl: "https://pay.example", paymentId: uuid },
      true,
    ],
    ["an order paid with hours", "createPlaytest", hours, true],
    ["an order paid with credit", "createPlaytest", { ...paid, paidWithCredit: true, balanceCents: 0 }, true],
    ["an order paid with crypto", "createPlaytest", { ...paid, paidWithCrypto: true }, true],
    ["a free public trial", "createPlaytest", { playtest, slots: [], needsAdminApproval: true }, true],
    ["a public order", "createPlaytest", { playtest }, true],
    ["an order that is paid and unpaid", "createPlaytest", { ...pending, paid: true }, false],
    ["a playtest with its keys", "createPlaytest", { playtest: { ...playtest, keysForTesters: ["a"] } }, false],
    ["a public order from payPlaytest", "payPlaytest", { playtest }, false],
    ["a status that is not in the contract", "getPayment", { payment: payment("settling") }, false],
    ["a fraction of a cent", "getPayment", { payment: { ...payment("completed"), amountCents: 0.5 } }, false],
    [
      "a time without a time zone",
      "getPayment",
      { payment: { ...payment("completed"), createdAt: "2026-01-02T03:04:05" } },
      false,
    ],
    ["contacts of an owner", "listContacts", { contacts: [] }, true],
    ["contacts of a playtester", "listContacts", { contacts: [], chatDisabled: false }, true],
  ];
  function payment(status: string) {
    return { id: uuid, amountCents: 2000, status, provider: null, externalId: null, createdAt: at };
  }
  test.each(rows)("%s (%s)", (_, operation, data, accepted) => {
    expect(contract[operation as keyof Contract].reply.safeParse(data).success).toBe(accepted);
  });

  test("an offer does not show what only the holder of a slot may see", () => {
    const schema = JSON.stringify(inputSchema(contract.listOffers.reply));
    for (const secret of ["instructions", "notesForTesters", "keys", "buildUrl", "ownerId"])
      expect(schema, secret).not.toContain(`"${secret}"`);
  });
});

describe("contract: request headers", () => {
  const order = contract.createPlaytest.headers!;
  const proof = { txHash: "0x1", chain: "base", currency: "USDC" };

  test("payment headers have defaults and ignore the case of their values", () => {
    expect(order.parse({})).toEqual({ "X-Payment-Chain": "base", "X-Payment-Currency": "USDC" });
    expect(order.parse({ "X-Payment-Method": "X402", "X-Payment-Chain": "Solana", "X-Payment-Currency": "sol" })).toEqual({
      "X-Payment-Method": "x402",
      "X-Payment-Chain": "solana",
      "X-Payment-Currency": "SOL",
    });
  });

  test("X-Payment is parsed to the transaction it names", () => {
    expect(order.parse({ "X-Payment": JSON.stringify(proof) })["X-Payment"]).toEqual(proof);
    const standard = { x402Version: 2, accepted: { network: "eip155:8453" }, payload: { txHash: "0x1" } };
    expect(order.parse({ "X-Payment": btoa(JSON.stringify(standard)) })["X-Payment"]).toEqual(proof);
  });

  test.each([
    ["X-Payment-Method", "gold", "must be one of x402, hours, credit, card"],
    ["X-Payment-Chain", "dogechain", "must be one of base, ethereum, solana"],
    ["X-Payment-Currency", "DOGE", "must be one of USDC, ETH, SOL"],
    ["X-Payment", "{", "must be JSON with txHash, chain and currency of a transaction you sent (no signed authorization)"],
  ])("%s refuses %s", (name, value, message) => {
    expect(order.safeParse({ [name]: value }).error?.issues).toMatchObject([{ path: [name], message }]);
  });

  test("buyCreditWithCrypto refuses other payment methods", () => {
    const { headers } = contract.buyCreditWithCrypto;
    expect(headers!.safeParse({ "X-Payment-Method": "card" }).error?.issues).toMatchObject([{ message: "must be x402" }]);
  });
});

describe("contract: body limits", () => {
  /** The most bytes that a value of this schema takes in JSON: four a code point, nothing escaped. */
  function mostBytes(schema: Shape, parts: Record<string, Shape>): number {
    if (schema.$ref) return mostBytes(parts[schema.$ref.split("/").at(-1)!]!, parts);
    if (schema.anyOf) return Math.max(...schema.anyOf.map((option) => mostBytes(option, parts)));
    const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
    if (values) return Math.max(...values.map((value) => JSON.stringify(value).length));
    if (schema.type === "array") return 2 + (schema.maxItems ?? Infinity) * (mostBytes(schema.items!, parts) + 1);
    if (schema.type === "object")
      return Object.entries(schema.properties ?? {}).reduce((sum, [name, of]) => sum + name.length + 4 + mostBytes(of, parts), 2);
    if (schema.type !== "string") return 24;
    return (schema.maxLength ?? (schema.format ? 64 : Infinity)) * 4 + 2;
  }
  interface Shape {
    $ref?: string;
    anyOf?: Shape[];
    enum?: unknown[];
    const?: unknown;
    type?: string;
    maxItems?: number;
    items?: Shape;
    properties?: Record<string, Shape>;
    maxLength?: number;
    format?: string;
  }

  test.each(endpoints.filter(([, { body }]) => body))("%s takes every body that its schema allows, and little more", (_, e) => {
    const { $defs = {}, ...schema } = inputSchema(e.body!) as Shape & { $defs?: Record<string, Shape> };
    const most = mostBytes(schema, $defs);
    expect(e.maxBodyBytes).toBeGreaterThanOrEqual(most);
    expect(e.maxBodyBytes).toBeLessThanOrEqual(Math.max(65_536, 2 * most));
  });

  test("are 64 KiB, but for games, orders, keys, transcripts, new and split findings, reels, settled payouts and lists of people", () => {
    const larger = endpoints.filter(([, e]) => e.maxBodyBytes !== 65_536).map(([name, e]) => [name, e.maxBodyBytes / 1024]);
    expect(Object.fromEntries(larger)).toEqual({
      createGame: 128,
      updateGame: 128,
      createPlaytest: 1024,
      addPlaytestKeys: 1024,
      quotePlaytest: 1024,
      putSlotTranscript: 2048,
      putGameAgreement: 256,
      putServerAgreement: 256,
      createFinding: 160,
      splitFinding: 320,
      createReel: 96,
      invite: 320,
      addGroupMembers: 1024,
      removeGroupMembers: 1024,
      settlePayoutBatch: 1024,
    });
  });
});
