import { canonicalJson } from "../text/canonical-json.ts";
import { sha256 } from "./sha256.ts";

/** A hash of a value, for an idempotency key that is the same for equal orders. */
export const contentKey = (value: unknown): string => sha256().update(canonicalJson(value)).digest("hex").slice(0, 40);
