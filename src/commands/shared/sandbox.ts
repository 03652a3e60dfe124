import type { Context } from "../../cli/define.ts";
import { isAbsent, noSandbox } from "../../errors.ts";

/** Throws unless the server is a sandbox: for commands that change something before they use what only a sandbox has. */
export async function requireSandbox(ctx: Context): Promise<void> {
  const info = await ctx
    .api()
    .getServerInfo({})
    .catch((error: unknown) => {
      if (isAbsent(error)) return undefined;
      throw error;
    });
  if (!info?.sandbox) throw noSandbox(ctx.settings().get("baseUrl")!.value);
}
