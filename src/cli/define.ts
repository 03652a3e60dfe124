import type { BodyIn, QueryIn } from "../contract/endpoint.ts";
import type { Contract, Operation } from "../contract/index.ts";
import { operations, type StaticOperation } from "../contract/static.ts";
import type { View } from "../io/cells.ts";
import type { Outcome } from "../io/output.ts";
import type { Context } from "./context.ts";
import type { Flag } from "./flags.ts";

/**
 * A command is data. To add one:
 *
 * 1. write `src/commands/<noun>/<verb>.ts`: `export const verb = define({ name, summary, operation, examples, run })`;
 * 2. add it to the list in `src/commands/<noun>/index.ts` (a new noun also takes one line in `src/groups.ts`);
 * 3. add rows to `test/cli/<noun>.test.ts`.
 *
 * From this description come its flags, their checks, help, completion, the confirmation, `--dry-run` and every output format.
 * `run` gathers, calls and returns what to print: `ctx.item(data, view)`, `ctx.list(operation, input, range, view)` or
 * `ctx.text(text, data)`. It throws to fail (`src/errors.ts`) and never prints by itself.
 */
export type CommandRisk = StaticOperation["risk"] | "local";

/** A word of the command line. */
export interface Arg<T> {
  readonly summary: string;
  readonly optional?: boolean;
  readonly variadic?: boolean;
  /** An id: its short form is resolved, and on a terminal an omitted one is picked from this list, narrowed by `query`. */
  readonly id?: {
    readonly pick?: Operation;
    readonly label?: string | ((item: Record<string, unknown>) => string);
    readonly query?: Readonly<Record<string, string>>;
    /** The list is that of a game: the directory file's, else picked first. */
    readonly ofGame?: boolean;
    /** Flags that say which things are meant: then none is picked. */
    readonly unless?: readonly string[];
  };
  /** The words it may be, for completion. */
  readonly choices?: readonly string[];
  /** Taken from this setting when omitted. */
  readonly setting?: "gameId";
  /** Never set: carries the type of the value. */
  readonly type?: T;
}

export const arg = {
  text: (summary: string): Arg<string> => ({ summary }),
  optional: (summary: string): Arg<string | undefined> => ({ summary, optional: true }),
  many: (summary: string): Arg<string[]> => ({ summary, variadic: true }),
  /** One of a few words; the command checks which. */
  choice: (choices: readonly string[]): Arg<string> => ({ summary: choices.join(", "), choices }),
  /** An id, by its full or short form. */
  id: (summary: string, pick?: Operation, label = "name", query?: Readonly<Record<string, string>>): Arg<string> => ({
    summary,
    id: { ...(pick && { pick }), label, ...(query && { query }) },
  }),
  ids: (summary: string, id: NonNullable<Arg<string>["id"]> = {}): Arg<string[]> => ({ summary, variadic: true, id }),
  /** A game: by id, else the directory file's, else picked. */
  game: (): Arg<string> => ({
    summary: "Game id; default the one `games use` set",
    id: { pick: "listGames", label: "name" },
    setting: "gameId",
  }),
  playtest: (): Arg<string> => ({
    summary: "Playtest id",
    id: {
      pick: "listPlaytests",
      ofGame: true,
      label: ({ status, quantity, durationMinutes, createdAt }) =>
        `${quantity} × ${durationMinutes} min, ${status}, ordered ${String(createdAt).slice(0, 10)}`,
    },
  }),
};

type Args = Readonly<Record<string, Arg<unknown>>>;
type Flags = Readonly<Record<string, Flag<unknown>>>;
type ArgValues<A extends Args> = { [K in keyof A]: A[K] extends Arg<infer T> ? T : never };
type FlagValues<F extends Flags> = { [K in keyof F]: F[K] extends Flag<infer T> ? T : never };

/** Which pages of a list were asked for. */
export interface ListRange {
  limit?: number | undefined;
  all?: boolean | undefined;
  cursor?: string | undefined;
}

export interface CommandInput<
  A extends Args = Args,
  F extends Flags = Flags,
  B extends Operation = Operation,
  Q extends Operation = Operation,
> {
  args: ArgValues<A>;
  flags: FlagValues<F>;
  /** The body from `--from-file` and the flags of its fields, checked. */
  body: NonNullable<BodyIn<Contract[B]>>;
  query: NonNullable<QueryIn<Contract[Q]>>;
  range: ListRange;
}

interface Spec<A extends Args, F extends Flags, B extends Operation, Q extends Operation> {
  name: string;
  aliases?: readonly string[];
  summary: string;
  /** More than the summary says, for help. */
  description?: string;
  args?: A;
  /** Own flags, by camelCase name. */
  flags?: F;
  /** Operations it calls, the main one first: scope, risk and endpoint in help. */
  operation?: Operation | readonly Operation[];
  /** Flags for every field of this operation's body, and `--from-file`. */
  body?: B;
  /** Body fields that get no flag. */
  bodyOmit?: readonly string[];
  /** The body need not be whole: the command completes it. */
  partialBody?: boolean;
  /** Flags for this operation's query. */
  query?: Q;
  /** Adds --limit, --all and --cursor. */
  list?: boolean;
  /** Default: the most dangerous of its operations. */
  risk?: CommandRisk;
  /** What to ask before a destroying command runs; `false` for one that names its one target. */
  confirm?: false | ((input: CommandInput<A, F, B, Q>) => string);
  examples: readonly string[];
  /** Exit codes of its own, beyond those every command has. */
  exits?: readonly number[];
  run(input: CommandInput<A, F, B, Q>, ctx: Context): Promise<Outcome | undefined>;
}

/** A command as the framework handles it. */
export interface Command extends Omit<Spec<Args, Flags, Operation, Operation>, "run" | "confirm" | "operation" | "risk"> {
  operations: readonly Operation[];
  risk: CommandRisk;
  confirm?: false | ((input: CommandInput) => string);
  run(input: CommandInput, ctx: Context): Promise<Outcome | undefined>;
}

/** A noun with its verbs. */
export interface Group {
  commands: readonly Command[];
  /** Verb that runs when none is named. */
  fallback?: string;
}

/** Every risk, the least first. */
export const commandRisks: readonly CommandRisk[] = ["local", "read", "write", "spend", "destroy"];

export function define<
  const A extends Args = Record<never, never>,
  const F extends Flags = Record<never, never>,
  B extends Operation = Operation,
  Q extends Operation = Operation,
>(spec: Spec<A, F, B, Q>): Command {
  const names = spec.operation === undefined ? [] : typeof spec.operation === "string" ? [spec.operation] : spec.operation;
  const risks = names.map((name) => operations[name].risk as CommandRisk);
  const worst = risks.reduce((a, b) => (commandRisks.indexOf(b) > commandRisks.indexOf(a) ? b : a), "local");
  return { ...spec, operations: names, risk: spec.risk ?? worst } as unknown as Command;
}

export { col, detail, prose, spare } from "../io/cells.ts";
export { flag } from "./flags.ts";
export type { Context, Outcome, View };
