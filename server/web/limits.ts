import type { IncomingMessage } from "node:http";
import type { Session } from "../accounts/sessions.ts";
import type { Deps } from "../app/deps.ts";
import { createAddresses } from "../http/address.ts";
import { limiterOf } from "../http/rate-limit.ts";
import { Problem } from "../lib/problem.ts";

/** Rate limits of pages. They throw 429. */
export interface PageLimits {
  /** Counts together with the API's own requests of this kind, so that guessing in both places gains nothing. */
  perAddress(request: IncomingMessage, kind: "password" | "register"): void;
  perSession(session: Session): void;
}

export function createPageLimits(deps: Deps): PageLimits {
  const { enabled, passwordPerMinute, registerPerMinute, keyPerMinute, keyBurst } = deps.config.limits;
  const limiter = limiterOf(deps);
  const addressOf = createAddresses(deps.config.http.trustedProxies);

  function take(caller: string, perMinute: number, burst: number): void {
    if (!enabled) return;
    const verdict = limiter.take(caller, { perMinute, burst });
    if (verdict.allowed) return;
    const seconds = String(verdict.retryAfterSeconds);
    throw new Problem("RATE_LIMITED", `Too many requests. Wait ${seconds} seconds, then try again.`, {
      headers: { "Retry-After": seconds },
    });
  }

  return {
    perAddress(request, kind) {
      const perMinute = kind === "password" ? passwordPerMinute : registerPerMinute;
      take(`${kind} ${addressOf(request)}`, perMinute, perMinute);
    },
    perSession: (session) => take(`key session ${session.hash}`, keyPerMinute, keyBurst),
  };
}
