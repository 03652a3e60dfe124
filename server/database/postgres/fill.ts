import type { Query } from "../port.ts";
import { openPostgres } from "./postgres.ts";

interface ForeignKey {
  tbl: string;
  name: string;
}

/** Runs `work` in one transaction, which may take long and in which foreign keys are checked at its end. */
export async function fillPostgres(url: string, work: (tx: Query) => Promise<void>): Promise<void> {
  const store = await openPostgres(url, { silenceMs: 0 });
  try {
    // Row locks are enough: nobody else uses a database that is being filled. Serializable would remember each row that was read.
    await store.write((tx) => fill(tx, work), { isolation: "rows" });
  } finally {
    await store.close();
  }
}

async function fill(tx: Query, work: (tx: Query) => Promise<void>): Promise<void> {
  await tx.run("SET LOCAL idle_in_transaction_session_timeout = 0");
  const keys = await tx.all<ForeignKey>(
    `SELECT CAST(conrelid AS regclass)::text AS tbl, quote_ident(conname) AS name FROM pg_constraint
      WHERE contype = 'f' AND connamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND NOT condeferrable`,
  );
  for (const { tbl, name } of keys) await tx.run(`ALTER TABLE ${tbl} ALTER CONSTRAINT ${name} DEFERRABLE INITIALLY DEFERRED`);
  await work(tx);
  await tx.run("SET CONSTRAINTS ALL IMMEDIATE");
  for (const { tbl, name } of keys) await tx.run(`ALTER TABLE ${tbl} ALTER CONSTRAINT ${name} NOT DEFERRABLE`);
}
