import type { Context } from "../../cli/context.ts";
import { toJson } from "../../io/text.ts";
import { streamed } from "./event-source.ts";

/** Helpers for commands that watch for new items. */

export interface EventWakeup {
  /** Waits for the given time in milliseconds, or until an event arrives. */
  wait(ms: number): Promise<void>;
  close(): void;
}

/**
 * Wakes a polling command when the server's event stream reports an event of the given kinds, so that new items appear at once. If the
 * server has no event stream, or the key may not read it, the command only polls.
 */
export function openEventWakeup(ctx: Context, kinds: (kind: string) => boolean): EventWakeup {
  const closing = new AbortController();
  const signal = AbortSignal.any([ctx.signal, closing.signal]);
  let alarm = new AbortController();
  const wake = () => alarm.abort();

  async function listen() {
    // Events before the connection was open would be missed, so poll once when it opens.
    const connection = { up: wake, down() {} };
    for await (const { event } of streamed({ ...ctx, signal }, {}, connection)) if (event && kinds(event.event)) wake();
  }
  void listen().catch(() => {});

  return {
    async wait(ms) {
      const { signal: woken } = alarm;
      await ctx.sleep(ms, AbortSignal.any([ctx.signal, woken])).catch((error: unknown) => {
        if (!woken.aborted || ctx.signal.aborted) throw error;
      });
      if (woken.aborted) alarm = new AbortController();
    },
    close: () => closing.abort(),
  };
}

/** Runs the `--exec` command for a new item, with the item as JSON on standard input. A failure is only a warning. */
export async function runHook(ctx: Context, command: string, item: object, env: Record<string, string>, what: string) {
  const { runShell } = await import("../../io/shell.ts");
  const code = await runShell(ctx.io, command, `${toJson(item)}\n`, env);
  if (code !== 0) ctx.out.warn(`The --exec command exited with ${code} for ${what}.`);
}
