import type { BodyIn, QueryIn } from "../contract/endpoint.ts";
import type { Contract, Data, Operation } from "../contract/index.ts";
import { operations, type StaticOperation } from "../contract/static.ts";
import type { View } from "../io/cells.ts";
import type { Outcome } from "../io/output.ts";
import type { Context, ListRange } from "./context.ts";
import type { Flag } from "./flags.ts";
import type { ItemOf, ViewOf } from "./view.ts";

/**
 * A command is data, from which flags, validation, help, completion, confirmation, `--dry-run` and all output formats are derived. Most
 * call one operation and show its reply:
 *
 *     const keysShow = define({
 *       name: "keys show",
 *       operation: "getApiKey",
 *       args: { key: arg.id("Key id or name", "listApiKeys") },
 *       examples: ["playtest auth keys show 4f6a1b2c"],
 *       view: viewOf<ItemOf<"getApiKey">>(["id", "name", "created:createdAt"]),
 *     });
 *
 * The arguments are the parameters of the path in their order, and the summary is that of the contract. `body` or `query` name the operation
 * again where its fields are to be flags; `list: true` shows the items of a list page by page, `rows` those of one that comes whole. A reply with a `message` needs no view. The columns
 * of a view are fields of the reply (`view.ts`).
 *
 * A command that does more has a `summary` and a function `run`, which returns what to print: `ctx.item(data, view)`,
 * `ctx.list(operation, input, range, view)` or `ctx.text(text, data)`. It throws an error of `src/errors.ts` to fail and never prints by
 * itself.
 *
 * Where to put it, and which tests ask for it: CONTRIBUTING.md.
 */
export type CommandRisk = StaticOperation["risk"] | "local";

/** A positional argument. */
export interface Arg<T> {
  readonly summary: string;
  readonly optional?: boolean;
  readonly variadic?: boolean;
  /** The argument is an id. Short ids are resolved; on a terminal, an omitted id is chosen from the list `pick`, filtered by `query`. */
  readonly id?: {
    readonly pick?: Operation;
    readonly label?: string | ((item: Record<string, unknown>) => string);
    readonly query?: Readonly<Record<string, string>>;
    /** The list belongs to a game: the one in `.playtest.json`, otherwise one chosen first. */
    readonly ofGame?: boolean;
    /** The command itself finds what a name means. */
    readonly asGiven?: boolean;
    /** Flags that select the items instead, so that none is chosen interactively. */
    readonly unless?: readonly string[];
  };
  /** Allowed values, for completion. */
  readonly choices?: readonly string[];
  /** Setting used when the argument is omitted. */
  readonly setting?: "gameId";
  /** The fields of the request that it is sent as, where they have other names. */
  readonly field?: string | readonly string[];
  /** Never set; carries the type of the value. */
  readonly type?: T;
}

export const arg = {
  text: (summary: string): Arg<string> => ({ summary }),
  optional: (summary: string): Arg<string | undefined> => ({ summary, optional: true }),
  many: (summary: string): Arg<string[]> => ({ summary, variadic: true }),
  /** One of a few values; the command validates it. */
  choice: (choices: readonly string[]): Arg<string> => ({ summary: choices.join(", "), choices }),
  /** A full or short id. */
  id: (
    summary: string,
    pick?: Operation,
    label: string | ((item: Record<string, unknown>) => string) = "name",
    query?: Readonly<Record<string, string>>,
  ): Arg<string> => ({
    summary,
    id: { ...(pick && { pick }), label, ...(query && { query }) },
  }),
  ids: (summary: string, id: NonNullable<Arg<string>["id"]> = {}): Arg<string[]> => ({ summary, variadic: true, id }),
  /** A game id or name; if omitted, the one in `.playtest.json`, else the only one, else one chosen interactively. */
  game: (): Arg<string> => ({
    summary: "Game id or name (default: the game set with `games use`, else the only game)",
    id: { pick: "listGames", label: "name" },
    setting: "gameId",
  }),
  playtest: (): Arg<string> => ({
    summary: "Playtest id, or the name of a game that has only one",
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

export interface CommandInput<
  A extends Args = Args,
  F extends Flags = Flags,
  B extends Operation = Operation,
  Q extends Operation = Operation,
> {
  args: ArgValues<A>;
  flags: FlagValues<F>;
  /** The validated body, from `--from-file` and flags. */
  body: NonNullable<BodyIn<Contract[B]>>;
  query: NonNullable<QueryIn<Contract[Q]>>;
  range: ListRange;
}

interface Spec<A extends Args, F extends Flags, B extends Operation, Q extends Operation> {
  name: string;
  aliases?: readonly string[];
  summary: string;
  /** Further help text, shown below the summary. */
  description?: string;
  args?: A;
  /** Flags of this command, by camelCase name. */
  flags?: F;
  /** Operations it calls, the main one first. Help shows their scope, risk and endpoints. */
  operation?: Operation | readonly Operation[];
  /** Adds a flag for each field of this operation's body, and `--from-file`. */
  body?: B;
  /** Body fields that get no flag. */
  bodyOmit?: readonly string[];
  /** The body may lack required fields; the command adds them. */
  partialBody?: boolean;
  /** What to do about a required field of the body that is missing, by its name. */
  requiredHints?: Readonly<Record<string, string>>;
  /** Adds a flag for each parameter of this operation's query. */
  query?: Q;
  /** Adds --limit, --all and --cursor. */
  list?: boolean;
  /** Default: the highest risk among its operations. */
  risk?: CommandRisk;
  /** Whether only the user may read a file that `--output` creates. Default: if the command has operations, whose replies are not public. */
  private?: boolean;
  /**
   * Question to ask before a destructive command runs, fetched if what it names has to be. `false`: do not ask, because the command
   * names its only target.
   */
  confirm?: false | ((input: CommandInput<A, F, B, Q>, ctx: Context) => string | Promise<string>);
  /** It asks by itself while it runs, so that its help says so. */
  asks?: boolean;
  examples: readonly string[];
  /** Exit codes beyond those that every command has. */
  exits?: readonly number[];
  run(input: CommandInput<A, F, B, Q>, ctx: Context): Promise<Outcome | undefined>;
}

/** A command as the framework sees it. */
export interface Command
  extends Omit<Spec<Args, Flags, Operation, Operation>, "run" | "confirm" | "operation" | "risk" | "private"> {
  operations: readonly Operation[];
  risk: CommandRisk;
  private: boolean;
  confirm?: false | ((input: CommandInput, ctx: Context) => string | Promise<string>);
  run(input: CommandInput, ctx: Context): Promise<Outcome | undefined>;
}

/** A noun with its subcommands. */
export interface Group {
  commands: readonly Command[];
  /** Subcommand that runs when none is given. */
  fallback?: string;
  /** What the help of the noun explains, by headings. Its commands are then listed by name only, so that all fits on a terminal. */
  about?: readonly (readonly [heading: string, text: string])[];
}

/** All risks, lowest first. */
export const commandRisks: readonly CommandRisk[] = ["local", "read", "write", "spend", "destroy"];

/**
 * A command that calls one operation and shows its reply. Its arguments are the parameters of the path, in their order. The summary is
 * that of the contract unless it has its own. Without a view, it prints the message of the reply.
 */
type ShowSpec<A extends Args, F extends Flags, O extends Operation> = Omit<
  Spec<A, F, O, O>,
  "operation" | "run" | "summary" | "body" | "query"
> & {
  operation: O;
  body?: O;
  query?: O;
  /** The field of the reply that is a whole list, to be shown as a table. */
  rows?: keyof Data<O> & string;
  summary?: string;
  run?: undefined;
} & (Data<O> extends { message: string } ? { view?: ViewOf<ItemOf<O>> } : { view: ViewOf<ItemOf<O>> });

/** The names of the parameters in a path, such as `id` of `/games/:id`. */
const parametersOf = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);

/** Calls the operation and shows its reply. */
function show(
  operation: Operation,
  { list, rows, query, body, view }: ShownCommand,
): Spec<Args, Flags, Operation, Operation>["run"] {
  const names = parametersOf(operations[operation].path);
  return async (input, ctx) => {
    const given = Object.values(input.args);
    const params = Object.fromEntries(names.map((name, i) => [name, given[i]]));
    const request = { params, ...(query && { query: input.query }), ...(body && { body: input.body }) } as never;
    if (list) return ctx.list(operation, request, input.range, view as never);
    const data: unknown = await ctx.api()[operation](request);
    if (rows !== undefined) return ctx.rows(rows, (data as Record<string, never>)[rows]!, view as never);
    return view ? ctx.item(data, view as never) : ctx.message(data as { message: string });
  };
}

type ShownCommand = Pick<Spec<Args, Flags, Operation, Operation>, "list" | "query" | "body"> & { rows?: string; view?: View };

export function define<
  const A extends Args = Record<never, never>,
  const F extends Flags = Record<never, never>,
  B extends Operation = Operation,
  Q extends Operation = Operation,
>(spec: Spec<A, F, B, Q>): Command;
export function define<
  const A extends Args = Record<never, never>,
  const F extends Flags = Record<never, never>,
  O extends Operation = Operation,
>(spec: ShowSpec<A, F, O>): Command;
export function define(
  spec: Omit<Spec<Args, Flags, Operation, Operation>, "run" | "summary"> & Partial<Command> & { rows?: string; view?: View },
): Command {
  const names = spec.operation === undefined ? [] : typeof spec.operation === "string" ? [spec.operation] : spec.operation;
  const risks = names.map((name) => operations[name].risk as CommandRisk);
  const worst = risks.reduce((a, b) => (commandRisks.indexOf(b) > commandRisks.indexOf(a) ? b : a), "local");
  const main = names[0];
  return {
    ...spec,
    summary: spec.summary ?? operations[main!].summary,
    run: spec.run ?? show(main!, spec),
    operations: names,
    risk: spec.risk ?? worst,
    private: spec.private ?? names.length > 0,
  };
}

export { flag } from "./flags.ts";
export {
  col,
  columnsOf,
  detail,
  type ItemOf,
  moneyCol,
  optionalCol,
  prose,
  type Row,
  shorter,
  viewOf,
  whileStatus,
  withColumns,
} from "./view.ts";
export type { Context, Outcome, View };
