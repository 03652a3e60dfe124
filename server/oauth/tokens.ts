import type { IncomingHttpHeaders } from "node:http";
import { authenticate, bearerOf, principalOfFound } from "../accounts/authenticate.ts";
import type { KeyRow } from "../accounts/keys-store.ts";
import * as keys from "../accounts/keys-store.ts";
import { mailConnectionEnded } from "../accounts/security-mails.ts";
import type { Deps } from "../app/deps.ts";
import type { Tx } from "../app/tx.ts";
import { type Actor, server, Trail } from "../audit/trail.ts";
import type { Principal } from "../http/call.ts";
import type { Origin } from "../http/call-operation.ts";
import { sameText, sha256 } from "../lib/secrets.ts";
import { codeOf, type Parameters, requireResource } from "./connections.ts";
import { OAuthError } from "./error.ts";
import { accessMs, accessPrefix, provesChallenge, refreshMs, refreshPrefix } from "./rules.ts";
import * as store from "./store.ts";

/** Tokens of connected clients (RFC 6749, 7009). They are for `/mcp` alone; the API takes none. */

const wrongCode = () => new OAuthError("invalid_grant", "The code is unknown, used, expired or another client's. Connect again.");
const wrongToken = () =>
  new OAuthError("invalid_grant", "The refresh token is unknown, used, expired, revoked or another client's. Connect again.");

/** What a client gets, with the names of RFC 6749. */
export interface Tokens {
  access_token: string;
  token_type: "Bearer";
  /** Seconds. */
  expires_in: number;
  refresh_token: string;
  scope: string;
}

/** Exchanges a code or a refresh token for new tokens. Throws OAuthError. */
export async function exchangeTokens(deps: Deps, given: Parameters, origin: Origin): Promise<Tokens> {
  const exchange =
    given.grant_type === "authorization_code" ? byCode : given.grant_type === "refresh_token" ? byRefresh : undefined;
  if (!exchange) throw new OAuthError("unsupported_grant_type", "grant_type must be authorization_code or refresh_token.");
  if (!given.client_id) throw new OAuthError("invalid_request", "client_id is required.");
  requireResource(deps, given.resource);
  // A refusal may have revoked something, which is committed.
  const outcome = await deps.store.write((tx) => exchange(tx, given, origin));
  if (outcome instanceof OAuthError) throw outcome;
  return outcome;
}

async function byCode(tx: Tx, given: Parameters, origin: Origin): Promise<Tokens | OAuthError> {
  const { code = "", client_id: clientId, redirect_uri: redirectUri, code_verifier: verifier = "" } = given;
  const id = /^([0-9a-f-]{36})\./.exec(code)?.[1] ?? "";
  const row = sameText(code, codeOf(tx, id)) ? await store.findRequest(tx, id) : undefined;
  if (!row || row.key_id === null) return wrongCode();
  // Two have the code, and one of them stole it.
  if (row.used_at !== null) return revoked(tx, row.key_id, origin, wrongCode());
  if (row.client_id !== clientId || row.redirect_uri !== redirectUri) return wrongCode();
  if (!provesChallenge(verifier, row.challenge))
    return new OAuthError("invalid_grant", "code_verifier does not belong to the code_challenge of the request.");
  if (row.expires_at <= tx.now || !(await keys.isLive(tx, row.key_id, tx.now))) return wrongCode();
  if (!(await store.useCode(tx, id, tx.now))) return revoked(tx, row.key_id, origin, wrongCode());
  await store.setKeyEnd(tx, row.key_id, row.key_expires_at);
  return issue(tx, row.key_id);
}

async function byRefresh(tx: Tx, given: Parameters, origin: Origin): Promise<Tokens | OAuthError> {
  const hash = sha256(given.refresh_token ?? "");
  const row = await store.findToken(tx, hash);
  const key = row?.kind === "refresh" ? await store.findKey(tx, row.key_id) : undefined;
  if (!row || !key || key.client_id !== given.client_id) return wrongToken();
  if (row.used_at !== null) return revoked(tx, key.id, origin, wrongToken());
  if (row.expires_at <= tx.now || !(await keys.isLive(tx, key.id, tx.now))) return wrongToken();
  const allowed = JSON.parse(key.toolsets ?? "[]") as string[];
  const beyond = (given.scope ?? "").split(" ").filter((scope) => scope !== "" && !allowed.includes(scope));
  if (beyond.length > 0)
    return new OAuthError("invalid_scope", `scope has what the owner did not allow: ${beyond.join(" ").slice(0, 100)}.`);
  if (!(await store.useToken(tx, hash, tx.now))) return revoked(tx, key.id, origin, wrongToken());
  return issue(tx, key.id);
}

/** A secret that was used twice ends everything that came of it, because a thief may have what came of it. */
async function revoked(tx: Tx, keyId: string, origin: Origin, refusal: OAuthError): Promise<OAuthError> {
  const ended = await endConnection(tx, keyId, origin);
  if (ended) await mailConnectionEnded(tx, ended, origin.client);
  return refusal;
}

const actorOf = (key: KeyRow, { client: { address }, requestId }: Origin): Actor => ({
  ...{ actor_id: key.user_id, key_id: key.id, session_id: null },
  ...{ address, request_id: requestId },
});

/** Revokes the key of a connection and returns it; undefined if it had ended before. Without an origin the server does so by itself. */
export async function endConnection(tx: Tx, keyId: string, origin: Origin | null): Promise<KeyRow | undefined> {
  const key = await store.findKey(tx, keyId);
  if (!key || key.revoked_at !== null) return undefined;
  const trail = new Trail(tx, origin === null ? server : actorOf(key, origin));
  await trail.changing(keyId, { action: "key.revoke" });
  await keys.revoke(tx, keyId, key.user_id, tx.now);
  await trail.write();
  return key;
}

async function issue(tx: Tx, keyId: string): Promise<Tokens> {
  const key = (await store.findKey(tx, keyId))!;
  const end = key.expires_at ?? Number.POSITIVE_INFINITY;
  const add = async (kind: store.TokenRow["kind"], prefix: string, validMs: number) => {
    const token = `${prefix}${tx.randomBytes(32).toString("base64url")}`;
    const expires_at = Math.min(tx.now + validMs, end);
    await store.insertToken(tx, { hash: sha256(token), kind, key_id: keyId, created_at: tx.now, expires_at });
    return { token, seconds: Math.floor((expires_at - tx.now) / 1000) };
  };
  const access = await add("access", accessPrefix, accessMs);
  const refresh = await add("refresh", refreshPrefix, refreshMs);
  return {
    access_token: access.token,
    token_type: "Bearer",
    expires_in: access.seconds,
    refresh_token: refresh.token,
    scope: (JSON.parse(key.toolsets ?? "[]") as string[]).join(" "),
  };
}

/** Ends the connection that a token of either kind belongs to. A token that is not the client's ends nothing, and is told from no other. */
export const revokeToken = (deps: Deps, { token = "", client_id: clientId }: Parameters, origin: Origin): Promise<void> =>
  deps.store.write(async (tx) => {
    const row = await store.findToken(tx, sha256(token));
    const key = row && (await store.findKey(tx, row.key_id));
    if (key && key.client_id === clientId) await endConnection(tx, key.id, origin);
  });

/** The account of an API key, or of the access token of a connected client. 401 for what is neither. */
export async function authenticateClient(deps: Deps, headers: IncomingHttpHeaders, endpoint: object): Promise<Principal> {
  const token = bearerOf(headers);
  if (!token?.startsWith(accessPrefix)) return authenticate(deps, headers, endpoint);
  return principalOfFound(
    deps,
    await deps.store.read((q) => store.findByAccess(q, sha256(token), q.now)),
    "The access token is unknown, expired or revoked.",
  );
}
