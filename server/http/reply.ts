import type { ServerResponse } from "node:http";
import type { ErrorBody } from "../../src/contract/errors.ts";
import { shortageOf } from "../../src/contract/text/shortages.ts";
import { StoreUnavailable } from "../database/port.ts";
import { ApiError, unavailable } from "../lib/api-error.ts";

export type Headers = Record<string, string>;

/** A rendered reply. Only the listener sends it. */
export interface Rendered {
  status: number;
  headers: Headers;
  body: string | Uint8Array;
}

export interface Meta {
  requestId: string;
  timestamp: string;
  cursor?: string | null;
  hasMore?: boolean;
  totalCount?: number;
}

const json = { "Content-Type": "application/json; charset=utf-8" };

export const renderData = (status: number, data: unknown, meta: Meta): Rendered => ({
  status,
  headers: { ...json },
  body: JSON.stringify({ data, meta }),
});

export const withHeaders = (rendered: Rendered, headers: Readonly<Headers>): Rendered => ({
  ...rendered,
  headers: { ...rendered.headers, ...headers },
});

export function renderError(problem: ApiError, meta: Meta): Rendered {
  const { code, message, details, payment, budget } = problem;
  const more = { ...(details && { details }), ...(payment && { payment }), ...(budget && { budget }) };
  const body: ErrorBody = { error: { code, message, ...more }, meta };
  return { status: problem.status, headers: { ...json, ...problem.headers }, body: JSON.stringify(body) };
}

const unexpected =
  "An internal error occurred and was logged with this request id. It is safe to retry with the same Idempotency-Key.";

/**
 * The error to send: an ApiError unchanged, an unavailable database or a full disk and its like as 503, anything else as 500 without its
 * message.
 */
export function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof StoreUnavailable)
    return unavailable("The database is currently not available. Retry with the same Idempotency-Key.", 1, error);
  const shortage = shortageOf(error);
  if (!shortage) return new ApiError("INTERNAL_ERROR", unexpected, { cause: error });
  const text = `The server cannot store or read files right now: ${shortage.what}. Retry later with the same Idempotency-Key.`;
  return unavailable(text, 5, error);
}

/** What the log says about a request that failed unexpectedly. The rest is in the error's own message. `dataDir`: where files are. */
export function failureText(what: string, error: unknown, dataDir: string): string {
  const shortage = shortageOf(error, dataDir);
  return shortage ? `${what} failed: ${shortage.what}. ${shortage.remedy}` : `${what} failed`;
}

export function setHeaders(response: ServerResponse, headers: Headers): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/** Sends the response. Adds its headers to `common`, the headers of all replies, and changes that object. */
export function send(response: ServerResponse, rendered: Rendered, common: Headers): void {
  const { status, headers, body } = rendered;
  const length = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  response.writeHead(status, Object.assign(common, headers, { "Content-Length": length }));
  response.end(body);
}
