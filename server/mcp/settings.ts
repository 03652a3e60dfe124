import * as z from "zod";
import { defaultReviewsPerDay, toolsets } from "../../src/contract/text/toolsets.ts";
import { validate } from "../http/validate.ts";
import type { Host } from "./host.ts";

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
const settings = z.object({ allow: listed, reviews: perDay });

/** What the address of `/mcp` allows: `?allow=read,order&reviews=5`. Who configures a client writes it; no model does. 422 if it is wrong. */
export function settingsOf(query: URLSearchParams): Pick<Host, "allowed" | "reviewsPerDay"> {
  const { allow, reviews } = validate(settings, Object.fromEntries(query));
  return { allowed: new Set(allow), reviewsPerDay: reviews };
}
