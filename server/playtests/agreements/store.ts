import { keyset, type Page } from "../../database/keyset.ts";
import type { Query, Value } from "../../database/port.ts";
import { insertRow } from "../../database/rows.ts";

/** A version of an agreement. One without a text ends the agreement. */
export interface AgreementRow {
  id: string;
  /** Null for the agreement of the server. */
  game_id: string | null;
  number: number;
  text: string | null;
  sha256: string;
  created_at: number;
}

/** A version with a text. */
export type PublishedRow = AgreementRow & { text: string };

export interface AcceptanceRow {
  id: string;
  agreement_id: string;
  user_id: string;
  /** Null once the account is deleted. */
  address: string | null;
  created_at: number;
}

/** A consent with what is shown of its agreement, its playtester and its game. */
export interface ListedAcceptanceRow extends AcceptanceRow {
  number: number;
  sha256: string;
  game_id: string | null;
  game_name: string | null;
  display_name: string;
  email: string;
}

export const insertAgreement = (tx: Query, row: AgreementRow) => insertRow(tx, "agreements", row);

const ofScope = "SELECT * FROM agreements WHERE COALESCE(game_id, '') = ?";
const scopeOf = (gameId: string | null) => gameId ?? "";

/** The newest version of a game, or of the server for null. It may have no text. */
export const latest = (q: Query, gameId: string | null) =>
  q.one<AgreementRow>(`${ofScope} ORDER BY number DESC LIMIT 1`, scopeOf(gameId));

/** The versions with a text, newest first. */
export const versions = (q: Query, gameId: string | null) =>
  q.all<PublishedRow>(`${ofScope} AND text IS NOT NULL ORDER BY number DESC`, scopeOf(gameId));

const isPublished = (row: AgreementRow | undefined): row is PublishedRow => row !== undefined && row.text !== null;

/** What playtesters of a game must accept: its own agreement, else that of the server. */
export async function inForce(q: Query, gameId: string | null): Promise<PublishedRow | undefined> {
  const found = await Promise.all((gameId === null ? [null] : [gameId, null]).map((scope) => latest(q, scope)));
  return found.find(isPublished);
}

export const findAcceptance = (q: Query, agreementId: string, userId: string) =>
  q.one<AcceptanceRow>("SELECT * FROM consents WHERE agreement_id = ? AND user_id = ?", agreementId, userId);

/** Does nothing when the playtester accepted this version before. */
export const insertAcceptance = (tx: Query, row: AcceptanceRow) =>
  tx.run(
    "INSERT INTO consents (id, agreement_id, user_id, address, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (agreement_id, user_id) DO NOTHING",
    row.id,
    row.agreement_id,
    row.user_id,
    row.address,
    row.created_at,
  );

const listed = `SELECT c.*, a.number, a.sha256, a.game_id, g.name AS game_name, u.display_name, u.email
  FROM consents c JOIN agreements a ON a.id = c.agreement_id JOIN users u ON u.id = c.user_id LEFT JOIN games g ON g.id = a.game_id`;

export function list(q: Query, gameId: string | undefined, page: Page) {
  const { sql, values } = keyset(page, "c");
  const filter: Value[] = gameId === undefined ? [] : [gameId];
  return q.all<ListedAcceptanceRow>(
    `${listed} WHERE ${gameId === undefined ? "1 = 1" : "a.game_id = ?"} ${sql}`,
    ...filter,
    ...values,
  );
}

/** Consents to agreements of the game, and those to the agreement of the server of who had a slot of the game. */
export function listForGame(q: Query, gameId: string, page: Page) {
  const { sql, values } = keyset(page, "c");
  return q.all<ListedAcceptanceRow>(
    `${listed} WHERE (a.game_id = ? OR (a.game_id IS NULL AND EXISTS (SELECT 1 FROM slots s WHERE s.game_id = ? AND s.playtester_id = c.user_id))) ${sql}`,
    gameId,
    gameId,
    ...values,
  );
}
