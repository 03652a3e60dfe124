import type { Context } from "../../cli/context.ts";

/**
 * Sends many rows, as many at once as the server takes. Returns the reply to each part. If a later part fails, says that the earlier ones
 * are done, because the error is only about its own.
 */
export async function inParts<T, R>(
  ctx: Context,
  rows: readonly T[],
  size: number,
  send: (part: readonly T[]) => Promise<R>,
): Promise<{ part: readonly T[]; reply: R }[]> {
  const replies: { part: readonly T[]; reply: R }[] = [];
  for (let at = 0; at < rows.length; at += size) {
    const part = rows.slice(at, at + size);
    try {
      replies.push({ part, reply: await send(part) });
    } catch (error) {
      if (at > 0)
        ctx.out.warn(
          `The first ${at} of ${rows.length} rows are done. The error is about the others. It is safe to run the command again.`,
        );
      throw error;
    }
  }
  return replies;
}
