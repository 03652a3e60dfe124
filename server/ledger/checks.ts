import type { Check, Query } from "../database/port.ts";
import { type Rule, rules } from "./check-queries.ts";

const shown = 3;

async function apply(q: Query, { name, promise, help, sql }: Rule): Promise<Check> {
  const broken = await q.all<{ id: string; detail: string }>(sql);
  if (broken.length === 0) return { name, ok: true, detail: promise };
  const first = broken.slice(0, shown).map(({ id, detail }) => `${id} ${detail}`);
  const more = broken.length > shown ? `; and ${broken.length - shown} more` : "";
  return { name, ok: false, detail: `${first.join("; ")}${more}`, help: `Broken: ${promise}. ${help}` };
}

/**
 * The ten invariants of the ledger, one line each. Reads every posting: seconds on a large database. It looks only, so a
 * running server may be checked; what an order in flight changes between two of them is committed whole or not at all.
 */
export async function checkLedger(q: Query): Promise<Check[]> {
  const checks: Check[] = [];
  for (const rule of rules) checks.push(await apply(q, rule));
  return checks;
}

const sum = "COALESCE((SELECT SUM(own.amount) FROM ledger_postings own WHERE own.account_id = ledger_accounts.id), 0)";

/** Sets each kept balance to the sum of its postings, which are the truth; how many were off. */
export const repairBalances = (tx: Query): Promise<number> =>
  tx.run(`UPDATE ledger_accounts SET balance = ${sum} WHERE balance <> ${sum}`);
