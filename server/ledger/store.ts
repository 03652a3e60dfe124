import type { Query } from "../database/port.ts";
import { type Asset, sideOf, type Transfer } from "./rules.ts";

/** The guard in the update refused: an account would change sign. Callers check first; reaching this is a defect or a lost race. */
export class Overdraft extends Error {
  override name = "Overdraft";
}

interface Stamp {
  now: number;
  newId(): string;
}

/** Posts a transfer once; false when its event key was posted before. Throws Overdraft, and on postings that do not balance. */
export async function post(tx: Query, transfer: Transfer, stamp: Stamp): Promise<boolean> {
  const sum = transfer.postings.reduce((total, posting) => total + posting.amount, 0);
  if (sum !== 0 || transfer.postings.length < 2) throw new Error(`transfer ${transfer.eventKey} does not balance: ${sum}`);
  const id = stamp.newId();
  if (!(await insertTransfer(tx, id, transfer, stamp.now))) return false;
  // A fixed order of accounts keeps two transfers from locking each other out.
  const postings = transfer.postings.filter((posting) => posting.amount !== 0).sort((a, b) => (a.account < b.account ? -1 : 1));
  for (const { account, amount } of postings) {
    const after = await addToBalance(tx, account, transfer.asset, amount);
    await tx.run(
      "INSERT INTO ledger_postings (id, transfer_id, account_id, amount, balance_after, created_at) VALUES (?, ?, ?, ?, ?, ?)",
      stamp.newId(),
      id,
      account,
      amount,
      after,
      stamp.now,
    );
  }
  return true;
}

export async function postAll(tx: Query, transfers: readonly Transfer[], stamp: Stamp): Promise<void> {
  for (const transfer of transfers) await post(tx, transfer, stamp);
}

const insertTransfer = async (tx: Query, id: string, transfer: Transfer, now: number) =>
  (await tx.run(
    `INSERT INTO ledger_transfers (id, event_key, asset, source, note, owner_id, subscription_id, payment_id, playtest_id, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (event_key) DO NOTHING`,
    id,
    transfer.eventKey,
    transfer.asset,
    transfer.eventKey.slice(0, transfer.eventKey.indexOf(":") + 1),
    transfer.note ?? null,
    transfer.ownerId ?? null,
    transfer.subscriptionId ?? null,
    transfer.paymentId ?? null,
    transfer.playtestId ?? null,
    now,
  )) === 1;

/** The kept balance with `amount` in it; null for an account that is only summed. */
async function addToBalance(tx: Query, account: string, asset: Asset, amount: number): Promise<number | null> {
  const side = sideOf(account);
  // System accounts are summed, never cached: one hot row would serialize every order.
  if (side === "system") return null;
  const sign = side === "credit" ? "<=" : ">=";
  const changed = await tx.one<{ balance: number }>(
    `UPDATE ledger_accounts SET balance = balance + ? WHERE id = ? AND balance + ? ${sign} 0 RETURNING balance`,
    amount,
    account,
    amount,
  );
  if (changed) return changed.balance;
  const overdrawn = side === "credit" ? amount > 0 : amount < 0;
  const known = await tx.one("SELECT id FROM ledger_accounts WHERE id = ?", account);
  if (known || overdrawn) throw new Overdraft(`${account} cannot take ${amount}`);
  await tx.run("INSERT INTO ledger_accounts (id, asset, balance) VALUES (?, ?, ?)", account, asset, amount);
  return amount;
}

/** What the account holds for its owner: positive for a credit account with money in it, and for a receivable that is owed. */
export async function balance(q: Query, account: string): Promise<number> {
  const row = await q.one<{ balance: number }>("SELECT balance FROM ledger_accounts WHERE id = ?", account);
  const value = row?.balance ?? 0;
  return value === 0 ? 0 : sideOf(account) === "credit" ? -value : value;
}
