import type { PayoutMethod } from "../../../src/contract/accounts/payout-methods.ts";
import type { BodyOut } from "../../../src/contract/endpoint.ts";
import type { Contract, Data } from "../../../src/contract/index.ts";
import type { PayoutDetails } from "../../accounts/payout-details/rules.ts";
import type { ReadTx, Tx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import { conflict, notFound } from "../../lib/api-error.ts";
import { usd } from "../../lib/money.ts";
import { everyOwed, type Owed } from "./owed.ts";
import { completePayout, failPayout, makePayout } from "./payout.ts";
import * as store from "./store.ts";

type Skipped = Data<"createPayoutBatch">["skipped"];
type ReturnedRow = BodyOut<Contract["settlePayoutBatch"]>["rows"][number];
type Result = Data<"settlePayoutBatch">["results"][number];

interface Wanted {
  createdBy: string;
  method: PayoutMethod | null;
  minCents: number;
}

/**
 * Makes one pending payout to each playtester who can be paid, of all that is available to them, in the caller's transaction. 409 when
 * there is nobody.
 */
export async function createBatch(tx: Tx, { createdBy, method, minCents }: Wanted) {
  const wanted = { created_by: createdBy, method, min_cents: minCents };
  const batch = await store.insertBatch(tx, { id: tx.newId(), ...wanted, created_at: tx.now });
  const skipped: Skipped = { noDetails: 0, newDetails: 0, suspended: 0, otherMethod: 0, belowMinimum: 0 };
  let made = 0;
  for await (const owed of everyOwed(tx)) {
    const why = whySkipped(owed, method, minCents);
    if (why !== null) {
      skipped[why] += 1;
      continue;
    }
    await makePayout(tx, { owed, batchId: batch.id });
    made += 1;
  }
  if (made === 0) throw conflict(`${nobody(minCents, skipped)} No payout was made. See \`playtest admin owed\`.`);
  return { batch: await requireBatch(tx, batch.id), skipped };
}

const obstacles = { suspended: "suspended", no_details: "noDetails", new_details: "newDetails" } as const;

function whySkipped(
  { obstacle, method: wants, unpaid }: Owed,
  method: PayoutMethod | null,
  minCents: number,
): keyof Skipped | null {
  if (unpaid.availableCents < minCents) return "belowMinimum";
  if (obstacle !== null) return obstacles[obstacle];
  return method === null || wants === method ? null : "otherMethod";
}

const reasons: Record<keyof Skipped, string> = {
  belowMinimum: "with less than that available",
  noDetails: "without payout details",
  newDetails: "with payout details that are still too new",
  suspended: "suspended",
  otherMethod: "with another payout method",
};

function nobody(minCents: number, skipped: Skipped): string {
  const counts = (Object.keys(reasons) as (keyof Skipped)[]).filter((why) => skipped[why] > 0);
  const said = `Nobody who can be paid has at least ${usd(minCents)} available.`;
  return counts.length === 0 ? said : `${said} Not paid: ${counts.map((why) => `${skipped[why]} ${reasons[why]}`).join(", ")}.`;
}

/** The batch with this id. 404 if there is none. */
export async function requireBatch(q: Query, id: string): Promise<store.CountedBatchRow> {
  const batch = await store.findBatch(q, id);
  if (!batch) throw notFound();
  return batch;
}

/** The pending payouts of a batch that are made in this way, with the details that they are made to. */
export async function instructionsOf(q: ReadTx, batchId: string, method: PayoutMethod) {
  const rows = await store.listPending(q, batchId, method);
  return rows.map((payout) => ({
    payoutId: payout.id,
    reference: payout.reference!,
    amountCents: payout.amount_cents,
    currency: "USD" as const,
    ...{ holder: null, iban: null, accountNumber: null, routingNumber: null, email: null, instructions: null },
    ...{ address: null, country: null, taxNumber: null },
    ...(JSON.parse(q.secrets.open(payout.details!, store.sealingContext(payout.id))) as PayoutDetails),
  }));
}

/** Records what became of payouts of a batch. Rows that name none, or that say something else than what is recorded, change nothing. */
export async function settleBatch(tx: Tx, batchId: string, rows: readonly ReturnedRow[]): Promise<Result[]> {
  const seen = new Set<string>();
  const results: Result[] = [];
  for (const row of rows) {
    const payout = await store.findInBatch(tx, batchId, row.reference);
    const isRepeated = payout !== undefined && seen.has(payout.id);
    if (payout) seen.add(payout.id);
    const outcome = payout ? (isRepeated ? "repeated" : await settle(tx, payout, row)) : "unknown";
    results.push({ reference: row.reference, payoutId: payout?.id ?? null, outcome });
  }
  return results;
}

async function settle(tx: Tx, payout: store.PayoutRow, row: ReturnedRow): Promise<Result["outcome"]> {
  if (row.amountCents !== undefined && row.amountCents !== payout.amount_cents) return "amount_differs";
  if (payout.status === "failed") return row.status === "failed" ? "already_failed" : "failed_before";
  if (row.status === "failed") {
    await failPayout(tx, payout, row.failure);
    return "failed";
  }
  if (payout.status === "completed") return "already_paid";
  await completePayout(tx, payout);
  return "paid";
}
