import { type ErrorCode, type ErrorDetail, errorStatuses } from "../../src/contract/errors.ts";

interface Extra {
  /** A status that a protocol requires instead of that of the code (tus: 410, 412, 423, 460). */
  status?: number;
  details?: ErrorDetail[];
  headers?: Record<string, string>;
  payment?: Record<string, unknown>;
  budget?: Record<string, unknown>;
  cause?: unknown;
}

/** An expected error, rendered as the error body of the API. Anything else that is thrown becomes a 500. */
export class ApiError extends Error {
  override name = "ApiError";
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: ErrorDetail[] | undefined;
  readonly headers: Record<string, string>;
  readonly payment: Record<string, unknown> | undefined;
  readonly budget: Record<string, unknown> | undefined;

  constructor(code: ErrorCode, message: string, extra: Extra = {}) {
    super(message, { cause: extra.cause });
    this.code = code;
    this.status = extra.status ?? errorStatuses[code];
    this.details = extra.details;
    this.headers = extra.headers ?? {};
    this.payment = extra.payment;
    this.budget = extra.budget;
  }
}

/** The same problem with more headers. */
export const withHeaders = (problem: ApiError, headers: Record<string, string>): ApiError => {
  Object.assign(problem.headers, headers);
  return problem;
};

/** The same reply for an id that does not exist and one that belongs to another account. */
export const notFound = () => new ApiError("NOT_FOUND", "Not found, or you do not have access to it.");
export const conflict = (message: string) => new ApiError("CONFLICT", message);
export const badRequest = (message: string) => new ApiError("BAD_REQUEST", message);
export const forbidden = (message: string) => new ApiError("FORBIDDEN", message);
export const unavailable = (message: string, retryAfterSeconds = 5, cause?: unknown) =>
  new ApiError("SERVICE_UNAVAILABLE", message, { headers: { "Retry-After": String(retryAfterSeconds) }, cause });

/** 503 for what the operator of this server did not set up. It has no `Retry-After`: waiting does not help. */
export const notConfigured = (message: string) => new ApiError("NOT_CONFIGURED", message);

/** 422 for a field that violates a rule that the schema cannot express. */
export const invalid = (field: string, message: string) =>
  new ApiError("VALIDATION_ERROR", `${field}: ${message}`, { details: [{ field, message }] });

/** Names the field that `act` refuses as a part of another: `fromMs` as `evidence.0.fromMs`. */
export async function within<T>(field: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const [detail] = (error instanceof ApiError && error.details) || [];
    throw detail ? invalid(`${field}.${detail.field}`, detail.message) : error;
  }
}
