import type { BodyOut } from "../../../src/contract/endpoint.ts";
import type { Contract } from "../../../src/contract/index.ts";
import type { Tx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import { conflict, invalid } from "../../lib/api-error.ts";
import { sha256 } from "../../lib/secrets.ts";
import { maxShares } from "./rules.ts";
import * as store from "./store.ts";

/** What a share is of: the video of a slot, those of a playtest, or a clip. */
export type Shared = Pick<store.ShareRow, "playtest_id" | "slot_id" | "clip_id">;

type Wanted = Omit<BodyOut<Contract["createSlotShare"]>, "password"> & { passwordHash: string | null };

/**
 * Creates a share, inside the caller's transaction. 409 when there is no video that can be shared, the game is suspended, or the account has too many shares;
 * 422 for a note that is not on one of the videos.
 */
export async function createShare(
  tx: Tx,
  ownerId: string,
  shared: Shared,
  { validForSeconds, passwordHash, withName, withNotes, noteIds }: Wanted,
): Promise<store.ShareRow> {
  if (await store.isGameSuspended(tx, shared.playtest_id))
    throw conflict(
      "This game is suspended, so its videos cannot be shared. Nothing was shared. Ask the operator of this server.",
    );
  if ((await store.countOf(tx, ownerId)) >= maxShares)
    throw conflict(`An account can have at most ${maxShares} shares. Nothing was shared. End some of them first.`);
  const now = tx.now;
  const id = tx.newId();
  const token = tx.randomBytes(32).toString("base64url");
  const row: store.ShareRow = {
    id,
    owner_id: ownerId,
    ...shared,
    token_hash: sha256(token),
    token: tx.secrets.seal(token, store.tokenContext(id)),
    password_hash: passwordHash,
    with_name: withName ? 1 : 0,
    with_moments: withNotes ? 1 : 0,
    moment_ids: JSON.stringify(noteIds),
    views: 0,
    last_viewed_at: null,
    created_at: now,
    expires_at: now + validForSeconds * 1000,
  };
  await requireNotes(tx, row, noteIds);
  await requireVideos(tx, row);
  await store.insert(tx, row);
  return row;
}

async function requireVideos(tx: Query, row: store.ShareRow): Promise<void> {
  if ((await store.videosOf(tx, row)).length > 0) return;
  if (row.clip_id !== null)
    throw conflict(
      "This clip cannot be shared: it is not ready, or its slot is neither submitted nor accepted. Nothing was shared. Try again when it is cut.",
    );
  throw conflict(
    row.slot_id === null
      ? "This playtest has no video that can be shared. Nothing was shared. Wait until a video is submitted."
      : "This slot has no video that can be shared: it must be submitted or accepted. Nothing was shared.",
  );
}

async function requireNotes(tx: Query, row: store.ShareRow, noteIds: readonly string[]): Promise<void> {
  for (const [index, noteId] of noteIds.entries())
    if (!(await store.hasMoment(tx, row, noteId))) throw invalid(`noteIds.${index}`, "must be a note on what is shared");
}
