import type { Role, Scope } from "../../src/contract/endpoint.ts";
import { type InboxKind, inboxKinds } from "../../src/contract/notifications.ts";
import type { Handlers } from "../http/call.ts";
import { isoOrNull } from "../lib/time.ts";
import { ofAdmin, ofOwner, ofPlaytester } from "./inbox-store.ts";

type Find = (typeof ofOwner)["lowCredit"];
const findersOf: Record<Role, Partial<Record<InboxKind, Find>>> = {
  game_owner: ofOwner,
  playtester: ofPlaytester,
  admin: ofAdmin,
};

/** What a key needs to see an item, besides a scope that reads the inbox. */
const needed: Record<Role, Partial<Record<InboxKind, Scope>>> = {
  game_owner: { lowCredit: "billing", unreadMessages: "chat" },
  playtester: { unreadMessages: "chat" },
  admin: {
    problems: "approve",
    approvals: "approve",
    failedPublications: "approve",
    disputes: "money",
    flaggedPayments: "money",
    payoutsOwed: "money",
    unmatchedDeposits: "money",
    refusedMails: "accounts",
    failedJobs: "admin",
  },
};

/** What waits for an account of any role. */
export const inbox = {
  getInbox(call) {
    const { userId, role, scopes } = call.principal;
    const account = { userId, now: call.deps.clock.now(), lowCreditCents: call.deps.config.orders.lowCreditCents };
    return call.read(async (q) => {
      const items = [];
      for (const kind of inboxKinds) {
        const find = findersOf[role][kind];
        const scope = needed[role][kind];
        if (kind === "lowCredit" && !q.config.payments.enabled) continue;
        if (!find || (scope && !scopes.has(scope))) continue;
        const { count, due_at, amount_cents: amountCents, first_id: firstId } = await find(q, account);
        items.push({ kind, count, dueAt: isoOrNull(due_at), amountCents, firstId });
      }
      return { role, items };
    });
  },
} satisfies Partial<Handlers>;
