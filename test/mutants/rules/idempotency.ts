// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of sources.
import { execute, idempotency } from "../files.ts";
import type { Mutant } from "../mutant.ts";

const headers = "src/contract/headers.ts";

export const idempotencyRules: readonly Mutant[] = [
  {
    rule: "a replay says so",
    test: "api/http",
    edits: [[idempotency, ', "Idempotency-Replayed": "true" }', " }"]],
  },
  {
    rule: "same key, other body: refused",
    test: "api/http",
    edits: [[idempotency, "${canonicalJson(request.body ?? {})}", ""]],
  },
  {
    rule: "same key, other path: refused",
    test: "api/http",
    edits: [[idempotency, "${request.endpoint.method} ${request.path}?", "${request.endpoint.method}?"]],
  },
  {
    rule: "many at once with one key: one effect",
    test: "api/playtests",
    edits: [
      [
        idempotency,
        "    runExclusive: (work) => runExclusive(deps, `${accountId} ${key}`, work),",
        "    runExclusive: (work) => work(),",
      ],
      [idempotency, "if (!replaced) records.insert(tx, accountId, key, reply);", "if (!replaced) return;"],
    ],
  },
  {
    rule: "the key of another account is another key",
    test: "api/http",
    edits: [
      [
        "server/http/idempotency-store.ts",
        "WHERE account_id = ? AND idempotency_key",
        "WHERE account_id <> CAST(? AS INTEGER) AND idempotency_key",
      ],
    ],
  },
  {
    rule: "the order of fields does not matter",
    test: "api/http",
    only: "sqlite.*replays the same request byte for byte",
    edits: [
      [idempotency, "canonicalJson(request.body ?? {})", "JSON.stringify(request.body ?? {})"],
      [execute, "return schema && parsed;", "return schema && (parsed, sent ?? {});"],
    ],
  },
  {
    rule: "a refusal is not remembered: topped up, the same key orders",
    test: "api/http",
    edits: [
      [
        execute,
        "const outcome = await fn(tx, trail);",
        "const outcome = await fn(tx, trail).catch((error) => new Remembered(error, deps.clock.now() + 86_400_000));",
      ],
    ],
  },
  {
    rule: "a key of 256 characters is refused",
    test: "api/http",
    edits: [[headers, "{1,255}$/", "{1,256}$/"]],
  },
  { rule: "an empty key is refused", test: "api/http", edits: [[headers, "{1,255}$/", "{0,255}$/"]] },
  {
    rule: "a key with control characters is refused",
    test: "api/http",
    edits: [[headers, "/^[\\x20-\\x7e]", "/^[\\x00-\\x7e]"]],
  },
  { rule: "a key is kept for 24 hours", test: "api/http", edits: [[idempotency, "keepMs = 24 *", "keepMs = 25 *"]] },
  {
    rule: "what a page calls needs the scope as well",
    test: "api/execute",
    edits: [["server/http/call-operation.ts", "if (principal) authorize(served.endpoint, principal);", ""]],
  },
  {
    rule: "a page hears of a refusal that was committed",
    test: "api/execute",
    edits: [["server/http/call-operation.ts", "if (status < 400) return", "if (status < 600) return"]],
  },
  {
    rule: "a payment method ignores case",
    test: "api/playtests",
    edits: [[headers, "value.toLowerCase() === given.toLowerCase()", "value === given"]],
  },
  {
    rule: "a page shown again may send something else",
    test: "api/portal",
    edits: [["server/web/shared/keyed-call.ts", " ${canonicalJson([params, body])}", ""]],
  },
];
