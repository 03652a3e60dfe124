import type { Context } from "../../cli/define.ts";
import { CliError, exitCodes } from "../../errors.ts";

const patience = 5_000;

/** Why a playtester could not fetch the build; undefined where it answers, or hides from strangers only. */
async function fault(ctx: Context, url: URL): Promise<string | undefined> {
  try {
    const reply = await ctx.send({ method: "HEAD", url, headers: {}, timeout: patience, signal: ctx.signal });
    return reply.status === 404 || reply.status === 410 ? `answers ${reply.status}` : undefined;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return "cannot be reached";
  }
}

/** Warns about a build nobody can fetch, or refuses with `strict`. Builds this instance hosts are there, and open with signed links only. */
export async function checkBuild(ctx: Context, buildUrl: string, strict: boolean) {
  const url = new URL(buildUrl);
  if (url.origin === new URL(ctx.api().base).origin) return;
  const reason = await fault(ctx, url);
  if (reason === undefined) return;
  const message = `The build at ${buildUrl} ${reason}.`;
  if (!strict) return ctx.out.warn(message);
  throw new CliError("BUILD_UNREACHABLE", exitCodes.error, `${message} Nothing was ordered.`, {
    hint: "Put the build there, or set another with `playtest games update --build-url`.",
  });
}
