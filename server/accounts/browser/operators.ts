import type { IncomingHttpHeaders } from "node:http";
import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import type { Principal } from "../../http/call.ts";
import { ApiError } from "../../lib/api-error.ts";
import { sha256 } from "../../lib/secrets.ts";
import { principalOfFound } from "../authenticate.ts";
import * as keys from "../keys-store.ts";
import { bakeCookie, readCookie } from "../sessions.ts";
import * as users from "../users-store.ts";

/** An operator's browser. It may do what the API key may that signed it in, and is signed out with it. */
export interface OperatorSession {
  principal: Principal;
  displayName: string;
  /** The CSRF token, which only the pages of this browser know. */
  csrf: string;
}

const hourMs = 3_600_000;
const validMs = 12 * hourMs;
const context = "operator's browser";
const unknown = "This is no API key of an operator of this server, or it was revoked. You are not signed in.";

interface Ticket {
  keyId: string;
  expiresAt: number;
}

/**
 * Operators sign in with an API key: they have no password. The cookie is the sealed id of the key, never the key itself, so a browser
 * can do nothing once the key is revoked or its account suspended, and the audit log names the key as it does for the API.
 */
export class OperatorSessions {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Returns the cookie of a browser that signs in with this key. 401 unless it is the valid key of an operator. */
  async signIn(key: string): Promise<string> {
    const found = await this.#deps.store.read((q) => keys.findByHash(q, sha256(key.trim())));
    const principal = this.#operator(found);
    const ticket: Ticket = { keyId: principal.keyId, expiresAt: this.#deps.clock.now() + validMs };
    return bakeCookie(this.#deps, "operator", this.#deps.secrets.seal(JSON.stringify(ticket), context), validMs);
  }

  /** Who is signed in with the cookie of the request. Undefined when nobody is, or not any more. */
  async find(headers: IncomingHttpHeaders): Promise<OperatorSession | undefined> {
    const cookie = readCookie(this.#deps, headers, "operator");
    const ticket = cookie === undefined ? undefined : this.#opened(cookie);
    if (cookie === undefined || !ticket || ticket.expiresAt <= this.#deps.clock.now()) return undefined;
    const { key, user } = await this.#deps.store.read((q) => keyAndUser(q, ticket.keyId));
    const csrf = this.#deps.secrets.mac("operator form", cookie);
    try {
      return { principal: this.#operator(key), displayName: user?.display_name ?? "", csrf };
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  }

  /** A cookie that signs the browser out. */
  signedOut(): string {
    return bakeCookie(this.#deps, "operator", "", 0);
  }

  /** A program that was connected by OAuth has a key for itself alone. */
  #operator(found: keys.KeyWithAccount | undefined): Principal {
    const isOperator = found?.role === "admin" && found.toolsets === null;
    return principalOfFound(this.#deps, isOperator ? found : undefined, unknown);
  }

  #opened(cookie: string): Ticket | undefined {
    try {
      return JSON.parse(this.#deps.secrets.open(cookie, context)) as Ticket;
    } catch {
      // Nobody sealed it, or the instance key that did is gone.
      return undefined;
    }
  }
}

async function keyAndUser(q: Query, keyId: string) {
  const key = await keys.findWithAccount(q, keyId);
  return { key, user: key && (await users.find(q, key.user_id)) };
}
