import type { Check, Query } from "../database/port.ts";
import { rules } from "./check-queries.ts";
import type { Rule } from "./check-rule.ts";
import { arePending, invoiceTotals } from "./invoice-check-queries.ts";

const shown = 3;

const pending = {
  name: invoiceTotals.name,
  ok: true,
  warning: true,
  detail: "payments of an earlier version get their invoices when a server starts, and are compared after that",
};

async function apply(q: Query, { name, promise, help, sql }: Rule): Promise<Check> {
  if (name === pending.name && (await arePending(q))) return pending;
  const broken = await q.all<{ id: string; detail: string }>(sql);
  if (broken.length === 0) return { name, ok: true, detail: promise };
  const first = broken.slice(0, shown).map(({ id, detail }) => `${id} ${detail}`);
  const more = broken.length > shown ? `; and ${broken.length - shown} more` : "";
  return { name, ok: false, detail: `${first.join("; ")}${more}`, help: `Violated invariant: ${promise}. ${help}` };
}

/**
 * Checks the fourteen invariants of the ledger. Reads every posting, which takes seconds on a large database. It is read-only, so a server
 * may be running: its changes are committed completely or not at all.
 */
export async function checkLedger(q: Query): Promise<Check[]> {
  const checks: Check[] = [];
  for (const rule of rules) checks.push(await apply(q, rule));
  return checks;
}

const sum = "COALESCE((SELECT SUM(own.amount) FROM ledger_postings own WHERE own.account_id = ledger_accounts.id), 0)";

/** Sets each stored balance to the sum of its postings, which are authoritative. Returns how many were wrong. */
export const repairBalances = (tx: Query): Promise<number> =>
  tx.run(`UPDATE ledger_accounts SET balance = ${sum} WHERE balance <> ${sum}`);
