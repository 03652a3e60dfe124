import type { Context } from "../../cli/define.ts";
import { CliError, usage } from "../../errors.ts";
import type { Step } from "../shared/event-source.ts";
import { sign } from "./signature.ts";

const timeout = 30_000;
const longestPause = 10_000;

/** `3000`, `localhost:3000/hook` and whole addresses. */
export function targetUrl(text: string): URL {
  const address = /^\d+$/.test(text) ? `http://127.0.0.1:${text}/` : text.includes("://") ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw usage(`--forward-to: ${JSON.stringify(text)} is not an address such as http://localhost:3000/webhook.`);
}

export interface Answer {
  status: number;
  ms: number;
}

/**
 * Sends an event as the server would. A receiver that is not there is waited for; one that refuses is asked `tries` times, as it
 * has been told then.
 */
export async function forward(ctx: Context, url: URL, secret: string, step: Step, tries: number): Promise<Answer> {
  const body = JSON.stringify(step.event);
  let said = false;
  for (let round = 1; ; round++) {
    const started = ctx.now();
    const timestamp = Math.floor(started / 1000);
    const headers = {
      "content-type": "application/json",
      "user-agent": "playtest-webhooks",
      ...sign({ id: step.id, timestamp, body, secret }),
    };
    try {
      const { status } = await ctx.send({ method: "POST", url, headers, body, timeout, signal: ctx.signal });
      if (said) ctx.out.note(`${url.href} answers again.`);
      if (status < 300 || round >= tries) return { status, ms: ctx.now() - started };
    } catch (error) {
      ctx.signal.throwIfAborted();
      if (!(error instanceof CliError)) throw error;
      if (!said) ctx.out.warn(`${error.message} Waiting for the receiver; nothing is lost.`);
      said = true;
    }
    await ctx.sleep(Math.min(longestPause, 500 * 2 ** round), ctx.signal);
  }
}
