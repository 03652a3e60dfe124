import type { PlannedRequest } from "./api/client.ts";
import type { ProblemDetail } from "./contract/problems.ts";

/** Frozen for a major version: scripts depend on them. */
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
  details?: readonly ProblemDetail[] | undefined;
  httpStatus?: number | undefined;
  requestId?: string | undefined;
  retryable?: boolean;
  retryCommand?: string;
  payment?: Record<string, unknown> | undefined;
}

/** Something a person can act on: what happened, what to do next (`hint`), and how the process ends. */
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
export const declined = (message = "Nothing was done.") => new CliError("DECLINED", exitCodes.error, message);
export const notFound = (message: string, hint?: string) => new CliError("NOT_FOUND", exitCodes.notFound, message, { hint });
export const gateFailed = (message: string, hint?: string) => new CliError("GATE_FAILED", exitCodes.gate, message, { hint });
export const insufficientScope = (message: string) =>
  new CliError("FORBIDDEN", exitCodes.scope, message, { hint: hints.FORBIDDEN });
export const stillPending = (message: string, hint?: string) =>
  new CliError("STILL_PENDING", exitCodes.pending, message, { hint, retryable: true });
export const partlyDone = (message: string, hint?: string) => new CliError("PARTLY_DONE", exitCodes.partial, message, { hint });
export const tooExpensive = (message: string, hint?: string) => new CliError("SPEND_LIMIT", exitCodes.payment, message, { hint });
export const failure = (message: string, hint?: string, cause?: unknown) =>
  new CliError("ERROR", exitCodes.error, message, { hint, cause });

const unwritable: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist",
  ENOTDIR: "a part of its path is not a folder",
  EISDIR: "it is a folder",
  EACCES: "it may not be written by you",
  EPERM: "it may not be written by you",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  EEXIST: "it exists already",
};

/** A file that cannot be written, in words. */
export const cannotWrite = (path: string, error: Error, hint = "Name another place, or make room for it there.") =>
  failure(`Cannot write ${path}: ${unwritable[(error as NodeJS.ErrnoException).code ?? ""] ?? error.message}.`, hint, error);

/** Statuses by which a server may say that it has no such route. */
const absent: readonly (number | undefined)[] = [404, 405, 501];

/** Whether an error says that a route, or the thing behind it, is missing. */
export const isAbsent = (error: unknown): error is CliError =>
  error instanceof CliError && absent.includes(error.extra.httpStatus);

/** The reader of standard output went away: a quiet success. */
export class PipeClosed extends Error {
  override readonly name = "PipeClosed";
}

/** A first SIGINT or SIGTERM stopped the command. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly signal: "SIGINT" | "SIGTERM";
  readonly exitCode: 130 | 143;
  /** The idempotency key of a change that was under way: whether it took effect is not known. */
  readonly idempotencyKey: string | undefined;
  constructor(signal: "SIGINT" | "SIGTERM", during?: { request: string; idempotencyKey: string }) {
    const stopped = signal === "SIGINT" ? "Interrupted" : "Terminated";
    super(during ? `${stopped} during ${during.request}: whether it took effect is not known.` : `${stopped}.`);
    this.signal = signal;
    this.exitCode = signal === "SIGINT" ? exitCodes.interrupted : exitCodes.terminated;
    this.idempotencyKey = during?.idempotencyKey;
  }
}

/** `--dry-run` reached a change: what would have been sent. */
export class DryRun extends Error {
  override readonly name = "DryRun";
  readonly requests: readonly PlannedRequest[];
  constructor(requests: readonly PlannedRequest[]) {
    super("Nothing was sent.");
    this.requests = requests;
  }
}

/** The command ends with this code, whatever signal came, and says nothing more: another program's, or 0 after a clean stop. */
export class ExitWith extends Error {
  override readonly name = "ExitWith";
  readonly exitCode: number;
  constructor(exitCode: number) {
    super(`Ended with ${exitCode}.`);
    this.exitCode = exitCode;
  }
}

const byCode: Record<string, ExitCode> = {
  UNAUTHORIZED: exitCodes.unauthenticated,
  EMAIL_NOT_VERIFIED: exitCodes.unauthenticated,
  FORBIDDEN: exitCodes.scope,
  NOT_FOUND: exitCodes.notFound,
  NOT_IMPLEMENTED: exitCodes.notFound,
  CONFLICT: exitCodes.conflict,
  IDEMPOTENCY_MISMATCH: exitCodes.conflict,
  PAYMENT_REQUIRED: exitCodes.payment,
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

/** The exit code of a failed reply: by its problem code, else by its status. */
export const exitCodeOfReply = (status: number, code: string | undefined): ExitCode =>
  (code === undefined ? undefined : byCode[code]) ?? byStatus[status] ?? exitCodes.error;

/** How the process ends after this was thrown; what nobody foresaw is a bug, 70. */
export function exitCodeFor(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode;
  if (error instanceof Interrupted) return error.exitCode;
  if (error instanceof PipeClosed) return exitCodes.ok;
  return exitCodes.bug;
}

const verify = "Open the link in the verification mail, then run `playtest auth wait-verified`.";
const hints: Record<string, string> = {
  UNAUTHORIZED: "Run `playtest login`, or set PLAYTEST_API_KEY.",
  EMAIL_NOT_VERIFIED: verify,
  FORBIDDEN: "See the key's scopes with `playtest auth status`; a key with more: `playtest auth keys create`.",
  PAYMENT_REQUIRED: "See `playtest billing balance`; buy credit with `playtest billing credit add`.",
  IDEMPOTENCY_MISMATCH: "Use another --idempotency-key: this one belongs to a different request.",
  NOT_IMPLEMENTED: "This server does not offer it; see `playtest api info/server`.",
};

/** What lists the things of a path, so that one that is not there can be named again. */
const listings: readonly (readonly [RegExp, string])[] = [
  [/applications\//, "applications list PLAYTEST"],
  [/\/playtester\//, "tester slots"],
  [/\/(slots|submissions)\b/, "playtests slots PLAYTEST"],
  [/\/playtests\//, "playtests list --all-games"],
  [/\/games\//, "games list"],
  [/\/webhooks\//, "webhooks list"],
  [/\/payments\//, "billing payments list"],
  [/\/chat\//, "chat list"],
];

const listingHint = (path: string) => {
  // The slot or payment is there; what it has not got is in no list.
  if (/\/(transcription|download-url|invoice)$/.test(path)) return undefined;
  const listing = listings.find(([pattern]) => pattern.test(path))?.[1];
  return listing && `See what there is with \`playtest ${listing}\`.`;
};

/** The next step after a failed reply, where there is one that always helps; a refusal may also be of the account or of a contact. */
export function hintFor(code: string, message: string, path: string): string | undefined {
  if (code === "NOT_FOUND") return listingHint(path);
  return code === "FORBIDDEN" && !/scope|key|permission|forbidden|allowed/i.test(message) ? undefined : hints[code];
}

/** What each exit code means, for `playtest help exit-codes`. */
export const exitCodeMeanings: readonly (readonly [number, string, string])[] = [
  [0, "ok", "also: the reader of the output went away"],
  [1, "error", "also: a declined prompt, 500, a port in use"],
  [2, "usage or validation", "also: 400, 405, 413, 415, 422, unknown profile, refused configuration"],
  [3, "not found", "also: a feature this server does not offer"],
  [4, "not authenticated", "no key, a wrong key, e-mail not verified"],
  [5, "scope", "the key may not do this"],
  [6, "conflict", "also: an idempotency key used for another request"],
  [7, "payment needed or spend limit", "also: an order left unpaid (0 with --allow-pending)"],
  [8, "still pending", "wait timed out, transcript not ready"],
  [9, "rate limited", "the server asks to wait longer than --max-wait"],
  [10, "unreachable or 503", "also: TLS, proxy, a reply that is not the API's, --exit-on-disconnect"],
  [11, "partly done", "several things were asked for and some failed"],
  [12, "outcome unknown", "the reply was lost after sending; repeat with the same idempotency key"],
  [13, "gate failed", "a condition of --fail-if became true"],
  [70, "bug", "please report it"],
  [130, "interrupted", "SIGINT"],
  [143, "terminated", "SIGTERM"],
];
