// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of sources.
import { claims, orders, playtestRows, times } from "../files.ts";
import type { Mutant } from "../mutant.ts";

const orderBody = "src/contract/order-body.ts";

export const ordersRules: readonly Mutant[] = [
  {
    rule: "hours pay only what they cover whole",
    test: "api/playtests",
    edits: [["server/playtests/rules.ts", "funds.minutesAvailable >= need.minutesNeeded", "funds.minutesAvailable > 0"]],
  },
  {
    rule: "hours that cover it exactly pay",
    test: "api/playtests",
    edits: [
      [
        "server/playtests/rules.ts",
        "funds.minutesAvailable >= need.minutesNeeded",
        "funds.minutesAvailable > need.minutesNeeded",
      ],
    ],
  },
  {
    rule: "hours come before credit",
    test: "api/playtests",
    edits: [["server/playtests/rules.ts", '  if (hoursCover) return { by: "hours" };\n', ""]],
  },
  {
    rule: "credit that covers it exactly pays",
    test: "api/playtests",
    edits: [["server/playtests/rules.ts", "funds.balanceCents >= need.totalCents", "funds.balanceCents > need.totalCents"]],
  },
  {
    rule: "credit is charged at once, all of it",
    test: "api/playtests",
    edits: [
      [
        orders,
        'paidWith === "credit" ? need.totalCents : need.minutesNeeded',
        'paidWith === "credit" ? need.totalCents / 2 : need.minutesNeeded',
      ],
    ],
  },
  {
    rule: "an order nobody paid waits",
    test: "api/playtests",
    edits: [["server/playtests/order-replies.ts", "  requiresPayment: yes,\n", ""]],
  },
  {
    rule: "some credit but too little is refused",
    test: "api/playtests",
    edits: [["server/playtests/rules.ts", "return funds.balanceCents > 0 ?", "return funds.balanceCents > need.totalCents ?"]],
  },
  {
    rule: "the refusal names both amounts",
    test: "api/playtests",
    edits: [[orders, "but ${usd(need.totalCents)} is required", "but more is required"]],
  },
  {
    rule: "a trial is active with open slots and waits for an admin",
    test: "api/playtests",
    edits: [["server/playtests/order-handlers.ts", "{ limit: playtest.quantity, after", "{ limit: 0, after"]],
  },
  {
    rule: "a trial is offered once an admin approved it",
    test: "api/public",
    edits: [
      [claims, "playtest.is_free_public_trial === 1 && playtest.approved_at === null", "playtest.quantity < 0"],
      [playtestRows, "(p.is_free_public_trial = 0 OR p.approved_at IS NOT NULL)", "p.quantity > 0"],
    ],
  },
  {
    rule: "one free trial per game",
    test: "api/playtests",
    edits: [
      [orders, "if (game && (await playtests.hasTrial(tx, game.id))) throw trialUsed();", ""],
      ["server/database/migrations/001-initial.ts", "CREATE UNIQUE INDEX one_trial_per_game", "CREATE INDEX one_trial_per_game"],
    ],
  },
  {
    rule: "manual does not go with one specific playtester",
    test: "contract/contract",
    edits: [[orderBody, 'order.selectionMode === "manual" && pastPlaytesterScope', "order.quantity > 99 && pastPlaytesterScope"]],
  },
  {
    rule: "manual does not go with a free trial",
    test: "contract/contract",
    edits: [[orderBody, 'if (order.selectionMode === "manual") faults', "if (order.quantity > 99) faults"]],
  },
  {
    rule: "exactly quantity × playerCount keys",
    test: "contract/contract",
    edits: [[orderBody, "keys.length !== needed", "keys.length < needed"]],
  },
  {
    rule: "an unpaid order lapses after 24 hours",
    test: "api/deadlines",
    edits: [[times, "pay_by > now);", "pay_by >= now);"]],
  },
];
