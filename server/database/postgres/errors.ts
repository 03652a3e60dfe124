import { StoreUnavailable, UniqueViolation } from "../port.ts";

/** The SQLSTATE of an error (five characters); undefined for an error that PostgreSQL did not send. */
export function sqlState(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && "severity" in (error as object) ? code : undefined;
}

/** Serialization failures, deadlocks and locks that were not available in time. */
const conflicts = new Set(["40001", "40P01", "55P03"]);

/** Whether a transaction that failed so may succeed when it runs again. */
export const isRetryable = (error: unknown): boolean => conflicts.has(sqlState(error) ?? "") || isOutdated(error);

/** A table was changed since the connection prepared the statement: it was not run, and is prepared again the next time. */
export const isOutdated = (error: unknown): boolean =>
  sqlState(error) === "0A000" && (error as { routine?: unknown }).routine === "RevalidateCachedQuery";

export function translate(error: unknown, options: { reading?: boolean } = {}): unknown {
  const state = sqlState(error);
  if (state === "23505") return uniqueViolation(error as Error);
  return isOutage(error, state) ? unavailable(error, options) : error;
}

/** `reading` leaves out the sentence about the change, because there was none. */
export function unavailable(
  error: unknown,
  { reading = false, outcomeUnknown = false }: { reading?: boolean; outcomeUnknown?: boolean } = {},
): StoreUnavailable {
  if (error instanceof StoreUnavailable && !outcomeUnknown) return error;
  const saved = outcomeUnknown ? " The change may or may not have been saved." : reading ? "" : " The change was not saved.";
  return new StoreUnavailable(`PostgreSQL is not available right now (${reason(error)}).${saved} Try again in a moment.`, {
    cause: error,
    outcomeUnknown,
  });
}

/** Whether a query timed out. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof StoreUnavailable && error.cause instanceof Error && error.cause.message === "Query read timeout";

/** The message of an error. When every address of a host refuses, it is an AggregateError without a message of its own. */
export function reason(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reason).join("; ");
  return error instanceof Error ? error.message : String(error);
}

/** Connection (08), authorization (28), database name (3D), resources (53), shutdown (57P), disk (58), read-only standby (25006). */
const OUTAGE = /^(08|28|3D|53|57P|58|25006)/;

function isOutage(error: unknown, state: string | undefined): boolean {
  if (state !== undefined) return OUTAGE.test(state);
  if (!(error instanceof Error) || error instanceof RangeError) return false;
  return (
    error instanceof AggregateError ||
    "syscall" in error ||
    /^Connection terminated|not queryable|timeout|Cannot use a pool/.test(error.message)
  );
}

/** Reads the columns from the detail `Key (column, column)=(…) already exists.`, which may be in any language. */
function uniqueViolation(error: Error): UniqueViolation {
  const { table = "", detail = "" } = error as { table?: string; detail?: string };
  const columns = /\((.+?)\)=\(/.exec(detail)?.[1] ?? "";
  return new UniqueViolation(table, columns.replaceAll('"', "").split(", "), { cause: error });
}
