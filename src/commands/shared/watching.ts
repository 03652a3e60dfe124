import type { Context } from "../../cli/context.ts";
import { toJson } from "../../io/text.ts";
import { streamed } from "./event-source.ts";

/** What commands share that go on and on, looking for what is new. */

export interface EventWakeup {
  /** Waits so many milliseconds, or until the bell rings. */
  wait(ms: number): Promise<void>;
  close(): void;
}

/**
 * Rings when the server tells of one of these events, so that what is new shows at once and not at the next look. A server without
 * an event stream, or a key that may not read it, rings never: then each look comes when its time has come.
 */
export function openEventWakeup(ctx: Context, kinds: (kind: string) => boolean): EventWakeup {
  const closing = new AbortController();
  const signal = AbortSignal.any([ctx.signal, closing.signal]);
  let ringing = new AbortController();
  const ring = () => ringing.abort();

  async function listen() {
    // What came before the connection stood would be missed: one look makes up for it.
    const connection = { up: ring, down() {} };
    for await (const { event } of streamed({ ...ctx, signal }, {}, connection)) if (event && kinds(event.event)) ring();
  }
  void listen().catch(() => {});

  return {
    async wait(ms) {
      const rung = ringing.signal;
      await ctx.sleep(ms, AbortSignal.any([ctx.signal, rung])).catch((error: unknown) => {
        if (!rung.aborted || ctx.signal.aborted) throw error;
      });
      if (rung.aborted) ringing = new AbortController();
    },
    close: () => closing.abort(),
  };
}

/** Runs the command of `--exec` for one new thing, which it gets as JSON on standard input. One that fails is reported, no more. */
export async function runHook(ctx: Context, command: string, item: object, env: Record<string, string>, what: string) {
  const { runShell } = await import("../../io/shell.ts");
  const code = await runShell(ctx.io, command, `${toJson(item)}\n`, env);
  if (code !== 0) ctx.out.warn(`--exec ended with ${code} for ${what}.`);
}
