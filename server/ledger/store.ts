import type { Tx } from "../app/tx.ts";
import { LostRace, type Query } from "../database/port.ts";
import { addRow, sendRows } from "../database/rows.ts";
import { type Asset, type Posting, sideOf, type Transfer } from "./rules.ts";

/** An account's balance would change sign. Callers check that first, so this error means a lost race or a defect. */
export class Overdraft extends LostRace {
  override name = "Overdraft";
}

/** A transaction that stamps its postings with its time and new ids. */
type PostingTx = Pick<Tx, keyof Query | "now" | "newId">;

/** The stored balances after a transfer, as `balance` returns them, by account. System accounts have none. */
export type Balances = ReadonlyMap<string, number>;

/** Posts a transfer once. Undefined when its event key was already posted. Throws Overdraft, and an error if the postings do not balance. */
export async function post(tx: PostingTx, transfer: Transfer): Promise<Balances | undefined> {
  const sum = transfer.postings.reduce((total, posting) => total + posting.amount, 0);
  if (sum !== 0 || transfer.postings.length < 2) throw new Error(`transfer ${transfer.eventKey} does not balance: ${sum}`);
  const id = tx.newId();
  // Accounts are updated in a fixed order, so that two transfers cannot deadlock.
  const postings = transfer.postings.filter((posting) => posting.amount !== 0).sort((a, b) => (a.account < b.account ? -1 : 1));
  // One round trip: the balances change only if the transfer was inserted.
  const [inserted, balances] = await Promise.all([
    insertTransfer(tx, id, transfer, tx.now),
    Promise.all(postings.map((posting) => addToBalance(tx, id, transfer.asset, posting))),
  ]);
  if (!inserted) return undefined;
  const rows = postings.map(({ account, amount }, index) => {
    const after = balances[index];
    if (after === undefined) throw new Overdraft(`posting ${amount} would overdraw ${account}`);
    return { id: tx.newId(), transfer_id: id, account_id: account, amount, balance_after: after, created_at: tx.now };
  });
  sendRows(tx, "ledger_postings", rows);
  return new Map(
    rows.flatMap(({ account_id, balance_after: after }) => (after === null ? [] : [[account_id, positive(account_id, after)]])),
  );
}

export async function postAll(tx: PostingTx, transfers: readonly Transfer[]): Promise<void> {
  for (const transfer of transfers) await post(tx, transfer);
}

const insertTransfer = (tx: Query, id: string, transfer: Transfer, now: number) =>
  addRow(tx, "ledger_transfers", {
    id,
    event_key: transfer.eventKey,
    asset: transfer.asset,
    source: transfer.eventKey.slice(0, transfer.eventKey.indexOf(":") + 1),
    note: transfer.note,
    owner_id: transfer.ownerId,
    subscription_id: transfer.subscriptionId,
    payment_id: transfer.paymentId,
    playtest_id: transfer.playtestId,
    created_at: now,
  });

const transferExists = "EXISTS (SELECT 1 FROM ledger_transfers WHERE id = ?)";

/**
 * Adds the posting's amount to the stored balance, if the transfer was inserted, and returns the result. Null for a system account, which
 * has no stored balance; undefined where nothing was changed.
 */
async function addToBalance(
  tx: Query,
  transferId: string,
  asset: Asset,
  { account, amount }: Posting,
): Promise<number | null | undefined> {
  const side = sideOf(account);
  // System accounts have no stored balance: updating one row would serialize all orders.
  if (side === "system") return null;
  const sign = side === "credit" ? "<=" : ">=";
  const takes = side === "credit" ? amount > 0 : amount < 0;
  // A posting that takes from an account needs the account to exist. One that adds to it may create it.
  const changed = takes
    ? await tx.one<{ balance: number }>(
        `UPDATE ledger_accounts SET balance = balance + ? WHERE id = ? AND balance + ? ${sign} 0 AND ${transferExists} RETURNING balance`,
        amount,
        account,
        amount,
        transferId,
      )
    : await tx.one<{ balance: number }>(
        `INSERT INTO ledger_accounts (id, asset, balance) SELECT CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT) WHERE ${transferExists}
         ON CONFLICT (id) DO UPDATE SET balance = ledger_accounts.balance + excluded.balance WHERE ledger_accounts.balance + excluded.balance ${sign} 0
         RETURNING balance`,
        account,
        asset,
        amount,
        transferId,
      );
  return changed?.balance;
}

const positive = (account: string, value: number) => (value === 0 ? 0 : sideOf(account) === "credit" ? -value : value);

/** The account's balance as a positive number: available credit, or the amount of a debt. */
export async function balance(q: Query, account: string): Promise<number> {
  const row = await q.one<{ balance: number }>("SELECT balance FROM ledger_accounts WHERE id = ?", account);
  return positive(account, row?.balance ?? 0);
}

/** The balances of several accounts, at least one, as `balance` returns them. Accounts without postings are not included. */
export async function balances(q: Query, ids: readonly string[]): Promise<Map<string, number>> {
  const marks = ids.map(() => "?").join(", ");
  const rows = await q.all<{ id: string; balance: number }>(
    `SELECT id, balance FROM ledger_accounts WHERE id IN (${marks})`,
    ...ids,
  );
  return new Map(rows.map(({ id, balance }) => [id, positive(id, balance)]));
}
