import { expect, it } from "vitest";
import type { SeenTransfer } from "../../server/billing/crypto/chains/index.ts";
import { matchBooked } from "../../server/billing/crypto/matching.ts";
import type { DepositRow } from "../../server/billing/crypto/store.ts";

type Row = [index: number, amount: number, sender?: string | null, currency?: "USDC" | "ETH"];

const deposit = ([tx_index, amount, sender = "a", currency = "USDC"]: Row) =>
  ({ tx_index, amount_atomic: String(amount), sender, currency }) as DepositRow;
const transfer = ([index, amount, from = "a", currency = "USDC"]: Row): SeenTransfer => ({
  ...{ index, currency, to: "r", amount: BigInt(amount), from, nonce: null },
});

/** For each seen transfer, the index of its deposit, or `new` and the index that it gets. */
const rows: [name: string, booked: Row[], seen: Row[], result: (number | string)[]][] = [
  [
    "nothing is booked",
    [],
    [
      [4, 10],
      [5, 10],
    ],
    ["new 4", "new 5"],
  ],
  ["nothing is seen", [[4, 10]], [], []],
  [
    "all is as it was",
    [
      [4, 10],
      [5, 20],
    ],
    [
      [4, 10],
      [5, 20],
    ],
    [4, 5],
  ],
  ["another index", [[12, 10]], [[15, 10]], [12]],
  [
    "equal ones, both moved",
    [
      [12, 10],
      [13, 10],
    ],
    [
      [15, 10],
      [16, 10],
    ],
    [12, 13],
  ],
  [
    "equal ones, one of them booked",
    [[12, 10]],
    [
      [15, 10],
      [16, 10],
    ],
    [12, "new 16"],
  ],
  [
    "equal ones, the second booked, none moved",
    [[13, 10]],
    [
      [12, 10],
      [13, 10],
    ],
    ["new 12", 13],
  ],
  [
    "a new one at the index of another's deposit",
    [[1, 10]],
    [
      [0, 10],
      [1, 20],
    ],
    [1, "new 2"],
  ],
  [
    "two new ones at indexes of others",
    [
      [1, 10],
      [2, 20],
    ],
    [
      [0, 10],
      [1, 30],
      [2, 40],
      [3, 20],
    ],
    [1, "new 4", "new 5", 2],
  ],
  ["another amount", [[12, 10]], [[15, 11]], ["new 15"]],
  ["another sender", [[12, 10]], [[15, 10, "b"]], ["new 15"]],
  ["another currency", [[-1, 10, "a", "ETH"]], [[15, 10]], ["new 15"]],
  ["a deposit without a sender", [[12, 10, null]], [[15, 10]], [12]],
  ["a sender that is not shown any more", [[0, 10, "b"]], [[0, 10, null]], [0]],
];

it.each(rows)("%s", (_, booked, seen, result) => {
  const matched = matchBooked(booked.map(deposit), seen.map(transfer));
  expect(matched.map((one) => one.deposit?.tx_index ?? `new ${one.transfer.index}`)).toEqual(result);
  expect(matched.map((one) => one.transfer.amount)).toEqual(seen.map(([, amount]) => BigInt(amount)));
});
