/**
 * The double-entry ledger: the postings of each event (see README.md). There are two separate assets, USD in cents and MIN in
 * minutes. Debits are positive, credits are negative; the postings of a transfer sum to zero.
 */
export type Asset = "USD" | "MIN";

export interface Posting {
  account: string;
  amount: number;
}

export interface Transfer {
  /** Unique, so that an event is posted only once. */
  eventKey: string;
  asset: Asset;
  postings: Posting[];
  /** The owner in whose history it appears, and what caused it. */
  ownerId?: string;
  paymentId?: string;
  playtestId?: string;
  subscriptionId?: string;
  note?: string;
}

export const accounts = {
  processor: (name: string) => `assets:processor:${name}`,
  crypto: (chain: string, currency: string) => `assets:crypto:${chain}:${currency}`,
  bank: "assets:bank",
  receivable: (ownerId: string) => `assets:receivable:${ownerId}`,
  credit: (ownerId: string) => `liab:credit:${ownerId}`,
  held: (playtestId: string) => `liab:held:${playtestId}`,
  payable: (playtesterId: string) => `liab:payable:${playtesterId}`,
  suspense: (paymentId: string) => `liab:suspense:${paymentId}`,
  revenuePlatform: "revenue:platform",
  revenueSubscription: "revenue:subscription",
  revenueForfeit: "revenue:forfeit",
  revenueRounding: "revenue:rounding",
  payoutSubscription: "expense:payout_subscription",
  promo: "expense:promo",
  goodwill: "expense:goodwill",
  processorFee: "expense:processor_fee",
  disputeFee: "expense:dispute_fee",
  minutesIssued: "min:issued",
  minutesConsumed: "min:consumed",
  minutes: (ownerId: string) => `min:balance:${ownerId}`,
  minutesHeld: (playtestId: string) => `min:held:${playtestId}`,
  minutesReceivable: (ownerId: string) => `min:receivable:${ownerId}`,
} as const;

/** Credit and debit accounts have a stored balance that must not change sign. The balance of a system account is the sum of its postings. */
export type Side = "credit" | "debit" | "system";

export function sideOf(account: string): Side {
  if (/^(liab:|min:balance:|min:held:)/.test(account)) return "credit";
  return /^(assets:receivable:|min:receivable:)/.test(account) ? "debit" : "system";
}

/** Postings that move `amount` from one account to another: a debit of `from` and a credit of `to`. */
export const move = (from: string, to: string, amount: number): Posting[] => [
  { account: from, amount },
  { account: to, amount: -amount },
];

/** How an order was paid, which decides where the price of its slots goes. Crypto counts as `credit`, which it becomes first. */
export type PaidWith = "credit" | "hours" | "free";

export interface SlotTerms {
  slotId: string;
  playtestId: string;
  ownerId: string;
  paidWith: PaidWith;
  /** Price per slot in cents, 0 unless paid with credit. */
  costCents: number;
  payoutCents: number;
  /** Minutes held per slot, 0 unless paid with hours. */
  minutes: number;
}

export function orderTransfer(order: {
  playtestId: string;
  ownerId: string;
  paymentId: string;
  paidWith: "credit" | "hours";
  amount: number;
}): Transfer {
  const { playtestId, ownerId, paymentId, amount } = order;
  const refs = { ownerId, paymentId, playtestId };
  if (order.paidWith === "hours") {
    const postings = move(accounts.minutes(ownerId), accounts.minutesHeld(playtestId), amount);
    return { eventKey: `playtest:${playtestId}`, asset: "MIN", postings, ...refs };
  }
  return {
    eventKey: `order:${playtestId}`,
    asset: "USD",
    postings: move(accounts.credit(ownerId), accounts.held(playtestId), amount),
    ...refs,
  };
}

/** Refunds the hold of an unfilled slot that was cancelled by the owner or expired with the manual window. */
export function refundTransfers(slot: SlotTerms, why: "slot_refund" | "manual_slot_expired"): Transfer[] {
  const shared = { eventKey: `${why}:${slot.slotId}`, ownerId: slot.ownerId, playtestId: slot.playtestId };
  if (slot.paidWith === "credit" && slot.costCents > 0)
    return [
      { ...shared, asset: "USD", postings: move(accounts.held(slot.playtestId), accounts.credit(slot.ownerId), slot.costCents) },
    ];
  if (slot.paidWith === "hours" && slot.minutes > 0)
    return [
      {
        ...shared,
        asset: "MIN",
        postings: move(accounts.minutesHeld(slot.playtestId), accounts.minutes(slot.ownerId), slot.minutes),
      },
    ];
  return [];
}

/**
 * Pays the playtesters of an accepted slot: `shares` are their parts of the payout in cents, by id. Each asset needs its own event key.
 */
export function acceptTransfers(slot: SlotTerms, shares: ReadonlyMap<string, number>): Transfer[] {
  const shared = { ownerId: slot.ownerId, playtestId: slot.playtestId };
  const earned = [...shares].map(([id, cents]): Posting => ({ account: accounts.payable(id), amount: -cents }));
  const { costCents, payoutCents } = slot;
  if (slot.paidWith === "credit") {
    const postings = [
      { account: accounts.held(slot.playtestId), amount: costCents },
      ...earned,
      { account: accounts.revenuePlatform, amount: payoutCents - costCents },
    ];
    return [{ ...shared, eventKey: `accept:${slot.slotId}`, asset: "USD", postings }];
  }
  const expense = slot.paidWith === "hours" ? accounts.payoutSubscription : accounts.promo;
  const paid: Transfer[] =
    payoutCents > 0
      ? [
          {
            ...shared,
            eventKey: `accept:${slot.slotId}`,
            asset: "USD",
            postings: [{ account: expense, amount: payoutCents }, ...earned],
          },
        ]
      : [];
  if (slot.paidWith === "free") return paid;
  const consumed = move(accounts.minutesHeld(slot.playtestId), accounts.minutesConsumed, slot.minutes);
  return [...paid, { ...shared, eventKey: `accept_minutes:${slot.slotId}`, asset: "MIN", postings: consumed }];
}

/** Forfeits the hold of a finally rejected slot: no refund, no payout. */
export function rejectTransfers(slot: SlotTerms): Transfer[] {
  const shared = { eventKey: `reject:${slot.slotId}`, ownerId: slot.ownerId, playtestId: slot.playtestId };
  if (slot.paidWith === "credit" && slot.costCents > 0)
    return [{ ...shared, asset: "USD", postings: move(accounts.held(slot.playtestId), accounts.revenueForfeit, slot.costCents) }];
  if (slot.paidWith === "hours")
    return [
      { ...shared, asset: "MIN", postings: move(accounts.minutesHeld(slot.playtestId), accounts.minutesConsumed, slot.minutes) },
    ];
  return [];
}

/** Adds an incoming payment to an account's credit. `settles` of it (cents) pays debt from a chargeback. */
export function topUpTransfers(topUp: {
  eventKey: string;
  from: string;
  ownerId: string;
  paymentId: string;
  cents: number;
  settles: number;
}): Transfer[] {
  const refs = { ownerId: topUp.ownerId, paymentId: topUp.paymentId };
  const credit = accounts.credit(topUp.ownerId);
  const paid: Transfer = { eventKey: topUp.eventKey, asset: "USD", postings: move(topUp.from, credit, topUp.cents), ...refs };
  if (topUp.settles === 0) return [paid];
  return [paid, settleTransfer({ ...refs, id: topUp.paymentId, cents: topUp.settles })];
}

/** Settles debt with new credit. `id` identifies what added it. */
export const settleTransfer = ({
  id,
  cents,
  ...refs
}: {
  id: string;
  ownerId: string;
  cents: number;
  paymentId?: string;
  playtestId?: string;
}): Transfer => ({
  eventKey: `settle:${id}`,
  asset: "USD",
  postings: move(accounts.credit(refs.ownerId), accounts.receivable(refs.ownerId), cents),
  ...refs,
});

/** Puts an unmatched crypto deposit in suspense, under the payment it was made for or, without one, under the deposit itself. */
export const suspenseTransfer = (deposit: {
  eventKey: string;
  from: string;
  ownerId?: string;
  paymentId?: string;
  cents: number;
}): Transfer => {
  const { eventKey, from, cents, ...refs } = deposit;
  const account = accounts.suspense(refs.paymentId ?? eventKey);
  return { eventKey, asset: "USD", postings: move(from, account, cents), ...refs };
};

/**
 * Turns an unmatched deposit into credit worth `cents`. The difference from its value in suspense (`kept`) is posted as a revaluation,
 * because crypto is kept in the ledger at its value when credited.
 */
export function resolveTransfers(found: {
  id: string;
  suspense: string;
  from: string;
  ownerId: string;
  paymentId: string;
  kept: number;
  cents: number;
  settles: number;
  note: string;
}): Transfer[] {
  const { id, suspense, from, kept, cents, note, ...rest } = found;
  const [paid, ...settled] = topUpTransfers({ ...rest, eventKey: `resolve:${id}`, from: suspense, cents });
  const postings = [
    { account: suspense, amount: kept },
    { account: from, amount: cents - kept },
    { account: accounts.credit(found.ownerId), amount: -cents },
  ];
  return [{ ...paid!, postings, note }, ...settled];
}

/** Records that an unmatched deposit was sent back. */
export const sentBackTransfer = (sent: {
  id: string;
  suspense: string;
  to: string;
  cents: number;
  refs: Pick<Transfer, "ownerId" | "paymentId" | "note">;
}): Transfer => ({
  eventKey: `refund:${sent.id}`,
  asset: "USD",
  postings: move(sent.suspense, sent.to, sent.cents),
  ...sent.refs,
});

/** The fee of a card processor for a payment. */
export const feeTransfer = (fee: { paymentId: string; ownerId: string; processor: string; cents: number }): Transfer => ({
  eventKey: `fee:${fee.paymentId}`,
  asset: "USD",
  postings: move(accounts.processorFee, accounts.processor(fee.processor), fee.cents),
  ownerId: fee.ownerId,
  paymentId: fee.paymentId,
});

/** The card processor's fee for a dispute changes from `before` to `after`, in cents. */
export const disputeFeeTransfer = (fee: {
  disputeId: string;
  paymentId: string;
  ownerId: string;
  processor: string;
  before: number;
  after: number;
}): Transfer => ({
  eventKey: fee.before === 0 ? `dispute_fee:${fee.disputeId}` : `dispute_fee:${fee.disputeId}:${fee.after}`,
  asset: "USD",
  postings: move(accounts.disputeFee, accounts.processor(fee.processor), fee.after - fee.before),
  ownerId: fee.ownerId,
  paymentId: fee.paymentId,
});

/** Credit that an admin grants to an owner. */
export const goodwillTransfer = (grant: { grantId: string; ownerId: string; cents: number; note: string }): Transfer => ({
  eventKey: `goodwill:${grant.grantId}`,
  asset: "USD",
  postings: move(accounts.goodwill, accounts.credit(grant.ownerId), grant.cents),
  ownerId: grant.ownerId,
  note: grant.note,
});

/** Playtest minutes that an admin grants to an owner. The note appears in the owner's hours history. */
export const minutesGrantTransfer = (grant: { grantId: string; ownerId: string; minutes: number; note: string }): Transfer => ({
  eventKey: `admin_grant:${grant.grantId}`,
  asset: "MIN",
  postings: move(accounts.minutesIssued, accounts.minutes(grant.ownerId), grant.minutes),
  ownerId: grant.ownerId,
  note: grant.note,
});

export interface Withdrawal {
  payoutId: string;
  playtesterId: string;
  cents: number;
}

/** Pays a playtester's earnings out to their bank. */
export const withdrawalTransfer = ({ payoutId, playtesterId, cents }: Withdrawal): Transfer => ({
  eventKey: `withdraw:${payoutId}`,
  asset: "USD",
  postings: move(accounts.payable(playtesterId), accounts.bank, cents),
});

/** Reverses a payout that the bank returned. */
export const failedWithdrawalTransfer = ({ payoutId, playtesterId, cents }: Withdrawal): Transfer => ({
  eventKey: `withdraw_failed:${payoutId}`,
  asset: "USD",
  postings: move(accounts.bank, accounts.payable(playtesterId), cents),
});
