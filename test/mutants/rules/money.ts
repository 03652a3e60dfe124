import { ledger, moves, states } from "../files.ts";
import type { Mutant } from "../mutant.ts";

export const moneyRules: readonly Mutant[] = [
  {
    rule: "an order holds its price",
    test: "api/playtests",
    edits: [
      [
        ledger,
        "move(accounts.credit(ownerId), accounts.held(playtestId), amount)",
        "move(accounts.credit(ownerId), accounts.revenuePlatform, amount)",
      ],
    ],
  },
  {
    rule: "deleting an open slot returns its price",
    test: "api/playtests",
    edits: [[ledger, "accounts.credit(slot.ownerId), slot.costCents) }", "accounts.credit(slot.ownerId), slot.costCents / 2) }"]],
  },
  {
    rule: "deleting returns under slot_refund:",
    test: "api/playtests",
    edits: [
      [
        moves,
        'return refund(deps, tx, playtest, slot, "slot_refund");',
        'return refund(deps, tx, playtest, slot, "manual_slot_expired");',
      ],
    ],
  },
  {
    rule: "a claimed slot is not deleted",
    test: "api/playtests",
    edits: [
      [moves, 'slots.isIn(slot, "open") && !windowOver', "!windowOver"],
      [states, '  reserved: { submit: "submitted"', '  reserved: { cancel: "cancelled", submit: "submitted"'],
    ],
  },
  {
    rule: "accepting: payout to the playtester, the rest to the platform",
    test: "api/two-years",
    edits: [
      [
        ledger,
        "{ account: accounts.revenuePlatform, amount: payoutCents - costCents }",
        "{ account: accounts.revenueForfeit, amount: payoutCents - costCents }",
      ],
    ],
  },
  {
    rule: "earnings from card money are held, others are not",
    test: "api/admin",
    edits: [
      [
        "server/playtests/slots/earnings.ts",
        "Math.min(sumOf(held.map(({ cents }) => cents)), balanceCents - disputedCents)",
        "0",
      ],
      ["server/playtests/slots/earnings.ts", "heldUntil(deps.clock.now(), -holdDays)", "0"],
      ["server/playtests/slots/earnings-store.ts", "AND COALESCE(c.completed_at, c.created_at) <= e.created_at)", ")"],
      ["server/billing/store.ts", ".provider NOT IN ('x402', 'credit', 'playtest_hours') AND", ".provider <> '' AND"],
    ],
  },
  {
    rule: "a disputed payment refuses orders",
    test: "api/disputes",
    edits: [
      ["server/playtests/orders.ts", "requireUnfrozen(tx, ownerId),", ""],
      ["server/playtests/order-handlers.ts", ", requireUnfrozen(tx, row.owner_id)]", "]"],
    ],
  },
  {
    rule: "a disputed payment lets no order begin that is paid later",
    test: "api/disputes",
    edits: [["server/billing/pay-order.ts", '(await isFrozen(tx, ownerId)) ? "frozen" : undefined', "undefined"]],
  },
  {
    rule: "a won or lifted dispute freezes nothing",
    test: "api/disputes",
    edits: [["server/billing/reversals-store.ts", ".lifted_at IS NULL AND", ".cents >= 0 AND"]],
  },
  {
    rule: "what a disputed payment paid for is not paid out",
    test: "api/disputes",
    edits: [["server/playtests/slots/earnings.ts", "Math.min(sumOf([...disputed.values()]), balanceCents)", "0"]],
  },
  {
    rule: "a dispute holds what was paid after its payment only",
    test: "api/disputes",
    edits: [
      [
        "server/playtests/slots/earnings-store.ts",
        "b.provider = 'credit' AND b.completed_at >= c.completed_at",
        "b.provider = 'credit'",
      ],
    ],
  },
  {
    rule: "a dispute holds nothing that was paid out before it",
    test: "api/disputes",
    edits: [["server/playtests/slots/earnings.ts", "Math.min(cents, upTo.get(id)! - paid.get(since)!)", "cents"]],
  },
  {
    rule: "an owner is told once that a dispute ended",
    test: "api/disputes",
    edits: [["server/billing/cards/disputes.ts", 'kind === "dispute" && known.lifted_at === null', 'kind === "dispute"']],
  },
  {
    rule: "what is refunded of a cancelled order is what it was paid from",
    test: "api/billing-confirmations",
    edits: [
      ["server/billing/invoices/confirmation-rules.ts", "order === null ? amount : this.#giveBack(order, amount)", "amount"],
    ],
  },
  {
    rule: "postings of a transfer sum to zero",
    test: "model/ledger",
    edits: [
      [
        "server/ledger/store.ts",
        "if (sum !== 0 || transfer.postings.length < 2) throw",
        "if (transfer.postings.length < 2) throw",
      ],
      [ledger, "amount: payoutCents - costCents }", "amount: payoutCents - costCents + 1 }"],
    ],
  },
];
