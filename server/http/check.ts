import type { Endpoint } from "../../src/contract/endpoint.ts";
import { canonicalJson } from "../../src/contract/text/canonical-json.ts";

/** Used in tests and development. Throws when a reply does not match the contract or has additional fields. */
export function checkReply(endpoint: Endpoint, data: unknown): void {
  const result = endpoint.reply.safeParse(data);
  if (!result.success)
    throw new Error(`${endpoint.method} ${endpoint.path}: the reply breaks the contract: ${result.error.message}`);
  const [said, promised] = [canonicalJson(data), canonicalJson(result.data)];
  if (said !== promised)
    throw new Error(
      `${endpoint.method} ${endpoint.path}: the reply has fields the contract lacks.\nsaid     ${said}\npromised ${promised}`,
    );
}
