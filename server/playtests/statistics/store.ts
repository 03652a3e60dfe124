import type { Device } from "../../../src/contract/games.ts";
import { type SlotStatus, slotStatuses } from "../../../src/contract/states/index.ts";
import type { Query, Value } from "../../database/port.ts";
import { buildIdSql } from "../slots/builds-store.ts";
import { statusSql } from "../slots/store.ts";

/** Which slots count: those of an owner, or of one game, created or ended since a time (ms). */
export interface Scope {
  ownerId: string;
  gameId: string | undefined;
  since: number;
}

/** The most slots that are counted, so that no request reads more. */
export const mostSlots = 20_000;
const mostBuilds = 20;

interface Part {
  sql: string;
  values: Value[];
}

/** The newest slots of the scope, as `c`. */
function chosen({ ownerId, gameId, since }: Scope): Part {
  const ofGame = gameId === undefined ? "" : "AND game_id = ?";
  return {
    sql: `WITH c AS (SELECT * FROM slots WHERE owner_id = ? AND created_at >= ? ${ofGame}
      ORDER BY created_at DESC, id DESC LIMIT CAST(? AS INTEGER))`,
    values: [ownerId, since, ...(gameId === undefined ? [] : [gameId]), mostSlots],
  };
}

/** How many slots have which status at `now`. */
export async function countByStatus(q: Query, scope: Scope, now: number): Promise<Record<SlotStatus, number>> {
  const { sql, values } = chosen(scope);
  const rows = await q.all<{ status: SlotStatus; n: number }>(
    `${sql} SELECT status, COUNT(*) AS n FROM (SELECT ${statusSql} AS status FROM c s JOIN playtests p ON p.id = s.playtest_id) x GROUP BY status`,
    ...values,
    now,
    now,
  );
  const counts = Object.fromEntries(slotStatuses.map((status) => [status, 0])) as Record<SlotStatus, number>;
  for (const { status, n } of rows) counts[status] = n;
  return counts;
}

/** Whether the scope has more slots than are counted. */
export async function hasUncounted(q: Query, { ownerId, gameId, since }: Scope): Promise<boolean> {
  const ofGame = gameId === undefined ? "" : "AND game_id = ?";
  const row = await q.one(
    `SELECT id FROM slots WHERE owner_id = ? AND created_at >= ? ${ofGame} LIMIT 1 OFFSET CAST(? AS INTEGER)`,
    ...[ownerId, since, ...(gameId === undefined ? [] : [gameId]), mostSlots],
  );
  return row !== undefined;
}

/** How many slots were rejected with a retry. */
export async function countRetried(q: Query, scope: Scope): Promise<number> {
  const { sql, values } = chosen(scope);
  const row = await q.one<{ n: number }>(
    `${sql} SELECT COUNT(*) AS n FROM c JOIN rejections j ON j.slot_id = c.id WHERE j.allow_retry = 1`,
    ...values,
  );
  return row!.n;
}

/** How many submissions were played on which device. */
export function countByDevice(q: Query, scope: Scope) {
  const { sql, values } = chosen(scope);
  return q.all<{ device: Device | null; count: number }>(
    `${sql} SELECT b.device, COUNT(*) AS count FROM c JOIN submissions b ON b.slot_id = c.id GROUP BY b.device ORDER BY count DESC, b.device`,
    ...values,
  );
}

export interface TimeRow {
  step: "claim" | "submit" | "review";
  n: number;
  median: number;
  p90: number;
}

/**
 * Median and 90th percentile of the steps of a slot, in ms, by the nearest rank. A retry is claimed when it is created, so it does not count
 * as a claim; nor does a step that the moved clock of a sandbox made negative.
 */
export function stepTimes(q: Query, scope: Scope): Promise<TimeRow[]> {
  const { sql, values } = chosen(scope);
  return q.all<TimeRow>(
    `${sql}, d AS (
        SELECT 'claim' AS step, reserved_at - created_at AS ms FROM c WHERE reserved_at IS NOT NULL AND retry_of IS NULL
        UNION ALL SELECT 'submit', submitted_at - reserved_at FROM c WHERE submitted_at IS NOT NULL AND reserved_at IS NOT NULL
        UNION ALL SELECT 'review', ended_at - submitted_at FROM c WHERE submitted_at IS NOT NULL AND status IN ('accepted', 'rejected')),
      r AS (SELECT step, ms, ROW_NUMBER() OVER (PARTITION BY step ORDER BY ms) AS rank, COUNT(*) OVER (PARTITION BY step) AS n FROM d WHERE ms >= 0)
      SELECT step, n, MAX(CASE WHEN rank * 2 >= n AND (rank - 1) * 2 < n THEN ms END) AS median,
        MAX(CASE WHEN rank * 10 >= n * 9 AND (rank - 1) * 10 < n * 9 THEN ms END) AS p90
      FROM r GROUP BY step, n`,
    ...values,
  );
}

/** The number of a period, by the starts of the periods in order; -1 before the first. Binds the starts from the second on, then the first. */
function periodSql(column: string, starts: readonly number[]): Part {
  const later = starts.slice(1).toReversed();
  const cases = later.map((_, i) => `WHEN ${column} >= ? THEN ${later.length - i}`);
  return { sql: `CASE ${cases.join(" ")} WHEN ${column} >= ? THEN 0 ELSE -1 END`, values: [...later, starts[0]!] };
}

const figures = "COUNT(*) AS n, CAST(COALESCE(SUM(score), 0) AS BIGINT) AS total";

export interface RatingRow {
  n: number;
  total: number;
}

/** Ratings by period and score: a few rows for each period. */
export function ratingsByPeriod(q: Query, scope: Scope, starts: readonly number[]) {
  const { sql, values } = chosen(scope);
  const period = periodSql("r.created_at", starts);
  return q.all<RatingRow & { period: number; score: number }>(
    `${sql} SELECT period, score, ${figures} FROM
        (SELECT ${period.sql} AS period, r.score FROM c JOIN ratings r ON r.slot_id = c.id WHERE r.score IS NOT NULL) x
      GROUP BY period, score ORDER BY period, score`,
    ...values,
    ...period.values,
  );
}

/** Ratings by the build that was played, for the newest builds. */
export function ratingsByBuild(q: Query, scope: Scope) {
  const { sql, values } = chosen(scope);
  return q.all<RatingRow & { id: string; game_id: string; name: string; version: string | null; created_at: number }>(
    `${sql}, x AS (SELECT r.score, ${buildIdSql} AS build_id FROM c s JOIN ratings r ON r.slot_id = s.id WHERE r.score IS NOT NULL)
      SELECT b.id, b.game_id, g.name, b.version, b.created_at, ${figures} FROM x JOIN builds b ON b.id = x.build_id JOIN games g ON g.id = b.game_id
      GROUP BY b.id, b.game_id, g.name, b.version, b.created_at ORDER BY b.created_at DESC, b.id DESC LIMIT ${mostBuilds}`,
    ...values,
  );
}

/** Cents and playtest minutes of a slot `s` of a playtest `p`. */
const costs = `CAST(COALESCE(SUM(CASE WHEN p.paid_with = 'credit' THEN p.cost_per_slot_cents ELSE 0 END), 0) AS BIGINT) AS cents,
  CAST(COALESCE(SUM(CASE WHEN p.paid_with = 'hours' THEN p.duration_minutes * p.player_count ELSE 0 END), 0) AS BIGINT) AS minutes`;

export interface CostRow {
  game_id: string;
  name: string;
  cents: number;
  minutes: number;
}

const ofGameSql = (gameId: string | undefined): Part =>
  gameId === undefined ? { sql: "", values: [] } : { sql: "AND s.game_id = ?", values: [gameId] };

/** A slot `s` whose playtester was paid for it although its owner cancelled it: too late for a refund. */
const cancelledTooLate = `(s.status = 'cancelled' AND EXISTS (
  SELECT 1 FROM ledger_transfers t WHERE t.event_key IN ('accept:' || s.id, 'accept_minutes:' || s.id)))`;

/** What the slots cost that were accepted, finally rejected or cancelled too late for a refund since, by month and game. */
export function spentByMonth(q: Query, { ownerId, gameId, since }: Scope, starts: readonly number[]) {
  const period = periodSql("s.ended_at", starts);
  const ofGame = ofGameSql(gameId);
  return q.all<CostRow & { period: number }>(
    `SELECT x.period, x.game_id, g.name, x.cents, x.minutes FROM (
        SELECT period, game_id, CAST(SUM(cents) AS BIGINT) AS cents, CAST(SUM(minutes) AS BIGINT) AS minutes FROM (
          SELECT ${period.sql} AS period, s.game_id, CASE WHEN p.paid_with = 'credit' THEN p.cost_per_slot_cents ELSE 0 END AS cents,
            CASE WHEN p.paid_with = 'hours' THEN p.duration_minutes * p.player_count ELSE 0 END AS minutes
          FROM slots s JOIN playtests p ON p.id = s.playtest_id LEFT JOIN rejections j ON j.slot_id = s.id
          WHERE s.owner_id = ? AND s.ended_at >= ? ${ofGame.sql}
            AND (s.status = 'accepted' OR (s.status = 'rejected' AND COALESCE(j.allow_retry, 0) = 0) OR ${cancelledTooLate})) each_slot
        GROUP BY period, game_id) x JOIN games g ON g.id = x.game_id
      WHERE x.cents > 0 OR x.minutes > 0 ORDER BY x.period, x.game_id`,
    ...period.values,
    ownerId,
    since,
    ...ofGame.values,
  );
}

/** What is held at `now` for slots that have not ended, by game. */
export function forecastByGame(q: Query, { ownerId, gameId }: Omit<Scope, "since">, now: number) {
  const ofGame = ofGameSql(gameId);
  return q.all<CostRow>(
    `SELECT s.game_id, g.name, ${costs} FROM slots s JOIN playtests p ON p.id = s.playtest_id JOIN games g ON g.id = s.game_id
      WHERE s.owner_id = ? AND s.status IN ('open', 'reserved', 'blocked', 'submitted', 'publishing') ${ofGame.sql}
        AND p.status = 'active' AND (s.status <> 'open' OR p.closes_at IS NULL OR p.closes_at > ?)
      GROUP BY s.game_id, g.name ORDER BY s.game_id`,
    ownerId,
    ...ofGame.values,
    now,
  );
}
