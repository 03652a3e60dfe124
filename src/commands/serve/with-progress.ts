import type { Context } from "../../cli/define.ts";
import { createMeter, type Meter } from "../../io/meter.ts";
import { plural } from "../../io/text.ts";
import { refused } from "./refused.ts";

type OnProgress = (step: string, done: number, total?: number) => void;

/** Runs a long task on the server's files and shows its progress. A signal aborts it; the task cleans up. */
export async function withProgress<T>(ctx: Context, work: (onProgress: OnProgress) => Promise<T>): Promise<T> {
  const progress = await ctx.progress();
  const steps = new Map<string, { meter: Meter; done: number; total: number }>();
  const onProgress: OnProgress = (name, done, total) => {
    ctx.signal.throwIfAborted();
    if (total === undefined) return progress.update(`${name}: ${plural(done, "row")}`);
    const known = steps.get(name);
    const step = known && known.done <= done ? known : { meter: createMeter(ctx.now), done: 0, total: 0 };
    step.meter.expect(total - step.total);
    step.meter.add(done - step.done);
    steps.set(name, Object.assign(step, { done, total }));
    progress.update(`${name}: ${step.meter.text()}`, step.meter.fraction);
  };
  try {
    return await work(onProgress);
  } catch (error) {
    throw refused(error);
  } finally {
    progress.done();
  }
}
