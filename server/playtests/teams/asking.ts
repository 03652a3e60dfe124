import type { TeamEnding } from "../../../src/contract/teams/statuses.ts";
import type { Tx } from "../../app/tx.ts";
import * as keys from "../keys/store.ts";
import type { SlotRow } from "../slots/store.ts";
import { isSeated } from "./rules.ts";
import * as store from "./store.ts";
import { tellEnded } from "./tell.ts";

/**
 * Ends the team of a slot, if it has one, and tells its members but `except`, who know or are told more. A team that is complete is not ended in the rows, which say who
 * had the slot. The caller has locked the playtest.
 */
export async function endTeam(tx: Tx, slot: SlotRow, ending: TeamEnding, except: readonly (string | null)[] = []): Promise<void> {
  const team = await store.ofSlot(tx, slot.id);
  if (!team) return;
  const seated = (await store.membersOf(tx, [team.id])).filter(isSeated);
  if (team.status === "asking") await store.update(tx, team.id, { status: "ended", ended_at: tx.now });
  for (const { id, status } of seated)
    if (status === "asked") await store.updateMember(tx, id, { status: "expired", answer_by: null, updated_at: tx.now });
  const told = seated.map(({ user_id }) => user_id).filter((id) => !except.includes(id));
  await tellEnded(tx, team, slot, told, ending);
}

/** Ends what members of a slot's team are asked, with the slot, and tells them. Its players are told more. */
export async function endRequests(tx: Tx, slot: SlotRow, ending: TeamEnding): Promise<void> {
  const players = await store.shares(tx, slot.id);
  await endTeam(
    tx,
    slot,
    ending,
    players.map(({ user_id }) => user_id),
  );
}

/** Gives the keys of a slot that no member has yet to the members of its team who have none, by seat. */
export async function dealKeys(tx: Tx, slotId: string): Promise<void> {
  const members = await store.shares(tx, slotId);
  if (members.length === 0) return;
  const held = await keys.ofSlot(tx, slotId);
  const have = new Set(held.map((key) => key.user_id));
  const lacking = members.filter(({ user_id }) => !have.has(user_id));
  const free = held.filter((key) => key.user_id === null);
  for (const [index, { user_id }] of lacking.entries()) {
    const key = free[index];
    if (key) await keys.deal(tx, key, user_id);
  }
}

/** A slot for another try has the team of the one that was rejected, with its shares. */
export async function copyTeam(tx: Tx, fromSlotId: string, to: SlotRow): Promise<void> {
  const team = await store.ofSlot(tx, fromSlotId);
  if (!team) return;
  const members = (await store.membersOf(tx, [team.id])).filter(({ status }) => status === "confirmed" || status === "left");
  const copy = await store.insert(tx, { ...team, id: tx.newId(), slot_id: to.id, created_at: tx.now });
  store.addMembers(
    tx,
    members.map(({ seat, status, share_cents, user_id }) => ({
      id: tx.newId(),
      team_id: copy.id,
      slot_id: to.id,
      user_id,
      seat,
      status,
      share_cents,
      answer_by: null,
      created_at: tx.now,
      updated_at: tx.now,
    })),
  );
}
