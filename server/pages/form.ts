import type { IncomingMessage } from "node:http";
import { readBytes } from "../http/body.ts";
import { Problem } from "../problem.ts";

const maxBytes = 64 * 1024;

/** The fields of a posted form. */
export async function readForm(request: IncomingMessage): Promise<Record<string, string | undefined>> {
  if (!request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded"))
    throw new Problem("UNSUPPORTED_MEDIA_TYPE", "This page takes a form.");
  return Object.fromEntries(new URLSearchParams((await readBytes(request, maxBytes)).toString()));
}
