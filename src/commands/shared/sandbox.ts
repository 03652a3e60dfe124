import type { Context } from "../../cli/define.ts";
import { noSandbox } from "../../errors.ts";

/** Throws unless the server is a sandbox: for commands that change something before they use what only a sandbox has. */
export async function requireSandbox(ctx: Context): Promise<void> {
  const info = await ctx.api().offered("getServerInfo", {});
  if (!info?.data.sandbox) throw noSandbox(ctx.settings().get("baseUrl")!.value);
}
