import { pages } from "../../src/contract/pages/addresses.ts";
import type { ReadTx, Tx } from "../app/tx.ts";
import { conflict, invalid } from "../lib/api-error.ts";
import { sha256 } from "../lib/secrets.ts";
import { queueMail } from "../mail/queue.ts";
import { reachesNobody } from "../mail/rules.ts";
import * as mails from "../mail/store.ts";
import { composeAdminAddress, composeEmailChange } from "../mail/texts.ts";
import * as changes from "./email-changes-store.ts";
import * as invitations from "./invitations-store.ts";
import { createToken, emailPurposes as purposes, refuseTaken, requireFree } from "./service.ts";
import * as users from "./users-store.ts";

const validMs = 24 * 3_600_000;

const unchanged = "The email address was not changed. Choose another one.";

const tooManyRequests = () =>
  conflict("Too many changes of the email address were requested. Nothing was changed. Try again in an hour.");

/** The result of using one of the two links. `done` when both were used. */
export type Confirmed = { done: boolean; email: string };

/**
 * Mails a link to both addresses. The address changes when both links were used. A later request replaces an earlier one. 409 when
 * another account has the address, or when too many emails were sent.
 */
export async function requestEmailChange(tx: Tx, user: users.UserRow, email: string): Promise<void> {
  const now = tx.now;
  if (users.emailKey(email) === user.email_key) throw invalid("newEmail", "is the email address of the account already");
  await refuseTaken(tx, email, unchanged);
  await changes.remove(tx, user.id);
  await users.endLinks(tx, user.id, purposes, now);
  await changes.insert(tx, {
    ...{ user_id: user.id, email: email.trim(), email_key: users.emailKey(email), created_at: now, expires_at: now + validMs },
  });
  for (const purpose of purposes) {
    const token = await createToken(tx, user.id, purpose, validMs);
    if (token === undefined) throw tooManyRequests();
    const isOld = purpose === "email-from";
    const url = `${tx.config.baseUrl}${pages.changeEmail()}?token=${token}`;
    const letter = composeEmailChange({ name: isOld ? user.display_name : null, token, url, to: email.trim() });
    await queueMail(tx, isOld ? user.email : email.trim(), letter);
  }
}

/** Whether this is an administrator's account without an email address. */
export const lacksAddress = ({ role, email_key: address }: users.UserRow): boolean => role === "admin" && reachesNobody(address);

/**
 * Mails a link to the first address of an administrator's account, which has none yet. The account has it once the link was used. A later
 * request replaces an earlier one.
 */
export async function requestFirstAddress(tx: Tx, user: users.UserRow, email: string): Promise<void> {
  const now = tx.now;
  await refuseTaken(tx, email, unchanged);
  await changes.remove(tx, user.id);
  await users.endLinks(tx, user.id, purposes, now);
  await changes.insert(tx, {
    ...{ user_id: user.id, email: email.trim(), email_key: users.emailKey(email), created_at: now, expires_at: now + validMs },
    from_confirmed_at: now,
  });
  const token = await createToken(tx, user.id, "email-to", validMs);
  if (token === undefined) throw tooManyRequests();
  const url = `${tx.config.baseUrl}${pages.changeEmail()}?token=${token}`;
  await queueMail(tx, email.trim(), composeAdminAddress({ brand: tx.brand.name, token, url }));
}

/** The change that a link belongs to. Undefined when the link is not valid. */
export async function findEmailChange(q: ReadTx, token: string): Promise<changes.ChangeRow | undefined> {
  for (const purpose of purposes) {
    const user = await users.findByToken(q, sha256(token), purpose, q.now);
    if (user) return changes.find(q, user.id, q.now);
  }
  return undefined;
}

/**
 * Uses one of the two links. The second one changes the address, and the links that were mailed to the old address become invalid.
 * Undefined when the link is not valid, 409 when another account has taken the address in the meantime.
 */
export async function confirmEmailChange(tx: Tx, token: string): Promise<Confirmed | undefined> {
  const now = tx.now;
  for (const purpose of purposes) {
    const used = await users.useToken(tx, sha256(token), purpose, now);
    if (!used) continue;
    await changes.confirm(tx, used.user_id, purpose === "email-from" ? "from_confirmed_at" : "to_confirmed_at", now);
    const change = await changes.find(tx, used.user_id, now);
    if (!change) return undefined;
    const done = change.from_confirmed_at !== null && change.to_confirmed_at !== null;
    if (done) await apply(tx, change);
    return { done, email: change.email };
  }
  return undefined;
}

async function apply(tx: Tx, { user_id: id, email, email_key }: changes.ChangeRow): Promise<void> {
  const now = tx.now;
  await requireFree(tx, email, unchanged);
  const { email_key: former } = (await users.find(tx, id))!;
  await users.update(tx, id, { email, email_key, updated_at: now });
  // What is kept under the former address belongs to the account, and goes with it.
  await invitations.move(tx, former, { email, email_key });
  await mails.nameOwner(tx, former, id);
  await users.endLinks(tx, id, [...users.signInPurposes, "verify"], now);
  await changes.remove(tx, id);
}
