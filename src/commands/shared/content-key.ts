import { createHash } from "node:crypto";

/** JSON with sorted names, so that the order in which fields were written does not matter. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`)
    .join(",")}}`;
}

/** What an idempotency key is made of that is to be the same whenever the same is ordered. */
export const contentKey = (value: unknown): string => createHash("sha256").update(canonical(value)).digest("hex").slice(0, 40);
