import { choosing, moves, states } from "../files.ts";
import type { Mutant } from "../mutant.ts";

export const applicationsRules: readonly Mutant[] = [
  {
    rule: "nobody applies in automatic mode",
    test: "api/applications",
    edits: [
      [
        choosing,
        '  if (playtest.selection_mode !== "manual")\n    throw badRequest("This playtest is first come, first served. Nothing',
        '  if (playtest.quantity < 0)\n    throw badRequest("This playtest is first come, first served. Nothing',
      ],
    ],
  },
  {
    rule: "nothing to approve in automatic mode: 400",
    test: "api/applications",
    edits: [
      [
        choosing,
        '  if (playtest.selection_mode !== "manual")\n    throw badRequest("This playtest is first come, first served, so',
        '  if (playtest.quantity < 0)\n    throw badRequest("This playtest is first come, first served, so',
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
      [
        choosing,
        'if (status === "pending" && applications.isIn(application, "pending")) return application;',
        "if (status) return application as never;",
      ],
      [
        states,
        "  approved: {},\n  rejected: {},\n  auto_rejected: {},\n  withdrawn: {},",
        '  approved: { reject: "rejected" },\n  rejected: { approve: "approved" },\n  auto_rejected: {},\n  withdrawn: {},',
      ],
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
        "declinedLetter({ config: deps.config, gameName, customMessage })",
        "declinedLetter({ config: deps.config, gameName, customMessage: undefined })",
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
    edits: [
      [
        choosing,
        'await emitApplicationEvent(deps, tx, playtest, pending.id, playtester, "application.auto_rejected")',
        '{ gameName: "" }',
      ],
    ],
  },
  {
    rule: "a withdrawn application is withdrawn",
    test: "api/applications",
    edits: [[states, 'withdraw: "withdrawn"', 'withdraw: "rejected"']],
  },
  {
    rule: "pending applications close with the window",
    test: "api/applications",
    edits: [["server/playtests/jobs.ts", "    await closePending(deps, tx, playtest, playtest.applications_expire_at!);\n", ""]],
  },
  {
    rule: "what is released after the window is paid back",
    test: "api/applications",
    edits: [
      [
        moves,
        "if (!windowOver(playtest, deps.clock.now())) return;\n  await endUnfilled",
        "if (playtest.quantity > 0) return;\n  await endUnfilled",
      ],
    ],
  },
];
