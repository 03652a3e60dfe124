import { type ProblemCode, type ProblemDetail, problems } from "../../src/contract/problems.ts";

interface Extra {
  /** A status that a protocol requires instead of that of the code (tus: 410, 412, 423, 460). */
  status?: number;
  details?: ProblemDetail[];
  headers?: Record<string, string>;
  payment?: Record<string, unknown>;
  cause?: unknown;
}

/** An expected error, rendered as the error body of the API. Anything else that is thrown becomes a 500. */
export class Problem extends Error {
  override name = "Problem";
  readonly code: ProblemCode;
  readonly status: number;
  readonly details: ProblemDetail[] | undefined;
  readonly headers: Record<string, string>;
  readonly payment: Record<string, unknown> | undefined;

  constructor(code: ProblemCode, message: string, extra: Extra = {}) {
    super(message, { cause: extra.cause });
    this.code = code;
    this.status = extra.status ?? problems[code];
    this.details = extra.details;
    this.headers = extra.headers ?? {};
    this.payment = extra.payment;
  }
}

/** The same reply for an id that does not exist and one that belongs to another account. */
export const notFound = () => new Problem("NOT_FOUND", "Not found, or you do not have access to it.");
export const conflict = (message: string) => new Problem("CONFLICT", message);
export const badRequest = (message: string) => new Problem("BAD_REQUEST", message);
export const forbidden = (message: string) => new Problem("FORBIDDEN", message);
export const unavailable = (message: string, retryAfterSeconds = 5, cause?: unknown) =>
  new Problem("SERVICE_UNAVAILABLE", message, { headers: { "Retry-After": String(retryAfterSeconds) }, cause });

/** 503 for what the operator of this server did not set up. It has no `Retry-After`: waiting does not help. */
export const notConfigured = (message: string) => new Problem("NOT_CONFIGURED", message);

/** 422 for a field that violates a rule that the schema cannot express. */
export const invalid = (field: string, message: string) =>
  new Problem("VALIDATION_ERROR", `${field}: ${message}`, { details: [{ field, message }] });
