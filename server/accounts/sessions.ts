import type { IncomingHttpHeaders } from "node:http";
import { roleScopes } from "../../src/contract/endpoint.ts";
import type { Deps } from "../app/deps.ts";
import type { Context, Tx } from "../app/tx.ts";
import type { Client, Principal } from "../http/call.ts";
import { sameText, sha256 } from "../lib/secrets.ts";
import * as sessions from "./sessions-store.ts";

export type Session = sessions.SessionWithAccount;

const day = 24 * 3_600_000;
const validMs = 30 * day;

const isSecure = (context: Context) => context.config.baseUrl.startsWith("https:");

/** `__Host-` prevents other hosts of the domain from setting the cookie. Browsers accept such a name only over HTTPS. */
const cookieName = (context: Context, name: string) => `${isSecure(context) ? "__Host-" : ""}playtest_${name}`;

type CookieName = "session" | "visitor" | "second_step" | "filters" | "operator";

/** A `Set-Cookie` value: scripts cannot read the cookie, forms of other sites do not send it. Without `maxAgeMs`, a session cookie. */
export function bakeCookie(context: Context, name: CookieName, value: string, maxAgeMs?: number): string {
  const age = maxAgeMs === undefined ? "" : `; Max-Age=${Math.floor(maxAgeMs / 1000)}`;
  return `${cookieName(context, name)}=${value}; Path=/; HttpOnly; SameSite=Lax${age}${isSecure(context) ? "; Secure" : ""}`;
}

/** The headers with which the browser sends a cookie back. */
export const sentBack = (cookie: string): IncomingHttpHeaders => ({ cookie: cookie.split(";")[0]! });

/** The value of one of this server's cookies, as `bakeCookie` set it. */
export function readCookie(deps: Deps, headers: IncomingHttpHeaders, name: CookieName): string | undefined {
  const wanted = `${cookieName(deps, name)}=`;
  const found = headers.cookie?.split(/; */).find((part) => part.startsWith(wanted));
  return found?.slice(wanted.length) || undefined;
}

/** Starts a session of 30 days and returns its cookie. */
export async function startSession(tx: Tx, userId: string, client: Client): Promise<string> {
  const token = tx.randomBytes(32).toString("base64url");
  const now = tx.now;
  await sessions.endExpired(tx, userId, now);
  const csrf = tx.randomBytes(32).toString("base64url");
  await sessions.insert(tx, {
    hash: sha256(token),
    id: tx.newId(),
    user_id: userId,
    csrf,
    created_at: now,
    last_used_at: now,
    expires_at: now + validMs,
    address: client.address,
    agent: client.agent,
  });
  return bakeCookie(tx, "session", token, validMs);
}

/** The session of the request's cookie; undefined if it has ended or its account is suspended. */
export async function findSession(deps: Deps, headers: IncomingHttpHeaders): Promise<Session | undefined> {
  const token = readCookie(deps, headers, "session");
  if (token === undefined) return undefined;
  const found = await deps.store.read((q) => sessions.find(q, sha256(token), q.now));
  if (found) deps.sessionUsage.touch(found.hash, found.last_used_at);
  return found;
}

/** Ends the session and returns a cookie that deletes the session's cookie in the browser. */
export async function endSession(tx: Tx, session: Session): Promise<string> {
  await sessions.end(tx, session.hash);
  return bakeCookie(tx, "session", "", 0);
}

/** Whether this is the CSRF token of the session, which only its own pages know. */
export const isFormToken = (session: Session, given: unknown): boolean =>
  typeof given === "string" && sameText(given, session.csrf);

/** The principal of a session: its account, with all scopes of its role. */
export const sessionPrincipal = (session: Session): Principal => ({
  userId: session.user_id,
  keyId: `session ${session.hash}`,
  sessionId: session.id,
  keyExpiresAt: null,
  role: session.role,
  scopes: new Set(roleScopes[session.role]),
  accountScopes: roleScopes[session.role],
  emailVerified: true,
  readOnly: false,
});

const yearMs = 365 * 24 * 3_600_000;

/** The cookie in which a browser remembers the filters of the list of playtests for a year. */
export class FiltersCookie {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  read(headers: IncomingHttpHeaders): string | undefined {
    return readCookie(this.#deps, headers, "filters");
  }

  /** The value of the `Set-Cookie` header. */
  bake(value: string): string {
    return bakeCookie(this.#deps, "filters", value, yearMs);
  }
}
