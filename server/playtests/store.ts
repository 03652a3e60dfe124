import type { Device } from "../../src/contract/games.ts";
import { mine } from "../../src/contract/playtester.ts";
import { playtestMoves, type SlotStatus, slotStatuses } from "../../src/contract/states/index.ts";
import { fits, suits } from "../accounts/traits-store.ts";
import { type Page, paged } from "../database/keyset.ts";
import type { Query, WriteOptions } from "../database/port.ts";
import { findRow, findRows, insertRow, listRows, sendRow, updateRow } from "../database/rows.ts";
import type { New, Tables } from "../database/schema/index.ts";
import { stateMachine } from "../database/state-machine.ts";
import { lackingSql, suppliedSql } from "./keys/store.ts";
import { statusSql } from "./slots/store.ts";
import { heldCount, heldForTeam, played } from "./teams/store.ts";

export type PlaytestRow = Tables["playtests"];

export type SlotCounts = Record<SlotStatus, number>;

export const find = (q: Query, id: string) => findRow(q, "playtests", { id });
/** The playtests with these ids, of which there must be some, oldest first. */
export const findMany = (q: Query, ids: readonly string[]) => findRows(q, "playtests", { id: ids }, "created_at", "id");
export const findForOwner = (q: Query, id: string, ownerId: string) => findRow(q, "playtests", { id, owner_id: ownerId });

/**
 * Every write that changes the slots or applications of a playtest locks it before it reads them, so that each decides by what the
 * one before it left. With isolation `rows` that is also what makes its reads consistent. Locks are taken in the order playtest, user,
 * ledger accounts.
 */
export const lock = (tx: Query, id: string) => tx.lock("playtests", "id = ?", id);
/** Locks the playtest, and reads it as the writes before left it. */
export const locked = (tx: Query, id: string) => tx.locked<PlaytestRow>("playtests", id);
export const lockOfSlot = (tx: Query, slotId: string) =>
  tx.lock("playtests", "id = (SELECT playtest_id FROM slots WHERE id = ?)", slotId);
export const lockOfApplication = (tx: Query, applicationId: string) =>
  tx.lock("playtests", "id = (SELECT playtest_id FROM applications WHERE id = ?)", applicationId);

/**
 * For a write that locked the playtest and decides by it, its slots, keys, applications and the finished videos of its slots, by what a
 * locked user holds, and by balances, whose updates refuse an overdraft. Not for one that decides by anything else.
 */
export const rowLocks: WriteOptions = { isolation: "rows" };

export const listForGame = (q: Query, gameId: string, page: Page) => listRows(q, "playtests", page, { game_id: gameId });

export const insert = (tx: Query, playtest: New<"playtests">) => insertRow(tx, "playtests", playtest);
/** As `insert`, where no index can refuse it. */
export const send = (tx: Query, playtest: New<"playtests">) => sendRow(tx, "playtests", playtest);
/** The order of an owner that holds a ref: cancelled ones left it free. */
export const holderOf = (q: Query, ownerId: string, ref: string) =>
  q.one<PlaytestRow>("SELECT * FROM playtests WHERE owner_id = ? AND ref = ? AND status <> 'cancelled'", ownerId, ref);

/** For each ref that an owner's order has, the order that holds it, otherwise the newest cancelled one. */
export async function byRefs(q: Query, ownerId: string, refs: readonly string[]): Promise<PlaytestRow[]> {
  const rows = await q.all<PlaytestRow>(
    `SELECT * FROM playtests WHERE owner_id = ? AND ref IN (${refs.map(() => "?").join(", ")})
      ORDER BY CASE WHEN status = 'cancelled' THEN 0 ELSE 1 END, created_at, id`,
    ownerId,
    ...refs,
  );
  return [...new Map(rows.map((row) => [row.ref, row])).values()];
}

export const update = (tx: Query, id: string, changes: Partial<Omit<PlaytestRow, "status">>) =>
  updateRow(tx, "playtests", id, changes);

export const { isIn, transition, tryTransition } = stateMachine({ noun: "playtest", table: "playtests", moves: playtestMoves });

export const hasTrial = async (q: Query, gameId: string) =>
  (await q.one("SELECT id FROM playtests WHERE game_id = ? AND is_free_public_trial = 1 AND status <> 'cancelled'", gameId)) !==
  undefined;

/** The number of slots per status at `now`, for each playtest. */
export async function slotCounts(q: Query, playtestIds: readonly string[], now: number): Promise<Map<string, SlotCounts>> {
  const none = () => Object.fromEntries(slotStatuses.map((status) => [status, 0])) as SlotCounts;
  const counts = new Map(playtestIds.map((id) => [id, none()]));
  if (playtestIds.length === 0) return counts;
  const rows = await q.all<{ playtest_id: string; status: SlotStatus; count: number }>(
    `SELECT s.playtest_id, ${statusSql} AS status, COUNT(*) AS count FROM slots s JOIN playtests p ON p.id = s.playtest_id
      WHERE s.playtest_id IN (${playtestIds.map(() => "?").join(", ")}) GROUP BY 1, 2`,
    now,
    now,
    ...playtestIds,
  );
  for (const { playtest_id, status, count } of rows) counts.get(playtest_id)![status] = count;
  return counts;
}

const count = async (q: Query, sql: string, ...values: (string | number)[]) =>
  (await q.one<{ n: number }>(`SELECT COUNT(*) AS n FROM ${sql}`, ...values))!.n;

/** After its manual window a playtest is active only while a slot is not final (see `playtestStatusAt`). */
const activeSql = `p.status = 'active' AND (p.closes_at IS NULL OR p.closes_at > ?
  OR EXISTS (SELECT 1 FROM slots s WHERE s.playtest_id = p.id AND (s.status IN ('submitted', 'blocked', 'publishing') OR (s.status = 'reserved' AND s.deadline_at > ?))))`;

export const dashboard = async (q: Query, ownerId: string, now: number) => ({
  totalGames: await count(q, "games WHERE owner_id = ?", ownerId),
  activePlaytests: await count(q, `playtests p WHERE p.owner_id = ? AND ${activeSql}`, ownerId, now, now),
  pendingReviews: await count(q, "slots WHERE owner_id = ? AND status = 'submitted'", ownerId),
  playtestsLackingKeys: (await lackingKeys(q, ownerId, now)).length,
});

/** The active playtests of an owner whose open slots have too few game keys, oldest first. */
export const lackingKeys = (q: Query, ownerId: string, now: number) =>
  q.all<{ id: string }>(
    `SELECT p.id FROM playtests p WHERE p.owner_id = ? AND ${activeSql} AND ${lackingSql} ORDER BY p.created_at, p.id`,
    ownerId,
    now,
    now,
  );

export const noHistory = { playedGame: false, playedOwner: false, acceptedGame: false, acceptedOwner: false };

/** A playtester's history with this game and this owner, for the eligibility rules. */
export async function history(q: Query, playtest: Pick<PlaytestRow, "game_id" | "owner_id">, playtesterId: string) {
  const any = async (condition: string, ...values: string[]) =>
    (await q.one(`SELECT 1 AS found WHERE ${played("?", condition)}`, playtesterId, ...values, playtesterId, ...values)) !==
    undefined;
  return {
    playedGame: await any("h.game_id = ?", playtest.game_id),
    playedOwner: await any("h.owner_id = ?", playtest.owner_id),
    acceptedGame: await any("h.status = 'accepted' AND h.game_id = ?", playtest.game_id),
    acceptedOwner: await any("h.status = 'accepted' AND h.owner_id = ?", playtest.owner_id),
  };
}

/** SQL for whether playtest `p` is for `who` by their profile. `who` is an SQL expression. */
export const inAudience = (who: string) => `${fits(who, "country", "p.target_countries")}
  AND ${fits(who, "language", "p.target_languages")} AND ${fits(who, "device", "p.target_devices")} AND ${fits(who, "age", "p.target_ages")}`;

/** SQL for whether `who` may claim a slot of playtest `p` or apply: never had one or applied, and is targeted. `who` is an SQL expression. */
const eligible = (who: string) => `NOT ${played(who, "h.playtest_id = p.id")}
  AND NOT EXISTS (SELECT 1 FROM applications a WHERE a.playtest_id = p.id AND a.playtester_id = ${who})
  AND (p.panel IS NULL OR EXISTS (SELECT 1 FROM tester_group_members m JOIN tester_groups t ON t.id = m.group_id WHERE t.name = p.panel AND m.user_id = ${who}))
  AND ${inAudience(who)}
  AND (p.targeting_type IS NULL
    OR (p.targeting_type = 'new' AND p.targeting_scope = 'game' AND NOT ${played(who, "h.game_id = p.game_id")})
    OR (p.targeting_type = 'new' AND p.targeting_scope = 'owner' AND NOT ${played(who, "h.owner_id = p.owner_id")})
    OR (p.targeting_type = 'past' AND p.past_playtester_scope = 'specific' AND p.targeted_playtester_id = ${who})
    OR (p.targeting_type = 'past' AND p.past_playtester_scope = 'any' AND p.targeting_scope = 'game' AND ${played(who, "h.status = 'accepted' AND h.game_id = p.game_id")})
    OR (p.targeting_type = 'past' AND p.past_playtester_scope = 'any' AND p.targeting_scope = 'owner' AND ${played(who, "h.status = 'accepted' AND h.owner_id = p.owner_id")}))`;

/** Playtests offered to playtester `me` at `c.now`: active, approved, with an open slot and its game keys, and for them. */
const offered = `p.status = 'active' AND g.status = 'active' AND u.suspended_at IS NULL AND (p.is_free_public_trial = 0 OR p.approved_at IS NOT NULL)
  AND EXISTS (SELECT 1 FROM slots o WHERE o.playtest_id = p.id AND o.status = 'open' AND NOT ${heldForTeam("c.now")})
  AND (p.closes_at IS NULL OR p.closes_at > c.now)
  AND ${suppliedSql}
  AND ${eligible("me.id")}`;

/** A connected, available friend `f.other_id` of `me` who may claim playtest `p` and holds fewer slots than `c.max_held`. */
const friend = `f.user_id = me.id AND f.status = 'connected' AND v.available = 1 AND o.suspended_at IS NULL AND o.deleted_at IS NULL
  AND ${heldCount("f.other_id", "c.now")} < c.max_held AND ${eligible("f.other_id")}`;
const fromFriends = "FROM friends f JOIN users o ON o.id = f.other_id JOIN playtester_profiles v ON v.user_id = f.other_id";

/** Where a claim names friends: whether `me` has enough of them for playtest `p`. */
const hasFriends = `(p.player_count = 1 OR p.selection_mode = 'manual' OR (SELECT COUNT(*) ${fromFriends} WHERE ${friend}) >= p.player_count - 1)`;

export interface Reader {
  id: string;
  /** The time (ms). */
  now: number;
  /** For a server on which a claim for several players names friends: how many slots one may hold. */
  maxHeld?: number | undefined;
}

const fromReader = `JOIN users me ON me.id = ? CROSS JOIN (SELECT CAST(? AS BIGINT) AS now, CAST(? AS BIGINT) AS max_held) c`;
const readerValues = ({ id, now, maxHeld = 0 }: Reader) => [id, now, maxHeld];

const fromOffers = ({
  maxHeld,
}: Reader) => `FROM playtests p JOIN games g ON g.id = p.game_id JOIN users u ON u.id = p.owner_id ${fromReader}
  WHERE ${offered}${maxHeld === undefined ? "" : ` AND ${hasFriends}`}`;

/** The friends whom a playtester can name for each of these playtests, by name. */
export function friendsFor(q: Query, reader: Reader, playtestIds: readonly string[]) {
  if (playtestIds.length === 0) return Promise.resolve([]);
  return q.all<{ playtest_id: string; handle: string; display_name: string }>(
    `SELECT p.id AS playtest_id, v.handle, o.display_name ${fromFriends} CROSS JOIN playtests p ${fromReader}
      WHERE ${friend} AND v.handle IS NOT NULL AND p.id IN (${playtestIds.map(() => "?").join(", ")}) ORDER BY o.display_name, v.handle`,
    ...readerValues(reader),
    ...playtestIds,
  );
}

interface Wanted {
  device?: Device | typeof mine | undefined;
  language?: string | undefined;
}

/** SQL for what a game lists, in the JSON of a column. A game that lists nothing is for any. */
function listing(column: string, kind: "device" | "language", wanted: string | undefined): [sql: string, ...values: string[]] {
  if (wanted === undefined) return [""];
  if (wanted === mine) return [`AND ${suits("me.id", kind, column)}`];
  const texts = kind === "device" ? [`%"${wanted}"%`] : listings(wanted);
  return [`AND (${column} = '[]' OR ${texts.map(() => `${column} LIKE ?`).join(" OR ")})`, ...texts];
}

/** What the JSON list of a game's languages contains for a wanted one: `pt` is also `pt-BR`, and a game in `pt` is one for `pt-BR`. */
function listings(language: string): string[] {
  const [base, ...rest] = language.split("-");
  return [`%"${language}"%`, `%"${language}-%`, ...(rest.length > 0 ? [`%"${base}"%`] : [])];
}

/** The offers to a playtester, of all games or of those for a device and in a language. A game that names none is for any. */
export function listOffers(q: Query, reader: Reader, { device, language }: Wanted, page: Page) {
  const [forDevice, ...devices] = listing("g.devices", "device", device);
  const [inLanguage, ...languages] = listing("g.languages", "language", language);
  return paged(q, page, "p").all<PlaytestRow>(
    `SELECT p.* ${fromOffers(reader)} ${forDevice} ${inLanguage}`,
    ...readerValues(reader),
    ...devices,
    ...languages,
  );
}

/** One of the offers at a time (ms). Undefined for a playtest that is not offered to this playtester. */
export const findOffer = (q: Query, reader: Reader, id: string) =>
  q.one<PlaytestRow>(`SELECT p.* ${fromOffers(reader)} AND p.id = ?`, ...readerValues(reader), id);

/**
 * Records which offers a playtester knows of by now, and returns the ids of those that are new. Those of games for other devices or in other
 * languages than the profile names are left for when it does: nobody is told of them.
 */
export const addKnownOffers = async (tx: Query, reader: Reader): Promise<string[]> => {
  const rows = await tx.all<{ playtest_id: string }>(
    `INSERT INTO known_offers (user_id, playtest_id, created_at) SELECT me.id, p.id, c.now ${fromOffers(reader)}
      AND ${suits("me.id", "device", "g.devices")} AND ${suits("me.id", "language", "g.languages")}
      AND NOT EXISTS (SELECT 1 FROM known_offers k WHERE k.user_id = me.id AND k.playtest_id = p.id) ON CONFLICT DO NOTHING RETURNING playtest_id`,
    ...readerValues(reader),
  );
  return rows.map((row) => row.playtest_id);
};

export const forgetKnownOffers = (tx: Query, playtesterId: string) =>
  tx.send("DELETE FROM known_offers WHERE user_id = ?", playtesterId);

/** The languages of the games of all offers, sorted. */
export async function languagesOffered(q: Query, reader: Reader): Promise<string[]> {
  const rows = await q.all<{ languages: string }>(
    `SELECT DISTINCT g.languages ${fromOffers(reader)} AND g.languages <> '[]'`,
    ...readerValues(reader),
  );
  return [...new Set(rows.flatMap(({ languages }) => JSON.parse(languages) as string[]))].sort();
}

/** How many open slots each playtest has that are not held for a team at `now` (ms), for those with any. */
export async function openCounts(q: Query, playtestIds: readonly string[], now: number): Promise<Map<string, number>> {
  if (playtestIds.length === 0) return new Map();
  const rows = await q.all<{ playtest_id: string; n: number }>(
    `SELECT o.playtest_id, COUNT(*) AS n FROM slots o WHERE o.status = 'open' AND NOT ${heldForTeam()}
      AND o.playtest_id IN (${playtestIds.map(() => "?").join(", ")}) GROUP BY o.playtest_id`,
    now,
    ...playtestIds,
  );
  return new Map(rows.map((row) => [row.playtest_id, row.n]));
}
