import type { Context, ReadTx, Tx } from "../../app/tx.ts";
import type { Principal } from "../../http/call.ts";
import { ApiError } from "../../lib/api-error.ts";
import * as store from "./store.ts";

/** What a confirmation is bound to: the API key or the browser session in use. */
const credentialOf = ({ sessionId, keyId }: Principal) => sessionId ?? keyId;

const validMs = (context: Context) => context.config.admin.reauthenticateMinutes * 60_000;

/** Records that the API key or session in use was confirmed with a code. Returns until when (ms) that counts. */
export async function recordConfirmation(tx: Tx, principal: Principal): Promise<number> {
  const now = tx.now;
  await store.confirm(tx, credentialOf(principal), principal.userId, now, now - validMs(tx));
  return now + validMs(tx);
}

/** Until when (ms) operations on money need no further code with the API key or session in use; null when they need one, or none ever. */
export async function confirmedUntil(q: ReadTx, principal: Principal): Promise<number | null> {
  const at = await store.confirmedAt(q, credentialOf(principal));
  const until = at === undefined ? 0 : at + validMs(q);
  return until > q.now ? until : null;
}

/**
 * Refuses an administrator's operation on money or on an administrator with 403 unless the API key in use was confirmed with a code recently. An administrator
 * without a second factor needs no confirmation, or is refused where the server requires a second factor.
 */
export async function requireConfirmation(q: ReadTx, principal: Principal): Promise<void> {
  const { reauthenticateMinutes, requireSecondFactor } = q.config.admin;
  const enabled = await store.isEnabled(q, principal.userId);
  const until = await confirmedUntil(q, principal);
  if (!enabled && requireSecondFactor)
    throw new ApiError(
      "SECOND_FACTOR_REQUIRED",
      "On this server only an administrator with a second factor can do this. Nothing was changed. Run `playtest auth factor enable` first.",
    );
  if (!enabled || reauthenticateMinutes === 0 || until !== null) return;
  throw new ApiError(
    "CONFIRMATION_REQUIRED",
    `Confirm with your second factor first: this needs a code that is at most ${reauthenticateMinutes} minutes old. Nothing was changed.`,
  );
}
