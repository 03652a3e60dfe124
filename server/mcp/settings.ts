import * as z from "zod";
import { defaultReviewsPerDay, type Toolset, toolsets } from "../../src/contract/text/toolsets.ts";
import type { Principal } from "../http/call.ts";
import { validate } from "../http/validate.ts";

const listed = z
  .string()
  .default("read")
  .transform((text) => text.split(","))
  .pipe(z.array(z.enum(toolsets)).min(1));
const perDay = z
  .string()
  .regex(/^\d{1,5}$/, "must be a whole number from 0 to 99999")
  .default(String(defaultReviewsPerDay))
  .transform(Number);
const settings = z.strictObject({ allow: listed, reviews: perDay });

/** The parameters of an address; what is repeated counts together, as in `?allow=read&allow=order`. */
const fieldsOf = (query: URLSearchParams) =>
  Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name).join(",")]));

/**
 * What the address of `/mcp` allows: `?allow=read,order&reviews=5`. Who configures a client writes it; no model does. What the owner allowed
 * a connected client limits it, and is what it has where the address says nothing. 422 if it is wrong.
 */
export function settingsFor({ toolsets: granted }: Pick<Principal, "toolsets">, query: URLSearchParams) {
  const { allow, reviews } = validate(settings, fieldsOf(query));
  if (!granted) return { allowed: new Set(allow), reviewsPerDay: reviews };
  const allowed = new Set(query.has("allow") ? allow.filter((toolset) => granted.includes(toolset)) : granted);
  return { allowed, reviewsPerDay: Math.min(reviews, defaultReviewsPerDay) };
}

/** The toolsets that an address names, for a client that has yet to be connected. */
export function allowedBy(query: URLSearchParams): readonly Toolset[] {
  const { data = ["read"] } = listed.safeParse(fieldsOf(query).allow);
  return data as readonly Toolset[];
}
