// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of sources.
/**
 * Rules of the specification, each with an edit of the server that breaks it and the test file that must then fail. The
 * texts to replace stand once in their file: a row whose text is gone fails, so the table cannot rot unseen.
 */
export interface Mutant {
  rule: string;
  /** Under `test/`. */
  test: string;
  edits: readonly Edit[];
  /** Only the tests whose name matches; where there is one per database, those of SQLite unless said otherwise. */
  only?: string;
}

export type Edit = readonly [file: string, from: string, to: string];

const orders = "server/playtests/orders.ts";
const moves = "server/playtests/slots.ts";
const review = "server/playtests/review.ts";
const choosing = "server/playtests/applications.ts";
const claims = "server/playtests/claims.ts";
const times = "server/domain/slots.ts";
const eligibility = "server/domain/eligibility.ts";
const ledger = "server/domain/ledger.ts";
const slotRows = "server/store/slots.ts";
const slotRoutes = "server/handlers/slots.ts";
const playtesterRoutes = "server/handlers/playtester.ts";
const playtestRows = "server/store/playtests.ts";
const listener = "server/http/listener.ts";
const idempotency = "server/http/idempotency.ts";
const chatRows = "server/store/chat.ts";
const chatRoutes = "server/handlers/chat.ts";
const plans = "server/billing/subscriptions.ts";
const renewals = "server/billing/renewals.ts";
const cancellations = "server/billing/cancellations.ts";
const postgres = "server/store/postgres.ts";
const orderBody = "src/contract/order-body.ts";

const looseIsolation: Edit = [postgres, "ISOLATION LEVEL SERIALIZABLE", "ISOLATION LEVEL READ COMMITTED"];
const noCompareAndSet: Edit = [
  slotRows,
  'updateRow(tx, "slots", id, changes, { status: from })',
  'updateRow(tx, "slots", id, changes)',
];

const slot: Mutant[] = [
  {
    rule: "an order opens as many slots as it has",
    test: "api/playtests",
    edits: [[orders, "index < playtest.quantity", "index < 1"]],
  },
  {
    rule: "a claim by one player has 24 hours",
    test: "api/playtests",
    edits: [[times, "? 72 : 24) * hour", "? 72 : 25) * hour"]],
  },
  {
    rule: "a claim for several players has 72 hours",
    test: "api/playtests",
    edits: [[times, 'selectionMode === "manual" || playerCount > 1', 'selectionMode === "manual"']],
  },
  {
    rule: "an approval has 72 hours whatever the players",
    test: "api/applications",
    edits: [[times, 'selectionMode === "manual" || playerCount > 1', "playerCount > 1"]],
  },
  {
    rule: "only who is eligible claims",
    test: "api/playtests",
    edits: [[claims, "if (why) throw conflict(`${why} Nothing was claimed.`);", ""]],
  },
  {
    rule: "nobody claims in manual mode",
    test: "api/applications",
    edits: [[claims, 'if (playtest.selection_mode === "manual") throw', "if (playtest.quantity < 0) throw"]],
  },
  {
    rule: "new to the game: a past playtester is refused",
    test: "api/playtests",
    edits: [[eligibility, "inGame ? facts.playedGame : facts.playedOwner)", "inGame ? false : facts.playedOwner)"]],
  },
  {
    rule: "new to the owner: a past playtester is refused",
    test: "api/playtests",
    edits: [[eligibility, "inGame ? facts.playedGame : facts.playedOwner)", "inGame && facts.playedGame)"]],
  },
  {
    rule: "past of the game: a newcomer is refused",
    test: "api/playtests",
    edits: [
      [eligibility, "if (inGame ? facts.acceptedGame : facts.acceptedOwner) return", "if (inGame || facts.acceptedOwner) return"],
    ],
  },
  {
    rule: "past of the owner: a newcomer is refused",
    test: "api/playtests",
    edits: [
      [eligibility, "if (inGame ? facts.acceptedGame : facts.acceptedOwner) return", "if (!inGame || facts.acceptedGame) return"],
    ],
  },
  {
    rule: "past, specific: only that playtester",
    test: "api/playtests",
    edits: [[eligibility, "targeting.playtesterId === playtesterId", "targeting.playtesterId !== null"]],
  },
  {
    rule: "past means accepted, not only played",
    test: "api/playtests",
    edits: [[playtestRows, `await any("status = 'accepted' AND owner_id = ?"`, 'await any("owner_id = ?"']],
  },
  {
    rule: "one slot per playtester and request",
    test: "api/playtests",
    edits: [
      [eligibility, '["reserved", "blocked", "submitted", "publishing", "accepted"]', '["reserved"]'],
      [eligibility, "if (facts.ownStatuses.length > 0)", "if (facts.ownStatuses.length > 99)"],
    ],
  },
  {
    rule: "at most so many held slots",
    test: "api/playtests",
    edits: [[eligibility, "=> facts.held >= facts.maxHeld", "=> facts.held > facts.maxHeld"]],
  },
  {
    rule: "a deadline holds to the millisecond: submit at it is late",
    test: "api/deadlines",
    edits: [[times, "slot.deadline_at <= now) return", "slot.deadline_at < now) return"]],
  },
  {
    rule: "a deadline holds to the millisecond: submit just before it is in time",
    test: "api/deadlines",
    edits: [[times, "slot.deadline_at <= now) return", "slot.deadline_at <= now + 1) return"]],
  },
  {
    rule: "a submission has its notes and the size of its video",
    test: "api/uploads",
    edits: [[moves, "video_file_size: video.size", "video_file_size: 1"]],
  },
  {
    rule: "submitting without a complete video is refused",
    test: "api/uploads",
    edits: [["server/store/uploads.ts", "WHERE slot_id = ? AND status = 'completed' ORDER", "WHERE slot_id = ? ORDER"]],
  },
  {
    rule: "event slot.submitted",
    test: "api/playtests",
    edits: [[moves, 'await tell(deps, tx, slot, "slot.submitted");', ""]],
  },
  {
    rule: "event slot.accepted",
    test: "api/playtests",
    edits: [[review, 'await tell(deps, tx, slot, "slot.accepted", playtest.payout_cents);', ""]],
  },
  {
    rule: "event slot.rejected",
    test: "api/playtests",
    edits: [[review, 'await tell(deps, tx, slot, "slot.rejected");', ""]],
  },
  {
    rule: "accepting pays the payout",
    test: "api/playtests",
    edits: [[review, "  await pay(deps, tx, playtest, slot);\n  await finishPlaytest", "  await finishPlaytest"]],
  },
  {
    rule: "the payout is posted once",
    test: "api/playtests",
    edits: [
      [review, 'slots.transition(tx, slot.id, "submitted", next)', "slots.transition(tx, slot.id, slot.status, next)"],
      [
        ledger,
        'eventKey: `accept:${slot.slotId}`, asset: "USD", postings }',
        'eventKey: `accept:${slot.slotId}:${Math.random()}`, asset: "USD", postings }',
      ],
    ],
  },
  {
    rule: "an accepted slot is not accepted again",
    test: "api/deadlines",
    edits: [[review, 'slots.transition(tx, slot.id, "submitted", next)', "slots.transition(tx, slot.id, slot.status, next)"]],
  },
  {
    rule: "an accepted, open or reserved slot is not rejected",
    test: "api/deadlines",
    edits: [[review, 'if (slot.status !== "submitted") throw notSubmitted(slot.status);', ""]],
  },
  {
    rule: "a retry is a new reserved slot for the same playtester",
    test: "api/playtests",
    edits: [[review, "playtester_id: slot.playtester_id,", "playtester_id: slot.owner_id,"]],
  },
  {
    rule: "a retry has 24 hours, also for several players",
    test: "api/deadlines",
    edits: [[times, "retryDeadlineMs = 24 * hour", "retryDeadlineMs = 72 * hour"]],
  },
  {
    rule: "the retry variant of the message",
    test: "api/playtests",
    edits: [
      [review, 'return "Submission rejected. The playtester may submit again within 24 hours."', 'return "Submission rejected."'],
    ],
  },
  {
    rule: "a retry charges nothing and forfeits nothing",
    test: "api/deadlines",
    edits: [
      [
        review,
        "  await markRejected(deps, tx, slot, why);\n",
        "  await markRejected(deps, tx, slot, why);\n  await ledger.postAll(tx, rejectTransfers(termsOf(playtest, slot)), stamp(deps));\n",
      ],
    ],
  },
  {
    rule: "a rejection is visible in the detail",
    test: "api/playtests",
    edits: [[review, "reason: why.reason, allow_retry", 'reason: "", allow_retry']],
  },
  {
    rule: "a rejection is visible in the list",
    test: "api/playtests",
    edits: [
      [
        slotRoutes,
        "slots: items.map((slot) => slotView(slot,",
        "slots: items.map((slot) => slotView({ ...slot, rejected_at: null },",
      ],
    ],
  },
  {
    rule: "a final rejection pays nobody",
    test: "api/playtests",
    edits: [
      [
        review,
        "rejectTransfers(termsOf(playtest, slot)), stamp",
        "acceptTransfers(termsOf(playtest, slot), slot.playtester_id!), stamp",
      ],
    ],
  },
  {
    rule: "a final rejection forfeits the hold",
    test: "api/deadlines",
    edits: [[review, "  await ledger.postAll(tx, rejectTransfers(termsOf(playtest, slot)), stamp(deps));\n", ""]],
  },
  {
    rule: "the manual window is 7 days",
    test: "api/applications",
    edits: [[orders, "windowMs = 7 * 24 * hour", "windowMs = 8 * 24 * hour"]],
  },
  {
    rule: "the window ends to the millisecond",
    test: "api/deadlines",
    edits: [[times, "slot.window_at <= now) return", "slot.window_at < now) return"]],
  },
  {
    rule: "what is open at the window's end expires",
    test: "api/applications",
    edits: [["server/jobs/playtests.ts", "    await expireUnfilled(deps, tx, playtest);\n", ""]],
  },
  {
    rule: "an unfilled slot's price returns",
    test: "api/applications",
    edits: [
      [
        moves,
        '  await tell(deps, tx, slot, "slot.expired");\n  await refund(deps, tx, playtest, slot, "manual_slot_expired");\n}',
        '  await tell(deps, tx, slot, "slot.expired");\n}',
      ],
    ],
  },
  {
    rule: "an unfilled slot's price returns once, also when the job runs twice",
    test: "api/applications",
    edits: [
      [
        moves,
        "for (const slot of await slots.openOf(tx, playtest.id)) await endUnfilled",
        "for (const slot of await slots.listForPlaytest(tx, playtest.id, { limit: 99, after: undefined })) await endUnfilled",
      ],
      [
        moves,
        '"open", { status: "expired", ended_at: endedAt }))) return;',
        'slot.status, { status: "expired", ended_at: endedAt }))) return;',
      ],
      [ledger, "eventKey: `${why}:${slot.slotId}`", "eventKey: `${why}:${slot.slotId}:${Math.random()}`"],
    ],
  },
  {
    rule: "exactly the price returns: minutes where minutes paid",
    test: "api/applications",
    edits: [[ledger, "accounts.minutes(slot.ownerId), slot.minutes),", "accounts.minutes(slot.ownerId), slot.minutes - 1),"]],
  },
  {
    rule: "an expired slot is replaced, without a refund",
    test: "api/deadlines",
    edits: [[moves, "return void (await replace(deps, tx, playtest, slot));", "return;"]],
  },
  {
    rule: "who lost a slot cannot have another of the request",
    test: "api/playtests",
    edits: [[eligibility, "if (facts.ownStatuses.length > 0)", "if (facts.ownStatuses.length > 99)"]],
  },
  {
    rule: "keys are handed out in order",
    test: "api/playtests",
    edits: [[playtestRows, "slot_id IS NULL ORDER BY position LIMIT", "slot_id IS NULL ORDER BY position DESC LIMIT"]],
  },
  {
    rule: "as many keys as players",
    test: "api/playtests",
    edits: [[moves, "slot.id, playtest.player_count);\n  await watchDeadline", "slot.id, 99);\n  await watchDeadline"]],
  },
  {
    rule: "secrets of a game show to the holder only while they hold the slot",
    test: "api/playtests",
    edits: [[playtesterRoutes, '["reserved", "blocked", "submitted"]', '["reserved", "blocked", "submitted", "cancelled"]']],
  },
  {
    rule: "an offer hides the instructions",
    test: "api/playtests",
    edits: [[playtesterRoutes, "    description: game.description,", "    description: game.instructions,"]],
  },
];

const request: Mutant[] = [
  {
    rule: "hours pay only what they cover whole",
    test: "api/playtests",
    edits: [["server/domain/orders.ts", "funds.minutesAvailable >= need.minutesNeeded", "funds.minutesAvailable > 0"]],
  },
  {
    rule: "hours that cover it exactly pay",
    test: "api/playtests",
    edits: [
      ["server/domain/orders.ts", "funds.minutesAvailable >= need.minutesNeeded", "funds.minutesAvailable > need.minutesNeeded"],
    ],
  },
  {
    rule: "hours come before credit",
    test: "api/playtests",
    edits: [["server/domain/orders.ts", '  if (hoursCover) return { by: "hours" };\n', ""]],
  },
  {
    rule: "credit that covers it exactly pays",
    test: "api/playtests",
    edits: [["server/domain/orders.ts", "funds.balanceCents >= need.totalCents", "funds.balanceCents > need.totalCents"]],
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
    edits: [["server/handlers/order-replies.ts", "  requiresPayment: yes,\n", ""]],
  },
  {
    rule: "some credit but too little is refused",
    test: "api/playtests",
    edits: [["server/domain/orders.ts", "return funds.balanceCents > 0 ?", "return funds.balanceCents > need.totalCents ?"]],
  },
  {
    rule: "the refusal names both amounts",
    test: "api/playtests",
    edits: [[orders, "and ${usd(need.totalCents)} is required", "and more is required"]],
  },
  {
    rule: "a trial is active with open slots and waits for an admin",
    test: "api/playtests",
    edits: [["server/handlers/orders.ts", "{ limit: playtest.quantity, after", "{ limit: 0, after"]],
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
      [orders, "if (await playtests.hasTrial(tx, game.id)) throw trialUsed();", ""],
      ["server/store/migrations/001-initial.ts", "CREATE UNIQUE INDEX one_trial_per_game", "CREATE INDEX one_trial_per_game"],
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
    edits: [[times, "playtest.pay_by <= now ?", "playtest.pay_by < now ?"]],
  },
];

const application: Mutant[] = [
  {
    rule: "nobody applies in automatic mode",
    test: "api/applications",
    edits: [
      [
        choosing,
        '  if (playtest.selection_mode !== "manual")\n    throw badRequest("This playtest takes the first who claims: claim',
        '  if (playtest.quantity < 0)\n    throw badRequest("This playtest takes the first who claims: claim',
      ],
    ],
  },
  {
    rule: "nothing to approve in automatic mode: 400",
    test: "api/applications",
    edits: [
      [
        choosing,
        '  if (playtest.selection_mode !== "manual")\n    throw badRequest("This playtest takes the first who claims: there',
        '  if (playtest.quantity < 0)\n    throw badRequest("This playtest takes the first who claims: there',
      ],
    ],
  },
  {
    rule: "an approval names the slot",
    test: "api/applications",
    edits: [[choosing, "assigned_slot_id: slot.id }", "assigned_slot_id: null }"]],
  },
  {
    rule: "who applied once cannot apply again",
    test: "api/applications",
    edits: [
      [
        choosing,
        "if (!(await applications.insert(tx, application)))",
        "if (!(await applications.insert(tx, application)) && playtest.quantity < 0)",
      ],
    ],
  },
  {
    rule: "only a pending application is decided",
    test: "api/applications",
    edits: [
      [choosing, 'if (status !== "pending") throw notPending(status);', ""],
      ["server/store/applications.ts", '{ status: "pending" }', "{}"],
    ],
  },
  {
    rule: "the playtester is told of a rejection",
    test: "api/applications",
    edits: [[choosing, 'playtester, "application.rejected")', 'playtester, "application.auto_rejected")']],
  },
  {
    rule: "the owner's words go into the mail",
    test: "api/applications",
    edits: [
      [
        choosing,
        "composeRejected({ name: playtester.display_name, gameName, customMessage })",
        "composeRejected({ name: playtester.display_name, gameName, customMessage: undefined })",
      ],
    ],
  },
  {
    rule: "the last slot closes the rest",
    test: "api/applications",
    edits: [
      [
        choosing,
        "slotsRemaining: await closeWhenFull(deps, tx, playtest) }",
        "slotsRemaining: (await slots.openOf(tx, playtest.id)).length }",
      ],
    ],
  },
  {
    rule: "each of the rest is told",
    test: "api/applications",
    edits: [[choosing, 'await tell(deps, tx, playtest, id, playtester, "application.auto_rejected")', '{ gameName: "" }']],
  },
  {
    rule: "a withdrawn application is withdrawn",
    test: "api/applications",
    edits: [[choosing, '{ status: "withdrawn" as const', '{ status: "rejected" as const']],
  },
  {
    rule: "pending applications close with the window",
    test: "api/applications",
    edits: [["server/jobs/playtests.ts", "    await closePending(deps, tx, playtest, playtest.applications_expire_at!);\n", ""]],
  },
];

const subscription: Mutant[] = [
  {
    rule: "a checkout that started is incomplete",
    test: "api/billing-subscriptions",
    edits: [[plans, 'status: "incomplete",\n    provider', 'status: "past_due",\n    provider']],
  },
  {
    rule: "a paid checkout is active",
    test: "api/billing-subscriptions",
    edits: [[plans, '{ status: "active", card: card', '{ status: "past_due", card: card']],
  },
  {
    rule: "a paid plan grants its hours",
    test: "api/billing-subscriptions",
    edits: [
      [
        "server/domain/subscriptions.ts",
        "const granted = move(accounts.minutesIssued, accounts.minutes(ownerId), plan.minutesPerCycle)",
        "const granted = move(accounts.minutesIssued, accounts.minutes(ownerId), plan.minutesPerCycle / 2)",
      ],
    ],
  },
  {
    rule: "event subscription.created",
    test: "api/billing-subscriptions",
    edits: [[plans, 'await emitSubscription(deps, tx, "subscription.created", { ...row, ...started });', ""]],
  },
  {
    rule: "event subscription.renewed",
    test: "api/billing-subscriptions",
    edits: [[plans, 'await emitSubscription(deps, tx, "subscription.renewed", { ...row, ...renewed });', ""]],
  },
  {
    rule: "a failed renewal is past due",
    test: "api/billing-subscriptions",
    edits: [[renewals, '{ status: "past_due", failed', '{ status: "active", failed']],
  },
  {
    rule: "event subscription.payment_failed",
    test: "api/billing-subscriptions",
    edits: [[renewals, 'await emitSubscription(deps, tx, "subscription.payment_failed", late);', ""]],
  },
  {
    rule: "a later success is active again",
    test: "api/billing-subscriptions",
    edits: [[plans, '{ status: "active", failed_renewals: 0 }', "{ failed_renewals: 0 }"]],
  },
  {
    rule: "a cancelled plan runs to the end of its period",
    test: "api/billing-subscriptions",
    edits: [[cancellations, 'row.status === "past_due" ? await end', 'row.status !== "incomplete" ? await end']],
  },
  {
    rule: "event subscription.cancelled",
    test: "api/billing-subscriptions",
    edits: [[cancellations, '  await emitSubscription(deps, tx, "subscription.cancelled", result);\n', ""]],
  },
  {
    rule: "resuming undoes the cancellation",
    test: "api/billing-subscriptions",
    edits: [[cancellations, "{ cancel_at_period_end: 0, cancelled_at: null", "{ cancel_at_period_end: 1, cancelled_at: null"]],
  },
  {
    rule: "a plan change ends the old plan at that moment",
    test: "api/billing-subscriptions",
    edits: [[plans, "  if (running) await replace(deps, tx, running);\n", ""]],
  },
  {
    rule: "a cancelled plan does not renew",
    test: "api/billing-subscriptions",
    edits: [[renewals, "if (row.cancel_at_period_end === 1) {", "if (row.cancel_at_period_end === 2) {"]],
  },
];

const money: Mutant[] = [
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
      [
        moves,
        'slots.transition(tx, slot.id, "open", { status: "cancelled", ended_at: now })',
        'slots.transition(tx, slot.id, slot.status, { status: "cancelled", ended_at: now })',
      ],
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
    rule: "postings of a transfer sum to zero",
    test: "model/ledger",
    edits: [
      [
        "server/store/ledger.ts",
        "if (sum !== 0 || transfer.postings.length < 2) throw",
        "if (transfer.postings.length < 2) throw",
      ],
      [ledger, "amount: payoutCents - costCents }", "amount: payoutCents - costCents + 1 }"],
    ],
  },
];

const concurrency: Mutant[] = [
  {
    rule: "one slot, many claims: one",
    test: "api/playtests",
    edits: [
      noCompareAndSet,
      [
        slotRows,
        "WHERE playtest_id = ? AND status = 'open' ORDER BY created_at, id LIMIT 1",
        "WHERE playtest_id = ? ORDER BY created_at, id LIMIT 1",
      ],
    ],
  },
  {
    rule: "10 slots, 50 approvals: 10",
    test: "api/applications",
    edits: [
      noCompareAndSet,
      [
        slotRows,
        "WHERE playtest_id = ? AND status = 'open' ORDER BY created_at, id LIMIT 1",
        "WHERE playtest_id = ? ORDER BY created_at, id LIMIT 1",
      ],
    ],
  },
  {
    rule: "credit for one, many orders: one",
    test: "api/playtests",
    edits: [
      [
        "server/domain/orders.ts",
        "const creditCovers = funds.balanceCents >= need.totalCents",
        "const creditCovers = funds.balanceCents >= 0",
      ],
    ],
  },
  ...[
    "gives one slot to one of 200 claims",
    "gives 10 slots to 10 of 50 approvals",
    "accepts or rejects a submission",
    "deletes a slot or lets it be claimed",
    "expires a slot or takes its submission",
  ].map((name) => ({
    rule: `two processes: ${name}`,
    test: "faults/races",
    only: `PostgreSQL.*${name}`,
    edits: [looseIsolation, noCompareAndSet],
  })),
  {
    rule: "two processes: one of 50 orders from credit for one",
    test: "faults/races",
    only: "PostgreSQL.*pays one of 50 orders",
    edits: [
      looseIsolation,
      ["server/store/ledger.ts", "AND balance + ? ${sign} 0 RETURNING", "AND (balance + ? ${sign} 0 OR 1 = 1) RETURNING"],
    ],
  },
  {
    rule: "two processes: one order for one key",
    test: "faults/races",
    only: "PostgreSQL.*orders once for 20 requests",
    edits: [[listener, "const stored = await once?.find(tx);", "const stored = undefined as Rendered | undefined;"]],
  },
  {
    rule: "two processes: each job runs once",
    test: "faults/races",
    only: "PostgreSQL.*runs each job once",
    edits: [
      ["server/store/jobs.ts", "    lease.due,\n    lease.real,", "    lease.due,\n    lease.real + 99_999,"],
      ["server/store/jobs.ts", "    lease.count,\n    lease.real,", "    lease.count,\n    lease.real + 99_999,"],
      [slotRows, 'updateRow(tx, "slots", id, changes, { status: from })', 'updateRow(tx, "slots", id, changes)'],
    ],
  },
  {
    rule: "two processes tell the same time",
    test: "store/clock",
    edits: [["server/clock.ts", "...(isShared && { follow }),", "follow: async () => {},"]],
  },
  {
    rule: "two processes tell the same time, in every request",
    test: "faults/races",
    only: "PostgreSQL.*(adds up advances|expires a slot)",
    edits: [["server/compose.ts", "if (!follow) return store;", "if (follow) return store;"]],
  },
  {
    rule: "advances at once add up",
    test: "store/clock",
    edits: [["server/clock.ts", '        await write(tx, "clock_booked_ms", booked);\n', ""]],
  },
  {
    rule: "the clock never goes back, whoever moves it",
    test: "store/clock",
    edits: [["server/clock.ts", 'if (next > (await read(tx, "clock_offset_ms"))) await', "await"]],
  },
  {
    rule: "a lease holds until it runs out",
    test: "faults/two-processes",
    edits: [
      ["server/store/jobs.ts", "    lease.due,\n    lease.real,", "    lease.due,\n    lease.real + 1,"],
      ["server/store/jobs.ts", "    lease.count,\n    lease.real,", "    lease.count,\n    lease.real + 1,"],
    ],
  },
  {
    rule: "who lost the lease ends no job",
    test: "faults/two-processes",
    edits: [
      [
        "server/store/jobs.ts",
        'tx.run("DELETE FROM jobs WHERE id = ? AND lease_token = ?", job.id, job.lease_token)',
        'tx.run("DELETE FROM jobs WHERE id = ?", job.id)',
      ],
    ],
  },
  {
    rule: "who lost the lease writes nothing",
    test: "faults/two-processes",
    edits: [["server/jobs/runner.ts", "if (rows === 0) throw new Error(`job ${row.kind} ${row.id}: the lease was lost`);", ""]],
  },
];

const once: Mutant[] = [
  {
    rule: "a replay says so",
    test: "api/http",
    edits: [[idempotency, ', "Idempotency-Replayed": "true" }', " }"]],
  },
  {
    rule: "same key, other body: refused",
    test: "api/http",
    edits: [[idempotency, "${canonicalJson(request.body ?? {})}", ""]],
  },
  {
    rule: "same key, other path: refused",
    test: "api/http",
    edits: [[idempotency, "${request.endpoint.method} ${request.path}?", "${request.endpoint.method}?"]],
  },
  {
    rule: "many at once with one key: one effect",
    test: "api/playtests",
    edits: [
      [idempotency, "    alone: (work) => runAlone(deps, `${accountId} ${key}`, work),", "    alone: (work) => work(),"],
      [listener, "const stored = await once?.find(tx);", "const stored = undefined as Rendered | undefined;"],
    ],
  },
  {
    rule: "the key of another account is another key",
    test: "api/http",
    edits: [
      [
        "server/store/idempotency.ts",
        "WHERE account_id = ? AND idempotency_key",
        "WHERE account_id <> CAST(? AS INTEGER) AND idempotency_key",
      ],
    ],
  },
  {
    rule: "the order of fields does not matter",
    test: "api/http",
    edits: [
      [idempotency, "canonicalJson(request.body ?? {})", "JSON.stringify(request.body ?? {})"],
      [listener, "return validate(endpoint.body, raw ?? {});", "return raw ?? {};"],
    ],
  },
  {
    rule: "a refusal is not remembered: topped up, the same key orders",
    test: "api/http",
    edits: [
      [
        listener,
        "const outcome = await fn(tx);",
        "const outcome = await fn(tx).catch((error) => new Remembered(error, deps.clock.now() + 86_400_000));",
      ],
    ],
  },
  {
    rule: "a key of 256 characters is refused",
    test: "api/http",
    edits: [[idempotency, "{1,255}$/", "{1,256}$/"]],
  },
  { rule: "an empty key is refused", test: "api/http", edits: [[idempotency, "{1,255}$/", "{0,255}$/"]] },
  {
    rule: "a key with control characters is refused",
    test: "api/http",
    edits: [[idempotency, "/^[\\x20-\\x7e]", "/^[\\x00-\\x7e]"]],
  },
  { rule: "a key is kept for 24 hours", test: "api/http", edits: [[idempotency, "keepMs = 24 *", "keepMs = 25 *"]] },
];

const paging: Mutant[] = [
  {
    rule: "limit 101 is refused",
    test: "api/http",
    edits: [["src/contract/fields.ts", "queryInteger(1, 100)\n    .default", "queryInteger(1, 101)\n    .default"]],
  },
  { rule: "no limit means 20", test: "api/http", edits: [["src/contract/fields.ts", 'limit(20, "20")', 'limit(21, "20")']] },
  {
    rule: "an exactly full last page is the last",
    test: "api/http",
    edits: [["server/http/call.ts", "rows.length > page.limit ?", "rows.length >= page.limit ?"]],
  },
  {
    rule: "lists are newest first",
    test: "api/http",
    edits: [["server/store/keyset.ts", '["<", "DESC"] : [">", "ASC"]', '[">", "ASC"] : ["<", "DESC"]']],
  },
  {
    rule: "chat is oldest first",
    test: "api/chat",
    edits: [[chatRows, 'order === "asc" ? "oldest" : "newest"', '"newest"']],
  },
  {
    rule: "the hours history is newest first",
    test: "api/billing-subscriptions",
    edits: [["server/store/hours.ts", 'keyset(page, "p")', 'keyset(page, "p", "oldest")']],
  },
  {
    rule: "unread=true filters",
    test: "api/notifications",
    edits: [["server/store/notifications.ts", 'unread ? "AND n.read_at IS NULL " : ""', '""']],
  },
  {
    rule: "unreadCount is the total",
    test: "api/notifications",
    edits: [
      [
        "server/handlers/notifications.ts",
        "await notificationStore.countUnread(q, userId)",
        "(await notificationStore.list(q, userId, true, page)).slice(0, page.limit).length",
      ],
    ],
  },
];

const access: Mutant[] = [
  {
    rule: "another owner's slot is 404",
    test: "api/foreign",
    edits: [[slotRoutes, "slot?.owner_id === ownerId ?", "slot !== undefined ?"]],
  },
  {
    rule: "another owner's playtest is 404",
    test: "api/foreign",
    edits: [
      [
        playtestRows,
        '"SELECT * FROM playtests WHERE id = ? AND owner_id = ?", id, ownerId',
        '"SELECT * FROM playtests WHERE id = ?", id',
      ],
    ],
  },
  {
    rule: "another owner's game is 404",
    test: "api/foreign",
    edits: [
      [
        "server/store/games.ts",
        '"SELECT * FROM games WHERE id = ? AND owner_id = ?", id, ownerId',
        '"SELECT * FROM games WHERE id = ?", id',
      ],
    ],
  },
  {
    rule: "another owner's application is 404",
    test: "api/foreign",
    edits: [
      [
        "server/handlers/applications.ts",
        "await playtests.findForOwner(q, application.playtest_id, ownerId)",
        "await playtests.find(q, application.playtest_id)",
      ],
    ],
  },
  {
    rule: "another owner's application is not to be read",
    test: "api/foreign",
    edits: [
      [
        "server/handlers/applications.ts",
        "const playtest = await playtests.findForOwner(q, call.params.id, call.principal.userId);",
        "const playtest = await playtests.find(q, call.params.id);",
      ],
    ],
  },
  {
    rule: "another owner's payment is 404",
    test: "api/foreign",
    edits: [
      [
        "server/store/payments.ts",
        '"SELECT * FROM payments WHERE id = ? AND owner_id = ?", id, ownerId',
        '"SELECT * FROM payments WHERE id = ?", id',
      ],
    ],
  },
  {
    rule: "another owner's webhook is 404",
    test: "api/foreign",
    edits: [
      [
        "server/store/webhooks.ts",
        '"SELECT * FROM webhooks WHERE id = ? AND owner_id = ? AND deleted_at IS NULL", id, ownerId',
        '"SELECT * FROM webhooks WHERE id = ?", id',
      ],
    ],
  },
  {
    rule: "another account's key is not revoked",
    test: "api/foreign",
    edits: [
      [
        "server/store/keys.ts",
        "WHERE id = ? AND user_id = ? AND revoked_at IS NULL",
        "WHERE id = ? AND user_id <> ? AND revoked_at IS NULL",
      ],
    ],
  },
  {
    rule: "another playtester's slot is 404",
    test: "api/foreign",
    edits: [[slotRows, "`${detail} WHERE s.id = ? AND s.playtester_id = ?`, id, playtesterId", "`${detail} WHERE s.id = ?`, id"]],
  },
  {
    rule: "another playtester's application is 404",
    test: "api/foreign",
    edits: [
      [
        "server/store/applications.ts",
        "`${mine} WHERE a.id = ? AND a.playtester_id = ?`, id, playtesterId",
        "`${mine} WHERE a.id = ?`, id",
      ],
    ],
  },
  {
    rule: "a revoked key is 401",
    test: "api/accounts",
    edits: [["server/http/auth.ts", "!found || found.revoked_at !== null", "!found"]],
  },
  {
    rule: "a key without the scope is 403",
    test: "api/http",
    edits: [["server/http/auth.ts", "if (!permits(", "if (false && !permits("]],
  },
  {
    rule: "an unverified account is 403",
    test: "api/http",
    edits: [["server/http/auth.ts", "principal.emailVerified || endpoint.unverified", "principal.userId || endpoint.unverified"]],
  },
  {
    rule: "a conversation of others is 404",
    test: "api/foreign",
    edits: [
      [
        chatRows,
        "`SELECT * FROM conversations WHERE id = ? AND ${columns[side].own} = ?`, id, userId",
        "`SELECT * FROM conversations WHERE id = ?`, id",
      ],
    ],
  },
  {
    rule: "who was blocked cannot post",
    test: "api/chat",
    edits: [[chatRoutes, "if (blockedBy(conversation, chatStore.otherSide(side)))", "if (side === undefined)"]],
  },
  {
    rule: "isBlocked is for the blocker",
    test: "api/chat",
    edits: [
      [
        chatRoutes,
        "const isBlocked = blockedBy(conversation, sideOf(call.principal));",
        "const isBlocked = blockedBy(conversation, chatStore.otherSide(sideOf(call.principal)));",
      ],
    ],
  },
  {
    rule: "an altered download token is 403",
    test: "api/downloads",
    edits: [["server/links.ts", "|| !sameText(mac, deps.secrets.mac(purpose, payload))", ""]],
  },
  {
    rule: "a download token is valid for an hour",
    test: "api/downloads",
    edits: [["server/links.ts", "expiresAt <= deps.clock.now()", "expiresAt + 1000 <= deps.clock.now()"]],
  },
  {
    rule: "a download token is for GET",
    test: "api/downloads",
    edits: [["server/pages/downloads.ts", 'request.method !== "GET" && request.method !== "HEAD"', 'request.method === "PATCH"']],
  },
  {
    rule: "keys for testers are stored sealed",
    test: "api/http",
    edits: [[orders, "deps.secrets.seal(key, `key ${playtestId} ${position}`)", "key"]],
  },
  {
    rule: "API keys are stored hashed",
    test: "api/http",
    edits: [
      ["server/accounts.ts", "hash: sha256(secret)", "hash: secret"],
      ["server/http/auth.ts", "keys.findByHash(q, sha256(key))", "keys.findByHash(q, key)"],
    ],
  },
];

const publishing: Mutant[] = [
  {
    rule: "an accepted public slot is publishing until the video is out",
    test: "api/public",
    edits: [[review, 'isPublic ? { status: "publishing" } :', 'isPublic && playtest.quantity < 0 ? { status: "publishing" } :']],
  },
  {
    rule: "a trial's video waits for an admin",
    test: "api/public",
    edits: [[review, "if (await awaitsAdmin(tx, playtest, slot))", "if (slot.id === undefined)"]],
  },
];

/** What random stories find by themselves (`test/model/model.ts`). */
const model: Omit<Mutant, "test">[] = [
  { rule: "model: a withdrawal", edits: [[choosing, '{ status: "withdrawn" as const', '{ status: "rejected" as const']] },
  {
    rule: "model: nobody applies twice",
    edits: [
      [
        choosing,
        "if (!(await applications.insert(tx, application)))",
        "if (!(await applications.insert(tx, application)) && playtest.quantity < 0)",
      ],
    ],
  },
  { rule: "model: the deadline of a retry", edits: [[times, "retryDeadlineMs = 24 * hour", "retryDeadlineMs = 72 * hour"]] },
  {
    rule: "model: a retry is the same claim",
    edits: [
      [review, "    retry_of: slot.id,\n    reserved_at", "    retry_of: slot.id,\n    playtester_id: null,\n    reserved_at"],
    ],
  },
  {
    rule: "model: the refund of what is unfilled",
    edits: [
      [
        moves,
        '  await tell(deps, tx, slot, "slot.expired");\n  await refund(deps, tx, playtest, slot, "manual_slot_expired");\n}',
        '  await tell(deps, tx, slot, "slot.expired");\n}',
      ],
    ],
  },
  {
    rule: "model: no refund of a slot that is replaced",
    edits: [[moves, "return void (await replace(deps, tx, playtest, slot));", "await replace(deps, tx, playtest, slot);"]],
  },
  {
    rule: "model: the last slot closes the rest",
    edits: [
      [
        choosing,
        "slotsRemaining: await closeWhenFull(deps, tx, playtest) }",
        "slotsRemaining: (await slots.openOf(tx, playtest.id)).length }",
      ],
    ],
  },
  {
    rule: "model: the window closes what is pending",
    edits: [["server/jobs/playtests.ts", "    await closePending(deps, tx, playtest, playtest.applications_expire_at!);\n", ""]],
  },
  {
    rule: "model: what is released is replaced",
    edits: [[moves, "const replacement = await replace(deps, tx, playtest, slot);", "const replacement = slot;"]],
  },
  {
    rule: "model: what is released after the window is paid back",
    edits: [
      [
        moves,
        "if (!windowOver(playtest, deps.clock.now())) return;\n  await endUnfilled",
        "if (playtest.quantity > 0) return;\n  await endUnfilled",
      ],
    ],
  },
  {
    rule: "model: a blocked slot has no deadline",
    edits: [[moves, '{ status: "blocked", deadline_at: null }', '{ status: "reserved" }']],
  },
  {
    rule: "model: an unblocked slot has a fresh deadline",
    edits: [[moves, '{ status: "reserved", deadline_at: deadline }', '{ status: "reserved", deadline_at: deadline - 1 }']],
  },
  {
    rule: "model: a blocked slot counts as held",
    edits: [[slotRows, "(status = 'blocked' OR (status = 'reserved'", "((status = 'reserved'"]],
  },
  {
    rule: "model: a trial's video waits for an admin",
    edits: [[review, "if (await awaitsAdmin(tx, playtest, slot))", "if (slot.id === undefined)"]],
  },
  {
    rule: "model: a rejected video ends its slot",
    edits: [["server/playtests/publishing.ts", "  await rejectForGood(deps, tx, playtest, slot, reason);\n", ""]],
  },
  {
    rule: "model: an approval of a full playtester waits",
    edits: [[choosing, "if (holdsTooMany(facts))", "if (facts.held > 99)"]],
  },
];

export const mutants: readonly Mutant[] = [
  ...slot,
  ...request,
  ...application,
  ...subscription,
  ...money,
  ...concurrency,
  ...once,
  ...paging,
  ...access,
  ...publishing,
  ...model.map((row) => ({ ...row, test: "model/model" })),
];
