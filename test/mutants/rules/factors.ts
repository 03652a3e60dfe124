import type { Mutant } from "../mutant.ts";

const [codes, store, browser] = [
  "server/accounts/factors/codes.ts",
  "server/accounts/factors/store.ts",
  "server/accounts/browser/accounts.ts",
];
const only = "sqlite";

export const factorsRules: readonly Mutant[] = [
  {
    rule: "a code of the second factor works once",
    test: "api/factors",
    only,
    edits: [[store, "WHERE user_id = ? AND last_step < ?", "WHERE user_id = ? AND last_step < ? + 1"]],
  },
  {
    rule: "wrong codes make the next one wait",
    test: "api/factors",
    only,
    edits: [[codes, "if (now < until)", "if (now < until && until === 0)"]],
  },
  {
    rule: "a wrong code is counted although the request is refused",
    test: "api/factors",
    only,
    edits: [[codes, "  await store.countWrong(tx, userId, now);\n", ""]],
  },
  {
    rule: "a recovery code works once",
    test: "api/factors",
    only,
    edits: [[store, "WHERE hash = ? AND used_at IS NULL", "WHERE hash = ?"]],
  },
  {
    rule: "no session exists before the code",
    test: "api/factors",
    only,
    edits: [[browser, "if (await factors.isEnabled(tx, userId)) return", "if (userId === '') return"]],
  },
  {
    rule: "a key is created with the password only together with a code",
    test: "api/factors",
    only,
    edits: [["server/accounts/handlers.ts", "      await requireCode(deps, user.id, code, { client, requestId });\n", ""]],
  },
  {
    rule: "a new password takes a code",
    test: "api/factors",
    only,
    edits: [["server/accounts/handlers.ts", "      await requireCode(deps, user.id, call.body.code, call);\n", ""]],
  },
  {
    rule: "a confirmation holds for one API key",
    test: "api/factors",
    only,
    edits: [["server/accounts/factors/confirmations.ts", "=> sessionId ?? keyId;", "=> (sessionId ?? keyId).slice(0, 8);"]],
  },
  {
    rule: "money takes a confirmation, and so does a stored reply",
    test: "api/factors",
    only,
    edits: [
      [
        "server/http/execute.ts",
        "if (endpoint.confirmed && principal)",
        "if (endpoint.confirmed && !request.idempotencyKey && request.principal)",
      ],
    ],
  },
  {
    rule: "a narrow key does not manage the second factor",
    test: "api/factors",
    only,
    edits: [
      ["server/accounts/factors/handlers.ts", "if (missing.length === 0) return user;", "if (missing.length >= 0) return user;"],
    ],
  },
  {
    rule: "a password reset ends a sign-in that waits for its code",
    test: "api/factors",
    only,
    edits: [["server/accounts/users-store.ts", '["reset", "sign-in", "second-step"]', '["reset", "sign-in"]']],
  },
  {
    rule: "a set-up ends after 15 minutes",
    test: "api/factors",
    only,
    edits: [["server/accounts/factors/handlers.ts", ">= setUpMs) throw setUpEnded();", "> setUpMs) throw setUpEnded();"]],
  },
  {
    rule: "a challenge is answered once",
    test: "api/passkeys",
    only,
    edits: [
      [
        "server/accounts/passkeys/store.ts",
        '"DELETE FROM passkey_challenges WHERE bound_to = ? RETURNING *"',
        '"SELECT * FROM passkey_challenges WHERE bound_to = ?"',
      ],
    ],
  },
  {
    rule: "a challenge expires",
    test: "api/passkeys",
    only,
    edits: [["server/accounts/passkeys/challenges.ts", "found.expires_at > deps.clock.now()", "found.expires_at > 0"]],
  },
  {
    rule: "a passkey alone signs in only if its authenticator checked who uses it",
    test: "api/passkeys",
    only,
    edits: [["server/accounts/passkeys/webauthn.ts", "requireUserVerification: verified,", "requireUserVerification: false,"]],
  },
  {
    rule: "a passkey of another account is no second step",
    test: "api/passkeys",
    only,
    edits: [
      [
        "server/accounts/passkeys/sign-in.ts",
        "if (userId !== null && passkey.user_id !== userId) return false;",
        "if (userId === '') return false;",
      ],
    ],
  },
  {
    rule: "a passkey whose counter does not rise is blocked",
    test: "api/passkeys",
    only,
    edits: [["server/accounts/passkeys/store.ts", "(counter < ? OR counter = 0 AND ? = 0)", "(counter <= ? OR counter = ?)"]],
  },
  {
    rule: "a confirmation is needed to suspend an administrator",
    test: "api/factors",
    only: "sqlite.*cannot be avoided",
    edits: [["server/admin/admins.ts", "  await requireConfirmation(deps, q, caller);\n", ""]],
  },
];
