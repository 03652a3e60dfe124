// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of sources.
import { claims, ledger, moves, orders, playtestRows, review, slotRoutes, states, times } from "../files.ts";
import type { Mutant } from "../mutant.ts";

const eligibility = "server/playtests/slots/eligibility.ts";
const playtesterRoutes = "server/playtests/slots/tester-handlers.ts";
const keyRows = "server/playtests/keys/store.ts";
const keyMoves = "server/playtests/keys/service.ts";

export const slotsRules: readonly Mutant[] = [
  {
    rule: "an order opens as many slots as it has",
    test: "api/playtests",
    edits: [[orders, "length: playtest.quantity", "length: 1"]],
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
    edits: [[claims, 'if (playtest.selection_mode === "manual")\n    throw', "if (playtest.quantity < 0)\n    throw"]],
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
    edits: [["server/playtests/slots/store.ts", "WHERE slot_id = ? AND status = 'completed' ORDER", "WHERE slot_id = ? ORDER"]],
  },
  {
    rule: "event slot.submitted",
    test: "api/playtests",
    edits: [[moves, 'emitSlotEvent(deps, tx, slot, "slot.submitted"),', '{ gameName: "", playtester: undefined },']],
  },
  {
    rule: "event slot.accepted",
    test: "api/playtests",
    edits: [[review, 'await emitSlotEvent(deps, tx, slot, "slot.accepted", notice)', '{ gameName: "", playtester: undefined }']],
  },
  {
    rule: "event slot.rejected",
    test: "api/playtests",
    edits: [[review, 'await emitSlotEvent(deps, tx, slot, "slot.rejected", notice)', '{ gameName: "", playtester: undefined }']],
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
      [states, "  accepted: {},", '  accepted: { accept: "accepted" },'],
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
    edits: [[states, "  accepted: {},", '  accepted: { accept: "accepted" },']],
  },
  {
    rule: "an accepted, open or reserved slot is not rejected",
    test: "api/deadlines",
    edits: [[states, "  accepted: {},", '  accepted: { accept: "accepted", reject: "rejected" },']],
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
        "  const rejected = await markRejected(deps, tx, submitted, why);\n",
        "  const rejected = await markRejected(deps, tx, submitted, why);\n  await ledger.postAll(tx, rejectTransfers(termsOf(playtest, slot)), stamp(deps));\n",
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
    edits: [["server/playtests/jobs.ts", "    await expireUnfilled(deps, tx, playtest);\n", ""]],
  },
  {
    rule: "an unfilled slot's price returns",
    test: "api/applications",
    edits: [
      [
        moves,
        '  await emitSlotEvent(deps, tx, slot, "slot.expired");\n  await refund(deps, tx, playtest, slot, "manual_slot_expired");\n}',
        '  await emitSlotEvent(deps, tx, slot, "slot.expired");\n}',
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
        states,
        "  expired: {},\n  cancelled: {},\n} as const satisfies Moves<SlotStatus>",
        '  expired: { expire: "expired" },\n  cancelled: {},\n} as const satisfies Moves<SlotStatus>',
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
    edits: [[keyRows, "ORDER BY k.position LIMIT", "ORDER BY k.position DESC LIMIT"]],
  },
  {
    rule: "as many keys as players",
    test: "api/playtests",
    edits: [[keyMoves, "playtest.id, slotId, playtest.player_count)", "playtest.id, slotId, 1)"]],
  },
  {
    rule: "a key that a playtester has seen is given to nobody else",
    test: "api/game-keys",
    edits: [[keyRows, 'const unused = "k.slot_id IS NULL AND k.retired_at IS NULL";', 'const unused = "1 = 1";']],
  },
  {
    rule: "a slot without its keys is not claimed",
    test: "api/game-keys",
    edits: [[moves, "if (!(await handOut(tx, playtest, slot.id)))", "if (!(await handOut(tx, playtest, slot.id)) && false)"]],
  },
  {
    rule: "a slot without its keys is not offered",
    test: "api/game-keys",
    edits: [["server/playtests/store.ts", "  AND ${suppliedSql}\n", "  AND (${suppliedSql} OR 1 = 1)\n"]],
  },
  {
    rule: "the owner is warned once when keys run out",
    test: "api/game-keys",
    edits: [["server/playtests/keys/rules.ts", "unused < needed && unused >= needed - perSlot", "unused < needed"]],
  },
  {
    rule: "keys that a playtest had before are refused",
    test: "api/game-keys",
    edits: [[keyMoves, "if (known.has(key)) throw", "if (known.has(key) && false) throw"]],
  },
  {
    rule: "keys are masked unless asked",
    test: "api/game-keys",
    edits: [["server/playtests/keys/handlers.ts", "reveal ? key : masked(key)", "key"]],
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
