import type { IncomingMessage } from "node:http";
import { plural } from "../../src/contract/text/plural.ts";
import type { Session } from "../accounts/sessions.ts";
import type { Deps } from "../app/deps.ts";
import { createAddresses } from "../http/address.ts";
import type { Principal } from "../http/call.ts";
import { ApiError } from "../lib/api-error.ts";

/** Rate limits of pages. They throw 429. */
export interface PageLimits {
  /** Counts pages together with API requests of the same kind, so that alternating between them does not allow more attempts. */
  perAddress(request: IncomingMessage, kind: "keyless" | "password" | "register"): void;
  perSession(session: Session): void;
  /** The same limit as for requests to the API with this key. */
  perKey(key: Pick<Principal, "userId" | "keyId">): void;
}

export function createPageLimits(deps: Deps): PageLimits {
  const { enabled, keylessPerMinute, passwordPerMinute, registerPerMinute, keyPerMinute, keyBurst, accountFactor } =
    deps.config.limits;
  const perMinuteOf = { keyless: keylessPerMinute, password: passwordPerMinute, register: registerPerMinute };
  const { limiter } = deps;
  const addressOf = createAddresses(deps.config);

  function take(caller: string, perMinute: number, burst: number): void {
    if (!enabled) return;
    const verdict = limiter.take(caller, { perMinute, burst });
    if (verdict.allowed) return;
    const seconds = verdict.retryAfterSeconds;
    throw new ApiError("RATE_LIMITED", `Too many requests. Wait ${plural(seconds, "second")}, then try again.`, {
      headers: { "Retry-After": String(seconds) },
    });
  }

  return {
    perAddress(request, kind) {
      const perMinute = perMinuteOf[kind];
      take(`${kind} ${addressOf(request)}`, perMinute, perMinute);
    },
    perSession({ user_id, hash }) {
      take(`account ${user_id}`, keyPerMinute * accountFactor, keyBurst * accountFactor);
      take(`key session ${hash}`, keyPerMinute, keyBurst);
    },
    perKey({ userId, keyId }) {
      take(`account ${userId}`, keyPerMinute * accountFactor, keyBurst * accountFactor);
      take(`key ${keyId}`, keyPerMinute, keyBurst);
    },
  };
}
