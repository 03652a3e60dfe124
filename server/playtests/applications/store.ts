import { type ApplicationStatus, applicationMoves } from "../../../src/contract/states/index.ts";
import { type Page, paged } from "../../database/keyset.ts";
import type { Query } from "../../database/port.ts";
import { addRow, findRow } from "../../database/rows.ts";
import type { New, Tables } from "../../database/schema/index.ts";
import { stateMachine } from "../../database/state-machine.ts";

export type ApplicationRow = Tables["applications"];

/** An application with the parts of the playtest that its playtester may see. */
export interface OwnApplicationRow extends ApplicationRow {
  game_id: string;
  game_name: string;
  /** Of the image that was fetched from the game's present address. */
  cover_hash: string | null;
  window_at: number | null;
}

/** An application with the parts of the playtester's profile that the owner may see. */
export interface ApplicantRow
  extends ApplicationRow,
    Pick<Tables["users"], "display_name" | "gaming_experience" | "validated_at"> {
  window_at: number | null;
  score_sum: number | null;
  score_count: number;
  accepted_count: number;
}

const mine = `SELECT a.*, p.game_id, g.name AS game_name, c.hash AS cover_hash, p.closes_at AS window_at
  FROM applications a JOIN playtests p ON p.id = a.playtest_id JOIN games g ON g.id = p.game_id
    LEFT JOIN covers c ON c.game_id = g.id AND c.url = g.cover_image_url`;

const scores = "FROM ratings r JOIN slots s ON s.id = r.slot_id WHERE s.playtester_id = a.playtester_id";
const applicant = `SELECT a.*, p.closes_at AS window_at, u.display_name, u.gaming_experience, u.validated_at,
    (SELECT CAST(SUM(r.score) AS BIGINT) ${scores}) AS score_sum, (SELECT COUNT(r.score) ${scores}) AS score_count,
    (SELECT COUNT(*) FROM slots s WHERE s.playtester_id = a.playtester_id AND s.status = 'accepted') AS accepted_count
  FROM applications a JOIN playtests p ON p.id = a.playtest_id JOIN users u ON u.id = a.playtester_id`;

export const find = (q: Query, id: string) => findRow(q, "applications", { id });
export const ofPlaytester = (q: Query, playtestId: string, playtesterId: string) =>
  findRow(q, "applications", { playtest_id: playtestId, playtester_id: playtesterId });
export const findApplicant = (q: Query, id: string) => q.one<ApplicantRow>(`${applicant} WHERE a.id = ?`, id);
export const findOwn = (q: Query, id: string, playtesterId: string) =>
  q.one<OwnApplicationRow>(`${mine} WHERE a.id = ? AND a.playtester_id = ?`, id, playtesterId);

export const listForPlaytest = (q: Query, playtestId: string, page: Page) =>
  paged(q, page, "a").all<ApplicantRow>(`${applicant} WHERE a.playtest_id = ?`, playtestId);

export const listOwn = (q: Query, playtesterId: string, page: Page) =>
  paged(q, page, "a").all<OwnApplicationRow>(`${mine} WHERE a.playtester_id = ?`, playtesterId);

/** False when this playtester already has an application to this playtest, in any status. */
export const insert = (tx: Query, row: New<"applications">) => addRow(tx, "applications", row);

export const { isIn, wrongState, transition, tryTransition } = stateMachine({
  noun: "application",
  table: "applications",
  moves: applicationMoves,
});

/** A pending application with the playtester to notify. */
export type PendingRow = ApplicationRow & Pick<Tables["users"], "display_name" | "email"> & { status: "pending" };

export const pendingOf = (q: Query, playtestId: string) =>
  q.all<PendingRow>(
    `SELECT a.*, u.display_name, u.email FROM applications a JOIN users u ON u.id = a.playtester_id
      WHERE a.playtest_id = ? AND a.status = 'pending' ORDER BY a.created_at, a.id`,
    playtestId,
  );

/** Where somebody waits for a decision at a time (ms): one row for each playtester and game, of one game or of all. */
export const pendingPlaces = (q: Query, gameId: string | null, now: number) =>
  q.all<{ playtester_id: string; game_id: string; game_name: string; playtest_id: string }>(
    `SELECT a.playtester_id, p.game_id, g.name AS game_name, MAX(a.playtest_id) AS playtest_id
      FROM applications a JOIN playtests p ON p.id = a.playtest_id JOIN games g ON g.id = p.game_id
      WHERE a.status = 'pending' AND p.status = 'active' AND p.closes_at > ? ${gameId === null ? "" : "AND p.game_id = ?"}
      GROUP BY a.playtester_id, p.game_id, g.name ORDER BY a.playtester_id, p.game_id`,
    now,
    ...(gameId === null ? [] : [gameId]),
  );

export async function countsOf(q: Query, playtestId: string): Promise<Record<ApplicationStatus, number>> {
  const counts = { pending: 0, approved: 0, rejected: 0, auto_rejected: 0, withdrawn: 0 };
  const rows = await q.all<{ status: ApplicationStatus; count: number }>(
    "SELECT status, COUNT(*) AS count FROM applications WHERE playtest_id = ? GROUP BY status",
    playtestId,
  );
  for (const { status, count } of rows) counts[status] = count;
  return counts;
}
