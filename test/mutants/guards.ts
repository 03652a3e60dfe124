// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of sources.
import type { Edit, Mutant } from "./mutant.ts";

/**
 * What keeps requests, jobs and processes that meet from harming each other: locks, leases, compare-and-set, isolation, the order of
 * queues, and what makes a repetition do nothing. The pure rules are mutated by Stryker (stryker.config.mjs), which cannot make these.
 * Keep the texts short, so that they outlive a renamed parameter.
 */
const cards = "server/billing/cards";
const claimed = "server/jobs/store.ts";
const clock = "server/database/clock.ts";
const deliver = "server/events/webhooks/deliver.ts";
const disputes = `${cards}/disputes.ts`;
const exchange = "server/http/limits/exchange.ts";
const idempotency = "server/http/idempotency.ts";
const queries = "server/database/postgres/queries.ts";
const running = "server/jobs/run.ts";
const shared = "server/database/postgres/shared-transactions.ts";
const sqlite = "server/database/sqlite/connection.ts";
const states = "src/contract/states/index.ts";
const stepwise = "server/database/stepwise.ts";

const noCompareAndSet: Edit = ["server/database/state-machine.ts", "= { [column]: from }", "= {}"];
const anySlotIsOpen: Edit = [
  "server/playtests/slots/store.ts",
  "AND o.status = 'open' AND NOT ${heldForTeam()} ORDER BY o.created_at",
  "AND NOT ${heldForTeam()} ORDER BY o.created_at",
];
const noLocks: Edit = [queries, "this.send(`UPDATE", "if (!table) this.send(`UPDATE"];
const noReadingLocks: Edit = [
  queries,
  "`UPDATE ${table} SET created_at = created_at WHERE id = ? RETURNING *`",
  "`SELECT * FROM ${table} WHERE id = ?`",
];
const paidTwice: Edit = [states, "completed: { dispute", 'completed: { pay: "completed", dispute'];
const topUpsTwice: Edit = ["server/billing/settle.ts", "`topup:${payment.id}`", "`topup:${Math.random()}`"];

/** `place` is the test under `test/`, and after a bar the pattern of its tests' names. */
function row(place: string, rule: string, ...edits: Edit[]): Mutant {
  const [test, only] = place.split(" | ");
  return { rule, test: test!, edits, ...(only !== undefined && { only }) };
}

/** Locks, isolation and compare-and-set. */
const meeting: readonly Mutant[] = [
  ...[
    ["run one after the other for one row", "last.get(id) ?? []", "[]"],
    ["wait for a transaction that has their row", "new Set(this.#locked)", "new Set<string>()"],
    ["do not overtake a write for the same row", "unavailable.add(id)", "void id"],
    ["are rolled back together after a change", "own.changed || ", ""],
    ["do not run again when they may be committed", "!(error instanceof StoreUnavailable)", "error"],
    ["lock rows in one order", "return inOrder(taken)", "return taken"],
    ["change nothing once refused", "own.isOver = true;", ""],
    ["run again after a lost race", " || error instanceof LostRace", ""],
  ].map(([rule, from, to]) =>
    row("store/shared-transactions | PostgreSQL writes", `writes that share a transaction ${rule}`, [shared, from!, to!]),
  ),
  ...["claims: of two that meet", "approvals: two that meet", "deletion: a slot is deleted or claimed"].map((name) =>
    row(`faults/races | PostgreSQL.*${name}`, `two processes: ${name}`, noLocks, noReadingLocks, noCompareAndSet),
  ),
  ...["review: a submission is accepted or rejected", "deadline: a submission that meets"].map((name) =>
    row(`faults/races | PostgreSQL.*${name}`, `two processes: ${name}`, noLocks, noReadingLocks, noCompareAndSet),
  ),
  row("api/playtests", "one slot, many claims: one", noCompareAndSet, anySlotIsOpen),
  row("api/applications", "10 slots, 50 approvals: 10", noCompareAndSet, anySlotIsOpen),
  row("store/postgres | PostgreSQL locks", "a lock makes the next write see what the one before it left", noLocks),
  row(
    "faults/races | PostgreSQL.*credit: of 50 orders",
    "two processes: one of 50 orders from credit for one",
    ["server/database/postgres/postgres.ts", 'serializable: "SERIALIZABLE"', 'serializable: "READ COMMITTED"'],
    noLocks,
    noReadingLocks,
    ["server/ledger/store.ts", "balance + ? ${sign} 0", "(balance + ? ${sign} 0 OR 1 = 1)"],
  ),
  row(
    "faults/races | PostgreSQL.*video: one that replaces",
    "two processes: a video that replaces another is not submitted at once",
    ["server/uploads/finish.ts", "if (upload.slot_id) playtests.lock", "if (!upload) playtests.lock"],
  ),
  row("api/playtests | sqlite.*name every row", "a claim names the account that it locks", [
    "server/playtests/slots/tester-handlers.ts",
    "[call.params.id, call.principal.userId]",
    "[call.params.id]",
  ]),
  row("api/playtests | sqlite.*name every row", "an order names the account that it locks", [
    "server/playtests/order-handlers.ts",
    "locks: [ownerId]",
    "locks: []",
  ]),
  row("api/account-safety | while that password changes", "a password that changed since it was checked makes no key", [
    "server/accounts/handlers.ts",
    "if (maker.user) await requireUnchanged",
    "if (!maker) await requireUnchanged",
  ]),
  row("store/transactions", "a read after a commit sees it", [sqlite, "this.#cache?.committing()", "this.#cache"]),
  row("store/transactions", "a transaction sees what it wrote", [sqlite, "this.#writes && reads.some", "false && reads.some"]),
  row("faults/two-processes | (are counted in one order)", "the rows of callers are locked in one order", [
    exchange,
    "a.hash < b.hash ? -1 : 1",
    "0",
  ]),
];

/** Leases, and what processes do together. */
const leases: readonly Mutant[] = [
  row(
    "faults/two-processes",
    "a lease holds until it runs out",
    [claimed, "lease_until <= ${now.sql} ${filter}", "lease_until <= ${now.sql} + 1 ${filter}"],
    [claimed, "INTEGER)) AND lease_until <= ${now.sql}", "INTEGER)) AND lease_until <= ${now.sql} + 1"],
  ),
  row("faults/two-processes", "who lost the lease ends no job", [
    claimed,
    "DELETE FROM jobs WHERE id = ? AND lease",
    "DELETE FROM jobs WHERE id = ? OR lease",
  ]),
  row("store/jobs", "who lost the lease knows it", [running, "rows === 0 ? 0 : real", "real"]),
  row("store/jobs", "a lease that runs out does not hold", [running, "clock.real() < until", "until > 0"]),
  row("store/jobs", "a lease that is extended holds", [running, "rows === 0 ? 0 : real + leaseMs", "rows === 0 ? 0 : until"]),
  row("faults/two-processes", "who lost the lease writes nothing", [
    running,
    "if (rows === 0 && !mayHaveEnded) throw",
    "if (rows < 0) throw",
  ]),
  row("store/jobs | lost while they were leased", "jobs whose lease was committed unseen are free again", [
    "server/jobs/runner.ts",
    "const lost of unsure",
    "const lost of []",
  ]),
  row(
    "api/webhooks",
    "who lost the lease sends no more deliveries",
    [deliver, " || !job.isHeld()", ""],
    [deliver, "if (!job.isHeld()) return", "if (!job) return"],
  ),
  row("api/webhooks", "who lost the lease does not send the delivery it was about to send", [
    deliver,
    "if (!job.isHeld()) return",
    "if (!job) return",
  ]),
  row("api/webhooks", "a delivery that is recorded while the due ones are read is not sent again", [
    deliver,
    "new Set(inProgress)",
    "inProgress",
  ]),
  row("store/stepwise-migrations | (make each change once)", "one process migrates at a time", [
    stepwise,
    "WHERE migration_progress.lease_until <= ${now}",
    "WHERE TRUE",
  ]),
  row("store/stepwise-migrations | (make each change once)", "who got the lease looks again what is left to migrate", [
    stepwise,
    "while ((await pending()).length > 0) {",
    "const left = await pending();\n  while ((await pending()).length > 0) {\n    pending = async () => left;",
  ]),
  row("store/stepwise-migrations | (notice when others)", "who lost the lease migrates nothing", [
    stepwise,
    "lease_until = ${this.#store.dialect.time} + ? WHERE holder = ?`;\n    if",
    "lease_until = ${this.#store.dialect.time} + ? WHERE holder <> '' OR holder = ?`;\n    if",
  ]),
  row("store/stepwise-migrations | (notice when others)", "who lost the lease waits for those who migrate", [
    stepwise,
    "if (!(error instanceof LostLease)) throw",
    "if (error) throw",
  ]),
  row("store/stepwise-migrations | (keep the lease)", "the lease of a migration is renewed", [
    stepwise,
    "this.#extend(this.#ms)",
    "Promise.resolve()",
  ]),
  row("store/stepwise-migrations | (let go of the lease)", "the lease of a migration ends with a failure", [
    stepwise,
    "this.#extend(0)",
    "Promise.resolve()",
  ]),
  row("store/stepwise-migrations | (continue after a kill)", "a migration that was interrupted continues", [
    stepwise,
    "let done = await lease.done(position)",
    "let done = 0",
  ]),
  row("store/stepwise-migrations | (continue after a kill)", "rows are migrated together with the note of it", [
    stepwise,
    "await write(store, (tx) => tx.run(step.change).then(() => note(tx)))",
    "await write(store, (tx) => tx.run(step.change).then(() => {}));\n        await write(store, note)",
  ]),
  row("faults/upload-writers", "a process that lost an upload removes nothing of it", [
    "server/uploads/finish.ts",
    "return false;",
    ";",
  ]),
  row("faults/upload-writers", "whoever takes an upload from a process that holds it writes to a file of its own", [
    "server/uploads/writers/store.ts",
    "upload_writers.lease_until = 0 THEN",
    "1 = 1 THEN",
  ]),
  row("faults/two-processes | wrong passwords on two servers", "two processes count wrong passwords together", [
    "server/accounts/attempts/attempts.ts",
    "store.shared ?",
    "store === undefined ?",
  ]),
  row("faults/two-processes | (count together)", "two processes limit a caller together", [
    "server/app/compose.ts",
    "deps.store.shared)",
    "deps.store === undefined)",
  ]),
  row("unit/limit-exchange", "one exchange of counts at a time", ["server/lib/within.ts", "if (isRunning) return;", ""]),
  row("store/clock | two processes", "two processes tell the same time", [
    clock,
    "...(isShared && { follow })",
    "follow: async () => {}",
  ]),
  row("store/clock | two processes", "the clock never goes back, whoever moves it", [
    clock,
    "if (next > (await",
    "if (next || (await",
  ]),
  row("store/clock", "advances at once add up", [clock, '"clock_booked_ms", booked', '"clock_booked_ms", booked - ms']),
  row("cli/backup", "a server that runs is not replaced", [
    "server/operations/archive/restore.ts",
    "Promise.reject(inUse(error))",
    "() => error",
  ]),
  row("cli/export", "an import goes only where no server is", [
    "server/operations/archive/restore.ts",
    "if (there !== undefined && !replace)",
    "if (there === null && !replace)",
  ]),
];

/** What happens once, however often it is asked for or told. */
const once: readonly Mutant[] = [
  row("api/http", "same key, other body: refused", [idempotency, "canonicalJson(request.body ?? {})", '""']),
  row("api/http", "same key, other path: refused", [idempotency, "${request.path}?", "?"]),
  row(
    "api/playtests",
    "many at once with one key: one effect",
    [idempotency, "`${accountId} ${key}`, work", "`${Math.random()}`, work"],
    [idempotency, "if (!replaced) records", "if (!replaced) return;\n      else if (!key) records"],
  ),
  row("faults/races | PostgreSQL.*idempotency: 20 requests", "two processes: one order for one key", [
    idempotency,
    "if (!replaced) records",
    "if (!replaced) return;\n      else if (!key) records",
  ]),
  row("api/http", "the key of another account is another key", [
    "server/http/idempotency-store.ts",
    "WHERE account_id = ? AND idempotency_key",
    "WHERE account_id <> CAST(? AS INTEGER) AND idempotency_key",
  ]),
  row("api/portal", "a page that is shown again may send something else", [
    "server/web/shared/keyed-call.ts",
    " ${canonicalJson([params, body])}",
    "",
  ]),
  row(
    "api/playtests",
    "a payout is posted once",
    [states, "  accepted: {},", '  accepted: { accept: "accepted" },'],
    [
      "server/ledger/rules.ts",
      '`accept:${slot.slotId}`, asset: "USD", postings }',
      '`${Math.random()}`, asset: "USD", postings }',
    ],
  ),
  row(
    "api/playtests",
    "one free trial for each game",
    ["server/playtests/orders.ts", "if (game && (await playtests.hasTrial", "if (game === null && (await playtests.hasTrial"],
    ["server/database/migrations/001-initial.ts", "UNIQUE INDEX one_trial_per_game", "INDEX one_trial_per_game"],
  ),
  row("api/applications", "who applied once cannot apply again", [
    "server/playtests/applications/service.ts",
    "if (!(await applications.insert",
    "if (null === (await applications.insert",
  ]),
  row("api/billing", "success told five times is credited once", paidTwice, topUpsTwice, [
    `${cards}/sandbox.ts`,
    'status !== "pending" && !lateSuccess',
    'status === "failed" && !lateSuccess',
  ]),
  row("api/billing-stripe", "success told five times by Stripe is credited once", paidTwice, topUpsTwice, [
    `${cards}/hosted.ts`,
    "if (await payments.recordEvent",
    "if (null !== (await payments.recordEvent",
  ]),
  row("api/billing-subscriptions", "a renewal told twice grants once", [
    "server/billing/subscriptions/renewals.ts",
    " || row.period_index !== periodIndex",
    "",
  ]),
  row(
    "api/billing-stripe",
    "a won dispute gives back once",
    [states, "returned: {}", 'returned: { return: "returned" }'],
    [disputes, "key: known.id, source, cents", "key: `${Math.random()}`, source, cents"],
  ),
  row("api/billing-stripe", "a refund is booked once", [
    disputes,
    "if (await reversals.find",
    "if (null === await reversals.find",
  ]),
  row("api/billing-stripe", "a chargeback by hand is the dispute told of later", [
    disputes,
    "const byHand = await",
    "const byHand = null && await",
  ]),
  row("api/billing-stripe", "a renewal is charged under its payment's key", [
    `${cards}/stripe.ts`,
    "`${charge.paymentId}:renewal`",
    "`${Math.random()}:renewal`",
  ]),
  row("api/billing-stripe | not charged again", "a renewal looks for the charge of an earlier try", [
    `${cards}/stripe.ts`,
    "if (triedAt === undefined) return undefined",
    "return undefined",
  ]),
  row("api/trackers | was not answered", "a refused look-up does not forget that an issue was begun", [
    "server/trackers/jobs.ts",
    "return { error: textOf(error), next_attempt_at: isAskedAgain",
    "return { begun_at: null, error: textOf(error), next_attempt_at: isAskedAgain",
  ]),
  row("api/crypto", "no two open quotes share an amount", [
    "server/database/rows.ts",
    "${sql} ON CONFLICT DO NOTHING`, ...values)) === 1",
    "${sql} ON CONFLICT DO NOTHING`, ...values)) >= 0",
  ]),
  row("api/crypto", "a transfer is booked once", ["server/billing/crypto/deposits.ts", ".filter(({ deposit }) => !deposit)", ""]),
  row("api/crypto", "the same owner's repetition is the same reply", [
    "server/billing/crypto/deposits.ts",
    "const again = await",
    "const again = null && await",
  ]),
  row("api/crypto", "a quote is paid once", [
    "server/billing/crypto/complete-quote.ts",
    "await crypto.setPaid",
    "if (!quote) await crypto.setPaid",
  ]),
  row("api/crypto-unnamed", "a deposit is found once", [
    "server/billing/crypto/arrivals.ts",
    "(deposit ? [] : transfer)",
    "transfer",
  ]),
  row("api/factors | sqlite", "a code of the second factor works once", [
    "server/accounts/factors/store.ts",
    "AND last_step < ?",
    "AND last_step < ? + 1",
  ]),
  row("api/factors | sqlite", "a recovery code works once", [
    "server/accounts/factors/store.ts",
    "WHERE hash = ? AND used_at IS NULL",
    "WHERE hash = ?",
  ]),
  row("api/passkeys | sqlite", "a challenge is answered once", [
    "server/accounts/passkeys/store.ts",
    "DELETE FROM passkey_challenges WHERE bound_to = ? RETURNING *",
    "SELECT * FROM passkey_challenges WHERE bound_to = ?",
  ]),
  row("api/invitations", "an invitation's link works once", [
    "server/accounts/invitations-store.ts",
    "SET joined_at = ? WHERE token_hash = ? AND joined_at IS NULL AND",
    "SET joined_at = ? WHERE token_hash = ? AND",
  ]),
  row("api/event-mails", "what was collected for an email is sent once", [
    "server/events/event-mails.ts",
    "await mails.markCollected",
    "if (!reader) await mails.markCollected",
  ]),
  row("api/webhooks", "a delivery that is tried again has the same id", [
    "server/events/webhooks/deliveries.ts",
    "id: delivery.event_id, timestamp",
    "id: `${Math.random()}`, timestamp",
  ]),
  row("api/game-keys", "a key that a playtester has seen is given to nobody else", [
    "server/playtests/keys/store.ts",
    '"k.slot_id IS NULL AND k.retired_at IS NULL"',
    '"1 = 1"',
  ]),
  row("unit/local-blobs", "a file that is stored is never replaced", [
    "server/uploads/local-blobs.ts",
    "await link(path, target)",
    "await rename(path, target)",
  ]),
];

/** The order of queues. */
const order: readonly Mutant[] = [
  row("api/playtests", "keys are handed out in order", [
    "server/playtests/keys/store.ts",
    "ORDER BY k.position LIMIT",
    "ORDER BY k.position DESC LIMIT",
  ]),
  row("api/events | sqlite|key is revoked", "a stream of events is in order", [
    "server/events/store.ts",
    "AND seq > ? ORDER BY seq LIMIT",
    "AND seq > ? ORDER BY seq DESC LIMIT",
  ]),
  row("api/events | sqlite|key is revoked", "events of one instant are numbered as they were made", [
    "server/events/store.ts",
    "(ORDER BY created_at, id)",
    "(ORDER BY created_at, id DESC)",
  ]),
  row("cli/listen", "events are handed on one after the other", [
    "src/commands/webhooks/listen.ts",
    "if (wanted) await handle",
    "if (wanted) void handle",
  ]),
  row("api/clips | delay those of another", "clips of one account do not hold up those of another", [
    "server/app/compose.ts",
    '["cut-clip"], width: config.clips.parallel, fair: true',
    '["cut-clip"], width: config.clips.parallel',
  ]),
  row("api/transcripts | take turns", "videos of one playtester do not hold up the transcripts of others", [
    "server/app/compose.ts",
    "width: config.transcriber.parallel, fair: true",
    "width: config.transcriber.parallel",
  ]),
  row("store/postgres | one queue", "writes of one queue hold one connection", [
    "server/database/postgres/postgres.ts",
    "queue === undefined ?",
    "queue !== undefined ?",
  ]),
];

export const mutants: readonly Mutant[] = [...meeting, ...leases, ...once, ...order];
