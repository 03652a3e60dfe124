import { isWebUrl } from "../../api/url.ts";
import type { Context } from "../../cli/define.ts";
import { CliError, exitCodes } from "../../errors.ts";

const timeoutMs = 5_000;

/** Why the build cannot be downloaded. Undefined if it can, or if it only requires authentication. */
async function problemWith(ctx: Context, url: URL): Promise<string | undefined> {
  try {
    const reply = await ctx.send({ method: "HEAD", url, headers: {}, timeout: timeoutMs, signal: ctx.signal });
    return reply.status === 404 || reply.status === 410 ? `returned status ${reply.status}` : undefined;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return "cannot be reached";
  }
}

/**
 * Warns about a build that cannot be downloaded, or throws with `strict`. Builds hosted by this instance exist and need a signed link,
 * so they are not checked.
 */
export async function checkBuild(ctx: Context, buildUrl: string, strict: boolean) {
  if (isWebUrl(buildUrl) && new URL(buildUrl).origin === new URL(ctx.api().base).origin) return;
  const reason = isWebUrl(buildUrl) ? await problemWith(ctx, new URL(buildUrl)) : "is not at an http or https URL";
  if (reason === undefined) return;
  const message = `The build at ${buildUrl} ${reason}.`;
  if (!strict) return ctx.out.warn(message);
  throw new CliError("BUILD_UNREACHABLE", exitCodes.error, `${message} Nothing was ordered.`, {
    hint: "Upload the build there, or change its address with `playtest games update --build-url URL`.",
  });
}
