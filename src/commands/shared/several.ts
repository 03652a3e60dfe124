import type { PlannedRequest } from "../../api/types.ts";
import type { Context } from "../../cli/context.ts";
import type { ViewOf } from "../../cli/view.ts";
import { CliError, DryRun, exitCodes, Interrupted, partlyDone, usage } from "../../errors.ts";
import type { View } from "../../io/cells.ts";
import type { Outcome } from "../../io/output.ts";
import { plural } from "../../io/text.ts";
import { pool } from "./pool.ts";

/** Commands that act on several items: collects failures and prints the result in the requested format. */

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
  /** What ended the command before every item was tried: a signal, or the error of an item that every other would get too. */
  stopped?: CliError | Interrupted;
}

// Errors that every other item would get too.
const fatal: readonly number[] = [exitCodes.unauthenticated, exitCodes.scope, exitCodes.unreachable, exitCodes.unknownOutcome];

/** Whether to print a sentence for each item, for a person, instead of rows. */
export const isInteractive = ({ out, io, flags }: Context) =>
  out.format.kind === "auto" && io.terminal.stdout && flags.output === undefined;

/**
 * Calls `act` for each id, `parallel` at a time. A single id's error is thrown; of several, what was done is returned whatever happens.
 * `describe` returns the sentence for a result. Without it nothing is printed for each: the command lists them at its end.
 */
export async function several<T extends object>(
  ctx: Context,
  ids: readonly string[],
  act: (id: string) => Promise<T>,
  describe?: (result: T) => string,
  parallel = 1,
): Promise<Results<T>> {
  const results: Results<T> = { done: [], failed: [] };
  const planned: PlannedRequest[] = [];
  const left = new Set(ids);
  const begun = new Set<string>();

  async function one(id: string) {
    ctx.startItem(id);
    const result = await act(id);
    results.done.push(result);
    if (describe) await ctx.out.line({ type: "item", ...result }, isInteractive(ctx) ? describe(result) : undefined);
  }

  async function fail(id: string, error: unknown) {
    if (error instanceof DryRun) return void planned.push(...error.requests);
    if (ids.length === 1 || !(error instanceof CliError)) throw error;
    const { code, message, exitCode } = error;
    const failed = { id, code, message, exitCode };
    results.failed.push(failed);
    const isFatal = fatal.includes(exitCode);
    if (isFatal) results.stopped ??= error;
    if (describe && ctx.out.format.kind === "ndjson") return ctx.out.line({ type: "warning", ...failed });
    // The command ends with the error that stopped it.
    if (results.stopped !== error) ctx.out.warn(`${id}: ${message}`);
  }

  const interrupted = (error: unknown) => {
    if (ids.length === 1 || !(error instanceof Interrupted)) throw error;
    results.stopped ??= error;
  };

  await pool(ids, parallel, async (id) => {
    if (results.stopped) return;
    ctx.signal.throwIfAborted();
    left.delete(id);
    begun.add(id);
    await one(id).catch((error: unknown) => fail(id, error));
    begun.delete(id);
  }).catch(interrupted);
  if (planned.length > 0) throw results.stopped ?? new DryRun(planned);
  if (begun.size > 0) ctx.out.warn(`Not finished, and perhaps done: ${[...begun].join(", ")}.`);
  if (results.stopped && left.size > 0) ctx.out.warn(`Not tried: ${[...left].join(", ")}.`);
  return results;
}

/**
 * The outcome of a command on several items: `{ result }`, its rows, or nothing if a sentence was printed for each item. What is printed
 * to a file ends with the failure as its outcome: the file is then kept.
 */
export function conclude(
  ctx: Context,
  result: Item,
  rows: readonly Item[],
  view: View,
  failure?: CliError | Interrupted,
): Outcome | undefined {
  const { kind } = ctx.out.format;
  if (kind === "json" || kind === "jq") return { ...ctx.item({ result }), failure };
  if (kind === "ndjson") return { ...ctx.item({ type: "result", ...result }), failure };
  if (!isInteractive(ctx)) return { ...ctx.rows("result", rows, { ...view, empty: "" }), failure };
  if (failure) throw failure;
  return undefined;
}

/** The outcome of a command that lists what was done: its rows, and in JSON beside them what failed. */
export const listDone = <T extends object>(
  ctx: Context,
  key: string,
  { done, failed }: Results<T>,
  view: ViewOf<T>,
  failure?: CliError | Interrupted,
): Outcome => ({ ...ctx.rows(key, done, view, { failed }), failure });

/** The error if some items failed or were not tried. Undefined otherwise. */
export function partialFailure({ done, failed, stopped }: Results<unknown>, noun: string, verb: string) {
  if (stopped || failed.length === 0) return stopped;
  return partlyDone(`${plural(done.length, noun)} ${verb}, ${failed.length} failed: ${failed.map(({ id }) => id).join(", ")}.`);
}

/** The given ids without duplicates, or with `all` the ids that `find` lists. Asks for confirmation if there are several. */
export async function targets(
  ctx: Context,
  ids: readonly string[],
  options: { all: boolean; flag?: string; find(): Promise<string[]>; question(count: number): string },
): Promise<string[]> {
  if (options.all && ids.length > 0) throw usage(`Ids and ${options.flag} cannot be used together.`);
  if (!options.all && ids.length === 0)
    throw usage("Missing id.", options.flag ? `Pass one or more ids, or ${options.flag}.` : "Pass one or more ids.");
  const found = [...new Set(options.all ? await options.find() : ids)];
  if (found.length > 1 || (options.all && found.length > 0)) await ctx.confirm(options.question(found.length));
  return found;
}
