/** Every error code the API can answer with, and its HTTP status. */
export const errorStatuses = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  CODE_REQUIRED: 401,
  PAYMENT_REQUIRED: 402,
  BUDGET_EXCEEDED: 402,
  FORBIDDEN: 403,
  EMAIL_NOT_VERIFIED: 403,
  CONFIRMATION_REQUIRED: 403,
  SECOND_FACTOR_REQUIRED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RANGE_NOT_SATISFIABLE: 416,
  VALIDATION_ERROR: 422,
  IDEMPOTENCY_MISMATCH: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  NOT_IMPLEMENTED: 501,
  SERVICE_UNAVAILABLE: 503,
  NOT_CONFIGURED: 503,
} as const;

export type ErrorCode = keyof typeof errorStatuses;

/** One entry of `error.details`: the field as the caller wrote it, and what is wrong with it. */
export interface ErrorDetail {
  field: string;
  message: string;
}

/** The body of every failed reply. `payment` accompanies the crypto 402 only, `budget` a budget that refused. */
export interface ErrorBody {
  error: {
    code: ErrorCode | (string & {});
    message: string;
    details?: ErrorDetail[];
    payment?: Record<string, unknown>;
    budget?: Record<string, unknown>;
  };
  meta: { requestId: string; timestamp: string };
}
