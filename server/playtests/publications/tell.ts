import { type PublisherName, publisherTitles } from "../../../src/contract/publications/publishers.ts";
import { listApprovers } from "../../accounts/service.ts";
import * as users from "../../accounts/users-store.ts";
import type { Tx } from "../../app/tx.ts";
import { emit, type Recipient } from "../../events/emit.ts";
import { mailAbout, mailUserAbout } from "../../events/event-mails.ts";
import * as games from "../../games/store.ts";
import { iso } from "../../lib/time.ts";
import type { SlotRow } from "../slots/store.ts";
import { sharesOf } from "../teams/shares.ts";
import { paidUnshownLetter, publishedLetter, publishFailedLetter, withdrawnLetter } from "./letters.ts";

/** What people are told about the publication of a video. Each function runs inside the caller's transaction. */
const subjectOf = (slot: SlotRow) => ({
  slotId: slot.id,
  playtestId: slot.playtest_id,
  gameId: slot.game_id,
  playerId: slot.playtester_id,
});

async function partiesOf(tx: Tx, slot: SlotRow) {
  const [owner, playtester, game] = await Promise.all([
    users.find(tx, slot.owner_id),
    slot.playtester_id === null ? undefined : users.find(tx, slot.playtester_id),
    games.find(tx, slot.game_id),
  ]);
  return {
    owner,
    playtester,
    isHidden: game?.status === "suspended" || owner?.suspended_at != null,
    gameName: game?.name ?? "",
    playtesterName: playtester?.display_name ?? "A playtester",
  };
}

/**
 * Tells both sides where everybody can watch the video. `paidCents`: what the playtester earned with that. No page shows a video while its
 * game or owner is suspended: then only those are told who earned something.
 */
export async function tellPublished(
  tx: Tx,
  slot: SlotRow,
  { adapter, url, paidCents }: { adapter: PublisherName; url: string; paidCents: number },
): Promise<void> {
  const { playtester, isHidden, gameName, playtesterName } = await partiesOf(tx, slot);
  const kind = "slot.published";
  const data = { ...subjectOf(slot), adapter, url, publishedAt: iso(tx.now) };
  const notice = { gameName, playtesterName, url };
  if (!isHidden) await emit(tx, [{ id: slot.owner_id, role: "game_owner" }], { kind, data, notice });
  if (!playtester) return;
  for (const [id, cents] of await sharesOf(tx, slot, paidCents)) {
    if (isHidden && cents === 0) continue;
    await emit(tx, [{ id, role: "playtester" }], { kind, data, notice: { ...notice, amountCents: cents, isHidden } });
    const letter = isHidden
      ? paidUnshownLetter({ config: tx.config, gameName, paidCents: cents })
      : publishedLetter({ gameName, url, paidCents: cents });
    await mailUserAbout(tx, id, kind, letter);
  }
}

/** Tells the owner that a player of the slot no longer wants the video to be published. */
export async function tellWithdrawn(tx: Tx, slot: SlotRow, person: users.UserRow, reason: string | null): Promise<void> {
  const { owner, gameName } = await partiesOf(tx, slot);
  const kind = "slot.consent_withdrawn";
  const isReviewed = slot.status === "accepted" || slot.status === "publishing";
  await emit(tx, [{ id: slot.owner_id, role: "game_owner" }], {
    kind,
    data: { ...subjectOf(slot), playerId: person.id, reason, withdrawnAt: iso(tx.now) },
    notice: { gameName, playtesterName: person.display_name, isReviewed, reason },
  });
  const about = { config: tx.config, slotId: slot.id, gameName, playtesterName: person.display_name, isReviewed, reason };
  await mailAbout(tx, owner, kind, withdrawnLetter(about));
}

interface Untold {
  id: string;
  adapter: PublisherName;
  reason: string;
  /** For operators. */
  detail: string | null;
  url: string;
}

/** Tells the owner and the operators why a video is on the server's own page, at `url`, and not on a platform; not while its game or owner is suspended. */
export async function tellFailed(tx: Tx, slot: SlotRow, { id, adapter, reason, detail, url }: Untold): Promise<void> {
  const { owner, isHidden, gameName, playtesterName } = await partiesOf(tx, slot);
  if (isHidden) return;
  const admins = await listApprovers(tx);
  const recipients: Recipient[] = [
    { id: slot.owner_id, role: "game_owner" },
    ...admins.map((admin): Recipient => ({ id: admin.id, role: "admin" })),
  ];
  const platform = publisherTitles[adapter];
  await emit(tx, recipients, {
    kind: "slot.publish_failed",
    data: { ...subjectOf(slot), adapter, reason, url, failedAt: iso(tx.now) },
    notice: { gameName, playtesterName, platform, reason, url },
  });
  const about = { config: tx.config, slotId: slot.id, gameName, playtesterName, platform, reason };
  await mailAbout(tx, owner, "slot.publish_failed", publishFailedLetter(about));
  for (const admin of admins)
    await mailAbout(tx, admin, "slot.publish_failed", publishFailedLetter({ ...about, publicationId: id, detail }));
}
