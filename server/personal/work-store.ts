import type { Query } from "../database/port.ts";
import { updateWhere } from "../database/rows.ts";
import type { UploadRow } from "../uploads/store.ts";

/** How long the playtesters of a deleted owner can still save the videos that they made. */
export const videoMs = 30 * 86_400_000;

/** Rows that belong to nobody but an account of which only the id is left. The account's id is each `?`. */
const builds = "SELECT b.id FROM builds b JOIN games g ON g.id = b.game_id WHERE g.owner_id = ?";

const ofOwner = "slot_id IN (SELECT id FROM slots WHERE owner_id = ?)";

/**
 * Slots `s` whose video nobody may keep: its playtester was not paid for it and is gone; or its owner is gone, it is not published, and its
 * playtester is gone too or had the time to save it.
 */
const over = `((t.deleted_at IS NOT NULL AND s.status <> 'accepted')
  OR (o.deleted_at IS NOT NULL AND v.published_at IS NULL AND s.status <> 'publishing' AND (t.deleted_at IS NOT NULL OR o.deleted_at <= ?)))`;

const submitted = `FROM slots s JOIN submissions v ON v.slot_id = s.id JOIN users o ON o.id = s.owner_id
  LEFT JOIN users t ON t.id = s.playtester_id`;

/** The slots of an account whose videos nobody may keep at `now` (ms). */
export const slotsOver = async (q: Query, userId: string, now: number): Promise<string[]> =>
  (
    await q.all<{ id: string }>(
      `SELECT s.id ${submitted} WHERE (s.owner_id = ? OR s.playtester_id = ?) AND ${over}`,
      userId,
      userId,
      now - videoMs,
    )
  ).map(({ id }) => id);

/** Whether the account has videos that will be over later. */
export const hasVideosLeft = async (q: Query, userId: string): Promise<boolean> =>
  (await q.one(
    `SELECT s.id ${submitted} WHERE s.owner_id = ? AND o.deleted_at IS NOT NULL AND v.published_at IS NULL LIMIT 1`,
    userId,
  )) !== undefined;

export type UploadId = Pick<UploadRow, "id" | "kind">;

const keysOf = (rows: readonly Record<string, string | null>[]) =>
  rows.flatMap((row) => Object.values(row).filter((key) => key !== null));

/** Removes the builds of an account. Returns the keys of their files. */
export async function removeBuilds(tx: Query, userId: string): Promise<string[]> {
  const rows = await tx.all<{ blob_key: string }>(
    `SELECT blob_key FROM builds WHERE blob_key IS NOT NULL AND id IN (${builds})`,
    userId,
  );
  await updateWhere(tx, "games", { build_id: null }, { owner_id: userId });
  await tx.run(`DELETE FROM builds WHERE id IN (${builds})`, userId);
  return keysOf(rows.map((row) => ({ ...row })));
}

/** Removes the uploads of an account but those of submitted videos, which go with the submission. */
export async function removeUploads(tx: Query, userId: string): Promise<UploadId[]> {
  const condition = `user_id = ? AND NOT EXISTS (SELECT 1 FROM submissions v
    WHERE v.slot_id = uploads.slot_id AND v.blob_key = uploads.kind || 's/' || uploads.id)`;
  const rows = await tx.all<UploadId>(`SELECT id, kind FROM uploads WHERE ${condition}`, userId);
  await tx.run(`DELETE FROM uploads WHERE ${condition}`, userId);
  return rows;
}

/** Removes what was written down from the videos of an owner's slots. Returns the keys of the files. */
export async function removeTranscripts(tx: Query, ownerId: string): Promise<string[]> {
  const rows = await tx.all<Record<string, string | null>>(
    `SELECT original_key, edited_key FROM transcriptions WHERE ${ofOwner}`,
    ownerId,
  );
  await tx.run(`DELETE FROM transcriptions WHERE ${ofOwner}`, ownerId);
  return keysOf(rows);
}

/** Removes the submission of a slot with its transcript, its uploads and the links to it. Returns what it names. */
export async function removeSubmission(tx: Query, slotId: string): Promise<{ keys: string[]; uploads: UploadId[] }> {
  const rows = await tx.all<Record<string, string | null>>(
    `SELECT v.blob_key, x.original_key, x.edited_key FROM submissions v LEFT JOIN transcriptions x ON x.slot_id = v.slot_id WHERE v.slot_id = ?`,
    slotId,
  );
  const uploads = await tx.all<UploadId>("SELECT id, kind FROM uploads WHERE slot_id = ?", slotId);
  for (const table of ["transcriptions", "shares", "uploads", "video_signals", "submissions"])
    await tx.run(`DELETE FROM ${table} WHERE slot_id = ?`, slotId);
  return { keys: keysOf(rows), uploads };
}

/** The clips of a slot, the reels with a part of its video, and its still images. */
export async function cuttingsOf(q: Query, slotId: string): Promise<{ clips: string[]; stills: string[] }> {
  const ids = async (sql: string) => (await q.all<{ id: string }>(sql, slotId)).map(({ id }) => id);
  const own = await ids("SELECT id FROM clips WHERE slot_id = ?");
  const reels = await ids("SELECT DISTINCT clip_id AS id FROM clip_parts WHERE slot_id = ?");
  return { clips: [...new Set([...own, ...reels])], stills: await ids("SELECT id FROM stills WHERE slot_id = ?") };
}

const bothGone = (
  table: string,
) => `SELECT x.id FROM ${table} x JOIN users o ON o.id = x.owner_id JOIN users t ON t.id = x.playtester_id
  WHERE (x.owner_id = ? OR x.playtester_id = ?) AND o.deleted_at IS NOT NULL AND t.deleted_at IS NOT NULL`;

/** What was said between two accounts that are both deleted: nobody is left who received it. */
const unheard = [
  `DELETE FROM messages WHERE conversation_id IN (${bothGone("conversations")})`,
  `DELETE FROM conversations WHERE id IN (${bothGone("conversations")})`,
  `UPDATE rejections SET reason = '' WHERE slot_id IN (${bothGone("slots")})`,
  `UPDATE blocked_reports SET notes = NULL, message = NULL WHERE slot_id IN (${bothGone("slots")})`,
];

export async function removeUnheard(tx: Query, userId: string): Promise<void> {
  for (const sql of unheard) await tx.run(sql, userId, userId);
}

/** What is left of deleted accounts although it should be gone by `now` (ms): how many rows of each kind. */
const leftovers: Record<string, string> = {
  builds: "builds b JOIN games g ON g.id = b.game_id JOIN users o ON o.id = g.owner_id WHERE o.deleted_at IS NOT NULL",
  uploads: `uploads u JOIN users o ON o.id = u.user_id WHERE o.deleted_at IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM submissions v WHERE v.slot_id = u.slot_id AND v.blob_key = u.kind || 's/' || u.id)`,
  transcripts:
    "transcriptions x JOIN slots s ON s.id = x.slot_id JOIN users o ON o.id = s.owner_id WHERE o.deleted_at IS NOT NULL",
  clips: "clips c JOIN users o ON o.id = c.owner_id WHERE o.deleted_at IS NOT NULL",
  "still images": "stills i JOIN users o ON o.id = i.owner_id WHERE o.deleted_at IS NOT NULL",
  emails: "mails m JOIN users o ON o.id = m.user_id WHERE o.deleted_at IS NOT NULL",
};

/** A day more than the rules say: the job that removes them may be late. */
const slackMs = 86_400_000;

export async function leftoversOf(q: Query, now: number): Promise<{ kind: string; count: number }[]> {
  const found: { kind: string; count: number }[] = [];
  const count = async (kind: string, sql: string, ...values: number[]) => {
    const { n } = (await q.one<{ n: number }>(`SELECT COUNT(*) AS n ${sql}`, ...values))!;
    if (n > 0) found.push({ kind, count: n });
  };
  for (const [kind, sql] of Object.entries(leftovers)) await count(kind, `FROM ${sql}`);
  await count("videos", `${submitted} WHERE ${over}`, now - videoMs - slackMs);
  return found;
}

/** The accounts that were deleted. */
export const listDeleted = async (q: Query): Promise<string[]> =>
  (await q.all<{ id: string }>("SELECT id FROM users WHERE deleted_at IS NOT NULL ORDER BY id")).map(({ id }) => id);
