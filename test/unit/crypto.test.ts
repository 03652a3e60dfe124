import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { createRates } from "../../server/billing/crypto/chains/rates.ts";
import {
  centsOf,
  coins,
  isOlder,
  isPair,
  judge,
  meetsDeclaration,
  pairs,
  type QuoteTerms,
  rivalsAt,
  sameAddress,
  slackOf,
  uniqueAmount,
  worthOf,
} from "../../server/billing/crypto/rules.ts";
import { defaults } from "../../server/config/defaults.ts";
import { startRpc } from "../helpers/rpc-proxy.ts";
import { createTestClock } from "../helpers/server.ts";

describe("crypto amounts", () => {
  const currency = fc.constantFrom("USDC" as const, "ETH" as const, "SOL" as const);
  const cents = fc.integer({ min: 500, max: 1_000_000 });
  const rate = fc.integer({ min: 100, max: 20_000_000 });

  it("with their unique suffix are worth exactly the amount due", () => {
    fc.assert(
      fc.property(currency, cents, rate, fc.nat(), (which, asked, price, draw) => {
        const used = which === "USDC" ? 100 : price;
        expect(centsOf(uniqueAmount(asked, used, which, draw), used, which)).toBe(asked);
      }),
    );
  });

  it("differ for different random numbers", () => {
    const draws = Array.from({ length: 9_998 }, (_, draw) => uniqueAmount(2000, 100, "USDC", draw));
    expect(new Set(draws).size).toBe(9_998);
  });

  it.each([
    [2000, 100, "USDC", 0, 20_000_001n],
    [2000, 100, "USDC", 9_997, 20_009_998n],
    [2000, 100, "USDC", 9_998, 20_000_001n],
    [500, 300_000, "ETH", 0, 1_666_666_800_000_000n],
    [500, 300_000, "ETH", 1, 1_666_666_900_000_000n],
    [500, 15_000, "SOL", 0, 33_333_335n],
    // A cent of 2 or 3 steps has room for one amount, and so has a cent that is worth less than a step.
    [500, 500_000_000, "SOL", 5, 1_001n],
    [500, 333_333_333, "SOL", 5, 1_502n],
    [500, 20_000_000_000, "SOL", 5, 26n],
  ] as const)("pay %i cents at a rate of %i in %s, for the random number %i: %i", (asked, price, which, draw, atomic) => {
    expect(uniqueAmount(asked, price, which, draw)).toBe(atomic);
  });

  it("are of the coins of each chain", () => {
    expect(pairs.map(({ chain, currency }) => `${currency} on ${chain}`)).toEqual([
      "USDC on base",
      "USDC on ethereum",
      "USDC on solana",
      "ETH on base",
      "ETH on ethereum",
      "SOL on solana",
    ]);
    expect([isPair("base", "ETH"), isPair("solana", "ETH"), isPair("base", "SOL")]).toEqual([true, false, false]);
  });

  it.each([
    [20_000_137n, "USDC", "20.000137"],
    [20_000_000n, "USDC", "20"],
    [1n, "ETH", "0.000000000000000001"],
    [9_007_199_254_740_993n, "ETH", "0.009007199254740993"],
    [1_500_000_000n, "SOL", "1.5"],
  ] as const)("%i atomic units of %s are shown as %s", (atomic, which, text) => {
    expect(coins(atomic, which)).toBe(text);
  });

  it.each([
    ["up to the quote, at its rate", 4n, 300, 800],
    ["up to the quote, at its rate where the price is lower", 4n, 100, 800],
    ["beyond it, at the price where that is lower", 10n, 100, 1500],
    ["beyond it, at its rate where that is lower", 10n, 300, 2000],
    ["without a quote, at the price", 10n, 300, 3000],
  ] as const)("are worth, %s", (which, coinsSent, price, worth) => {
    const sol = 10n ** 9n;
    const locked = which.startsWith("without") ? undefined : { atomic: 5n * sol, rate: 200 };
    expect(worthOf(coinsSent * sol, "SOL", price, locked)).toBe(worth);
  });

  it.each([
    [5_000_000n, 50_000n],
    [100_000_000n, 1_000_000n],
    [10_000_000_000n, 1_000_000n],
  ])("of %i for a quote in USDC may be %i more: 1 % or $1.00, whichever is smaller", (atomic, slack) => {
    expect(slackOf({ atomic, rate: 100 }, "USDC")).toBe(slack);
  });

  it("beyond a quote are rounded down once, together with what the quote asked for", () => {
    expect(worthOf(25_010_000n, "USDC", 100, { atomic: 20_006_000n, rate: 100 })).toBe(2501);
  });

  it("are rounded down to whole cents", () => {
    expect([centsOf(9_999n, 100, "USDC"), centsOf(10_000n, 100, "USDC")]).toEqual([0, 1]);
  });
});

it.each([
  ["0xAbC0000000000000000000000000000000000001", "0xabc0000000000000000000000000000000000001", true],
  ["0xAbC0000000000000000000000000000000000001", "0xabc0000000000000000000000000000000000002", false],
  ["EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", true],
  ["EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", "epjfwdd5aufqssqem2qn1xzybapc8g4weggkzwytdt1v", false],
])("sameAddress: %s and %s: %s", (a, b, same) => {
  expect(sameAddress(a, b)).toBe(same);
});

describe("matching a deposit to a quote", () => {
  const start = 1_000_000_000;
  const quote = (atomic: bigint, changes: Partial<QuoteTerms> = {}): QuoteTerms => ({
    ownerId: "me",
    atomic,
    slack: 2n,
    payer: null,
    createdAt: start,
    expiresAt: start + 900_000,
    paid: false,
    ...changes,
  });
  const other = { ownerId: "other" };
  const rows: {
    name: string;
    amount?: bigint;
    at?: number;
    from?: string;
    exact?: QuoteTerms[];
    mine?: QuoteTerms[];
    rivals?: boolean;
    is: string;
  }[] = [
    { name: "the exact amount in time", exact: [quote(100n)], is: "paid" },
    { name: "the exact amount at the last millisecond", exact: [quote(100n)], at: start + 900_000, is: "paid" },
    { name: "the exact amount a millisecond late", exact: [quote(100n)], at: start + 900_001, is: "late" },
    {
      name: "the exact amount, a minute before the quote by the chain's clock",
      exact: [quote(100n)],
      at: start - 60_000,
      is: "paid",
    },
    { name: "the exact amount, more than a minute before the quote", exact: [quote(100n)], at: start - 60_001, is: "unasked" },
    { name: "the exact amount of a quote that is paid already", exact: [quote(100n, { paid: true })], is: "again" },
    { name: "the exact amount of another owner's quote", exact: [quote(100n, other)], mine: [quote(90n)], is: "foreign" },
    {
      name: "the exact amount of an expired quote and of another owner's current one",
      exact: [quote(100n, other), quote(100n, { createdAt: 0, expiresAt: 1 })],
      is: "foreign",
    },
    { name: "a little more than the quote", mine: [quote(98n)], is: "paid" },
    { name: "more than that", mine: [quote(97n)], is: "over" },
    { name: "a little more than the quote, as soon as it was opened", mine: [quote(98n)], at: start, is: "paid" },
    {
      name: "a little more than the quote, a minute before it by the chain's clock",
      mine: [quote(98n)],
      at: start - 60_000,
      is: "over",
    },
    { name: "exactly one of the caller's quotes, and more than another", exact: [], mine: [quote(90n), quote(100n)], is: "paid" },
    { name: "a little more than the quote, before it was opened", mine: [quote(98n)], at: start - 1, is: "over" },
    { name: "a little more than the quote, while other owners have quotes", mine: [quote(98n)], rivals: true, is: "unclear" },
    { name: "a little more than the quote, from its declared payer", mine: [quote(98n, { payer: "0xa" })], is: "paid" },
    { name: "a little more than the quote, not from its declared payer", mine: [quote(98n, { payer: "0xb" })], is: "over" },
    { name: "less than the quote", mine: [quote(110n)], is: "short" },
    { name: "more than the quote, while other owners have quotes", mine: [quote(90n)], rivals: true, is: "unclear" },
    { name: "less than the quote, while other owners have quotes", mine: [quote(110n)], rivals: true, is: "unclear" },
    { name: "more than the quote, but late", mine: [quote(90n)], at: start + 900_001, is: "late" },
    { name: "any amount without a quote", is: "unasked" },
    { name: "any amount without a quote, while other owners have quotes", rivals: true, is: "unasked" },
  ];
  it.each(rows)(
    "$name: $is",
    ({
      amount = 100n,
      at = start + 1000,
      from = "0xa",
      exact = [],
      mine = exact.filter((q) => q.ownerId === "me"),
      rivals = false,
      is,
    }) => {
      expect(judge({ amount, at, from }, "me", { exact, mine, rivals }).is).toBe(is);
    },
  );

  it.each([
    ["of the quote's amount, in time", {}, {}, true],
    ["of twice its amount, a day late", { amount: 200n, at: start + 900_000 + 86_400_000 }, {}, true],
    ["of more than twice its amount", { amount: 201n }, {}, false],
    ["more than a day late", { at: start + 900_001 + 86_400_000 }, {}, false],
    ["before the quote", { at: start - 1 }, {}, false],
    ["from another address", { from: "0xb" }, {}, false],
    ["from nowhere, where none was declared", { from: null }, { payer: null }, false],
  ])("the declared payer of a quote counts for a transfer %s: %#", (_, transfer, terms, counts) => {
    const made = { amount: 100n, at: start, from: "0xa" as string | null, ...transfer };
    expect(meetsDeclaration(made, quote(100n, { payer: "0xa", ...terms }))).toBe(counts);
  });

  it("could be meant for quotes of others from a day before it to a minute after it, and for none that was opened later", () => {
    expect(rivalsAt(start)).toEqual({ from: start - 86_400_000, to: start + 60_000 });
    expect([start - 60_000, start - 60_001].map((at) => isOlder(quote(1n), at))).toEqual([false, true]);
  });

  it.each<[string, { amount: bigint; at?: number; exact?: QuoteTerms[]; mine?: QuoteTerms[] }, string, bigint]>([
    ["too little is for the smallest quote", { amount: 10n, mine: [quote(80n), quote(50n), quote(120n)] }, "short", 50n],
    [
      "what is late is for the largest quote",
      { amount: 60n, at: start + 900_001, mine: [quote(120n), quote(50n), quote(80n)] },
      "late",
      120n,
    ],
    [
      "a quote that is still open comes before one that is not",
      { amount: 60n, mine: [quote(50n, { expiresAt: start }), quote(40n)] },
      "over",
      40n,
    ],
    ["an overpayment at its limit pays", { amount: 102n, mine: [quote(100n)] }, "paid", 100n],
    [
      "of expired quotes, the caller's comes before another's",
      {
        amount: 100n,
        at: start + 900_001,
        exact: [quote(100n, { ...other, slack: 1n }), quote(100n, { slack: 7n })],
      },
      "late",
      100n,
    ],
  ])("%s", (_, { amount, at = start + 1000, exact = [], mine = [] }, is, atomic) => {
    expect(judge({ amount, at, from: null }, "me", { exact, mine, rivals: false })).toMatchObject({ is, quote: { atomic } });
  });

  it("an overpayment is held under the largest quote that it covers", () => {
    const verdict = judge({ amount: 100n, at: start, from: null }, "me", {
      exact: [],
      mine: [quote(50n), quote(80n), quote(120n)],
      rivals: false,
    });
    expect(verdict).toMatchObject({ is: "over", quote: { atomic: 80n } });
  });
});

describe("prices from the rate feed", () => {
  const running: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const feed of running.splice(0)) await feed.close();
  });

  it("are at most a minute old", async () => {
    const clock = createTestClock();
    const answers = [{ amount: "3012.456" }, { amount: "2999" }];
    const feed = await startRpc(
      () => ({ result: null }),
      () => ({ data: answers.shift() }),
    );
    running.push(feed);
    const rates = createRates({ ...defaults.crypto.rates, feedUrl: `${feed.url}/{coin}` }, clock);
    expect([await rates.of("USDC"), await rates.of("ETH")]).toEqual([100, 301_246]);
    clock.set(clock.now() + 14_000);
    expect(await rates.of("ETH")).toBe(301_246);
    clock.set(clock.now() + 1_000);
    expect(await rates.of("ETH")).toBe(299_900);
    feed.fail("refuses");
    clock.set(clock.now() + 59_000);
    expect(await rates.of("ETH")).toBe(299_900);
    clock.set(clock.now() + 1_000);
    await expect(rates.of("ETH")).rejects.toThrow("The price of ETH is currently not available.");
    expect(feed.paths).toEqual(["/ETH", "/ETH", "/ETH", "/ETH"]);
  });

  it("that are not positive are refused", async () => {
    const feed = await startRpc(
      () => ({ result: null }),
      () => ({ data: { amount: "-1" } }),
    );
    running.push(feed);
    const rates = createRates({ ...defaults.crypto.rates, feedUrl: feed.url }, createTestClock());
    await expect(rates.of("SOL")).rejects.toThrow("not available");
  });
});
