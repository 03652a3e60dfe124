import { sha256 } from "../../io/hash.ts";

/** JSON with sorted property names, so that their original order does not matter. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`)
    .join(",")}}`;
}

/** A hash of a value, for an idempotency key that is the same for equal orders. */
export const contentKey = (value: unknown): string => sha256().update(canonical(value)).digest("hex").slice(0, 40);
