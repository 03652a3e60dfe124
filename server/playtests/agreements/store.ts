import { type Page, paged } from "../../database/keyset.ts";
import type { Query, Value } from "../../database/port.ts";
import { addRow, findRow, insertRow } from "../../database/rows.ts";
import type { New, Tables } from "../../database/schema/index.ts";
import { had } from "../teams/store.ts";

export type AgreementRow = Tables["agreements"];

/** A version with a text. */
export type PublishedRow = AgreementRow & { text: string };

export type AcceptanceRow = Tables["consents"];

/** A consent with what is shown of its agreement, its playtester and its game. */
export type ListedAcceptanceRow = AcceptanceRow &
  Pick<AgreementRow, "number" | "sha256" | "game_id"> &
  Pick<Tables["users"], "display_name" | "email"> & { game_name: string | null };

export const insertAgreement = (tx: Query, row: New<"agreements">) => insertRow(tx, "agreements", row);

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
  findRow(q, "consents", { agreement_id: agreementId, user_id: userId });

/** What a playtester accepted of the agreements of a game and of the server, newest first. */
export const acceptedBy = (q: Query, gameId: string, userId: string) =>
  q.all<PublishedRow & { accepted_at: number }>(
    `SELECT a.*, c.created_at AS accepted_at FROM consents c JOIN agreements a ON a.id = c.agreement_id
      WHERE c.user_id = ? AND (a.game_id = ? OR a.game_id IS NULL) ORDER BY c.created_at DESC, c.id DESC`,
    userId,
    gameId,
  );

/** Does nothing when the playtester accepted this version before. */
export const insertAcceptance = (tx: Query, row: New<"consents">) => addRow(tx, "consents", row);

const listed = `SELECT c.*, a.number, a.sha256, a.game_id, g.name AS game_name, u.display_name, u.email
  FROM consents c JOIN agreements a ON a.id = c.agreement_id JOIN users u ON u.id = c.user_id LEFT JOIN games g ON g.id = a.game_id`;

export function list(q: Query, gameId: string | undefined, page: Page) {
  const filter: Value[] = gameId === undefined ? [] : [gameId];
  return paged(q, page, "c").all<ListedAcceptanceRow>(
    `${listed} WHERE ${gameId === undefined ? "1 = 1" : "a.game_id = ?"}`,
    ...filter,
  );
}

/** Consents to agreements of the game, and those to the agreement of the server of who had a slot of the game, themselves or in a team. */
export const listForGame = (q: Query, gameId: string, page: Page) =>
  paged(q, page, "c").all<ListedAcceptanceRow>(
    `${listed} WHERE (a.game_id = ? OR (a.game_id IS NULL AND ${had("c.user_id", "h.game_id = ?")}))`,
    gameId,
    gameId,
    gameId,
  );
