import type { Query } from "../../database/port.ts";

/** How failures are counted: one is forgotten in each `forgetMs`, and no more than `most` are counted. */
interface Rule {
  now: number;
  forgetMs: number;
  most: number;
}

/** The failures of an account that are not forgotten. A part of a minute counts as a part of a failure. */
export async function count(q: Query, account: string, { now, forgetMs }: Rule): Promise<number> {
  const row = await q.one<{ forgotten_at: number }>("SELECT forgotten_at FROM wrong_passwords WHERE account = ?", account);
  return Math.max(0, ((row?.forgotten_at ?? now) - now) / forgetMs);
}

/** Counts a failure. One statement, so that failures at the same time are all counted. */
export const add = (tx: Query, account: string, { now, forgetMs, most }: Rule) =>
  tx.run(
    `INSERT INTO wrong_passwords (account, forgotten_at) VALUES (?, ?) ON CONFLICT (account) DO UPDATE SET forgotten_at =
      CASE WHEN wrong_passwords.forgotten_at < ? THEN excluded.forgotten_at
        WHEN wrong_passwords.forgotten_at > ? THEN ? ELSE wrong_passwords.forgotten_at + ? END`,
    account,
    now + forgetMs,
    now,
    now + (most - 1) * forgetMs,
    now + most * forgetMs,
    forgetMs,
  );

/** Forgets one failure. One statement. */
export const takeBack = (tx: Query, account: string, forgetMs: number) =>
  tx.run("UPDATE wrong_passwords SET forgotten_at = forgotten_at - ? WHERE account = ?", forgetMs, account);
