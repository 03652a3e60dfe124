import type { IncomingMessage } from "node:http";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { authenticate } from "../accounts/authenticate.ts";
import type { Deps } from "../app/deps.ts";
import { ApiError } from "../lib/api-error.ts";
import { createAddresses } from "./address.ts";
import type { Principal } from "./call.ts";
import type { Verdict } from "./limits/rate-limit.ts";
import type { Headers } from "./reply.ts";

/**
 * Returns the caller of a request, or undefined if it requires no API key and has none. Counts the request against the caller's rate
 * limit and adds the remaining requests to `headers`.
 */
export type Identify = (
  request: IncomingMessage,
  endpoint: Pick<Endpoint, "access" | "limit" | "media">,
  headers: Headers,
) => Promise<Principal | undefined>;

/**
 * Authenticates requests and limits their rate: per API key, or per address for requests without a key or with a password. `check` tells
 * whose key it is.
 */
export function createIdentify(deps: Deps, check: typeof authenticate = authenticate): Identify {
  const { limits } = deps.config;
  const { limiter } = deps;
  const addressOf = createAddresses(deps.config);

  function limit(caller: string, perMinute: number, burst: number, headers: Headers): void {
    if (!limits.enabled) return;
    const verdict = limiter.take(caller, { perMinute, burst });
    Object.assign(headers, limitHeaders(verdict, deps.clock.real()));
    if (verdict.allowed) return;
    const seconds = String(verdict.retryAfterSeconds);
    throw new ApiError("RATE_LIMITED", `Too many requests. Try again in ${seconds} s.`, { headers: { "Retry-After": seconds } });
  }

  const perMinute = {
    register: limits.registerPerMinute,
    password: limits.passwordPerMinute,
    keyless: limits.keylessPerMinute,
  };
  const limitAddress = (request: IncomingMessage, kind: keyof typeof perMinute, headers: Headers) =>
    limit(`${kind} ${addressOf(request)}`, perMinute[kind], perMinute[kind], headers);

  function limitCaller({ userId, keyId }: Principal, headers: Headers): void {
    const { keyPerMinute, keyBurst, accountFactor } = limits;
    limit(`account ${userId}`, keyPerMinute * accountFactor, keyBurst * accountFactor, headers);
    limit(`key ${keyId}`, keyPerMinute, keyBurst, headers);
  }

  return async (request, endpoint, headers) => {
    const { access, limit: kind } = endpoint;
    const keyless = access === "none" || (access === "optional" && request.headers.authorization === undefined);
    // Requests that contain a password count per address, with or without an API key.
    if (kind || keyless) limitAddress(request, kind ?? "keyless", headers);
    if (keyless) return undefined;
    try {
      const principal = await check(deps, request.headers, endpoint);
      if (!kind) limitCaller(principal, headers);
      return principal;
    } catch (error) {
      // Invalid keys count per address, which limits guessing.
      if (error instanceof ApiError && error.code === "UNAUTHORIZED") limitAddress(request, "keyless", headers);
      throw error;
    }
  };
}

function limitHeaders(verdict: Verdict, realNow: number): Headers {
  return {
    "X-RateLimit-Limit": String(verdict.limit),
    "X-RateLimit-Remaining": String(verdict.remaining),
    "X-RateLimit-Reset": String(Math.floor(realNow / 1000) + verdict.resetSeconds),
  };
}
