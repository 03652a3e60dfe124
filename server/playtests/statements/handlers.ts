import { payeeShown } from "../../accounts/payout-details/rules.ts";
import { open } from "../../accounts/payout-details/service.ts";
import * as payoutDetails from "../../accounts/payout-details/store.ts";
import * as users from "../../accounts/users-store.ts";
import type { Deps } from "../../app/deps.ts";
import type { ReadTx } from "../../app/tx.ts";
import { sellerOf } from "../../billing/invoices/index.ts";
import { pdfReply } from "../../billing/invoices/reply.ts";
import { buyerOf, type StatementDocument } from "../../billing/invoices/rules.ts";
import type { Handlers } from "../../http/call.ts";
import { accounts } from "../../ledger/rules.ts";
import { invalid } from "../../lib/api-error.ts";
import { iso } from "../../lib/time.ts";
import { fromCardSince } from "../slots/earnings-store.ts";
import { heldUntil } from "../slots/rules.ts";
import * as store from "./store.ts";

/** The month `2026-10` or the year `2026`. */
function periodOf(text: string): store.Period {
  const [year, month] = text.split("-").map(Number) as [number, number | undefined];
  if (month === undefined) return { from: Date.UTC(year, 0), to: Date.UTC(year + 1, 0) };
  return { from: Date.UTC(year, month - 1), to: Date.UTC(year, month) };
}

/** The month or year of a query, which must name one of them. */
function askedFor({ month, year }: { month?: string | undefined; year?: string | undefined }): string {
  const text = month ?? year;
  if (text === undefined) throw invalid("month", "or a year is required");
  if (month !== undefined && year !== undefined) throw invalid("year", "cannot be used together with a month");
  return text;
}

/** The account of a playtester, and who is paid as far as their payout details say it. */
export interface Holder {
  name: string;
  email: string;
  payee: ReturnType<typeof payeeShown> | null;
}

/** The statement as a document, issued now. */
export function composeStatement(
  { config, clock }: Pick<Deps, "config" | "clock">,
  statement: StatementDocument["statement"],
  { name, email, payee }: Holder,
): StatementDocument {
  const details = { name: payee?.holder ?? null, address: null, country: null, taxNumber: null, ...payee };
  const playtester = buyerOf({ displayName: name, companyName: name, email, details });
  return { statement, issuedAt: clock.now(), payer: sellerOf(config), playtester };
}

/** What was made and returned in a period, oldest first. */
async function payoutsIn(q: ReadTx, playtesterId: string, period: store.Period) {
  const rows = await store.payoutsOf(q, playtesterId, period);
  return rows
    .flatMap((row) => [{ kind: "made", at: row.created_at, row } as const, { kind: "returned", at: row.failed_at, row } as const])
    .filter((one): one is typeof one & { at: number } => one.at !== null && one.at >= period.from && one.at < period.to)
    .sort((a, b) => a.at - b.at)
    .map(({ kind, at, row }) => ({
      payoutId: row.id,
      kind,
      at: iso(at),
      reference: row.reference,
      paidTo: row.masked,
      amountCents: row.amount_cents,
    }));
}

/** What of the balance was held at an instant (ms), before the disputes of that time. */
async function heldAt(q: ReadTx, playtesterId: string, at: number, balance: number): Promise<number> {
  const since = heldUntil(at, -q.config.payouts.holdDays);
  const entries = await fromCardSince(q, [accounts.payable(playtesterId)], since);
  const held = entries.filter(({ created_at }) => created_at < at).reduce((sum, { cents }) => sum + cents, 0);
  return Math.min(held, Math.max(0, balance));
}

async function statementOf(q: ReadTx, playtesterId: string, text: string) {
  const period = periodOf(text);
  const changes = new Map((await store.changesBySource(q, playtesterId, period)).map(({ source, cents }) => [source, cents]));
  const beginCents = await store.balanceBefore(q, playtesterId, period.from);
  const endCents = await store.balanceBefore(q, playtesterId, period.to);
  const games = await store.earnedByGame(q, playtesterId, period);
  return {
    period: text,
    from: iso(period.from),
    to: iso(period.to),
    beginCents,
    earnedCents: changes.get("accept:") ?? 0,
    paidCents: Math.abs(changes.get("withdraw:") ?? 0),
    returnedCents: changes.get("withdraw_failed:") ?? 0,
    endCents,
    heldCents: await heldAt(q, playtesterId, Math.min(period.to, q.now + 1), endCents),
    payouts: await payoutsIn(q, playtesterId, period),
    games: games.map(({ id, name, slots, cents }) => ({ id, name, slots, amountCents: cents })),
  };
}

export const statements = {
  getStatement(call) {
    const text = askedFor(call.query);
    return call.read(async (q) => ({ statement: await statementOf(q, call.principal.userId, text) }));
  },

  async getStatementFile(call) {
    const text = askedFor(call.query);
    const document = await call.read(async (q) => {
      const { id, display_name: name, email } = (await users.find(q, call.principal.userId))!;
      const details = await payoutDetails.find(q, id);
      const payee = details ? payeeShown(open(q, details)) : null;
      return composeStatement(call.deps, await statementOf(q, id, text), { name, email, payee });
    });
    return pdfReply(await call.deps.printer.statement(document), `statement-${text}.pdf`);
  },

  async listPayoutTotals(call) {
    const page = call.page();
    const rows = await call.read((q) => store.listTotals(q, periodOf(call.query.year), page));
    return call.listed(page, rows, (items) => ({
      totals: items.map(({ id, email, display_name, earned, paid, balance }) => ({
        userId: id,
        displayName: display_name,
        email,
        earnedCents: earned,
        paidCents: paid,
        balanceCents: balance,
      })),
    }));
  },
} satisfies Partial<Handlers>;
