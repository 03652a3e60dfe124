import type { IncomingMessage } from "node:http";
import type { Deps } from "../app/deps.ts";
import { readBytes } from "../http/body.ts";
import { Problem } from "../lib/problem.ts";

const bytes = 64 * 1024;

/** The fields of a posted form. */
export async function readForm(deps: Deps, request: IncomingMessage): Promise<Record<string, string | undefined>> {
  if (!request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded"))
    throw new Problem("UNSUPPORTED_MEDIA_TYPE", "This page takes a form.");
  const body = await readBytes(request, { bytes, withinMs: deps.config.http.requestTimeoutMs });
  return Object.fromEntries(new URLSearchParams(body.toString()));
}
