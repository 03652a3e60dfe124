import { type Order, orderBody } from "../../../src/contract/order-body.ts";
import type { ReadTx } from "../../app/tx.ts";
import * as games from "../../games/store.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import { taskLink } from "../../mail/links.ts";
import * as store from "./store.ts";

type Row = store.ApprovalRow;

/** The order that waits. */
export const orderOf = (q: ReadTx, { id, sealed }: Pick<Row, "id" | "sealed">): Order =>
  orderBody.parse(JSON.parse(q.secrets.open(sealed, store.sealingContext(id))));

/** One that nobody decided in time is expired, also before the job says so. */
export const statusAt = ({ status, expires_at: end }: Row, now: number) =>
  status === "pending" && end <= now ? "expired" : status;

/** Whom it would be offered to. */
const audienceOf = (order: Order) => ({
  targetingType: order.targetingType ?? null,
  targetingScope: order.targetingScope ?? null,
  targetedPlaytesterId: order.targetedPlaytesterId ?? null,
  panel: order.panel ?? null,
  targetCountries: order.targetCountries ?? [],
  targetLanguages: order.targetLanguages ?? [],
  targetDevices: order.targetDevices ?? [],
  targetAges: order.targetAges ?? [],
});

/** Approvals as the API shows them, without the game keys of their orders. */
export async function viewsOf(q: ReadTx, rows: readonly Row[]) {
  const keyNames = await store.keyNames(q, [...new Set(rows.map((row) => row.key_id))]);
  const found = await games.findMany(q, [...new Set(rows.map((row) => row.game_id))]);
  const gameNames = new Map(found.map(({ id, name }) => [id, name]));
  return rows.map((row) => {
    const order = orderOf(q, row);
    const { visibility, quantity, durationMinutes, playerCount, selectionMode } = order;
    return {
      id: row.id,
      status: statusAt(row, q.now),
      gameId: row.game_id,
      gameName: gameNames.get(row.game_id) ?? "",
      keyId: row.key_id,
      keyName: keyNames.get(row.key_id) ?? "",
      totalCents: row.total_cents,
      method: row.method,
      ...{ visibility, quantity, durationMinutes, playerCount, selectionMode },
      ...audienceOf(order),
      ref: order.ref ?? null,
      scheduledAt: order.scheduledAt ?? null,
      notesForTesters: order.notesForTesters ?? null,
      playtestId: row.playtest_id,
      reason: row.reason,
      url: taskLink(q.config, "order", row.id),
      createdAt: iso(row.created_at),
      expiresAt: iso(row.expires_at),
      decidedAt: isoOrNull(row.decided_at),
    };
  });
}

export const viewOf = async (q: ReadTx, row: Row) => (await viewsOf(q, [row]))[0]!;
