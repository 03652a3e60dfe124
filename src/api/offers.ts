import type { Operation } from "../contract/index.ts";
import { operations, type StaticOperation } from "../contract/static.ts";
import { CliError, exitCodes, isAbsent, noSandbox } from "../errors.ts";
import type { Knowledge } from "./knowledge.ts";
import { isAt } from "./url.ts";

/** Routes that exist only on a sandbox. */
const sandboxOnly = /^\/sandbox\//;

/** What to do where a server lacks a route that is an extension of `playtest serve`, by the start of its path. */
const alternatives: readonly (readonly [RegExp, string])[] = [
  [/^\/auth\/api-keys/, "Create and revoke keys on its website. To save one here: `playtest login --with-key`."],
  [/^\/(playtester|admin)\//, "Use its website. This command is for servers started with `playtest serve`."],
  [/^\/webhooks\//, "Send a new event with `playtest webhooks test`."],
  [/shares/, "Share a link for one hour with `playtest review url`."],
  [/^\/playtests\/:id\/pay/, "Pay on its website."],
  [/^\/playtests\//, "Use its website."],
  [/^\/chat\/conversations$/, "Start the conversation on its website. `playtest chat list` then shows it."],
];

/** `isOwn`: the server is one of `playtest serve`, of which all but sandboxes lack the routes of a sandbox. */
function notSupported({ method, path, summary }: StaticOperation, error: CliError, base: string, isOwn: boolean): CliError {
  const hint = alternatives.find(([pattern]) => pattern.test(path))?.[1] ?? "Use its website.";
  const action = `${summary.charAt(0).toLowerCase()}${summary.slice(1)}`;
  const { httpStatus, requestId } = error.extra;
  const message = `This server does not support ${method} /api/v1${path} (${action}).`;
  if (sandboxOnly.test(path)) return noSandbox(base, { httpStatus, requestId, cause: error }, isOwn ? undefined : message);
  return new CliError("NOT_OFFERED", exitCodes.notFound, message, { hint, httpStatus, requestId, cause: error });
}

/**
 * Explains a failed call of an extension, a route that other servers need not have: an error that says so when the server lacks it,
 * else the error itself. A server that has such routes lists them at `info/server`. `base` is the address of the instance.
 */
export async function explainAbsence(
  operation: Operation,
  error: unknown,
  base: string,
  knowledge: Pick<Knowledge, "capabilities" | "noteAbsence">,
): Promise<unknown> {
  const called = operations[operation];
  if (!called.extension || !isAbsent(error)) return error;
  if (operation === "getServerInfo") {
    knowledge.noteAbsence();
    return notSupported(called, error, base, false);
  }
  const known = await knowledge.capabilities();
  if (known === undefined || known.extensions.includes(`${called.method} ${called.path}`)) return error;
  return notSupported(called, error, base, known.extensions.length > 0);
}

/** The operation that an upload path belongs to. */
export const uploadOperation = (path: string) =>
  (Object.keys(operations) as Operation[]).find((name) => operations[name].media === "tus" && isAt(operations[name].path, path));
