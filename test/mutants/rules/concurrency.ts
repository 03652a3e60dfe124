// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of sources.
import { idempotency, slotRows } from "../files.ts";
import type { Edit, Mutant } from "../mutant.ts";

const postgres = "server/database/postgres/postgres.ts";

const looseIsolation: Edit = [postgres, 'serializable: "SERIALIZABLE"', 'serializable: "READ COMMITTED"'];
const noLocks: Edit = [
  "server/database/postgres/queries.ts",
  "    this.send(`UPDATE ${table} SET created_at",
  "    if (table === '') this.send(`UPDATE ${table} SET created_at",
];
const noReadingLocks: Edit = [
  "server/database/postgres/queries.ts",
  "return this.one(`UPDATE ${table} SET created_at = created_at WHERE id = ? RETURNING *`, id);",
  "return this.one(`SELECT * FROM ${table} WHERE id = ?`, id);",
];
const noCompareAndSet: Edit = ["server/database/state-machine.ts", "= { [column]: from };", "= {};"];

const shared = "server/database/postgres/shared-transactions.ts";
/** Rules of writes that share a transaction, and what breaks each. */
const sharing: readonly [rule: string, from: string, to: string][] = [
  ["run one after the other for one row", "write.locks.flatMap((id) => last.get(id) ?? [])", "[]"],
  ["wait for a transaction that has their row", "new Set(this.#locked)", "new Set<string>()"],
  ["do not overtake a write for the same row", "for (const id of write.locks) unavailable.add(id);", ""],
  ["are rolled back together after a change", "own.changed || ", ""],
  ["do not run again when they may be committed", "!(error instanceof StoreUnavailable)", "error"],
  ["lock rows in one order", "return inOrder(taken);", "return taken;"],
  ["change nothing once refused", "own.isOver = true;", ""],
  ["run again after a lost race", " || error instanceof LostRace", ""],
];

export const concurrencyRules: readonly Mutant[] = [
  ...sharing.map(
    ([rule, from, to]): Mutant => ({
      rule: `writes that share a transaction ${rule}`,
      test: "store/shared-transactions",
      only: "PostgreSQL writes",
      edits: [[shared, from, to]],
    }),
  ),
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
        "server/playtests/rules.ts",
        "const creditCovers = funds.balanceCents >= need.totalCents",
        "const creditCovers = funds.balanceCents >= 0",
      ],
    ],
  },
  ...[
    "claims: of two that meet",
    "approvals: two that meet",
    "review: a submission is accepted or rejected",
    "deletion: a slot is deleted or claimed",
    "deadline: a submission that meets",
  ].map((name) => ({
    rule: `two processes: ${name}`,
    test: "faults/races",
    only: `PostgreSQL.*${name}`,
    edits: [noLocks, noReadingLocks, noCompareAndSet],
  })),
  {
    rule: "a lock makes the next write see what the one before it left",
    test: "store/postgres",
    only: "PostgreSQL locks",
    edits: [noLocks],
  },
  {
    rule: "two processes: a video that replaces another is not submitted at once",
    test: "faults/races",
    only: "PostgreSQL.*video: one that replaces",
    edits: [["server/uploads/finish.ts", "  if (upload.slot_id) playtests.lockOfSlot(tx, upload.slot_id);\n", ""]],
  },
  {
    rule: "writes of one queue hold one connection",
    test: "store/postgres",
    only: "one queue",
    edits: [["server/database/postgres/postgres.ts", "queue === undefined ? run()", "queue !== undefined ? run()"]],
  },
  ...[
    ["server/playtests/slots/tester-handlers.ts", "[call.params.id, call.principal.userId]", "[call.params.id]"] as const,
    ["server/playtests/order-handlers.ts", "locks: [ownerId]", "locks: []"] as const,
  ].map(
    (edit): Mutant => ({
      rule: `what shares a transaction names what it locks: ${edit[2]}`,
      test: "api/playtests",
      only: "sqlite.*name every row",
      edits: [edit],
    }),
  ),
  {
    rule: "two processes: wrong passwords are counted together",
    test: "faults/two-processes",
    only: "wrong passwords on two servers",
    edits: [["server/accounts/attempts/attempts.ts", "deps.store.shared ? sharedFailures(deps) : undefined", "undefined"]],
  },
  {
    rule: "two processes: one of 50 orders from credit for one",
    test: "faults/races",
    only: "PostgreSQL.*credit: of 50 orders",
    edits: [
      looseIsolation,
      noLocks,
      noReadingLocks,
      ["server/ledger/store.ts", "AND balance + ? ${sign} 0 AND", "AND (balance + ? ${sign} 0 OR 1 = 1) AND"],
    ],
  },
  {
    rule: "two processes: one order for one key",
    test: "faults/races",
    only: "PostgreSQL.*idempotency: 20 requests",
    edits: [[idempotency, "if (!replaced) records.insert(tx, accountId, key, reply);", "if (!replaced) return;"]],
  },
  {
    rule: "two processes tell the same time",
    test: "store/clock",
    only: "two processes",
    edits: [["server/database/clock.ts", "...(isShared && { follow }),", "follow: async () => {},"]],
  },
  {
    rule: "two processes tell the same time, in every request",
    test: "faults/races",
    only: "PostgreSQL.*(sandbox clock:|deadline:)",
    edits: [["server/app/compose.ts", "if (!follow) return store;", "if (follow) return store;"]],
  },
  {
    rule: "advances at once add up",
    test: "store/clock",
    edits: [["server/database/clock.ts", '        await write(tx, "clock_booked_ms", booked);\n', ""]],
  },
  {
    rule: "the clock never goes back, whoever moves it",
    test: "store/clock",
    only: "two processes",
    edits: [["server/database/clock.ts", 'if (next > (await read(tx, "clock_offset_ms"))) await', "await"]],
  },
  {
    rule: "a lease holds until it runs out",
    test: "faults/two-processes",
    edits: [
      ["server/jobs/store.ts", "    lease.due,\n    ...now.values,", "    lease.due,\n    ...now.values.map((ms) => ms + 1),"],
      [
        "server/jobs/store.ts",
        "    lease.count,\n    ...now.values,",
        "    lease.count,\n    ...now.values.map((ms) => ms + 1),",
      ],
    ],
  },
  {
    rule: "who lost the lease ends no job",
    test: "faults/two-processes",
    edits: [
      [
        "server/jobs/store.ts",
        'tx.run("DELETE FROM jobs WHERE id = ? AND lease_token = ?", job.id, job.lease_token)',
        'tx.run("DELETE FROM jobs WHERE id = ?", job.id)',
      ],
    ],
  },
  ...[
    ["who lost the lease knows it", "until = rows === 0 ? 0 : real + leaseMs;", "until = real + leaseMs;"],
    ["a lease that runs out does not hold", "clock.real() < until,", "until > 0,"],
    ["a lease that is extended holds", "until = rows === 0 ? 0 : real + leaseMs;", "if (rows === 0) until = 0;"],
  ].map(([rule, from, to]) => ({
    rule: rule!,
    test: "store/jobs",
    edits: [["server/jobs/run.ts", from!, to!]] as const,
  })),
  {
    rule: "who lost the lease writes nothing",
    test: "faults/two-processes",
    edits: [["server/jobs/run.ts", "if (rows === 0) throw new Error(`job ${row.kind} ${row.id}: the lease was lost`);", ""]],
  },
];
