import type { IncomingHttpHeaders } from "node:http";
import {
  type Access,
  type Endpoint,
  impliedScopes,
  permits,
  type Role,
  roleScopes,
  roles,
  type Scope,
} from "../../src/contract/endpoint.ts";
import type { Toolset } from "../../src/contract/text/toolsets.ts";
import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";
import { perRow } from "../database/rows.ts";
import type { Caller, Principal } from "../http/call.ts";
import { ApiError, forbidden } from "../lib/api-error.ts";
import { sha256 } from "../lib/secrets.ts";
import * as keys from "./keys-store.ts";
import { accountScopes } from "./service.ts";
import { findSession, isFormToken, type Session, sessionPrincipal } from "./sessions.ts";
import * as sessions from "./sessions-store.ts";
import * as users from "./users-store.ts";

const suspended = () => forbidden("This account is suspended. Contact the operator of this server.");
const unauthorized = (message: string) => new ApiError("UNAUTHORIZED", message, { headers: { "WWW-Authenticate": "Bearer" } });

/**
 * The account of the API key in `Authorization: Bearer …`. 401 for a key that is missing, unknown, expired or revoked. Uploads, and
 * nothing else, also accept a playtester's browser session, if the request contains the session's CSRF token.
 */
export async function authenticate(
  deps: Deps,
  headers: IncomingHttpHeaders,
  endpoint: Pick<Endpoint, "media">,
): Promise<Principal> {
  const { authorization } = headers;
  if (authorization === undefined && endpoint.media === "tus") {
    const session = await findSession(deps, headers);
    if (session) return principalOf(session, headers);
  }
  const key = bearerOf(headers);
  if (!key) throw unauthorized("An API key is required. Send it as `Authorization: Bearer <API_KEY>`.");
  const found = await deps.store.read((q) => keys.findByHash(q, sha256(key)));
  return principalOfFound(deps, found, "The API key is unknown or revoked.");
}

/** The secret in `Authorization: Bearer …`. */
export const bearerOf = ({ authorization }: IncomingHttpHeaders): string | undefined =>
  /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];

/** Whom a key that was found is for. 401 with `unknown` if there is none or it was revoked, 401 too if it expired; 403 if its account is suspended. */
export function principalOfFound(deps: Deps, found: keys.KeyWithAccount | undefined, unknown: string): Principal {
  const now = deps.clock.now();
  if (!found || found.revoked_at !== null) throw unauthorized(unknown);
  if (found.expires_at !== null && found.expires_at <= now) throw unauthorized("The API key has expired. Create a new one.");
  if (found.suspended_at !== null) throw suspended();
  deps.keyUsage.touch(found.id, found.last_used_at);
  return principalOfKey(found);
}

/** Whether the API key or the session of a caller is still valid. */
export const isLive = (q: Query, { keyId, sessionId }: Caller, now: number): Promise<boolean> =>
  sessionId === null ? keys.isLive(q, keyId, now) : sessions.isLive(q, sessionId, now);

/** 401 when the key or the session of the caller ended since its request was authenticated: a body may arrive slowly. */
export async function requireLive(tx: Query, caller: Caller, now: number): Promise<void> {
  if (await isLive(tx, caller, now)) return;
  throw unauthorized(
    caller.sessionId === null
      ? "The API key was revoked or has expired. Nothing was changed."
      : "This browser was signed out. Nothing was changed. Sign in again.",
  );
}

/** 401 when the caller's account was deleted since its request was authenticated, 403 when it was suspended: a body may arrive slowly. */
export const requireActive = async (tx: Query, userId: string): Promise<void> => {
  active(await users.standing(tx, userId));
};

/** As `requireActive`, after it locked the account: nobody suspends or deletes it before this write ends. */
export const lockActive = async (tx: Query, userId: string): Promise<users.UserRow> => active(await users.locked(tx, userId));

function active<User extends users.Standing>(user: User | undefined): User {
  if (!user || user.deleted_at !== null) throw unauthorized("The account was deleted. Nothing was changed.");
  if (user.suspended_at !== null) throw suspended();
  return user;
}

/** The scopes of the key, limited to those that its account has now: they may have been reduced since the key was created. */
function scopesOf(key: keys.KeyWithAccount): ReadonlySet<Scope> {
  const own = impliedScopes(key.role, JSON.parse(key.scopes) as Scope[]) as readonly Scope[];
  return new Set(key.admin_scopes === null ? own : own.filter((scope) => accountScopes(key).includes(scope)));
}

const principalOfKey = perRow(
  (key: keys.KeyWithAccount): Principal => ({
    userId: key.user_id,
    keyId: key.id,
    sessionId: null,
    keyExpiresAt: key.expires_at,
    role: key.role,
    scopes: scopesOf(key),
    accountScopes: accountScopes(key),
    emailVerified: key.email_verified_at !== null,
    readOnly: key.read_only === 1,
    ...(key.toolsets !== null && { toolsets: JSON.parse(key.toolsets) as Toolset[] }),
  }),
);

function principalOf(session: Session, headers: IncomingHttpHeaders): Principal {
  // A form of another site cannot send a custom header. The token is a second safeguard.
  if (!isFormToken(session, headers["x-csrf-token"]))
    throw forbidden("This page is out of date. Nothing was changed. Reload it and try again.");
  return sessionPrincipal(session);
}

/** 403 unless the caller may use this endpoint. Checks the scope first, so that a key without it learns nothing about its account. */
export function authorize(endpoint: Endpoint, principal: Principal): void {
  if (!permits(endpoint.access, { ...principal, scopes: [...principal.scopes] }))
    throw forbidden(refusal(endpoint.access, principal));
  if (principal.readOnly && endpoint.risk !== "read") throw forbidden("The API key is read-only. Nothing was changed.");
  if (principal.emailVerified || endpoint.unverified) return;
  throw new ApiError(
    "EMAIL_NOT_VERIFIED",
    "Verify your email address first. Open the link in the verification email, or ask the operator of this server to verify the address.",
  );
}

const people = {
  game_owner: ["a game owner", "game owners"],
  playtester: ["a playtester", "playtesters"],
  admin: ["an operator of this server", "operators of this server"],
} as const satisfies Record<Role, readonly [one: string, many: string]>;

/** Why the caller may not: its key lacks a scope or, where no key of its account can have that, it is another role's business. */
function refusal(access: Access, principal: Principal): string {
  if (access === "every") return lacking(principal);
  const may = roles.filter((role) => permits(access, { role, scopes: roleScopes[role] }));
  if (may.includes(principal.role)) return `The API key does not have the required scope: ${scopeText(access, principal)}.`;
  const those = may.map((role) => people[role][1]).join(" and ");
  return `Only ${those} can do this, and this is the account of ${people[principal.role][0]}. Nothing was changed.`;
}

/** What the key lacks of all that its account may do. */
function lacking({ accountScopes: all, scopes }: Principal): string {
  const missing = all.filter((scope) => !scopes.has(scope)).map((scope) => `\`${scope}\``);
  return `This takes an API key with every scope of the account, and this key lacks ${missing.join(" and ")}. Nothing was done. Use an API key that has these scopes too.`;
}

function scopeText(access: Access, principal: Principal): string {
  if (access === "main" || access === "optional") return `\`${roleScopes[principal.role][0]}\``;
  if (typeof access === "string") return "a valid API key";
  if ("anyOf" in access) return access.anyOf.map((scope) => `\`${scope}\``).join(" or ");
  return access.map((scope) => `\`${scope}\``).join(" and ");
}
