// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of sources.
import { states } from "../files.ts";
import type { Edit, Mutant } from "../mutant.ts";

const settling = "server/billing/settle.ts";
const paying = "server/billing/payments.ts";
const disputes = "server/billing/cards/disputes.ts";
const reversing = "server/billing/cards/dispute-rules.ts";
const plans = "server/billing/subscriptions/service.ts";
const planRules = "server/billing/subscriptions/rules.ts";
const renewals = "server/billing/subscriptions/renewals.ts";
const hosted = "server/billing/cards/hosted.ts";
const stripe = "server/billing/cards/stripe.ts";
const paymentRules = "server/billing/rules.ts";
const invoicing = "server/billing/invoices/service.ts";
const invoiceRows = "server/billing/invoices/store.ts";
const contract = "src/contract/billing.ts";

const paidAgain: Edit[] = [
  [states, 'completed: { dispute: "disputed"', 'completed: { pay: "completed", dispute: "disputed"'],
  [settling, "eventKey: `topup:${payment.id}`", "eventKey: `topup:${payment.id}:${Math.random()}`"],
];

const sandbox: readonly Omit<Mutant, "test">[] = [
  { rule: "a top-up is at least 2000", edits: [[contract, ".min(2000).max(1_000_000)", ".min(1999).max(1_000_000)"]] },
  { rule: "a top-up of 2000 is taken", edits: [[contract, ".min(2000).max(1_000_000)", ".min(2001).max(1_000_000)"]] },
  { rule: "a top-up is at most 1000000", edits: [[contract, ".min(2000).max(1_000_000)", ".min(2000).max(1_000_001)"]] },
  {
    rule: "success told five times is credited once",
    edits: [
      ...paidAgain,
      [
        "server/billing/cards/sandbox.ts",
        'if (status !== "pending" && !lateSuccess)',
        'if (status === "failed" && !lateSuccess)',
      ],
    ],
  },
  {
    rule: "a late success is credited",
    edits: [[states, '  failed: { pay: "completed" },\n  cancelled: { pay: "completed" },', "  failed: {},\n  cancelled: {},"]],
  },
  {
    rule: "a late success is flagged",
    edits: [[settling, 'if (late) await payments.flag(tx, payment.id, "paid after the checkout had expired");', "void late;"]],
  },
  {
    rule: "a checkout lapses to the millisecond",
    edits: [[paymentRules, "now >= payment.expires_at ?", "now > payment.expires_at ?"]],
  },
  {
    rule: "a cancelled checkout goes back as cancelled",
    edits: [["server/billing/cards/checkouts.ts", 'status === "completed" ? "success" : "cancelled"', '"success"']],
  },
  {
    rule: "the return address keeps its query",
    edits: [[paymentRules, 'url.search === "" ? outcome : `${url.search}&${outcome}`', "outcome"]],
  },
  {
    rule: "a return address is https or of this machine",
    edits: [[paymentRules, 'url.protocol === "http:" && isLoopback(url.hostname)', 'url.protocol === "http:"']],
  },
  {
    rule: "a cancelled checkout is cancelled",
    edits: [[states, 'cancel: "cancelled" },\n  failed: { pay', 'cancel: "failed" },\n  failed: { pay']],
  },
  {
    rule: "a declined card ends its payment",
    edits: [[states, 'fail: "failed", cancel: "cancelled" },\n  failed', 'fail: "pending", cancel: "cancelled" },\n  failed']],
  },
  { rule: "event payment.failed", edits: [[paying, 'await emitPayment(deps, tx, "payment.failed", payment);', ""]] },
  { rule: "event payment.completed", edits: [[paying, 'await emitPayment(deps, tx, "payment.completed", payment);', ""]] },
  {
    rule: "a dispute leaves no negative balance",
    edits: [[reversing, "const covered = Math.min(cents, balanceCents);", "const covered = cents;"]],
  },
  {
    rule: "a dispute beyond the balance is owed",
    edits: [
      [
        reversing,
        "amount: cents - covered },\n      { account: accounts.processor(processor), amount: -cents }",
        "amount: 0 },\n      { account: accounts.processor(processor), amount: -covered }",
      ],
    ],
  },
  {
    rule: "the next top-up settles what is owed first",
    edits: [[settling, 'payment.purpose === "order" ? 0 : await', "payment.amount_cents > 0 ? 0 : await"]],
  },
  {
    rule: "a disputed payment is disputed",
    edits: [[reversing, `if (taken.some(({ kind }) => kind === "dispute")) return "disputed";`, ""]],
  },
  {
    rule: "without a card processor the refusal says what to do",
    edits: [[paying, " ${howToPay(granted, deps.chains.pairs)}", ""]],
  },
  {
    rule: "money for an order pays it",
    edits: [[settling, "await payOrder(deps, tx, payment, payment);", "void payOrder;"]],
  },
  {
    rule: "money for an order that is over stays credit",
    edits: [
      [
        "server/billing/pay-order.ts",
        "if (!(await deps.paidOrders.awaitsPayment(deps, tx, playtestId)))",
        "if (playtestId === null)",
      ],
    ],
  },
];

const subscriptions: readonly Omit<Mutant, "test">[] = [
  {
    rule: "a renewal told twice grants once",
    edits: [[renewals, " || row.period_index !== periodIndex", ""]],
  },
  { rule: "a renewal enters the next period", edits: [[plans, "row.period_index + 1),", "row.period_index),"]] },
  {
    rule: "periods end on the month's last day where it is shorter",
    edits: [[planRules, "Math.min(anchor.getUTCDate(), lastDay)", "anchor.getUTCDate()"]],
  },
  { rule: "renewals are tried after 1, 3 and 5 days", edits: [[planRules, "retryDays = [1, 2, 2]", "retryDays = [1, 2, 3]"]] },
  {
    rule: "attempts after an outage are as far apart as the others",
    edits: [[renewals, "retryAt(now, failed.failed_renewals)", "retryAt(row.current_period_end!, failed.failed_renewals)"]],
  },
  {
    rule: "after the last try the plan ends",
    edits: [
      [
        renewals,
        'await emitSubscription(deps, tx, "subscription.cancelled", await end(deps, tx, late, "payment_failed"));',
        "void end;",
      ],
    ],
  },
  { rule: "a plan change says why the old one ended", edits: [[plans, ': "plan_changed",', ': "cancelled",']] },
  {
    rule: "the plan already held is refused",
    edits: [[plans, "if (running?.plan_key === planKey)", "if (running?.id === planKey)"]],
  },
  {
    rule: "the plan already held is refused with what it means",
    edits: [[plans, "You already have this plan. Nothing was started. It renews automatically.", "No."]],
  },
  {
    rule: "nothing to cancel is refused with what it means",
    edits: [["server/billing/cancellations.ts", "There is no active subscription to cancel. Nothing was changed.", "No."]],
  },
  {
    rule: "nothing to resume is refused with what it means",
    edits: [
      [
        "server/billing/cancellations.ts",
        "No cancellation is scheduled, so there is nothing to resume. Nothing was changed.",
        "No.",
      ],
    ],
  },
  {
    rule: "without a card processor no plan, and why",
    edits: [[paying, "This server does not accept cards. Nothing was started or charged. ", ""]],
  },
  {
    rule: "without a card processor no plan",
    edits: [
      [
        paying,
        "if (deps.cards) return deps.cards;",
        'if (deps.clock.now() > 0) return deps.cards ?? ({ name: "sandbox" } as CardProcessor);',
      ],
    ],
  },
  {
    rule: "a checkout that lapsed ends its subscription",
    edits: [[planRules, "now >= row.checkout_expires_at)", "now > row.checkout_expires_at)"]],
  },
  {
    rule: "a chargeback takes the hours back",
    edits: [
      [
        plans,
        "    transfers.push({ ...planMinutesTaken(factsOf(row, payment), minutesKey, minutes), subscriptionId: row.id });\n",
        "    void [planMinutesTaken, minutes];\n",
      ],
    ],
  },
  {
    rule: "a chargeback takes no more hours than are there",
    edits: [[planRules, "const kept = Math.min(plan.minutesPerCycle, balanceMinutes);", "const kept = plan.minutesPerCycle;"]],
  },
  {
    rule: "hours that were spent are owed, and settled by the next",
    edits: [["server/billing/hours.ts", "if (minutes > 0) await post", "if (minutes < 0) await post"]],
  },
  {
    rule: "a chargeback ends the plan",
    edits: [
      [
        plans,
        'if (isRunning(row)) await emitSubscription(deps, tx, "subscription.cancelled", await end(deps, tx, row, reason));',
        "void [row, reason, end];",
      ],
    ],
  },
];

const atStripe: readonly Omit<Mutant, "test">[] = [
  {
    rule: "Stripe: success told five times is credited once",
    edits: [...paidAgain, [hosted, "if (await payments.recordEvent(tx, seen)) await act(tx);", "await act(tx);"]],
  },
  {
    rule: "Stripe: an older report changes nothing",
    edits: [
      [states, 'completed: { dispute: "disputed"', 'completed: { cancel: "cancelled", dispute: "disputed"'],
      [stripe, 'state: paid ? "paid" : session.status === "open" ? "open" : "ended"', 'state: "ended"'],
    ],
  },
  {
    rule: "Stripe: only what Stripe signed",
    edits: [
      [
        stripe,
        "    return stripe.webhooks.constructEvent(body, signature, secret, toleranceSeconds, undefined, realNow);",
        "    if (realNow > 0) return JSON.parse(body.toString());\n    return stripe.webhooks.constructEvent(body, signature, secret, toleranceSeconds, undefined, realNow);",
      ],
    ],
  },
  {
    rule: "Stripe: another amount is not credited",
    edits: [[hosted, 'session.amountCents !== payment.amount_cents || session.currency !== "usd"', 'session.currency === ""']],
  },
  {
    rule: "Stripe: a dispute before its payment finds it",
    edits: [[hosted, "payment && !isBooked(payment) ? await", "payment && isBooked(payment) ? await"]],
  },
  {
    rule: "Stripe: an inquiry takes nothing",
    edits: [[hosted, 'dispute.state === "inquiry" ? undefined :', "dispute.amountCents === 0 ? undefined :"]],
  },
  {
    rule: "Stripe: a won dispute gives back once",
    edits: [
      [states, "  returned: {},", '  returned: { return: "returned" },'],
      [
        disputes,
        'const source = kind === "dispute" ? "dispute_won" : "refund_failed";',
        'const source = `${kind === "dispute" ? "dispute_won" : "refund_failed"}:${Math.random()}` as "dispute_won";',
      ],
    ],
  },
  {
    rule: "Stripe: won before it was told as opened",
    edits: [[disputes, "  if (!known) {\n    const nothing", "  if (!known) return;\n  if (!known) {\n    const nothing"]],
  },
  {
    rule: "Stripe: a refund is booked once",
    edits: [[disputes, "  if (await reversals.find(tx, id)) return;\n", ""]],
  },
  {
    rule: "Stripe: a failed refund is taken back",
    edits: [
      [
        disputes,
        '  await undo(deps, tx, payment, { id: refundId, kind: "refund", known: await reversals.find(tx, refundId) });\n',
        "",
      ],
    ],
  },
  {
    rule: "Stripe: a further dispute is flagged",
    edits: [[disputes, "await payments.flag(tx, payment.id, `disputed again:", "void (`disputed again:"]],
  },
  {
    rule: "Stripe: a chargeback by hand is the dispute told of later",
    edits: [
      [
        disputes,
        "const byHand = await reversals.find(tx, payment.id);",
        "const byHand = undefined as reversals.ReversalRow | undefined;",
      ],
    ],
  },
  {
    rule: "Stripe: a plan refunded in part goes on",
    edits: [
      [
        disputes,
        'payment.purpose === "subscription" && before + cents >= payment.amount_cents',
        'payment.purpose === "subscription"',
      ],
    ],
  },
  {
    rule: "Stripe: a renewal is charged under its payment's key",
    edits: [[stripe, "idempotencyKey: `${charge.paymentId}:renewal`", "idempotencyKey: `${Math.random()}:renewal`"]],
  },
  {
    rule: "Stripe: a won dispute of a plan returns its hours",
    edits: [[disputes, "minutesKey: returns ? key : undefined", "minutesKey: returns ? undefined : undefined"]],
  },
  {
    rule: "Stripe: cancelling ends the session",
    edits: [[stripe, "await reaching(stripe.checkout.sessions.expire(reference));", ""]],
  },
];

const invoices: readonly Omit<Mutant, "test">[] = [
  {
    rule: "invoices of completed payments only",
    edits: [["server/billing/invoices/handlers.ts", "if (payment.completed_at === null)", 'if (payment.status === "refunded")']],
  },
  {
    rule: "numbers without gaps",
    edits: [[invoiceRows, "SET last = invoice_numbers.last + 1", "SET last = invoice_numbers.last + 2"]],
  },
  {
    rule: "numbers begin each year",
    edits: [[invoicing, "const year = new Date(issuedAt).getUTCFullYear();", "const year = 2026;"]],
  },
  { rule: "what goes back has a credit note", edits: [[invoicing, "if (cents === 0) return;", "return;"]] },
  {
    rule: "an invoice of somebody else's payment is 404",
    edits: [
      [
        "server/billing/store.ts",
        '"SELECT * FROM payments WHERE id = ? AND owner_id = ?", id, ownerId',
        '"SELECT * FROM payments WHERE id = ?", id',
      ],
    ],
  },
  {
    rule: "an invoice says the amount",
    edits: [["server/billing/invoices/rules.ts", "const cents = payment.amount_cents;", "const cents = 0;"]],
  },
];

export const cardsRules: readonly Mutant[] = [
  ...sandbox.map((row) => ({ ...row, rule: `cards: ${row.rule}`, test: "api/billing" })),
  ...subscriptions.map((row) => ({ ...row, rule: `plans: ${row.rule}`, test: "api/billing-subscriptions" })),
  ...atStripe.map((row) => ({ ...row, test: "api/billing-stripe" })),
  ...invoices.map((row) => ({ ...row, rule: `invoices: ${row.rule}`, test: "api/billing-invoices" })),
  {
    rule: "receipts: one for each payment",
    test: "api/receipts",
    edits: [
      [
        paying,
        'await mailUserAbout(deps, tx, payment.owner_id, "payment.completed", receiptLetter(deps, payment, number));',
        "void number;",
      ],
    ],
  },
  {
    rule: "receipts: one under duplicates",
    test: "api/receipts",
    edits: [
      [
        paying,
        'await mailUserAbout(deps, tx, payment.owner_id, "payment.completed", receiptLetter(deps, payment, number));',
        'for (let copy = 0; copy < 2; copy++) await mailUserAbout(deps, tx, payment.owner_id, "payment.completed", receiptLetter(deps, payment, number));',
      ],
    ],
  },
  {
    rule: "receipts: none for what was not paid",
    test: "api/receipts",
    edits: [[paying, '"payment.failed", failedLetter(deps, payment)', '"payment.failed", receiptLetter(deps, payment, "PT-1")']],
  },
];
