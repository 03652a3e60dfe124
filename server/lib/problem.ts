import { type ProblemCode, type ProblemDetail, problems } from "../../src/contract/problems.ts";

interface Extra {
  /** Where a protocol wants a status that no code of the table has (tus: 410, 412, 423, 460). */
  status?: number;
  details?: ProblemDetail[];
  headers?: Record<string, string>;
  payment?: Record<string, unknown>;
  cause?: unknown;
}

/** An expected refusal: becomes the error body that clients expect. Anything else thrown is a 500. */
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

/** The same body for an id that does not exist and one that is somebody else's. */
export const notFound = () => new Problem("NOT_FOUND", "Not found, or you do not have access to it.");
export const conflict = (message: string) => new Problem("CONFLICT", message);
export const badRequest = (message: string) => new Problem("BAD_REQUEST", message);
export const forbidden = (message: string) => new Problem("FORBIDDEN", message);
export const unavailable = (message: string, retryAfterSeconds = 5, cause?: unknown) =>
  new Problem("SERVICE_UNAVAILABLE", message, { headers: { "Retry-After": String(retryAfterSeconds) }, cause });

/** A field that breaks a rule the schema cannot know. */
export const invalid = (field: string, message: string) =>
  new Problem("VALIDATION_ERROR", `${field}: ${message}`, { details: [{ field, message }] });
