import { isRowKey } from "../../../src/contract/bulk/keys.ts";
import type { CallOperation } from "../../../src/contract/index.ts";
import { canonicalJson } from "../../../src/contract/text/canonical-json.ts";
import { sha256 } from "../../lib/secrets.ts";

/**
 * Adds a hash of the input to the form's idempotency key: after the back button, the same form may be sent with other content. The key of a
 * row of a file stays, so that the command and a page never order it twice.
 */
export const keyedByContent =
  (call: CallOperation): CallOperation =>
  (operation, ...[input]) => {
    const { idempotencyKey, params, body } = (input ?? {}) as { idempotencyKey?: string; params?: object; body?: object };
    if (idempotencyKey === undefined || isRowKey(idempotencyKey)) return call(operation, ...([input] as never));
    const key = `portal-${sha256(`${idempotencyKey} ${operation} ${canonicalJson([params, body])}`)}`;
    return call(operation, ...([{ ...input, idempotencyKey: key }] as never));
  };
