import type { Operation } from "../../contract/index.ts";
import { CliError, exitCodes } from "../../errors.ts";
import { uuid } from "../../io/text.ts";
import type { Command } from "../define.ts";

const lowerFirst = (text: string) => text[0]!.toLowerCase() + text.slice(1);

/** The commands that list what an argument takes, where the address of the request says less. */
const listings: Partial<Record<Operation, string>> = {
  listSubmissions: "review list",
  listPayments: "billing payments list",
};

/**
 * For a 404 of a command that was given something that does not look like an id, such as a name: says what the argument is. Any other
 * error is returned unchanged.
 */
export function explainWrongId(error: unknown, command: Command, args: Readonly<Record<string, unknown>>): unknown {
  if (!(error instanceof CliError) || error.exitCode !== exitCodes.notFound || error.extra.httpStatus !== 404) return error;
  // A server that lacks the operation says nothing about ids.
  if (error.code !== "NOT_FOUND") return error;
  // It is about a part of something that exists, such as the video of a slot.
  if (error.extra.hint === undefined && !/^not found/i.test(error.message)) return error;
  for (const [name, { id, summary }] of Object.entries(command.args ?? {})) {
    const word = id && [args[name]].flat().find((one) => typeof one === "string" && !uuid.test(one));
    if (id === undefined || word === undefined) continue;
    const listing = id.pick && listings[id.pick];
    const hint = listing === undefined ? error.extra.hint : `To list valid ids: \`playtest ${listing}\`.`;
    const what = `<${name}>: ${lowerFirst(summary)}.`;
    // Without a hint, it may still be about a part.
    const [message, next] =
      error.extra.hint === undefined
        ? [error.message, hint === undefined ? what : `${what} ${hint}`]
        : [`Nothing has the id ${JSON.stringify(word)}. Nothing was done. ${what}`, hint];
    return new CliError(error.code, error.exitCode, message, { ...error.extra, hint: next, cause: error });
  }
  return error;
}
