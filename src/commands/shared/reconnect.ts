import type { Context } from "../../cli/context.ts";
import { CliError } from "../../errors.ts";

/**
 * Wraps a request that is repeated. After it has succeeded once, temporary failures are reported once and return undefined, so that a
 * short outage does not end a command that waits for days.
 */
export function withReconnect<T>(ctx: Context, request: () => Promise<T>): () => Promise<T | undefined> {
  let succeeded = false;
  let down = false;
  return async () => {
    try {
      const result = await request();
      if (down) ctx.out.note("Reconnected.");
      succeeded = true;
      down = false;
      return result;
    } catch (error) {
      if (!succeeded || !(error instanceof CliError) || error.extra.retryable !== true) throw error;
      if (!down) ctx.out.warn(`${error.message} Retrying.`);
      down = true;
      return undefined;
    }
  };
}
