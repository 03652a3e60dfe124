import type { Context } from "../../cli/define.ts";
import { noSandbox } from "../../errors.ts";

/** Throws unless the server is a sandbox: for commands that change something before they use what only a sandbox has. */
export async function requireSandbox(ctx: Context): Promise<void> {
  const info = await ctx.api().offered("getServerInfo", {});
  if (info?.data.sandbox) return;
  const { value: baseUrl } = ctx.settings().get("baseUrl")!;
  throw noSandbox(baseUrl, {}, info ? undefined : `${baseUrl} does not say whether it is a sandbox.`);
}

/**
 * The time in milliseconds that --since means. An age counts from the time on the server, which a sandbox may have moved and which only
 * a reply tells: so it asks for one.
 */
export async function sinceTime(ctx: Context, since: (now: number) => number): Promise<number> {
  await ctx.api().offered("getServerInfo", {});
  return since(ctx.serverNow());
}
