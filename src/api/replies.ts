import type { ProblemBody } from "../contract/problems.ts";
import type { StaticOperation } from "../contract/static.ts";
import { CliError, exitCodeOfReply, hintFor, stillPending } from "../errors.ts";
import { NetworkError } from "./transport.ts";
import type { HttpReply } from "./types.ts";

/** The JSON value of a body; undefined if it is not JSON. */
export const parseJson = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
};

const isProblem = (value: unknown): value is ProblemBody =>
  typeof value === "object" && value !== null && typeof (value as Partial<ProblemBody>).error?.message === "string";

/** The error for a response that does not come from the API. */
export function notTheApi(reply: HttpReply, url: URL): NetworkError {
  const { location, "content-type": type } = reply.headers;
  if (reply.status >= 300 && reply.status < 400)
    return new NetworkError(
      `${url.origin} redirects to ${location ?? "another address"}. Redirects are not followed, to keep the API key on this host.`,
      false,
      undefined,
      "If that is the right address, pass it with --base-url.",
    );
  return new NetworkError(
    `${url.origin} returned ${reply.status} with ${type ?? "no content type"} instead of JSON from the API.`,
    true,
    undefined,
    "Check the base URL with `playtest config explain`, and any proxy in between.",
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The contents of a successful response, which hold what they must: without it, commands would fail after the fact or print nothing. An
 * object may stand alone instead of under its name. Throws a NetworkError.
 */
export function requireData(reply: HttpReply, parsed: unknown, holds: StaticOperation["holds"], url: URL) {
  if (!isRecord(parsed) || !("data" in parsed)) throw notTheApi(reply, url);
  const { data, meta } = parsed;
  if (holds === undefined) return { data, meta };
  const { name, list } = holds;
  const held = isRecord(data) ? data[name] : undefined;
  if (list ? Array.isArray(held) : isRecord(held)) return { data, meta };
  if (!list && isRecord(data) && held === undefined && typeof data.id === "string")
    return { data: { ...data, [name]: data }, meta };
  throw new NetworkError(
    `${url.origin} returned ${reply.status} without ${list ? "the list" : "the object"} ${JSON.stringify(name)}.`,
    true,
    undefined,
    "Check the base URL with `playtest config explain`. If it is right, report this to the operator of the server.",
  );
}

/** The error for a failed response, with its exit code, invalid fields and next step. */
export function replyError(reply: HttpReply, url: URL): CliError {
  const body = parseJson(reply.body);
  if (!isProblem(body)) {
    const error = notTheApi(reply, url);
    if (reply.status !== 404 && reply.status !== 401) return error;
    return new CliError("NOT_FOUND", exitCodeOfReply(reply.status, undefined), error.message, {
      ...error.extra,
      httpStatus: reply.status,
    });
  }
  const { code, message, details, payment } = body.error;
  if (reply.status === 402 && reply.headers["retry-after"] !== undefined)
    return stillPending(message, "Repeat the same command later. It pays only once, however often you repeat it.");
  return new CliError(code, exitCodeOfReply(reply.status, code), message, {
    hint: hintFor(code, message, url.pathname),
    details,
    payment,
    httpStatus: reply.status,
    requestId: body.meta?.requestId,
    retryable: reply.status === 429 || reply.status >= 500,
  });
}

/** Adds how long the server asked to wait, where that is longer than allowed. */
export function withRequestedWait(error: CliError, ms: number | undefined): CliError {
  if (ms === undefined) return error;
  const hint = `The server asked to wait ${Math.ceil(ms / 1000)} s. To wait that long: --max-wait ${Math.ceil(ms / 1000)}s.`;
  return new CliError(error.code, error.exitCode, error.message, { ...error.extra, hint });
}
