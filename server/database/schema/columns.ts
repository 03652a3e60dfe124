import type { Value } from "../port.ts";

/**
 * A column as both databases have it. Its values have the type `T`; a row that is inserted without one gets `Preset`, and must have one
 * if that is undefined.
 */
export interface Column<T extends Value = Value, Preset extends Value | undefined = Value | undefined> {
  readonly kind: "text" | "int" | "bytes";
  /** The only values that it may have: a `CHECK` of the table (see `Enumerated`). */
  readonly values?: readonly T[];
  /** Null where the database allows null; otherwise the `DEFAULT` of the table. */
  readonly preset: Preset;
}

export const text: Column<string, undefined> = { kind: "text", preset: undefined };
export const int: Column<number, undefined> = { kind: "int", preset: undefined };
export const bytes: Column<Uint8Array, undefined> = { kind: "bytes", preset: undefined };

/** Text that is one of these values. */
export const oneOf = <const T extends string>(values: readonly T[]): Column<T, undefined> => ({ ...text, values });

/** Text of a type that the database does not check. */
export const textOf = <T extends string>(): Column<T, undefined> => ({ kind: "text", preset: undefined });

export const orNull = <T extends Value>(column: Column<T, undefined>): Column<T | null, null> => ({ ...column, preset: null });

/** A column with a default. */
export const orElse = <T extends Value>(column: Column<T, undefined>, preset: T): Column<T, T> => ({ ...column, preset });
