import { apiErrorOf } from "../http/reply.ts";
import type { Problem } from "./host.ts";

/** What an error of this server says; undefined for one that is not expected. */
export function problemOf(error: unknown): Problem | undefined {
  const { code, message } = apiErrorOf(error);
  return code === "INTERNAL_ERROR" ? undefined : { code, message };
}
