import type { Scope } from "../../src/contract/endpoint.ts";
import type { Tx } from "../app/tx.ts";
import type { Principal } from "../http/call.ts";
import { ApiError, conflict, forbidden, notFound } from "../lib/api-error.ts";
import * as keys from "./keys-store.ts";
import { createKey } from "./service.ts";

/** 401 when the key expired or was revoked since its request began. Otherwise a key that it creates would outlive it. */
export async function requireLive(tx: Tx, keyId: string): Promise<void> {
  if (!(await keys.isLive(tx, keyId, tx.now)))
    throw new ApiError("UNAUTHORIZED", "The API key was revoked or has expired. Nothing was changed.");
}

/**
 * Replaces a key by a new one with the same name, scopes, expiry and parent. The old key and its descendants expire after `graceMs`.
 * Unless the caller proved with the password who they are, the new key is revoked with the old one: whoever holds a leaked key must not
 * get one that outlives its revocation. 404 for a key that is not the account's or is not valid, 403 for one that the caller cannot replace.
 */
export async function rotateKey(
  tx: Tx,
  caller: Principal,
  keyId: string,
  { graceMs, isProven }: { graceMs: number; isProven: boolean },
): Promise<{ old: keys.KeyRow; row: keys.KeyRow; secret: string }> {
  const now = tx.now;
  const old = await keys.findLive(tx, keyId, caller.userId, now);
  if (!old) throw notFound();
  if (old.client_id !== null)
    throw conflict(
      "A connected client renews its tokens by itself. Nothing was changed. To end the connection, revoke it: playtest auth keys revoke",
    );
  const scopes = JSON.parse(old.scopes) as Scope[];
  if (!isProven) await requireReplaceable(tx, caller, old);
  if (graceMs === 0) await keys.revokeReplaced(tx, old.id, caller.userId, now);
  const made = await createKey(tx, {
    userId: caller.userId,
    name: old.name,
    scopes,
    expiresAt: old.expires_at,
    parentId: old.parent_id,
    rotatedFrom: isProven ? null : old.id,
    replaces: old.id,
    readOnly: old.read_only === 1,
  });
  const end = now + graceMs;
  await keys.endBy(tx, old.id, caller.userId, end);
  return { old: { ...old, expires_at: Math.min(end, old.expires_at ?? end) }, ...made };
}

/** 403 unless it is the key in use or a descendant of it: the new key would have more scopes or expire later, or take a key from its holder. */
async function requireReplaceable(tx: Tx, caller: Principal, old: keys.KeyRow): Promise<void> {
  const scopes = JSON.parse(old.scopes) as Scope[];
  const beyond = scopes.filter((scope) => !caller.scopes.has(scope));
  if (beyond.length > 0)
    throw forbidden(
      `The API key to replace has scopes that the one in use does not have: ${beyond.join(", ")}. Nothing was changed.`,
    );
  if (caller.sessionId !== null) return;
  await requireLive(tx, caller.keyId);
  if (old.id === caller.keyId || (await keys.isDescendant(tx, old, caller.keyId))) return;
  throw forbidden(
    "An API key can replace only itself and the keys created with it. Nothing was changed. To replace another one, send the password of the account too.",
  );
}
