import type { IncomingHttpHeaders } from "node:http";
import { roleScopes } from "../../src/contract/endpoint.ts";
import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";
import type { Principal } from "../http/call.ts";
import { sameText, sha256 } from "../lib/secrets.ts";
import * as sessions from "./sessions-store.ts";

export type Session = sessions.SessionWithAccount;

const day = 24 * 3_600_000;
const validMs = 30 * day;

const isSecure = (deps: Deps) => deps.config.baseUrl.startsWith("https:");

/** `__Host-` keeps other hosts of the domain from setting it; browsers take such a name over https only. */
const cookieName = (deps: Deps, name: string) => `${isSecure(deps) ? "__Host-" : ""}playtest_${name}`;

/** A cookie that no script reads and no other site's form sends. Without `maxAgeMs` it goes with the browser. */
export function bakeCookie(deps: Deps, name: "session" | "visitor", value: string, maxAgeMs?: number): string {
  const age = maxAgeMs === undefined ? "" : `; Max-Age=${Math.floor(maxAgeMs / 1000)}`;
  return `${cookieName(deps, name)}=${value}; Path=/; HttpOnly; SameSite=Lax${age}${isSecure(deps) ? "; Secure" : ""}`;
}

/** The value of one of our cookies, as `bakeCookie` made it. */
export function readCookie(deps: Deps, headers: IncomingHttpHeaders, name: "session" | "visitor"): string | undefined {
  const wanted = `${cookieName(deps, name)}=`;
  const found = headers.cookie?.split(/; */).find((part) => part.startsWith(wanted));
  return found?.slice(wanted.length) || undefined;
}

/** Signs a browser in for 30 days; the cookie that proves it. */
export async function startSession(deps: Deps, tx: Query, userId: string): Promise<string> {
  const token = deps.randomBytes(32).toString("base64url");
  const now = deps.clock.now();
  await sessions.endExpired(tx, userId, now);
  const csrf = deps.randomBytes(32).toString("base64url");
  await sessions.insert(tx, { hash: sha256(token), user_id: userId, csrf, created_at: now, expires_at: now + validMs });
  return bakeCookie(deps, "session", token, validMs);
}

/** The session of a request's cookie, while it and its account are good. */
export async function findSession(deps: Deps, headers: IncomingHttpHeaders): Promise<Session | undefined> {
  const token = readCookie(deps, headers, "session");
  return token === undefined ? undefined : deps.store.read((q) => sessions.find(q, sha256(token), deps.clock.now()));
}

/** Ends the session; the cookie that takes the place of its own. */
export async function endSession(deps: Deps, tx: Query, session: Session): Promise<string> {
  await sessions.end(tx, session.hash);
  return bakeCookie(deps, "session", "", 0);
}

/** Whether a form or a script of this session's own pages sent this. */
export const isFormToken = (session: Session, given: unknown): boolean =>
  typeof given === "string" && sameText(given, session.csrf);

/** The caller that a session stands for: its account with every scope of its role. */
export const sessionPrincipal = (session: Session): Principal => ({
  userId: session.user_id,
  keyId: `session ${session.hash}`,
  keyExpiresAt: null,
  role: session.role,
  scopes: new Set(roleScopes[session.role]),
  emailVerified: true,
});
