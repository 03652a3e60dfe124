// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of sources.
import { chatRows, playtestRows, slotRoutes, slotRows } from "../files.ts";
import type { Mutant } from "../mutant.ts";

const chatRoutes = "server/chat/handlers.ts";

export const authorizationRules: readonly Mutant[] = [
  {
    rule: "another owner's slot is 404",
    test: "api/authorization",
    edits: [[slotRoutes, "slot?.owner_id === ownerId ?", "slot !== undefined ?"]],
  },
  {
    rule: "another owner's playtest is 404",
    test: "api/authorization",
    edits: [
      [
        playtestRows,
        '"SELECT * FROM playtests WHERE id = ? AND owner_id = ?", id, ownerId',
        '"SELECT * FROM playtests WHERE id = ?", id',
      ],
    ],
  },
  {
    rule: "another owner's game is 404",
    test: "api/authorization",
    edits: [
      [
        "server/games/store.ts",
        '"SELECT * FROM games WHERE id = ? AND owner_id = ?", id, ownerId',
        '"SELECT * FROM games WHERE id = ?", id',
      ],
    ],
  },
  {
    rule: "another owner's application is 404",
    test: "api/authorization",
    edits: [
      [
        "server/playtests/applications/handlers.ts",
        "await playtests.findForOwner(tx, application.playtest_id, ownerId)",
        "await playtests.find(q, application.playtest_id)",
      ],
    ],
  },
  {
    rule: "another owner's application is not to be read",
    test: "api/authorization",
    edits: [
      [
        "server/playtests/applications/handlers.ts",
        "const playtest = await playtests.findForOwner(q, call.params.id, call.principal.userId);",
        "const playtest = await playtests.find(q, call.params.id);",
      ],
    ],
  },
  {
    rule: "another owner's payment is 404",
    test: "api/authorization",
    edits: [
      [
        "server/billing/store.ts",
        '"SELECT * FROM payments WHERE id = ? AND owner_id = ?", id, ownerId',
        '"SELECT * FROM payments WHERE id = ?", id',
      ],
    ],
  },
  {
    rule: "another owner's webhook is 404",
    test: "api/authorization",
    edits: [
      [
        "server/events/webhooks/store.ts",
        '"SELECT * FROM webhooks WHERE id = ? AND owner_id = ? AND deleted_at IS NULL", id, ownerId',
        '"SELECT * FROM webhooks WHERE id = ?", id',
      ],
    ],
  },
  {
    rule: "another account's key is not revoked",
    test: "api/authorization",
    edits: [
      [
        "server/accounts/keys-store.ts",
        "WHERE id = ? AND user_id = ? AND revoked_at IS NULL",
        "WHERE id = ? AND user_id <> ? AND revoked_at IS NULL",
      ],
    ],
  },
  {
    rule: "another playtester's slot is 404",
    test: "api/authorization",
    edits: [[slotRows, "`${detail} WHERE s.id = ? AND s.playtester_id = ?`, id, playtesterId", "`${detail} WHERE s.id = ?`, id"]],
  },
  {
    rule: "another playtester's application is 404",
    test: "api/authorization",
    edits: [
      [
        "server/playtests/applications/store.ts",
        "`${mine} WHERE a.id = ? AND a.playtester_id = ?`, id, playtesterId",
        "`${mine} WHERE a.id = ?`, id",
      ],
    ],
  },
  {
    rule: "a revoked key is 401",
    test: "api/accounts",
    edits: [["server/accounts/authenticate.ts", "!found || found.revoked_at !== null", "!found"]],
  },
  {
    rule: "a key without the scope is 403",
    test: "api/http",
    edits: [["server/accounts/authenticate.ts", "if (!permits(", "if (false && !permits("]],
  },
  {
    rule: "an unverified account is 403",
    test: "api/http",
    edits: [
      [
        "server/accounts/authenticate.ts",
        "principal.emailVerified || endpoint.unverified",
        "principal.userId || endpoint.unverified",
      ],
    ],
  },
  {
    rule: "a conversation of others is 404",
    test: "api/authorization",
    edits: [
      [
        chatRows,
        "`SELECT * FROM conversations WHERE id = ? AND ${columns[side].own} = ?`, id, userId",
        "`SELECT * FROM conversations WHERE id = ?`, id",
      ],
    ],
  },
  {
    rule: "who was blocked cannot post",
    test: "api/chat",
    edits: [[chatRoutes, "if (blockedBy(conversation, chatStore.otherSide(side)))", "if (side === undefined)"]],
  },
  {
    rule: "isBlocked is for the blocker",
    test: "api/chat",
    edits: [
      [
        chatRoutes,
        "const isBlocked = blockedBy(conversation, sideOf(call.principal));",
        "const isBlocked = blockedBy(conversation, chatStore.otherSide(sideOf(call.principal)));",
      ],
    ],
  },
  {
    rule: "an altered download token is 403",
    test: "api/downloads",
    edits: [["server/lib/signed-links.ts", "|| !sameText(mac, deps.secrets.mac(purpose, payload))", ""]],
  },
  {
    rule: "a download token is valid for an hour",
    test: "api/downloads",
    edits: [["server/lib/signed-links.ts", "expiresAt <= deps.clock.now()", "expiresAt + 1000 <= deps.clock.now()"]],
  },
  {
    rule: "a download token is for GET",
    test: "api/downloads",
    edits: [
      ["server/web/adapters/downloads.ts", 'request.method !== "GET" && request.method !== "HEAD"', 'request.method === "PATCH"'],
    ],
  },
  {
    rule: "keys for testers are stored sealed",
    test: "api/http",
    edits: [["server/playtests/keys/service.ts", "deps.secrets.seal(key, contextOf(playtestId, position))", "key"]],
  },
  {
    rule: "API keys are stored hashed",
    test: "api/http",
    edits: [
      ["server/accounts/service.ts", "hash: sha256(secret)", "hash: secret"],
      ["server/accounts/authenticate.ts", "keys.findByHash(q, sha256(key))", "keys.findByHash(q, key)"],
    ],
  },
];
