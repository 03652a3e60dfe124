import type { Context } from "../../cli/define.ts";
import { CliError, exitCodes } from "../../errors.ts";

/** A server without languages may ignore the field, so nothing is sent to it. */
export async function requireLanguages(ctx: Context, { languages }: { languages?: unknown }): Promise<void> {
  if (languages === undefined || (await ctx.api().offered("getServerInfo", {})) !== undefined) return;
  throw new CliError("NOT_OFFERED", exitCodes.notFound, "This server does not store languages of games. Nothing was changed.", {
    hint: "Leave out languages.",
  });
}
