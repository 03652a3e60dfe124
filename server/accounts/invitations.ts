import type { InviteOutcome } from "../../src/contract/admin/invitations.ts";
import { pages } from "../../src/contract/pages/addresses.ts";
import type { Deps } from "../app/deps.ts";
import type { Tx } from "../app/tx.ts";
import { conflict, notFound } from "../lib/api-error.ts";
import { sha256 } from "../lib/secrets.ts";
import { queueMail } from "../mail/queue.ts";
import * as mails from "../mail/store.ts";
import { composeInvitation } from "../mail/texts.ts";
import * as invitations from "./invitations-store.ts";
import * as users from "./users-store.ts";

const day = 24 * 3_600_000;

/** Whom to invite. */
export type Invitee = Pick<invitations.InvitationRow, "email" | "role"> & { name?: string | undefined };

interface Invited {
  outcome: InviteOutcome;
  /** Null for somebody who has an account that was not invited. */
  invitation: invitations.ListedInvitation | null;
}

/** 409 when nobody can create an account, not even with an invitation. */
export function requireInvitable({ config }: Pick<Deps, "config">): void {
  if (config.registration === "closed")
    throw conflict(
      "Registration is closed on this server. Nobody was invited. Set `registration` to `invite` or `open` in its configuration.",
    );
}

/** Invites one person, unless they have an account. A link that still works is kept, unless `again` or its email was refused. */
export async function invite(tx: Tx, invitee: Invitee, again: boolean): Promise<Invited> {
  const now = tx.now;
  const before = await invitations.findByEmail(tx, invitee.email, now);
  const account = await users.findByEmail(tx, invitee.email);
  if (account && account.email_verified_at !== null) return { outcome: "has_account", invitation: before ?? null };
  if (before?.state === "invited" && before.mail_failed_at === null && !again)
    return { outcome: "already_invited", invitation: before };
  if (before?.mail_id) await mails.withdraw(tx, before.mail_id, now);
  const token = tx.randomBytes(32).toString("base64url");
  const expiresAt = now + tx.config.invitations.validDays * day;
  const mailId = await mailInvitation(tx, invitee, token);
  const sent = {
    token_hash: sha256(token),
    sent_at: now,
    expires_at: expiresAt,
    joined_at: null,
    revoked_at: null,
    mail_id: mailId,
  };
  const id = before?.id ?? tx.newId();
  const { role, name = null } = invitee;
  if (before) await invitations.update(tx, id, { role, name: name ?? before.name, ...sent });
  else {
    const email = invitee.email.trim();
    await invitations.insert(tx, { id, email, email_key: users.emailKey(email), role, name, created_at: now, ...sent });
  }
  return { outcome: "invited", invitation: (await invitations.find(tx, id, now))! };
}

const mailInvitation = (tx: Tx, { email, role }: Invitee, token: string) =>
  queueMail(
    tx,
    email.trim(),
    composeInvitation({
      isPaid: tx.config.payments.enabled,
      token,
      role,
      brand: tx.brand.name,
      days: tx.config.invitations.validDays,
      url: `${tx.config.baseUrl}${pages.invite()}?token=${token}`,
    }),
  );

/** Ends the link of an invitation. 409 when the person joined already. */
export async function revokeInvitation(tx: Tx, id: string): Promise<invitations.ListedInvitation> {
  const now = tx.now;
  const found = await invitations.find(tx, id, now);
  if (!found) throw notFound();
  if (found.state === "joined")
    throw conflict("This person joined already. Nothing was revoked. To suspend the account: `playtest admin users suspend`.");
  if (found.revoked_at === null) await invitations.update(tx, id, { revoked_at: now });
  if (found.mail_id) await mails.withdraw(tx, found.mail_id, now);
  return (await invitations.find(tx, id, now))!;
}
