import type { PlannedRequest } from "./api/types.ts";
import type { ErrorDetail } from "./contract/errors.ts";
import { Refused } from "./contract/input/refused.ts";
import { folderOf, shortageOf } from "./contract/text/shortages.ts";

/** Frozen within a major version: scripts depend on them. */
export const exitCodes = {
  ok: 0,
  error: 1,
  usage: 2,
  notFound: 3,
  unauthenticated: 4,
  scope: 5,
  conflict: 6,
  payment: 7,
  pending: 8,
  rateLimited: 9,
  unreachable: 10,
  partial: 11,
  unknownOutcome: 12,
  gate: 13,
  bug: 70,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

interface Extra {
  hint?: string | undefined;
  cause?: unknown;
  details?: readonly ErrorDetail[] | undefined;
  httpStatus?: number | undefined;
  requestId?: string | undefined;
  retryable?: boolean;
  retryCommand?: string;
  payment?: Record<string, unknown> | undefined;
  /** What a standard x402 client would sign, as the header `PAYMENT-REQUIRED` has it. */
  paymentRequired?: string | undefined;
  /** What is left of the budget that refused. */
  budget?: Record<string, unknown> | undefined;
  /** The order that waits for a person. */
  approval?: Record<string, unknown> | undefined;
}

/** An error a person can act on: what happened, what to do next (`hint`), and the exit code. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly code: string;
  readonly exitCode: ExitCode;
  readonly extra: Extra;
  constructor(code: string, exitCode: ExitCode, message: string, extra: Extra = {}) {
    super(message, { cause: extra.cause });
    this.code = code;
    this.exitCode = exitCode;
    this.extra = extra;
  }
}

export const usage = (message: string, hint?: string) => new CliError("USAGE", exitCodes.usage, message, { hint });
export const badConfig = (message: string, hint?: string) => new CliError("CONFIG", exitCodes.usage, message, { hint });
export const declined = (message = "Cancelled. Nothing was changed.") => new CliError("DECLINED", exitCodes.error, message);
export const notFound = (message: string, hint?: string) => new CliError("NOT_FOUND", exitCodes.notFound, message, { hint });
export const notSignedIn = (message = "Not signed in.") =>
  new CliError("UNAUTHORIZED", exitCodes.unauthenticated, message, { hint: hints.UNAUTHORIZED });
export const gateFailed = (message: string, hint?: string) => new CliError("GATE_FAILED", exitCodes.gate, message, { hint });
export const insufficientScope = (message: string) =>
  new CliError("FORBIDDEN", exitCodes.scope, message, { hint: hints.FORBIDDEN });
export const stillPending = (message: string, hint?: string) =>
  new CliError("STILL_PENDING", exitCodes.pending, message, { hint, retryable: true });
export const partlyDone = (message: string, hint?: string) => new CliError("PARTLY_DONE", exitCodes.partial, message, { hint });
export const tooExpensive = (message: string, hint?: string) => new CliError("SPEND_LIMIT", exitCodes.payment, message, { hint });
export const failure = (message: string, hint?: string, cause?: unknown) =>
  new CliError("ERROR", exitCodes.error, message, { hint, cause });

const writeFailures: Readonly<Record<string, string>> = {
  ENOENT: "its directory does not exist",
  ENOTDIR: "part of its path is not a directory",
  EISDIR: "it is a directory",
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EEXIST: "it already exists",
};

/** The error for a file that cannot be written. What the computer lacks has a remedy of its own, which is shown before `hint`. */
export function cannotWrite(path: string, error: Error, hint = "Choose another path, or fix the problem and try again.") {
  const shortage = shortageOf(error, folderOf(path));
  const why = shortage?.what ?? writeFailures[(error as NodeJS.ErrnoException).code ?? ""] ?? error.message;
  return failure(`Cannot write ${path}: ${why}.`, shortage ? `${shortage.remedy} ${hint}` : hint, error);
}

/** The error for a text that cannot be used, or for what the computer lacks, when that is why `error` was thrown; else `error` itself. */
export function explained(error: unknown): unknown {
  if (error instanceof Refused) return usage(error.message, error.hint);
  const shortage = error instanceof CliError ? undefined : shortageOf(error, "this command's files");
  if (!shortage) return error;
  const { path } = error as { path?: unknown };
  const isAboutFile = typeof path === "string" && shortage.folder !== undefined;
  const what = isAboutFile ? `Cannot write ${path}: ${shortage.what}.` : `The command cannot go on: ${shortage.what}.`;
  return failure(what, `${shortage.remedy} Then run the command again.`, error);
}

/** The error for a command that needs a sandbox, on a server that is none; `why` for one that says nothing about it. */
export const noSandbox = (baseUrl: string, extra: Extra = {}, why = `${baseUrl} is not a sandbox.`) =>
  new CliError("NOT_OFFERED", exitCodes.notFound, `${why} Nothing was done.`, {
    hint: "Start a sandbox with `playtest serve run --sandbox`.",
    ...extra,
  });

/** Statuses a server may return for a route that it does not have. */
const absentStatuses: readonly (number | undefined)[] = [404, 405, 501];

/** Whether an error says that a route, or the resource behind it, does not exist. */
export const isAbsent = (error: unknown): error is CliError =>
  error instanceof CliError && absentStatuses.includes(error.extra.httpStatus);

/** The reader of standard output closed the pipe: the command ends silently with exit code 0. */
export class PipeClosed extends Error {
  override readonly name = "PipeClosed";
}

/** The first SIGINT or SIGTERM stopped the command. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly signal: "SIGINT" | "SIGTERM";
  readonly exitCode: 130 | 143;
  /** A change was in progress: it may or may not have taken effect. The key makes a repetition safe; without one, the hint says what to do. */
  readonly during: { request: string; idempotencyKey: string | undefined; hint: string | undefined } | undefined;
  constructor(signal: "SIGINT" | "SIGTERM", during?: Interrupted["during"]) {
    const stopped = signal === "SIGINT" ? "Interrupted" : "Terminated";
    super(during ? `${stopped} during ${during.request}. The request may or may not have taken effect.` : `${stopped}.`);
    this.signal = signal;
    this.exitCode = signal === "SIGINT" ? exitCodes.interrupted : exitCodes.terminated;
    this.during = during;
  }
}

/** Thrown instead of sending a change when `--dry-run` is given: holds the requests that would have been sent. */
export class DryRun extends Error {
  override readonly name = "DryRun";
  readonly requests: readonly PlannedRequest[];
  constructor(requests: readonly PlannedRequest[]) {
    super("Nothing was sent.");
    this.requests = requests;
  }
}

/** Ends the command with this code and no message, whatever signal came: another program's exit code, or 0 after a clean stop. */
export class ExitWith extends Error {
  override readonly name = "ExitWith";
  readonly exitCode: number;
  constructor(exitCode: number) {
    super(`Exit code ${exitCode}.`);
    this.exitCode = exitCode;
  }
}

const byCode: Record<string, ExitCode> = {
  UNAUTHORIZED: exitCodes.unauthenticated,
  CODE_REQUIRED: exitCodes.unauthenticated,
  EMAIL_NOT_VERIFIED: exitCodes.unauthenticated,
  CONFIRMATION_REQUIRED: exitCodes.unauthenticated,
  SECOND_FACTOR_REQUIRED: exitCodes.scope,
  FORBIDDEN: exitCodes.scope,
  NOT_FOUND: exitCodes.notFound,
  NOT_IMPLEMENTED: exitCodes.notFound,
  NOT_CONFIGURED: exitCodes.notFound,
  CONFLICT: exitCodes.conflict,
  IDEMPOTENCY_MISMATCH: exitCodes.conflict,
  PAYMENT_REQUIRED: exitCodes.payment,
  BUDGET_EXCEEDED: exitCodes.payment,
  RATE_LIMITED: exitCodes.rateLimited,
  SERVICE_UNAVAILABLE: exitCodes.unreachable,
  INTERNAL_ERROR: exitCodes.error,
};
const byStatus: Record<number, ExitCode> = {
  400: exitCodes.usage,
  401: exitCodes.unauthenticated,
  402: exitCodes.payment,
  403: exitCodes.scope,
  404: exitCodes.notFound,
  405: exitCodes.usage,
  409: exitCodes.conflict,
  413: exitCodes.usage,
  415: exitCodes.usage,
  422: exitCodes.usage,
  429: exitCodes.rateLimited,
  500: exitCodes.error,
  501: exitCodes.notFound,
  502: exitCodes.unreachable,
  503: exitCodes.unreachable,
  504: exitCodes.unreachable,
};

/** The exit code for a failed response: by its problem code, else by its HTTP status. */
export const exitCodeOfReply = (status: number, code: string | undefined): ExitCode =>
  (code === undefined ? undefined : byCode[code]) ?? byStatus[status] ?? exitCodes.error;

/** The exit code after this was thrown; an unexpected error is a bug, 70. */
export function exitCodeFor(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode;
  if (error instanceof Interrupted) return error.exitCode;
  if (error instanceof PipeClosed) return exitCodes.ok;
  return exitCodes.bug;
}

/** A server without a mail server writes its emails to a folder, and its operator verifies addresses. */
export const howToVerify =
  "Open the link in the verification email, or ask the server's operator to verify your address. Then run `playtest auth wait-verified`.";
const hints: Record<string, string> = {
  UNAUTHORIZED: "Run `playtest login`, or set PLAYTEST_API_KEY.",
  CODE_REQUIRED: "Pass --code CODE, or set PLAYTEST_CODE.",
  CONFIRMATION_REQUIRED: "Run `playtest auth confirm --code CODE`, then run this command again.",
  EMAIL_NOT_VERIFIED: "To get another email: `playtest auth resend-verification`. To wait: `playtest auth wait-verified`.",
  FORBIDDEN:
    "Check the key's scopes with `playtest auth status`. To get a key with every scope of your account: `playtest login`.",
  PAYMENT_REQUIRED:
    "Check your funds with `playtest billing balance`. How to add credit: `playtest help billing`, or ask the server's operator.",
  IDEMPOTENCY_MISMATCH: "Use another --idempotency-key: this one was used for a different request.",
  NOT_IMPLEMENTED: "To see what this server supports: `playtest api info/server`.",
};

/** The command that lists the valid ids for a path. */
const listings: readonly (readonly [RegExp, string])[] = [
  [/\/v1\/moments\//, "review notes list GAME"],
  [/\/v1\/clips\//, "review clips list SLOT"],
  [/\/sessions\//, "auth sessions"],
  [/\/playtester\/playtests\//, "tester browse"],
  [/\/playtester\/applications\//, "tester applications"],
  [/\/playtester\/friends\//, "tester friends list"],
  [/\/playtester\//, "tester slots"],
  [/applications\//, "applications list PLAYTEST"],
  [/\/(slots|submissions)\//, "playtests slots PLAYTEST"],
  [/\/playtests\//, "playtests list --all-games"],
  [/\/games\//, "games list"],
  [/\/webhooks\//, "webhooks list"],
  [/\/payments\//, "billing payments list"],
  [/\/chat\//, "chat list"],
];

const listingHint = (path: string) => {
  // The slot or payment exists; only its transcript, video or invoice is missing, and no list shows those.
  if (/\/(transcript|transcription|download-url|invoice)$/.test(path)) return undefined;
  const listing = listings.find(([pattern]) => pattern.test(path))?.[1];
  return listing && `To list valid ids: \`playtest ${listing}\`.`;
};

/** The next step after a failed response, where one always helps. A 403 that is not about the key, such as a blocked contact, has none. */
export function hintFor(code: string, message: string, path: string): string | undefined {
  if (code === "NOT_FOUND") return listingHint(path);
  return code === "FORBIDDEN" && !/scope|key|permission|forbidden|allowed/i.test(message) ? undefined : hints[code];
}

/** What each exit code means, for `playtest help exit-codes`. */
export const exitCodeMeanings: readonly (readonly [number, string, string])[] = [
  [0, "ok", "also: the reader of the output closed the pipe"],
  [1, "error", "also: a declined prompt, HTTP 500, a port in use"],
  [2, "usage or validation error", "also: HTTP 400, 405, 413, 415, 422, an unknown profile, invalid configuration"],
  [3, "not found", "also: a feature that this server does not support"],
  [4, "not authenticated", "no API key, an invalid key, an unverified email address, or a missing code of the second factor"],
  [5, "permission denied", "the API key lacks a required scope"],
  [6, "conflict", "also: an idempotency key reused for a different request"],
  [7, "payment required or spending limit reached", "also: an order left unpaid (0 with --allow-pending)"],
  [8, "still pending", "a wait timed out, a transcript is not ready, or an order waits for approval"],
  [9, "rate limited", "the server asked to wait longer than --max-wait allows"],
  [
    10,
    "server unreachable or unavailable",
    "also: a TLS or proxy failure, a response that is not from the API, --exit-on-disconnect",
  ],
  [11, "partial failure", "some of several items failed"],
  [
    12,
    "outcome unknown",
    "the response was lost after sending; the error says how to repeat the change safely, or how to check it",
  ],
  [13, "gate failed", "a --fail-if condition was met, or --exit-code found differences"],
  [70, "bug", "please report it"],
  [130, "interrupted", "SIGINT"],
  [143, "terminated", "SIGTERM"],
];
