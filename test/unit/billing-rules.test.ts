import { describe, expect, it } from "vitest";
import { creditReturned, creditTaken, statusAfter, takenOf } from "../../server/billing/cards/dispute-rules.ts";
import { proofMessage } from "../../server/billing/crypto/proving/message.ts";
import { errorPayment, type Instructions, instructionHeaders } from "../../server/billing/crypto/x402.ts";
import { hasExpired, howToPay, isByCard, isOfMoney, isReturnable, returnAddress, statusAt } from "../../server/billing/rules.ts";
import type { PaymentRow } from "../../server/billing/store.ts";
import { fullRow } from "../../server/database/rows.ts";
import { written } from "../helpers/transfers.ts";

const now = Date.parse("2026-03-01T12:00:00Z");

const payment = (changes: Partial<PaymentRow> = {}): PaymentRow =>
  fullRow("payments", {
    id: "P",
    owner_id: "O",
    amount_cents: 5000,
    status: "pending",
    provider: "stripe",
    external_id: "cs_1",
    purpose: "credit",
    created_at: now,
    updated_at: now,
    ...changes,
  });

describe("a checkout", () => {
  it.each([
    { status: "pending", expires: null, updated: 0, is: "pending", expired: false },
    { status: "pending", expires: 1, updated: 0, is: "pending", expired: false },
    { status: "pending", expires: 0, updated: -5, is: "cancelled", expired: true },
    { status: "pending", expires: -1, updated: -5, is: "cancelled", expired: true },
    { status: "cancelled", expires: 0, updated: -1, is: "cancelled", expired: false },
    { status: "cancelled", expires: 0, updated: 0, is: "cancelled", expired: true },
    { status: "cancelled", expires: null, updated: 0, is: "cancelled", expired: false },
    { status: "completed", expires: -1, updated: 0, is: "completed", expired: false },
  ] as const)("$status, expires in $expires ms, changed at $updated ms: $is, expired: $expired", (row) => {
    const expires_at = row.expires === null ? null : now + row.expires;
    const made = payment({ status: row.status, expires_at, updated_at: now + row.updated });
    expect([statusAt(made, now), hasExpired(made, now)]).toEqual([row.is, row.expired]);
  });

  it.each([
    ["https://studio.example/back", true],
    ["http://localhost:3000/back", true],
    ["http://127.0.0.1/back", true],
    ["http://127.255.10.70/back", true],
    ["http://128.0.0.1/back", false],
    ["http://10.127.0.1/back", false],
    ["http://[::1]/back", true],
    ["http://studio.example/back", false],
    ["http://127.0.0.1.evil.example/", false],
    ["ftp://localhost/", false],
  ])("returns to %s: %s", (address, returns) => {
    expect(isReturnable(address)).toBe(returns);
  });

  it.each([
    ["https://a.example/b", "https://a.example/b?payment_id=P&status=success"],
    ["https://a.example/b?x=%20y+z", "https://a.example/b?x=%20y+z&payment_id=P&status=success"],
    ["https://a.example/b?#top", "https://a.example/b?payment_id=P&status=success#top"],
  ])("that ended returns to %s as %s", (from, to) => {
    expect(returnAddress(from, "P", "success")).toBe(to);
  });
});

it.each([
  ["stripe", true, true],
  ["sandbox", true, true],
  ["x402", true, false],
  ["credit", false, false],
  ["playtest_hours", false, false],
] as const)("a payment by %s brings money: %s, is by card: %s", (provider, money, card) => {
  expect([isOfMoney(payment({ provider })), isByCard(payment({ provider }))]).toEqual([money, card]);
});

describe("where no card is accepted", () => {
  const base = { chain: "base", currency: "USDC" };
  const solana = { chain: "solana", currency: "SOL" };
  it.each([
    ["credit", [], "Ask the operator"],
    ["credit", [solana, base], "`playtest billing credit x402 --amount 50`"],
    ["credit", [solana], "`playtest billing credit x402 --amount 50 --chain solana --currency SOL`"],
    ["credit", [{ ...base, chain: "solana" }], "`playtest billing credit x402 --amount 50 --chain solana --currency USDC`"],
    ["credit", [{ ...base, currency: "ETH" }], "`playtest billing credit x402 --amount 50 --chain base --currency ETH`"],
    ["credit", [base], '`playtest admin grant EMAIL --credit 50 --note "Invoice 12"`'],
    ["minutes", [base], '`playtest admin grant EMAIL --minutes 600 --note "Invoice 12"`'],
    ["minutes", [base], "Ask the operator"],
  ] as const)("%s is had, with %j: %s", (granted, pairs, command) => {
    expect(howToPay(granted, pairs)).toContain(command);
  });
});

describe("money that goes back to a card", () => {
  const reversed = { eventKey: "dispute:D", paymentId: "P", ownerId: "O", processor: "stripe", cents: 5000 };

  it("is taken from credit, and owed as far as that does not cover it", () => {
    expect(written(creditTaken(reversed, 3000), creditTaken(reversed, 9000))).toMatchInlineSnapshot(`
      "dispute:D USD
        3000 liab:credit:O
        2000 assets:receivable:O
        -5000 assets:processor:stripe
        ownerId O, paymentId P
      dispute:D USD
        5000 liab:credit:O
        0 assets:receivable:O
        -5000 assets:processor:stripe
        ownerId O, paymentId P"
    `);
  });

  it("settles what is owed when it returns, and is credit beyond that", () => {
    expect(written(creditReturned(reversed, 2000), creditReturned(reversed, 9000))).toMatchInlineSnapshot(`
      "dispute:D USD
        5000 assets:processor:stripe
        -2000 assets:receivable:O
        -3000 liab:credit:O
        ownerId O, paymentId P
      dispute:D USD
        5000 assets:processor:stripe
        -5000 assets:receivable:O
        0 liab:credit:O
        ownerId O, paymentId P"
    `);
  });

  it.each<[string, Parameters<typeof statusAfter>[1], string]>([
    ["nothing", [], "completed"],
    ["a part refunded", [{ kind: "refund", cents: 4999, state: "taken" }], "completed"],
    ["all refunded", [{ kind: "refund", cents: 5000, state: "taken" }], "refunded"],
    ["a refund that failed", [{ kind: "refund", cents: 5000, state: "returned" }], "completed"],
    ["a part disputed", [{ kind: "dispute", cents: 1, state: "taken" }], "disputed"],
    ["a dispute that was won", [{ kind: "dispute", cents: 5000, state: "returned" }], "completed"],
    [
      "refunded, and disputed on top",
      [
        { kind: "refund", cents: 5000, state: "taken" },
        { kind: "dispute", cents: 100, state: "taken" },
      ],
      "disputed",
    ],
    [
      "refunded in parts",
      [
        { kind: "refund", cents: 2000, state: "taken" },
        { kind: "refund", cents: 3000, state: "taken" },
      ],
      "refunded",
    ],
  ])("%s leaves its payment as it is: %#", (_, reversals, status) => {
    expect(statusAfter(5000, reversals)).toBe(status);
  });

  it("is what was taken and did not come back", () => {
    const taken = { cents: 700, state: "taken" } as const;
    expect(takenOf([taken, { cents: 5000, state: "returned" }, taken])).toBe(1400);
  });
});

describe("the instructions of a crypto payment", () => {
  const one: Instructions = {
    paymentId: "P",
    chain: "base",
    currency: "USDC",
    atomic: 20_000_137n,
    receiver: "0xreceiver",
    asset: "0xusdc",
    expiresAt: now,
    description: "2 playtests of “Ünder”\n\u007f",
    playtestId: "T",
    gameId: "G",
  };

  it("are in the error", () => {
    expect(errorPayment(one)).toEqual({
      id: "P",
      chain: "base",
      currency: "USDC",
      cryptoAmount: "20.000137",
      receiver: "0xreceiver",
      network: "eip155:8453",
      expiresAt: "2026-03-01T12:00:00.000Z",
    });
  });

  it("are in a header of ASCII", () => {
    const header = instructionHeaders(one)["X-Payment"]!;
    expect(header).toMatch(/^[ -~]+$/);
    expect(header).toContain("\\u00dcnder\\u201d\\n\\u007f");
    expect(JSON.parse(header)).toEqual({
      scheme: "exact",
      network: "eip155:8453",
      maxAmountRequired: "20000137",
      asset: "0xusdc",
      receiver: "0xreceiver",
      description: one.description,
      extra: { x402PaymentId: "P", playtestRequestId: "T", gameId: "G" },
    });
    expect(JSON.parse(instructionHeaders({ ...one, playtestId: null, gameId: null })["X-Payment"]!).extra).toEqual({
      x402PaymentId: "P",
    });
  });

  it("that are proved name the server, the payment and the transaction in what is signed", () => {
    expect(proofMessage({ instance: "play.example", paymentId: "P", chain: "solana", txHash: "5eykt4" })).toMatchInlineSnapshot(`
      "I sent the crypto deposit below. Credit it to the playtest account of the payment below.
      Signing this message moves no money.

      Instance: play.example
      Payment: P
      Chain: solana
      Transaction: 5eykt4"
    `);
  });
});
