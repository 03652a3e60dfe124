import type { Deps } from "../../app/deps.ts";
import { HostedPayments } from "../../billing/cards/hosted.ts";
import { readBytes } from "../../http/body.ts";
import { apiErrorOf } from "../../http/reply.ts";
import { ApiError, notFound } from "../../lib/api-error.ts";
import type { Page } from "../types.ts";

const maxBytes = 1024 * 1024;

/** `/processors/<name>`: the webhook endpoint for the card processor. After any response other than 2xx the processor sends the event again. */
export function processors(deps: Deps): Page {
  return async (request, response, url) => {
    const { cards } = deps;
    const reply = (status: number, text: string) => {
      response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8", "Content-Length": Buffer.byteLength(text) });
      response.end(text);
    };
    if (cards?.page !== "hosted" || url.pathname !== `/processors/${cards.name}`) throw notFound();
    if (request.method !== "POST")
      throw new ApiError("METHOD_NOT_ALLOWED", `${cards.title} posts its events here.`, { headers: { Allow: "POST" } });
    try {
      // The signature covers the bytes as received, so they must not be parsed and serialized again.
      const body = await readBytes(request, { bytes: maxBytes, withinMs: deps.config.http.requestTimeoutMs });
      await new HostedPayments(deps, cards).take(cards.readEvent(body, request.headers, deps.clock.real()));
      reply(200, "ok\n");
    } catch (error) {
      const problem = apiErrorOf(error);
      if (problem.status >= 500) deps.log.error({ err: error }, "a processor's event could not be taken");
      reply(problem.status, `${problem.message}\n`);
    }
  };
}
