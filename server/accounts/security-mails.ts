import type { PayoutMethod } from "../../src/contract/accounts/payout-methods.ts";
import { portal, studio } from "../../src/contract/pages/addresses.ts";
import type { Tx } from "../app/tx.ts";
import type { Client } from "../http/call.ts";
import {
  composeFactorDisabled,
  composeFactorEnabled,
  composeFactorReset,
  composeFactorResetHere,
  composePasskeyAdded,
  composePasskeyBlocked,
  composePasskeyRemoved,
  composeRecoveryCodesRenewed,
  composeRecoveryCodeUsed,
  composeWrongCodes,
} from "../mail/factor-texts.ts";
import { composePayoutDetailsRemoved, composePayoutDetailsSet } from "../mail/payout-texts.ts";
import { queueMail } from "../mail/queue.ts";
import { reachesNobody } from "../mail/rules.ts";
import {
  composeConnectionEnded,
  composeExported,
  composeNewKey,
  composeNewSignIn,
  composePasswordChanged,
  type Happened,
} from "../mail/texts.ts";
import { browserName } from "./browser/agents.ts";
import type { KeyRow } from "./keys-store.ts";
import type { PasskeyRow } from "./passkeys/store.ts";
import * as users from "./users-store.ts";

/**
 * Mails the owner of an account about a security-relevant action. Nothing is sent to an unverified address or, but in a
 * sandbox, to one of the server's own accounts (`.invalid`), which have no mailbox.
 */
async function mailOwner(
  tx: Tx,
  userId: string,
  client: Pick<Client, "address" | "agent">,
  compose: (about: Happened) => ReturnType<typeof composePasswordChanged>,
): Promise<void> {
  const user = await users.find(tx, userId);
  if (!user || user.email_verified_at === null || (reachesNobody(user.email) && !tx.config.sandbox)) return;
  const about: Happened = {
    name: user.display_name,
    at: tx.now,
    zone: user.time_zone,
    address: client.address,
    agent: client.agent === null ? null : browserName(client.agent),
    resetUrl: tx.config.baseUrl + (user.role === "game_owner" ? studio : portal).forgot(),
    keysUrl: user.role === "admin" ? null : tx.config.baseUrl + (user.role === "playtester" ? portal : studio).keys(),
  };
  await queueMail(tx, user.email, compose(about));
}

export const mailPasswordChanged = (tx: Tx, userId: string, client: Client) =>
  mailOwner(tx, userId, client, composePasswordChanged);

/** `replaced`: the key in whose place it is. */
export const mailNewKey = (tx: Tx, key: KeyRow, client: Client, replaced?: KeyRow) =>
  mailOwner(tx, key.user_id, client, (about) => composeNewKey({ ...about, key, replaced }));

/** `client`: whoever used a secret of the connection again. */
export const mailConnectionEnded = (tx: Tx, key: KeyRow, client: Client) =>
  mailOwner(tx, key.user_id, client, (about) => composeConnectionEnded({ ...about, key }));

export const mailExported = (tx: Tx, userId: string, client: Client) => mailOwner(tx, userId, client, composeExported);

export const mailNewSignIn = (tx: Tx, userId: string, client: Client) => mailOwner(tx, userId, client, composeNewSignIn);

export const mailFactorEnabled = (tx: Tx, userId: string, client: Client) => mailOwner(tx, userId, client, composeFactorEnabled);

export const mailFactorDisabled = (tx: Tx, userId: string, client: Client) =>
  mailOwner(tx, userId, client, composeFactorDisabled);

/** `client` is the one of the operator, whose address is not for the owner. */
export const mailFactorReset = (tx: Tx, userId: string, client: Client) => mailOwner(tx, userId, client, composeFactorReset);

/** For an operator at the server's machine, who has no client. */
export const mailFactorResetHere = (tx: Tx, userId: string) =>
  mailOwner(tx, userId, { address: "", agent: null }, composeFactorResetHere);

export const mailRecoveryCodesRenewed = (tx: Tx, userId: string, client: Client) =>
  mailOwner(tx, userId, client, composeRecoveryCodesRenewed);

export const mailRecoveryCodeUsed = (tx: Tx, userId: string, client: Client, left: number) =>
  mailOwner(tx, userId, client, (about) => composeRecoveryCodeUsed({ ...about, left }));

export const mailWrongCodes = (tx: Tx, userId: string, client: Client) => mailOwner(tx, userId, client, composeWrongCodes);

export const mailPayoutDetailsSet = (
  tx: Tx,
  userId: string,
  client: Client,
  details: { method: PayoutMethod; masked: string; until: number | null },
) => mailOwner(tx, userId, client, (about) => composePayoutDetailsSet({ ...about, ...details }));

export const mailPayoutDetailsRemoved = (tx: Tx, userId: string, client: Client) =>
  mailOwner(tx, userId, client, composePayoutDetailsRemoved);

export const mailPasskeyAdded = (tx: Tx, { user_id, name }: PasskeyRow, client: Client) =>
  mailOwner(tx, user_id, client, (about) => composePasskeyAdded({ ...about, passkey: name }));

export const mailPasskeyRemoved = (tx: Tx, { user_id, name }: PasskeyRow, client: Client) =>
  mailOwner(tx, user_id, client, (about) => composePasskeyRemoved({ ...about, passkey: name }));

export const mailPasskeyBlocked = (tx: Tx, { user_id, name }: PasskeyRow, client: Client) =>
  mailOwner(tx, user_id, client, (about) => composePasskeyBlocked({ ...about, passkey: name }));
