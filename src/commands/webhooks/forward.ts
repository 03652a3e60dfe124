import type { Context } from "../../cli/define.ts";
import { CliError, usage } from "../../errors.ts";
import type { Step } from "../shared/event-source.ts";
import { sign } from "./signature.ts";

const longestPause = 10_000;

/** Parses a port, `localhost:3000/hook` or a URL. */
export function targetUrl(text: string): URL {
  const address = /^\d+$/.test(text) ? `http://127.0.0.1:${text}/` : text.includes("://") ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw usage(`--forward-to: ${JSON.stringify(text)} is not a valid address. Example: http://localhost:3000/webhook.`);
}

export interface Answer {
  status: number;
  ms: number;
}

/**
 * Sends an event as the server would. Waits while the receiver is unreachable. If the receiver returns an error, makes up to
 * `attempts` attempts.
 */
export async function forward(ctx: Context, url: URL, secret: string, step: Step, attempts: number): Promise<Answer> {
  const body = JSON.stringify(step.event);
  let warned = false;
  let refused = 0;
  for (let attempt = 1; ; attempt++) {
    const started = ctx.now();
    const timestamp = Math.floor(started / 1000);
    const headers = {
      "content-type": "application/json",
      "user-agent": "playtest-webhooks",
      ...sign({ id: step.id, timestamp, body, secret }),
    };
    try {
      const { status } = await ctx.send({ method: "POST", url, headers, body, signal: ctx.signal });
      if (warned) ctx.out.note(`${url.href} is reachable again.`);
      warned = false;
      if (status < 300 || ++refused >= attempts) return { status, ms: ctx.now() - started };
    } catch (error) {
      ctx.signal.throwIfAborted();
      if (!(error instanceof CliError)) throw error;
      if (!warned) ctx.out.warn(`${error.message} Waiting for the receiver. No events are lost.`);
      warned = true;
    }
    await ctx.sleep(Math.min(longestPause, 500 * 2 ** attempt), ctx.signal);
  }
}
