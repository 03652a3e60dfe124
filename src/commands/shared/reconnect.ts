import type { Context } from "../../cli/context.ts";
import { CliError } from "../../errors.ts";

/**
 * A look that is taken again and again: once it has worked, a server that cannot be reached for a while is said once and asked again
 * later, so that a wait of days does not end with a moment's outage. Gives undefined for a look that failed.
 */
export function withReconnect<T>(ctx: Context, look: () => Promise<T>): () => Promise<T | undefined> {
  let worked = false;
  let down = false;
  return async () => {
    try {
      const found = await look();
      if (down) ctx.out.note("Connected again.");
      worked = true;
      down = false;
      return found;
    } catch (error) {
      if (!worked || !(error instanceof CliError) || error.extra.retryable !== true) throw error;
      if (!down) ctx.out.warn(`${error.message} Trying again.`);
      down = true;
      return undefined;
    }
  };
}
