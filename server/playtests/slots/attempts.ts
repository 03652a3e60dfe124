import type { Query } from "../../database/port.ts";
import { isoOrNull } from "../../lib/time.ts";
import { statusAt } from "./rules.ts";
import * as slots from "./store.ts";

/** The attempts of a playtester at a playtest: a rejection can allow another one, which is a slot of its own. */
export type Attempts = readonly slots.AttemptRow[];

/** Which attempt of the playtester a slot is, after which other and before which. */
export function attemptOf({ id, playtest_id, playtester_id, retry_of }: slots.SlotDetailRow, attempts: Attempts, now: number) {
  const ofHolder = attempts.filter((one) => one.playtest_id === playtest_id && one.playtester_id === playtester_id);
  const before = ofHolder.find((one) => one.id === retry_of);
  const next = ofHolder.find((one) => one.retry_of === id);
  return {
    number: Math.max(1, ofHolder.findIndex((one) => one.id === id) + 1),
    before: before ? { slotId: before.id, reason: before.reject_reason } : null,
    next: next ? { slotId: next.id, status: statusAt(next, now), deadlineAt: isoOrNull(next.deadline_at) } : null,
  };
}

/** Only a slot that follows another, or that was rejected, can have other attempts beside it. */
const hasAttempts = ({ retry_of, rejected_at }: slots.SlotDetailRow) => retry_of !== null || rejected_at !== null;

export async function attemptsBeside(q: Query, rows: readonly slots.SlotDetailRow[]): Promise<Attempts> {
  const found = rows.filter(hasAttempts);
  if (found.length === 0) return [];
  const distinct = (values: readonly (string | null)[]) => [...new Set(values.filter((value) => value !== null))];
  return slots.attemptsOf(q, distinct(found.map((row) => row.playtester_id)), distinct(found.map((row) => row.playtest_id)));
}
