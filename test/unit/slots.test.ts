import { describe, expect, it } from "vitest";
import { applicationAt, ratingAverage } from "../../server/playtests/applications/rules.ts";
import { type ClaimFacts, type Targeting, whyNotApply, whyNotClaim } from "../../server/playtests/slots/eligibility.ts";
import * as rules from "../../server/playtests/slots/rules.ts";
import type { SelectionMode } from "../../src/contract/order-body.ts";
import { type PlaytestStatus, type SlotStatus, slotStatuses } from "../../src/contract/states/index.ts";

const { claimDeadline, playtestStatusAt, playtestStatusOf, statusAt } = rules;
const hour = 3_600_000;
const now = Date.parse("2026-03-01T12:00:00.000Z");

describe("claim deadline", () => {
  it.each<{ mode: SelectionMode; players: number; hours: number }>([
    { mode: "automatic", players: 1, hours: 24 },
    { mode: "automatic", players: 2, hours: 72 },
    { mode: "automatic", players: 8, hours: 72 },
    { mode: "manual", players: 1, hours: 72 },
    { mode: "manual", players: 8, hours: 72 },
  ])("$mode selection, $players player(s): $hours h", ({ mode, players, hours }) => {
    expect(claimDeadline(mode, players, now)).toBe(now + hours * hour);
  });
});

it("a retry has 24 hours, and earnings from card money are held for whole days", () => {
  expect(rules.retryDeadlineMs).toBe(24 * hour);
  expect(rules.heldUntil(now, 30)).toBe(now + 30 * 24 * hour);
  expect(rules.endedStatuses).toEqual(["accepted", "rejected", "expired", "cancelled"]);
});

it.each([
  { sandbox: false, percent: null, minutes: 30, seconds: 900 },
  { sandbox: true, percent: null, minutes: 30, seconds: 0 },
  { sandbox: true, percent: 80, minutes: 30, seconds: 1440 },
  { sandbox: false, percent: 0, minutes: 30, seconds: 0 },
  { sandbox: false, percent: 33, minutes: 1, seconds: 19 },
])("a video of $minutes minutes, of which $percent %, in a sandbox: $sandbox, has $seconds s at least", (row) => {
  const settings = { sandbox: row.sandbox, playtesters: { minVideoPercent: row.percent } };
  expect(rules.minVideoSeconds(row.minutes, settings)).toBe(row.seconds);
});

describe("slot status", () => {
  it.each<{ status: SlotStatus; deadline: number | null; window: number | null; is: SlotStatus }>([
    { status: "reserved", deadline: 1, window: null, is: "reserved" },
    { status: "reserved", deadline: 0, window: null, is: "expired" },
    { status: "reserved", deadline: -1, window: null, is: "expired" },
    { status: "reserved", deadline: 1, window: -1, is: "reserved" },
    { status: "reserved", deadline: null, window: null, is: "reserved" },
    { status: "open", deadline: null, window: null, is: "open" },
    { status: "open", deadline: null, window: 1, is: "open" },
    { status: "open", deadline: null, window: 0, is: "expired" },
    { status: "blocked", deadline: null, window: -1, is: "blocked" },
    { status: "submitted", deadline: -1, window: -1, is: "submitted" },
    { status: "publishing", deadline: -1, window: -1, is: "publishing" },
    { status: "accepted", deadline: -1, window: -1, is: "accepted" },
    { status: "rejected", deadline: -1, window: -1, is: "rejected" },
    { status: "cancelled", deadline: -1, window: -1, is: "cancelled" },
  ])("$status, deadline in $deadline ms, window ends in $window ms: $is", ({ status, deadline, window, is }) => {
    const at = (offset: number | null) => (offset === null ? null : now + offset);
    expect(statusAt({ status, deadline_at: at(deadline), window_at: at(window) }, now)).toBe(is);
  });
});

describe("playtest status", () => {
  it.each<{ slots: SlotStatus[]; is: PlaytestStatus }>([
    { slots: ["open", "accepted"], is: "active" },
    { slots: ["reserved", "expired"], is: "active" },
    { slots: ["submitted"], is: "active" },
    { slots: ["blocked", "cancelled"], is: "active" },
    { slots: ["publishing", "accepted"], is: "active" },
    { slots: ["accepted", "rejected", "cancelled", "expired"], is: "completed" },
    { slots: ["rejected", "cancelled"], is: "completed" },
    { slots: ["cancelled", "cancelled"], is: "cancelled" },
    { slots: ["expired", "cancelled"], is: "expired" },
    { slots: ["expired"], is: "expired" },
  ])("with slots $slots: $is", ({ slots, is }) => {
    expect(playtestStatusOf(slots)).toBe(is);
  });

  const rows = [
    { status: "pending_payment", payBy: 1, window: null, slots: [], is: "pending_payment" },
    { status: "pending_payment", payBy: 0, window: null, slots: [], is: "cancelled" },
    { status: "pending_payment", payBy: null, window: null, slots: [], is: "pending_payment" },
    { status: "completed", payBy: null, window: 0, slots: ["expired"], is: "completed" },
    { status: "active", payBy: null, window: null, slots: ["expired"], is: "active" },
    { status: "active", payBy: null, window: 1, slots: ["expired"], is: "active" },
    { status: "active", payBy: null, window: 0, slots: ["expired"], is: "expired" },
    { status: "active", payBy: null, window: 0, slots: ["expired", "blocked"], is: "active" },
    { status: "completed", payBy: null, window: -1, slots: ["accepted"], is: "completed" },
    { status: "cancelled", payBy: null, window: -1, slots: ["cancelled"], is: "cancelled" },
  ] as const;
  it.each(rows)("$status with $slots, payable for $payBy ms, window for $window ms: $is", (row) => {
    const at = (offset: number | null) => (offset === null ? null : now + offset);
    const playtest = { status: row.status, pay_by: at(row.payBy), closes_at: at(row.window) };
    expect(playtestStatusAt(playtest, row.slots, now)).toBe(row.is);
  });
});

it.each([
  ["pending_payment", 1, true],
  ["pending_payment", 0, false],
  ["pending_payment", null, true],
  ["active", 1, false],
] as const)("an order that is %s, payable for %s ms, awaits payment: %s", (status, payBy, awaits) => {
  expect(rules.awaitsPayment({ status, pay_by: payBy === null ? null : now + payBy }, now)).toBe(awaits);
});

describe("application status", () => {
  it.each([
    { status: "pending", window: 1, is: "pending", reviewedAt: null },
    { status: "pending", window: 0, is: "auto_rejected", reviewedAt: now },
    { status: "pending", window: null, is: "pending", reviewedAt: null },
    { status: "approved", window: -1, is: "approved", reviewedAt: now - 5 },
    { status: "rejected", window: -1, is: "rejected", reviewedAt: now - 5 },
    { status: "withdrawn", window: -1, is: "withdrawn", reviewedAt: null },
  ] as const)("$status, window ends in $window ms: $is", ({ status, window, is, reviewedAt }) => {
    const row = {
      status,
      reviewed_at: status === "pending" ? null : reviewedAt,
      window_at: window === null ? null : now + window,
    };
    expect(applicationAt(row, now)).toEqual({ status: is, reviewedAt });
  });
});

it.each([
  { sum: null, count: 0, is: null },
  { sum: 5, count: 1, is: "5.00" },
  { sum: 13, count: 3, is: "4.33" },
  { sum: 14, count: 3, is: "4.67" },
])("rating average: $count ratings with the sum $sum: $is", ({ sum, count, is }) => {
  expect(ratingAverage(sum, count)).toBe(is);
});

describe("eligibility to claim", () => {
  const everyone: Targeting = { type: null, scope: null, pastScope: null, playtesterId: null, audience: {} };
  const nothing: ClaimFacts = {
    ownStatuses: [],
    playedGame: false,
    playedOwner: false,
    acceptedGame: false,
    acceptedOwner: false,
    held: 0,
    maxHeld: 3,
  };
  const target = (type: "new" | "past", scope: "game" | "owner" = "owner"): Targeting => ({
    ...everyone,
    type,
    scope,
    pastScope: type === "past" ? "any" : null,
  });
  const specific: Targeting = { ...target("past"), pastScope: "specific", playtesterId: "me" };

  const rows: { name: string; targeting?: Targeting; facts?: Partial<ClaimFacts>; claim: boolean; apply?: boolean }[] = [
    { name: "anyone, without targeting", claim: true },
    { name: "anyone who played the game, without targeting", facts: { playedGame: true, playedOwner: true }, claim: true },
    { name: "holding two of at most three slots", facts: { held: 2 }, claim: true },
    { name: "holding three of at most three slots", facts: { held: 3 }, claim: false, apply: true },
    ...slotStatuses
      .filter((status) => status !== "open")
      .map((status) => ({
        name: `with a slot of the playtest that is ${status}`,
        facts: { ownStatuses: [status] },
        claim: false,
      })),
    {
      name: "targeting new to the game, played another game of the owner",
      targeting: target("new", "game"),
      facts: { playedOwner: true },
      claim: true,
    },
    {
      name: "targeting new to the game, played it",
      targeting: target("new", "game"),
      facts: { playedGame: true, playedOwner: true },
      claim: false,
    },
    {
      name: "targeting new to the owner, played another game",
      targeting: target("new"),
      facts: { playedOwner: true },
      claim: false,
    },
    { name: "targeting new to the owner", targeting: target("new"), claim: true },
    { name: "targeting past of the game, never played", targeting: target("past", "game"), claim: false },
    {
      name: "targeting past of the game, not accepted",
      targeting: target("past", "game"),
      facts: { playedGame: true },
      claim: false,
    },
    {
      name: "targeting past of the game, accepted in another game",
      targeting: target("past", "game"),
      facts: { acceptedOwner: true },
      claim: false,
    },
    {
      name: "targeting past of the game, accepted",
      targeting: target("past", "game"),
      facts: { acceptedGame: true, acceptedOwner: true },
      claim: true,
    },
    {
      name: "targeting past of the owner, accepted in another game",
      targeting: target("past"),
      facts: { acceptedOwner: true },
      claim: true,
    },
    { name: "targeting past of the owner, not accepted", targeting: target("past"), facts: { playedOwner: true }, claim: false },
    { name: "targeting this playtester", targeting: specific, claim: true },
    {
      name: "targeting another playtester",
      targeting: { ...specific, playtesterId: "you" },
      facts: { acceptedOwner: true },
      claim: false,
    },
  ];
  it.each(rows)("$name: $claim", ({ targeting = everyone, facts, claim, apply = claim }) => {
    const known = { ...nothing, ...facts };
    expect(whyNotClaim(targeting, "me", known) === undefined).toBe(claim);
    expect(whyNotApply(targeting, "me", known) === undefined).toBe(apply);
  });

  it.each<[SlotStatus, string]>([
    ["reserved", "have"],
    ["blocked", "have"],
    ["submitted", "have"],
    ["publishing", "have"],
    ["accepted", "have"],
    ["rejected", "had"],
    ["expired", "had"],
    ["cancelled", "had"],
  ])("whoever has a slot that is %s is told that they %s one", (status, verb) => {
    expect(whyNotApply(everyone, "me", { ...nothing, ownStatuses: [status] })).toContain(`You already ${verb} a slot`);
  });

  it("whoever holds too many slots is told how many", () => {
    expect(whyNotClaim(everyone, "me", { ...nothing, held: 3 })).toContain("You already hold 3 slots");
  });
});
