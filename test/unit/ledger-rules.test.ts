import { describe, expect, it } from "vitest";
import * as ledger from "../../server/ledger/rules.ts";
import { written } from "../helpers/transfers.ts";

const slot = (changes: Partial<ledger.SlotTerms> = {}): ledger.SlotTerms => ({
  slotId: "S",
  playtestId: "T",
  ownerId: "O",
  paidWith: "credit",
  costCents: 1000,
  payoutCents: 700,
  minutes: 0,
  ...changes,
});
const paidWithHours = slot({ paidWith: "hours", costCents: 0, minutes: 60 });
const free = slot({ paidWith: "free", costCents: 0 });

describe("the balance of an account", () => {
  it.each([
    ["credit", ledger.accounts.credit("O")],
    ["credit", ledger.accounts.held("T")],
    ["credit", ledger.accounts.payable("P")],
    ["credit", ledger.accounts.suspense("X")],
    ["credit", ledger.accounts.minutes("O")],
    ["credit", ledger.accounts.minutesHeld("T")],
    ["debit", ledger.accounts.receivable("O")],
    ["debit", ledger.accounts.minutesReceivable("O")],
    ["system", ledger.accounts.minutesIssued],
    ["system", ledger.accounts.processor("stripe")],
    ["system", ledger.accounts.crypto("base", "USDC")],
    ["system", ledger.accounts.bank],
    ["system", "x:liab:credit:O"],
    ["system", "x:assets:receivable:O"],
  ])("is of the side %s: %s", (side, account) => {
    expect(ledger.sideOf(account)).toBe(side);
  });
});

it("the system's accounts have these names", () => {
  expect(Object.values(ledger.accounts).filter((account) => typeof account === "string")).toEqual([
    "assets:bank",
    "revenue:platform",
    "revenue:subscription",
    "revenue:forfeit",
    "revenue:rounding",
    "expense:payout_subscription",
    "expense:promo",
    "expense:goodwill",
    "expense:processor_fee",
    "expense:dispute_fee",
    "min:issued",
    "min:consumed",
  ]);
  expect(ledger.accounts.crypto("base", "USDC")).toBe("assets:crypto:base:USDC");
});

describe("postings of", () => {
  const order = { playtestId: "T", ownerId: "O", paymentId: "P", amount: 3000 };
  it("an order", () => {
    expect(
      written(
        ledger.orderTransfer({ ...order, paidWith: "credit" }),
        ledger.orderTransfer({ ...order, paidWith: "hours", amount: 180 }),
      ),
    ).toMatchInlineSnapshot(`
      "order:T USD
        3000 liab:credit:O
        -3000 liab:held:T
        ownerId O, paymentId P, playtestId T
      playtest:T MIN
        180 min:balance:O
        -180 min:held:T
        ownerId O, paymentId P, playtestId T"
    `);
  });

  it("the refund of an unfilled slot", () => {
    expect(
      written(...ledger.refundTransfers(slot(), "slot_refund"), ...ledger.refundTransfers(paidWithHours, "manual_slot_expired")),
    ).toMatchInlineSnapshot(`
      "slot_refund:S USD
        1000 liab:held:T
        -1000 liab:credit:O
        ownerId O, playtestId T
      manual_slot_expired:S MIN
        60 min:held:T
        -60 min:balance:O
        ownerId O, playtestId T"
    `);
    for (const nothing of [
      free,
      slot({ costCents: 0 }),
      slot({ paidWith: "hours", minutes: 0 }),
      { ...free, minutes: 60, costCents: 5 },
    ])
      expect(ledger.refundTransfers(nothing, "slot_refund")).toEqual([]);
  });

  it("an accepted slot", () => {
    const unpaid = { ...paidWithHours, payoutCents: 0 };
    const alone = new Map([["P", 700]]);
    expect(written(...ledger.acceptTransfers(slot(), alone))).toMatchInlineSnapshot(`
      "accept:S USD
        1000 liab:held:T
        -700 liab:payable:P
        -300 revenue:platform
        ownerId O, playtestId T"
    `);
    expect(written(...ledger.acceptTransfers(paidWithHours, alone))).toMatchInlineSnapshot(`
      "accept:S USD
        700 expense:payout_subscription
        -700 liab:payable:P
        ownerId O, playtestId T
      accept_minutes:S MIN
        60 min:held:T
        -60 min:consumed
        ownerId O, playtestId T"
    `);
    expect(written(...ledger.acceptTransfers(free, alone))).toMatchInlineSnapshot(`
      "accept:S USD
        700 expense:promo
        -700 liab:payable:P
        ownerId O, playtestId T"
    `);
    expect(written(...ledger.acceptTransfers(unpaid, alone))).toMatchInlineSnapshot(`
      "accept_minutes:S MIN
        60 min:held:T
        -60 min:consumed
        ownerId O, playtestId T"
    `);
    expect(ledger.acceptTransfers({ ...free, payoutCents: 0 }, alone)).toEqual([]);
  });

  it.each([
    ["credit", slot(), "1000 liab:held:T", "-300 revenue:platform"],
    ["hours", paidWithHours, "700 expense:payout_subscription", "min:consumed"],
    ["free", free, "700 expense:promo", ""],
  ])("an accepted slot of a team, %s: each member is paid their share", (_, terms, ...lines) => {
    const shares = new Map([
      ["P", 234],
      ["Q", 466],
      ["R", 0],
    ]);
    const text = written(...ledger.acceptTransfers(terms, shares));
    for (const line of [...lines, "-234 liab:payable:P", "-466 liab:payable:Q"]) expect(text).toContain(line);
  });

  it("a slot that is rejected for good", () => {
    expect(written(...ledger.rejectTransfers(slot()), ...ledger.rejectTransfers(paidWithHours))).toMatchInlineSnapshot(`
      "reject:S USD
        1000 liab:held:T
        -1000 revenue:forfeit
        ownerId O, playtestId T
      reject:S MIN
        60 min:held:T
        -60 min:consumed
        ownerId O, playtestId T"
    `);
    for (const nothing of [free, slot({ costCents: 0 }), { ...free, costCents: 5 }])
      expect(ledger.rejectTransfers(nothing)).toEqual([]);
  });

  it("a payment that comes in", () => {
    const topUp = { eventKey: "topup:P", from: "assets:bank", ownerId: "O", paymentId: "P", cents: 5000 };
    expect(written(...ledger.topUpTransfers({ ...topUp, settles: 0 }))).toMatchInlineSnapshot(`
      "topup:P USD
        5000 assets:bank
        -5000 liab:credit:O
        ownerId O, paymentId P"
    `);
    expect(written(...ledger.topUpTransfers({ ...topUp, settles: 1200 }))).toMatchInlineSnapshot(`
      "topup:P USD
        5000 assets:bank
        -5000 liab:credit:O
        ownerId O, paymentId P
      settle:P USD
        1200 liab:credit:O
        -1200 assets:receivable:O
        ownerId O, paymentId P"
    `);
  });

  it("a crypto deposit that waits for a decision, is credited, or is sent back", () => {
    const from = ledger.accounts.crypto("base", "USDC");
    const deposit = { eventKey: "deposit:D", from, cents: 900 };
    expect(
      written(ledger.suspenseTransfer(deposit), ledger.suspenseTransfer({ ...deposit, ownerId: "O", paymentId: "P" })),
    ).toMatchInlineSnapshot(`
      "deposit:D USD
        900 assets:crypto:base:USDC
        -900 liab:suspense:deposit:D
      deposit:D USD
        900 assets:crypto:base:USDC
        -900 liab:suspense:P
        ownerId O, paymentId P"
    `);
    const found = {
      id: "D",
      suspense: "liab:suspense:P",
      from,
      ownerId: "O",
      paymentId: "P",
      kept: 900,
      cents: 850,
      note: "late",
    };
    expect(written(...ledger.resolveTransfers({ ...found, settles: 100 }))).toMatchInlineSnapshot(`
      "resolve:D USD
        900 liab:suspense:P
        -50 assets:crypto:base:USDC
        -850 liab:credit:O
        note late, ownerId O, paymentId P
      settle:P USD
        100 liab:credit:O
        -100 assets:receivable:O
        ownerId O, paymentId P"
    `);
    expect(
      written(ledger.sentBackTransfer({ id: "D", suspense: "liab:suspense:P", to: from, cents: 900, refs: { ownerId: "O" } })),
    ).toMatchInlineSnapshot(`
      "refund:D USD
        900 liab:suspense:P
        -900 assets:crypto:base:USDC
        ownerId O"
    `);
  });

  it("what a card processor charges", () => {
    const fee = { paymentId: "P", ownerId: "O", processor: "stripe" };
    expect(
      written(
        ledger.feeTransfer({ ...fee, cents: 175 }),
        ledger.disputeFeeTransfer({ ...fee, disputeId: "D", before: 0, after: 1500 }),
        ledger.disputeFeeTransfer({ ...fee, disputeId: "D", before: 1500, after: 1000 }),
      ),
    ).toMatchInlineSnapshot(`
      "fee:P USD
        175 expense:processor_fee
        -175 assets:processor:stripe
        ownerId O, paymentId P
      dispute_fee:D USD
        1500 expense:dispute_fee
        -1500 assets:processor:stripe
        ownerId O, paymentId P
      dispute_fee:D:1000 USD
        -500 expense:dispute_fee
        500 assets:processor:stripe
        ownerId O, paymentId P"
    `);
  });

  it("what an administrator grants, and of payouts", () => {
    const grant = { grantId: "G", ownerId: "O", note: "Sorry" };
    const payout = { payoutId: "W", playtesterId: "P", cents: 4200 };
    expect(
      written(
        ledger.goodwillTransfer({ ...grant, cents: 500 }),
        ledger.minutesGrantTransfer({ ...grant, minutes: 600 }),
        ledger.withdrawalTransfer(payout),
        ledger.failedWithdrawalTransfer(payout),
      ),
    ).toMatchInlineSnapshot(`
      "goodwill:G USD
        500 expense:goodwill
        -500 liab:credit:O
        note Sorry, ownerId O
      admin_grant:G MIN
        600 min:issued
        -600 min:balance:O
        note Sorry, ownerId O
      withdraw:W USD
        4200 liab:payable:P
        -4200 assets:bank
      withdraw_failed:W USD
        4200 assets:bank
        -4200 liab:payable:P"
    `);
  });
});
