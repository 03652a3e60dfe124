import type { PublicationFilter } from "../../../src/contract/publications/endpoints.ts";
import { publicationMoves } from "../../../src/contract/states/index.ts";
import { type Page, paged } from "../../database/keyset.ts";
import type { Query } from "../../database/port.ts";
import { findRow, insertRow, updateRow } from "../../database/rows.ts";
import type { Left, New, Tables } from "../../database/schema/index.ts";
import { stateMachine } from "../../database/state-machine.ts";
import { joinConsent, publishedNameSql } from "./consents-store.ts";

export type PublicationRow = Tables["publications"];

/** A publication with what is shown of it and sent to a platform. */
export interface PublicationDetailRow
  extends PublicationRow,
    Pick<Tables["slots"], "owner_id" | "game_id">,
    Pick<Tables["games"], "external_url" | "languages">,
    Left<Pick<Tables["submissions"], "published_url" | "blob_key" | "content_type">> {
  game_name: string;
  /** 1 while the game or its owner's account is suspended. */
  is_suspended: number;
  display_name: string | null;
  /** What its playtester wants to be called where it is published; null for no name. */
  published_name: string | null;
  /** The transcript that is shown; null without one. */
  captions_key: string | null;
}

/** What `session` is sealed for. */
export const sessionContext = (id: string) => `publication ${id}`;

const detail = `SELECT c.*, s.owner_id, s.game_id, g.name AS game_name,
    CASE WHEN g.status = 'suspended' OR o.suspended_at IS NOT NULL THEN 1 ELSE 0 END AS is_suspended, u.display_name, ${publishedNameSql} AS published_name, b.published_url, b.blob_key, b.content_type,
    g.external_url, g.languages, CASE WHEN t.status <> 'approved' THEN NULL WHEN t.selected_version = 'edited' THEN t.edited_key ELSE t.original_key END AS captions_key
  FROM publications c JOIN slots s ON s.id = c.slot_id JOIN games g ON g.id = s.game_id
  JOIN users o ON o.id = s.owner_id LEFT JOIN users u ON u.id = s.playtester_id ${joinConsent} LEFT JOIN submissions b ON b.slot_id = s.id LEFT JOIN transcriptions t ON t.slot_id = s.id`;

export const insert = (tx: Query, row: New<"publications">) => insertRow(tx, "publications", row);
export const update = (tx: Query, id: string, changes: Partial<Omit<PublicationRow, "state">>) =>
  updateRow(tx, "publications", id, changes);
export const find = (q: Query, id: string) => findRow(q, "publications", { id });
export const findDetail = (q: Query, id: string) => q.one<PublicationDetailRow>(`${detail} WHERE c.id = ?`, id);

/** The publication of a slot that is not removed, otherwise the last one. */
export const ofSlot = (q: Query, slotId: string) =>
  q.one<PublicationDetailRow>(
    `${detail} WHERE c.slot_id = ? ORDER BY CASE WHEN c.state = 'removed' THEN 1 ELSE 0 END, c.created_at DESC, c.id DESC LIMIT 1`,
    slotId,
  );

/** Whether the video of a slot was to be published, and is not any more. */
export const wasRemoved = async (q: Query, slotId: string): Promise<boolean> => (await ofSlot(q, slotId))?.state === "removed";

/** The publications that are not removed of an account's slots: those it owns, and those it plays, in a team too. */
export const ofAccount = (q: Query, userId: string) =>
  q.all<PublicationRow>(
    `SELECT c.* FROM publications c WHERE c.state <> 'removed' AND c.slot_id IN (SELECT s.id FROM slots s WHERE s.owner_id = ?
        UNION SELECT s.id FROM slots s WHERE s.playtester_id = ?
        UNION SELECT m.slot_id FROM team_members m JOIN teams t ON t.id = m.team_id
          WHERE m.user_id = ? AND m.status = 'confirmed' AND t.status = 'complete')
      ORDER BY c.created_at, c.id`,
    userId,
    userId,
    userId,
  );

/** What needs an operator: it was given up, or the platform does not delete it. */
export const troubled = "(c.state IN ('blocked', 'failed') OR (c.state = 'removed' AND c.attempts > 0))";

/** The publications one by one, newest first: all, or those that the filter names. */
export function list(q: Query, filter: PublicationFilter | undefined, page: Page) {
  const rows = paged(q, page, "c");
  if (filter === undefined) return rows.all<PublicationDetailRow>(`${detail} WHERE 1 = 1`);
  if (filter === "troubled") return rows.all<PublicationDetailRow>(`${detail} WHERE ${troubled}`);
  return rows.all<PublicationDetailRow>(`${detail} WHERE c.state = ?`, filter);
}

export const { isIn, requireMove, transition, transitionFromAny } = stateMachine({
  noun: "publication",
  table: "publications",
  moves: publicationMoves,
  column: "state",
});

/** A day: the job that gives up may be late. */
const slackMs = 86_400_000;

/** Slots whose publication does not match them at `now` (ms), which no move leads to. */
export const faultsAt = (q: Query, now: number) =>
  q.all<{ slot_id: string; fault: string }>(
    `SELECT s.id AS slot_id, 'is being published, but nothing publishes it' AS fault FROM slots s JOIN submissions b ON b.slot_id = s.id
        JOIN playtests p ON p.id = s.playtest_id
        WHERE s.status = 'publishing' AND (p.is_free_public_trial = 0 OR b.admin_approved_at IS NOT NULL)
        AND NOT EXISTS (SELECT 1 FROM publications c WHERE c.slot_id = s.id AND c.state IN ('waiting', 'uploading', 'processing'))
      UNION ALL SELECT c.slot_id, 'should have been given up' FROM publications c JOIN slots s ON s.id = c.slot_id
        WHERE c.state IN ('waiting', 'uploading', 'processing') AND s.status = 'publishing' AND c.give_up_at > c.created_at AND c.give_up_at <= ?
      UNION ALL SELECT c.slot_id, 'is public at no address' FROM publications c JOIN submissions b ON b.slot_id = c.slot_id
        WHERE c.state IN ('published', 'blocked', 'failed') AND b.published_url IS NULL
      UNION ALL SELECT b.slot_id, 'is public, but was removed' FROM submissions b WHERE b.published_url IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM publications c WHERE c.slot_id = b.slot_id AND c.state <> 'removed')`,
    now - slackMs,
  );

/** How many need an operator, and why the newest of them does. */
export async function countTroubled(q: Query): Promise<{ troubled: number; reason: string }> {
  const { troubled: count } = (await q.one<{ troubled: number }>(
    `SELECT COUNT(*) AS troubled FROM publications c WHERE ${troubled}`,
  ))!;
  const newest = await q.one<{ reason: string | null }>(
    `SELECT COALESCE(error, reason) AS reason FROM publications c WHERE ${troubled} ORDER BY updated_at DESC, id DESC LIMIT 1`,
  );
  return { troubled: count, reason: newest?.reason ?? "" };
}
