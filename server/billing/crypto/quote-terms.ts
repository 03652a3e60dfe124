import { slackOf } from "./rules.ts";
import type { QuoteRow } from "./store.ts";
import type { QuoteWithTerms } from "./types.ts";

/** Adds the terms that `rules.ts` works with to a quote. */
export function withTerms(row: QuoteRow): QuoteWithTerms {
  const atomic = BigInt(row.amount_atomic);
  return {
    row,
    ownerId: row.owner_id,
    atomic,
    slack: slackOf({ atomic, rate: row.rate }, row.currency),
    payer: row.payer,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    paid: row.paid === 1,
  };
}
