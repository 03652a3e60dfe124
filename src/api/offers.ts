import type { Operation } from "../contract/index.ts";
import { operations, type StaticOperation } from "../contract/static.ts";
import { CliError, exitCodes, isAbsent } from "../errors.ts";
import { parseJson } from "./replies.ts";
import type { HttpReply } from "./transport.ts";

/** What to do where a route beyond the specification is missing, by the beginning of its path. */
const instead: readonly (readonly [RegExp, string])[] = [
  [/^\/auth\/api-keys/, "Keys are made and revoked on its web pages; `playtest login --with-key` keeps one here."],
  [/^\/(playtester|admin)\//, "Its web pages do; this command is for servers started with `playtest serve`."],
  [/^\/sandbox\//, "It is for a server started with `playtest serve run --sandbox`."],
  [/^\/webhooks\//, "Send a new event with `playtest webhooks test`."],
  [/^\/playtests\/:id\/pay/, "Pay on its web pages."],
  [/^\/playtests\//, "Do it on its web pages."],
  [/^\/chat\//, "A conversation begins on its web pages; then `playtest chat list` shows it."],
];

function notOffered({ method, path, summary }: StaticOperation, error: CliError): CliError {
  const hint = instead.find(([pattern]) => pattern.test(path))?.[1] ?? "See its web pages.";
  const what = `${summary.charAt(0).toLowerCase()}${summary.slice(1)}`;
  const { httpStatus, requestId } = error.extra;
  const message = `This server does not offer to ${what} (${method} /api/v1${path}).`;
  return new CliError("NOT_OFFERED", exitCodes.notFound, message, { hint, httpStatus, requestId, cause: error });
}

/**
 * Explains a failed call of a route beyond the specification: where the route is missing, not the thing, it says so. A server that has
 * such routes lists them at `info/server`, which `ask` gets.
 */
export async function explainAbsence(operation: Operation, error: unknown, ask: () => Promise<HttpReply>): Promise<unknown> {
  const called = operations[operation];
  if (!called.extension || !isAbsent(error)) return error;
  if (operation === "getServerInfo") return notOffered(called, error);
  const reply = await ask().catch(() => undefined);
  if (reply === undefined) return error;
  const { data } = (parseJson(reply.body) ?? {}) as { data?: { extensions?: unknown } };
  const listed = Array.isArray(data?.extensions) && data.extensions.includes(`${called.method} ${called.path}`);
  return reply.status === 200 && listed ? error : notOffered(called, error);
}

/** The operation behind the path of an upload. */
export const uploadOperation = (path: string) =>
  (Object.keys(operations) as Operation[]).find(
    (name) => operations[name].media === "tus" && new RegExp(`^${operations[name].path.replace(/:\w+/g, "[^/]+")}$`).test(path),
  );
