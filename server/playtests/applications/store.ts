import { type ApplicationStatus, applicationMoves } from "../../../src/contract/states/index.ts";
import { keyset, type Page } from "../../database/keyset.ts";
import type { Query } from "../../database/port.ts";
import { stateMachine } from "../../database/state-machine.ts";

export interface ApplicationRow {
  id: string;
  playtest_id: string;
  playtester_id: string;
  status: ApplicationStatus;
  qualifications_response: string | null;
  created_at: number;
  reviewed_at: number | null;
  assigned_slot_id: string | null;
}

/** An application with the parts of the playtest that its playtester may see. */
export interface OwnApplicationRow extends ApplicationRow {
  game_id: string;
  game_name: string;
  /** Of the image that was fetched from the game's present address. */
  cover_hash: string | null;
  window_at: number | null;
}

/** An application with the parts of the playtester's profile that the owner may see. */
export interface ApplicantRow extends ApplicationRow {
  window_at: number | null;
  display_name: string;
  gaming_experience: string | null;
  validated_at: number | null;
  score_sum: number | null;
  score_count: number;
  accepted_count: number;
}

const mine = `SELECT a.*, p.game_id, g.name AS game_name, c.hash AS cover_hash, p.applications_expire_at AS window_at
  FROM applications a JOIN playtests p ON p.id = a.playtest_id JOIN games g ON g.id = p.game_id
    LEFT JOIN covers c ON c.game_id = g.id AND c.url = g.cover_image_url`;

const scores = "FROM ratings r JOIN slots s ON s.id = r.slot_id WHERE s.playtester_id = a.playtester_id";
const applicant = `SELECT a.*, p.applications_expire_at AS window_at, u.display_name, u.gaming_experience, u.validated_at,
    (SELECT CAST(SUM(r.score) AS BIGINT) ${scores}) AS score_sum, (SELECT COUNT(r.score) ${scores}) AS score_count,
    (SELECT COUNT(*) FROM slots s WHERE s.playtester_id = a.playtester_id AND s.status = 'accepted') AS accepted_count
  FROM applications a JOIN playtests p ON p.id = a.playtest_id JOIN users u ON u.id = a.playtester_id`;

export const find = (q: Query, id: string) => q.one<ApplicationRow>("SELECT * FROM applications WHERE id = ?", id);
export const ofPlaytester = (q: Query, playtestId: string, playtesterId: string) =>
  q.one<ApplicationRow>("SELECT * FROM applications WHERE playtest_id = ? AND playtester_id = ?", playtestId, playtesterId);
export const findApplicant = (q: Query, id: string) => q.one<ApplicantRow>(`${applicant} WHERE a.id = ?`, id);
export const findOwn = (q: Query, id: string, playtesterId: string) =>
  q.one<OwnApplicationRow>(`${mine} WHERE a.id = ? AND a.playtester_id = ?`, id, playtesterId);

export function listForPlaytest(q: Query, playtestId: string, page: Page) {
  const { sql, values } = keyset(page, "a");
  return q.all<ApplicantRow>(`${applicant} WHERE a.playtest_id = ? ${sql}`, playtestId, ...values);
}

export function listOwn(q: Query, playtesterId: string, page: Page) {
  const { sql, values } = keyset(page, "a");
  return q.all<OwnApplicationRow>(`${mine} WHERE a.playtester_id = ? ${sql}`, playtesterId, ...values);
}

/** False when this playtester already has an application to this playtest, in any status. */
export const insert = async (tx: Query, row: ApplicationRow) =>
  (await tx.run(
    `INSERT INTO applications (id, playtest_id, playtester_id, status, qualifications_response, created_at) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (playtest_id, playtester_id) DO NOTHING`,
    row.id,
    row.playtest_id,
    row.playtester_id,
    row.status,
    row.qualifications_response,
    row.created_at,
  )) === 1;

export const { isIn, wrongState, transition, tryTransition } = stateMachine<ApplicationRow, typeof applicationMoves>({
  noun: "application",
  table: "applications",
  moves: applicationMoves,
});

/** A pending application with the playtester to notify. */
export interface PendingRow extends ApplicationRow {
  status: "pending";
  display_name: string;
  email: string;
}

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
      WHERE a.status = 'pending' AND p.status = 'active' AND p.applications_expire_at > ? ${gameId === null ? "" : "AND p.game_id = ?"}
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
