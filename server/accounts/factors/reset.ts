import type { Query } from "../../database/port.ts";
import * as passkeys from "../passkeys/store.ts";
import * as store from "./store.ts";

/** Removes the authenticator app, the recovery codes and the passkeys of an account. False when it has neither app nor passkey. */
export async function resetFactors(tx: Query, userId: string): Promise<boolean> {
  const hadApp = await store.remove(tx, userId);
  const hadPasskeys = await passkeys.removeAll(tx, userId);
  return hadApp || hadPasskeys;
}
