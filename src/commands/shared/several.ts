import type { PlannedRequest } from "../../api/client.ts";
import type { Context } from "../../cli/context.ts";
import { CliError, DryRun, exitCodes, partlyDone, usage } from "../../errors.ts";
import type { View } from "../../io/cells.ts";
import type { Outcome } from "../../io/output.ts";
import { plural } from "../../io/text.ts";
import { pool } from "./pool.ts";

/** Commands on several things: one after another, failures collected, the result in the format asked for. */

type Item = Record<string, unknown>;

export interface Failed {
  id: string;
  code: string;
  message: string;
  exitCode: number;
}

export interface Results<T> {
  done: T[];
  failed: Failed[];
}

// Whoever may not call, or cannot be reached, will fail the same way for every other thing.
const hopeless: readonly number[] = [exitCodes.unauthenticated, exitCodes.scope, exitCodes.unreachable, exitCodes.unknownOutcome];

/** Whether a person reads along: a sentence for each thing done, instead of rows. */
export const talking = ({ out, io, flags }: Context) =>
  out.format.kind === "auto" && io.terminal.stdout && flags.output === undefined;

/** What went wrong with one of several things; what would go wrong with each is thrown on. */
export function failedWith(id: string, error: unknown): Failed {
  if (!(error instanceof CliError) || hopeless.includes(error.exitCode)) throw error;
  const { code, message, exitCode } = error;
  return { id, code, message, exitCode };
}

/** Does `act` for each id, `parallel` at a time. With a single id its error is the command's. `said` is what a person reads of each. */
export async function several<T extends Item>(
  ctx: Context,
  ids: readonly string[],
  act: (id: string) => Promise<T>,
  said: (result: T) => string,
  parallel = 1,
): Promise<Results<T>> {
  const results: Results<T> = { done: [], failed: [] };
  const planned: PlannedRequest[] = [];

  async function one(id: string) {
    const result = await act(id);
    results.done.push(result);
    await ctx.out.line({ type: "item", ...result }, talking(ctx) ? said(result) : undefined);
  }

  async function fail(id: string, error: unknown) {
    if (error instanceof DryRun) return void planned.push(...error.requests);
    if (ids.length === 1) throw error;
    const failed = failedWith(id, error);
    results.failed.push(failed);
    if (ctx.out.format.kind === "ndjson") return ctx.out.line({ type: "warning", ...failed });
    ctx.out.warn(`${id}: ${failed.message}`);
  }

  await pool(ids, parallel, async (id) => {
    ctx.signal.throwIfAborted();
    await one(id).catch((error: unknown) => fail(id, error));
  });
  if (planned.length > 0) throw new DryRun(planned);
  return results;
}

/** The end of a command that did several things: `{ result }`, its rows, or nothing more where a person read along. */
export async function conclude(
  ctx: Context,
  result: Item,
  rows: readonly Item[],
  view: View,
  failure?: CliError,
): Promise<Outcome | undefined> {
  const { kind } = ctx.out.format;
  if (kind === "json" || kind === "jq") return { ...ctx.item({ result }), failure };
  if (kind === "ndjson") await ctx.out.line({ type: "result", ...result });
  else if (!talking(ctx)) return { ...ctx.rows("result", rows, { ...view, empty: "" }), failure };
  if (failure) throw failure;
  return undefined;
}

/** The error of a command some of whose things failed; none: undefined. */
export const partialFailure = ({ done, failed }: Results<unknown>, noun: string, verb: string) =>
  failed.length === 0
    ? undefined
    : partlyDone(`${plural(done.length, noun)} ${verb}, ${failed.length} failed: ${failed.map(({ id }) => id).join(", ")}.`);

/** The ids given, each once; with `all`, those that `find` lists. Asks before more than one. */
export async function targets(
  ctx: Context,
  ids: readonly string[],
  options: { all: boolean; flag?: string; find(): Promise<string[]>; question(count: number): string },
): Promise<string[]> {
  if (options.all && ids.length > 0) throw usage(`Ids and ${options.flag} exclude each other.`);
  if (!options.all && ids.length === 0)
    throw usage("No id was given.", options.flag ? `Name one or more, or pass ${options.flag}.` : "Name one or more.");
  const found = [...new Set(options.all ? await options.find() : ids)];
  if (found.length > 1 || (options.all && found.length > 0)) await ctx.confirm(options.question(found.length));
  return found;
}
