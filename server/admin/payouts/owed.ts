import { waitsUntil } from "../../accounts/payout-details/service.ts";
import type { ReadTx } from "../../app/tx.ts";
import type { Page } from "../../database/keyset.ts";
import { type Unpaid, unpaidOfAll } from "../../playtests/slots/earnings.ts";
import { type CreditorRow, listCreditors } from "./owed-store.ts";

/** What a playtester is owed, and why a batch would not pay it. */
export interface Owed extends CreditorRow {
  unpaid: Unpaid;
  obstacle: "suspended" | "no_details" | "new_details" | null;
  /** Until when (ms) new payout details wait; null when they do not. */
  detailsUsableFrom: number | null;
}

/** A page of the playtesters who are owed something, and one more. */
export async function listOwed(q: ReadTx, page: Page): Promise<Owed[]> {
  const rows = await listCreditors(q, page);
  const standings = await unpaidOfAll(
    q,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => {
    const detailsUsableFrom = row.changed_at === null ? null : waitsUntil(q, row.changed_at);
    return { ...row, unpaid: standings.get(row.id)!.unpaid, obstacle: obstacleOf(row, detailsUsableFrom), detailsUsableFrom };
  });
}

function obstacleOf({ suspended_at, method }: CreditorRow, detailsUsableFrom: number | null): Owed["obstacle"] {
  if (suspended_at !== null) return "suspended";
  if (method === null) return "no_details";
  return detailsUsableFrom === null ? null : "new_details";
}

const pageSize = 500;

/** All playtesters who are owed something, one page after the other. */
export async function* everyOwed(q: ReadTx): AsyncGenerator<Owed> {
  for (let after: Page["after"], more = true; more; ) {
    const found = await listOwed(q, { limit: pageSize, after });
    more = found.length > pageSize;
    const rows = found.slice(0, pageSize);
    yield* rows;
    const last = rows.at(-1);
    after = last && { at: last.created_at, id: last.id };
  }
}

export async function totalOwed(q: ReadTx) {
  const totals = {
    ...{ playtesters: 0, balanceCents: 0, availableCents: 0, heldCents: 0, disputedCents: 0 },
    ...{ payablePlaytesters: 0, payableCents: 0 },
  };
  for await (const { unpaid, obstacle } of everyOwed(q)) {
    totals.playtesters += 1;
    totals.balanceCents += unpaid.balanceCents;
    totals.availableCents += unpaid.availableCents;
    totals.heldCents += unpaid.heldCents;
    totals.disputedCents += unpaid.disputedCents;
    if (obstacle !== null || unpaid.availableCents === 0) continue;
    totals.payablePlaytesters += 1;
    totals.payableCents += unpaid.availableCents;
  }
  return totals;
}
