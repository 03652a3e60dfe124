import type { Context } from "../../../cli/define.ts";
import type { OnBytes } from "../../../io/files/contents.ts";
import { createMeter } from "../../../io/meter.ts";

/** Runs `work` and shows its progress through `total` bytes (0: unknown); stops it when the command is interrupted. */
export async function withByteProgress<T>(
  ctx: Context,
  verb: string,
  what: string,
  total: number,
  work: (onBytes: OnBytes) => Promise<T>,
): Promise<T> {
  const progress = await ctx.progress();
  const meter = createMeter(ctx.now);
  meter.expect(total);
  return work((count) => {
    ctx.signal.throwIfAborted();
    meter.add(count);
    progress.update(`${verb} ${meter.text()}: ${what}`, meter.fraction);
  }).finally(() => progress.done());
}
