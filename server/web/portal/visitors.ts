import type { IncomingMessage, ServerResponse } from "node:http";
import { bakeCookie, readCookie } from "../../accounts/sessions.ts";
import type { Deps } from "../../app/deps.ts";
import { createAddresses } from "../../http/address.ts";
import { limiterOf } from "../../http/rate-limit.ts";
import { forbidden, Problem } from "../../lib/problem.ts";
import { sameText } from "../../lib/secrets.ts";
import { readForm } from "../form.ts";
import type { Form } from "./layout.ts";

const staleForm = () => forbidden("This page was out of date, so nothing was done. Go back, reload it and try again.");

/** What the pages for those who are not signed in share. */
export interface Visitors {
  /** The form token for this browser, which gets its cookie if it has none. */
  token(request: IncomingMessage, response: ServerResponse): string;
  /** A posted form; 403 when another site's page sent it. */
  form(request: IncomingMessage): Promise<Form>;
  /** The API's own buckets: guessing here and there counts together (decisions §12). */
  limit(request: IncomingMessage, kind: "password" | "register"): void;
}

/** Whoever is not signed in has a cookie too, and forms carry a token made from it: no other site can sign somebody in. */
export function createVisitors(deps: Deps): Visitors {
  const addressOf = createAddresses(deps.config.http.trustedProxies);
  const tokenOf = (visitor: string) => deps.secrets.mac("sign-in form", visitor);

  return {
    token(request, response) {
      const known = readCookie(deps, request.headers, "visitor");
      const visitor = known ?? deps.randomBytes(32).toString("base64url");
      if (known === undefined) response.setHeader("Set-Cookie", bakeCookie(deps, "visitor", visitor));
      return tokenOf(visitor);
    },

    async form(request) {
      const form = await readForm(deps, request);
      const visitor = readCookie(deps, request.headers, "visitor");
      if (visitor === undefined || !sameText(form.csrf ?? "", tokenOf(visitor))) throw staleForm();
      return form;
    },

    limit(request, kind) {
      const { enabled, passwordPerMinute, registerPerMinute } = deps.config.limits;
      if (!enabled) return;
      const perMinute = kind === "password" ? passwordPerMinute : registerPerMinute;
      const verdict = limiterOf(deps).take(`${kind} ${addressOf(request)}`, { perMinute, burst: perMinute });
      if (verdict.allowed) return;
      const seconds = String(verdict.retryAfterSeconds);
      throw new Problem("RATE_LIMITED", `Too many tries. Wait ${seconds} seconds, then try again.`, {
        headers: { "Retry-After": seconds },
      });
    },
  };
}
