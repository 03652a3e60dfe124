import { type KeyWithAccount, withAccount } from "../accounts/keys-store.ts";
import type { Query } from "../database/port.ts";
import { findRow, insertRow, updateRow, updateWhere } from "../database/rows.ts";
import type { New, Tables } from "../database/schema/index.ts";

export type RequestRow = Tables["connection_requests"];
export type TokenRow = Tables["connection_tokens"];

export const insertRequest = (tx: Query, row: New<"connection_requests">) => insertRow(tx, "connection_requests", row);

export const findRequest = (q: Query, id: string) => findRow(q, "connection_requests", { id });

/** Decides a request. False if it was decided before. */
export const decide = async (
  tx: Query,
  id: string,
  decided: Pick<RequestRow, "user_id" | "key_id" | "key_expires_at" | "decided_at" | "expires_at">,
): Promise<boolean> => (await updateWhere(tx, "connection_requests", decided, { id, decided_at: null })) === 1;

/** Uses the code of a request up. False if it was used before. */
export const useCode = async (tx: Query, id: string, now: number): Promise<boolean> =>
  (await updateWhere(tx, "connection_requests", { used_at: now }, { id, used_at: null })) === 1;

export const insertToken = (tx: Query, row: New<"connection_tokens">) => insertRow(tx, "connection_tokens", row);

export const findToken = (q: Query, hash: string) => findRow(q, "connection_tokens", { hash });

/** Uses a refresh token up. False if it was used before. */
export const useToken = async (tx: Query, hash: string, now: number): Promise<boolean> =>
  (await updateWhere(tx, "connection_tokens", { used_at: now }, { hash, used_at: null })) === 1;

/** The key of an access token that has not expired, with its account. */
export const findByAccess = (q: Query, hash: string, now: number) =>
  q.one<KeyWithAccount>(
    `${withAccount} JOIN connection_tokens t ON t.key_id = k.id WHERE t.hash = ? AND t.kind = 'access' AND t.expires_at > ?`,
    hash,
    now,
  );

export const findKey = (q: Query, id: string) => findRow(q, "api_keys", { id });

export const setKeyEnd = (tx: Query, id: string, expiresAt: number | null) =>
  updateRow(tx, "api_keys", id, { expires_at: expiresAt });
