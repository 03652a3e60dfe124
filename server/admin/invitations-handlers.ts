import type { MailState } from "../../src/contract/admin/mails.ts";
import { invite, requireInvitable, revokeInvitation } from "../accounts/invitations.ts";
import * as store from "../accounts/invitations-store.ts";
import { emailKey } from "../accounts/users-store.ts";
import type { Handlers } from "../http/call.ts";
import { iso, isoOrNull } from "../lib/time.ts";
import { deliveryOf, invitedNote } from "../mail/delivery.ts";

const invitationView = (row: store.ListedInvitation) => ({
  id: row.id,
  email: row.email,
  role: row.role,
  name: row.name,
  state: row.state,
  createdAt: iso(row.created_at),
  sentAt: iso(row.sent_at),
  expiresAt: iso(row.expires_at),
  joinedAt: isoOrNull(row.joined_at),
  delivery: deliveryState(row),
  deliveryError: row.mail_error,
});

function deliveryState({ mail_kept, mail_sent_at, mail_failed_at }: store.ListedInvitation): MailState | null {
  if (mail_kept === null) return null;
  return mail_sent_at !== null ? "sent" : mail_failed_at !== null ? "failed" : "waiting";
}

/** Invitations by email, many at a time. */
export const invitationHandlers = {
  async listInvitations(call) {
    const page = call.page();
    const rows = await call.read((q) => store.list(q, call.query.state, q.now, page));
    return call.listed(page, rows, (items) => ({ invitations: items.map(invitationView) }));
  },

  invite: (call) => {
    requireInvitable(call.deps);
    return call.commit(async (tx, trail) => {
      const results = [];
      const sent = new Set<string>();
      for (const invitee of call.body.invitations) {
        // An address that the request names twice gets one email all the same.
        const again = call.body.again && !sent.has(emailKey(invitee.email));
        const { outcome, invitation } = await invite(tx, invitee, again);
        sent.add(emailKey(invitee.email));
        if (outcome === "invited") trail.created(invitation!.id);
        results.push({ email: invitee.email, outcome, invitation: invitation && invitationView(invitation) });
      }
      const invited = results.filter(({ outcome }) => outcome === "invited").length;
      if (invited === 0) trail.unchanged();
      return { results, message: invitedNote(deliveryOf(call.deps), invited) };
    });
  },

  revokeInvitation: (call) =>
    call.commit(async (tx) => ({ invitation: invitationView(await revokeInvitation(tx, call.params.id)) })),
} satisfies Partial<Handlers>;
