import type { ProblemBody } from "../contract/problems.ts";
import { CliError, exitCodeOfReply, hintFor, stillPending } from "../errors.ts";
import { type HttpReply, NetworkError } from "./transport.ts";

/** The JSON value of a body; not JSON: undefined. */
export const parseJson = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
};

const isProblem = (value: unknown): value is ProblemBody =>
  typeof value === "object" && value !== null && typeof (value as Partial<ProblemBody>).error?.message === "string";

export function notTheApi(reply: HttpReply, url: URL): NetworkError {
  const { location, "content-type": type } = reply.headers;
  if (reply.status >= 300 && reply.status < 400)
    return new NetworkError(
      `${url.origin} redirects to ${location ?? "somewhere else"}; redirects are never followed with a key.`,
      false,
      undefined,
      "If that is the right address, give it with --base-url.",
    );
  return new NetworkError(
    `${url.origin} answered ${reply.status} with ${type ?? "no content type"} instead of the API's JSON.`,
    true,
    undefined,
    "Check the base URL, and any proxy in between: `playtest config explain`.",
  );
}

/** A failed reply as an error: its exit code, field problems and the next step. */
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
    return stillPending(message, "Repeat the same command then: it pays once, however often it is repeated.");
  return new CliError(code, exitCodeOfReply(reply.status, code), message, {
    hint: hintFor(code, message, url.pathname),
    details,
    payment,
    httpStatus: reply.status,
    requestId: body.meta?.requestId,
    retryable: reply.status === 429 || reply.status >= 500,
  });
}

export function withAskedWait(error: CliError, ms: number | undefined): CliError {
  if (ms === undefined) return error;
  const hint = `The server asks to wait ${Math.ceil(ms / 1000)} s; --max-wait allows waiting that long.`;
  return new CliError(error.code, error.exitCode, error.message, { ...error.extra, hint });
}
