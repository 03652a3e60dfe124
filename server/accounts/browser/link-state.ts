import type { Role } from "../../../src/contract/endpoint.ts";
import type { ReadTx } from "../../app/tx.ts";
import { sha256 } from "../../lib/secrets.ts";
import * as users from "../users-store.ts";

/** Why a mailed link does nothing any more; `unknown` for one that was mailed never, or so long ago that it was removed. */
export interface DeadLink {
  why: "used" | "expired" | "unknown";
  /** The kind of account that it was mailed to. */
  role: Role | undefined;
  /** Whether the address of that account is verified. */
  isVerified: boolean;
}

/** What became of a link of one of these purposes. Undefined for one that works. */
export async function deadLink(q: ReadTx, token: string, purposes: readonly users.TokenPurpose[]): Promise<DeadLink | undefined> {
  const found = await users.findAnyToken(q, sha256(token), purposes);
  if (!found) return { why: "unknown", role: undefined, isVerified: false };
  if (found.used_at === null && found.expires_at > q.now) return undefined;
  const { role, email_verified_at: verifiedAt } = found;
  return { why: found.used_at === null ? "expired" : "used", role, isVerified: verifiedAt !== null };
}
