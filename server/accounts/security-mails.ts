import type { PayoutMethod } from "../../src/contract/accounts/payout-methods.ts";
import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";
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
import { composeExported, composeNewKey, composeNewSignIn, composePasswordChanged, type Happened } from "../mail/texts.ts";
import { browserName } from "./browser/agents.ts";
import type { KeyRow } from "./keys-store.ts";
import type { PasskeyRow } from "./passkeys/store.ts";
import * as users from "./users-store.ts";

/**
 * Mails the owner of an account about a security-relevant action. Nothing is sent to an unverified address or to one of the server's
 * own accounts (`.invalid`), which have no mailbox.
 */
async function mailOwner(
  deps: Deps,
  tx: Query,
  userId: string,
  client: Pick<Client, "address" | "agent">,
  compose: (about: Happened) => ReturnType<typeof composePasswordChanged>,
): Promise<void> {
  const user = await users.find(tx, userId);
  if (!user || user.email_verified_at === null || user.email_key.endsWith(".invalid")) return;
  const about: Happened = {
    name: user.display_name,
    at: deps.clock.now(),
    address: client.address,
    agent: client.agent === null ? null : browserName(client.agent),
    resetUrl: `${deps.config.baseUrl}/play/forgot`,
  };
  await queueMail(deps, tx, user.email, compose(about));
}

export const mailPasswordChanged = (deps: Deps, tx: Query, userId: string, client: Client) =>
  mailOwner(deps, tx, userId, client, composePasswordChanged);

/** `replaced`: the key in whose place it is. */
export const mailNewKey = (deps: Deps, tx: Query, key: KeyRow, client: Client, replaced?: KeyRow) =>
  mailOwner(deps, tx, key.user_id, client, (about) => composeNewKey({ ...about, key, replaced }));

export const mailExported = (deps: Deps, tx: Query, userId: string, client: Client) =>
  mailOwner(deps, tx, userId, client, composeExported);

export const mailNewSignIn = (deps: Deps, tx: Query, userId: string, client: Client) =>
  mailOwner(deps, tx, userId, client, composeNewSignIn);

export const mailFactorEnabled = (deps: Deps, tx: Query, userId: string, client: Client) =>
  mailOwner(deps, tx, userId, client, composeFactorEnabled);

export const mailFactorDisabled = (deps: Deps, tx: Query, userId: string, client: Client) =>
  mailOwner(deps, tx, userId, client, composeFactorDisabled);

/** `client` is the one of the operator, whose address is not for the owner. */
export const mailFactorReset = (deps: Deps, tx: Query, userId: string, client: Client) =>
  mailOwner(deps, tx, userId, client, composeFactorReset);

/** For an operator at the server's machine, who has no client. */
export const mailFactorResetHere = (deps: Deps, tx: Query, userId: string) =>
  mailOwner(deps, tx, userId, { address: "", agent: null }, composeFactorResetHere);

export const mailRecoveryCodesRenewed = (deps: Deps, tx: Query, userId: string, client: Client) =>
  mailOwner(deps, tx, userId, client, composeRecoveryCodesRenewed);

export const mailRecoveryCodeUsed = (deps: Deps, tx: Query, userId: string, client: Client, left: number) =>
  mailOwner(deps, tx, userId, client, (about) => composeRecoveryCodeUsed({ ...about, left }));

export const mailWrongCodes = (deps: Deps, tx: Query, userId: string, client: Client) =>
  mailOwner(deps, tx, userId, client, composeWrongCodes);

export const mailPayoutDetailsSet = (
  deps: Deps,
  tx: Query,
  userId: string,
  client: Client,
  details: { method: PayoutMethod; masked: string; until: number | null },
) => mailOwner(deps, tx, userId, client, (about) => composePayoutDetailsSet({ ...about, ...details }));

export const mailPayoutDetailsRemoved = (deps: Deps, tx: Query, userId: string, client: Client) =>
  mailOwner(deps, tx, userId, client, composePayoutDetailsRemoved);

export const mailPasskeyAdded = (deps: Deps, tx: Query, { user_id, name }: PasskeyRow, client: Client) =>
  mailOwner(deps, tx, user_id, client, (about) => composePasskeyAdded({ ...about, passkey: name }));

export const mailPasskeyRemoved = (deps: Deps, tx: Query, { user_id, name }: PasskeyRow, client: Client) =>
  mailOwner(deps, tx, user_id, client, (about) => composePasskeyRemoved({ ...about, passkey: name }));

export const mailPasskeyBlocked = (deps: Deps, tx: Query, { user_id, name }: PasskeyRow, client: Client) =>
  mailOwner(deps, tx, user_id, client, (about) => composePasskeyBlocked({ ...about, passkey: name }));
