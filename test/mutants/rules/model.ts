import { choosing, moves, problems, review, states, times } from "../files.ts";
import type { Mutant } from "../mutant.ts";

const rows: Omit<Mutant, "test">[] = [
  { rule: "model: a withdrawal", edits: [[states, 'withdraw: "withdrawn"', 'withdraw: "rejected"']] },
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
        '  await emitSlotEvent(deps, tx, slot, "slot.expired");\n  await refund(deps, tx, playtest, slot, "manual_slot_expired");\n}',
        '  await emitSlotEvent(deps, tx, slot, "slot.expired");\n}',
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
    rule: "model: what is released is replaced",
    edits: [[moves, "const replacement = await replace(deps, tx, playtest, slot);", "const replacement = slot;"]],
  },
  {
    rule: "model: a blocked slot has no deadline",
    edits: [[problems, '"report", { deadline_at: null }', '"report"']],
  },
  {
    rule: "model: an unblocked slot has a fresh deadline",
    edits: [[problems, '"unblock", { deadline_at: deadline }', '"unblock", { deadline_at: deadline - 1 }']],
  },
  {
    rule: "model: a trial's video waits for an admin",
    edits: [[review, "if (await awaitsAdmin(tx, playtest, slot))", "if (slot.id === undefined)"]],
  },
  {
    rule: "model: a rejected video ends its slot",
    edits: [
      [
        "server/playtests/publishing.ts",
        "  await rejectForGood(deps, tx, playtest, unpublished, { reason, byOperator: true });\n",
        "",
      ],
    ],
  },
  {
    rule: "model: an approval of a full playtester waits",
    edits: [[choosing, "if (holdsTooMany(facts))", "if (facts.held > 99)"]],
  },
];

/** What random stories find by themselves (`test/model/model.ts`). */
export const modelRules: readonly Mutant[] = rows.map((row) => ({ ...row, test: "model/model" }));
