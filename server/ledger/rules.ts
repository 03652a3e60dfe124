/**
 * The double-entry ledger: what each event posts (see README.md). Two assets kept apart, USD in cents and MIN in
 * minutes. Debits are positive, credits negative; the postings of a transfer sum to zero.
 */
export type Asset = "USD" | "MIN";

export interface Posting {
  account: string;
  amount: number;
}

export interface Transfer {
  /** Unique for ever: the same event posts once. */
  eventKey: string;
  asset: Asset;
  postings: Posting[];
  /** Whose history it belongs to, and what it came from. */
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

/** Accounts whose balance is kept beside the postings and may not change sign; the others are summed. */
export type Side = "credit" | "debit" | "system";

export function sideOf(account: string): Side {
  if (/^(liab:|min:balance:|min:held:)/.test(account)) return "credit";
  return /^(assets:receivable:|min:receivable:)/.test(account) ? "debit" : "system";
}

/** `amount` leaves `from`'s holder and comes to `to`'s: a debit on one credit account, a credit on another. */
export const move = (from: string, to: string, amount: number): Posting[] => [
  { account: from, amount },
  { account: to, amount: -amount },
];

/** What an order was paid with, which decides where its slots' price goes. `credit` covers crypto, which passes through credit. */
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

/** An unfilled slot gives back what it held: deleted by the owner, or left over when the manual window ends. */
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

/** An accepted slot pays the playtester. Each asset needs a key of its own. */
export function acceptTransfers(slot: SlotTerms, playtesterId: string): Transfer[] {
  const shared = { ownerId: slot.ownerId, playtestId: slot.playtestId };
  const payable = accounts.payable(playtesterId);
  const { costCents, payoutCents } = slot;
  if (slot.paidWith === "credit") {
    const postings = [
      { account: accounts.held(slot.playtestId), amount: costCents },
      { account: payable, amount: -payoutCents },
      { account: accounts.revenuePlatform, amount: payoutCents - costCents },
    ];
    return [{ ...shared, eventKey: `accept:${slot.slotId}`, asset: "USD", postings }];
  }
  const expense = slot.paidWith === "hours" ? accounts.payoutSubscription : accounts.promo;
  const paid: Transfer[] =
    payoutCents > 0
      ? [{ ...shared, eventKey: `accept:${slot.slotId}`, asset: "USD", postings: move(expense, payable, payoutCents) }]
      : [];
  if (slot.paidWith === "free") return paid;
  const consumed = move(accounts.minutesHeld(slot.playtestId), accounts.minutesConsumed, slot.minutes);
  return [...paid, { ...shared, eventKey: `accept_minutes:${slot.slotId}`, asset: "MIN", postings: consumed }];
}

/** A final rejection forfeits what was held: no refund, no payout. */
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

/** Money arrives from outside for an account's credit; `settles` of it pays what a chargeback left owing. */
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
  return [
    paid,
    {
      eventKey: `settle:${topUp.paymentId}`,
      asset: "USD",
      postings: move(credit, accounts.receivable(topUp.ownerId), topUp.settles),
      ...refs,
    },
  ];
}

/** Crypto that arrived and is nobody's credit yet, kept under the payment it came for, or else under the deposit itself. */
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
 * Crypto that was kept aside becomes credit, worth `cents` by now: what that is more or less than was `kept` changes what the
 * books hold of the crypto, which is kept at its value when credited.
 */
export function resolveTransfers(found: {
  id: string;
  aside: string;
  from: string;
  ownerId: string;
  paymentId: string;
  kept: number;
  cents: number;
  settles: number;
  note: string;
}): Transfer[] {
  const { id, aside, from, kept, cents, note, ...rest } = found;
  const [paid, ...settled] = topUpTransfers({ ...rest, eventKey: `resolve:${id}`, from: aside, cents });
  const postings = [
    { account: aside, amount: kept },
    { account: from, amount: cents - kept },
    { account: accounts.credit(found.ownerId), amount: -cents },
  ];
  return [{ ...paid!, postings, note }, ...settled];
}

/** Crypto that was kept aside went back to where it came from. */
export const sentBackTransfer = (sent: {
  id: string;
  aside: string;
  to: string;
  cents: number;
  refs: Pick<Transfer, "ownerId" | "paymentId" | "note">;
}): Transfer => ({
  eventKey: `refund:${sent.id}`,
  asset: "USD",
  postings: move(sent.aside, sent.to, sent.cents),
  ...sent.refs,
});

/** What a card processor keeps of a payment. */
export const feeTransfer = (fee: { paymentId: string; ownerId: string; processor: string; cents: number }): Transfer => ({
  eventKey: `fee:${fee.paymentId}`,
  asset: "USD",
  postings: move(accounts.processorFee, accounts.processor(fee.processor), fee.cents),
  ownerId: fee.ownerId,
  paymentId: fee.paymentId,
});

/** What a card processor takes for a dispute changes from `before` to `after`, in cents. */
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

/** Credit an admin gives an owner. */
export const goodwillTransfer = (grant: { grantId: string; ownerId: string; cents: number; note: string }): Transfer => ({
  eventKey: `goodwill:${grant.grantId}`,
  asset: "USD",
  postings: move(accounts.goodwill, accounts.credit(grant.ownerId), grant.cents),
  ownerId: grant.ownerId,
  note: grant.note,
});

/** Playtest minutes an admin gives an owner; the note shows in their hours history. */
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

/** Earnings leave for the playtester's bank. */
export const withdrawalTransfer = ({ payoutId, playtesterId, cents }: Withdrawal): Transfer => ({
  eventKey: `withdraw:${payoutId}`,
  asset: "USD",
  postings: move(accounts.payable(playtesterId), accounts.bank, cents),
});

/** The bank sent a payout back: the exact reversal, once. */
export const failedWithdrawalTransfer = ({ payoutId, playtesterId, cents }: Withdrawal): Transfer => ({
  eventKey: `withdraw_failed:${payoutId}`,
  asset: "USD",
  postings: move(accounts.bank, accounts.payable(playtesterId), cents),
});
