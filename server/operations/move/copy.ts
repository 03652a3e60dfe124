import { checkAudit } from "../../audit/checks.ts";
import type { Held } from "../../database/driver.ts";
import type { DatabaseLocation } from "../../database/drivers.ts";
import type { Query } from "../../database/port.ts";
import { type Table, tablesOf } from "../../database/tables.ts";
import { checkLedger } from "../../ledger/checks.ts";
import { failures } from "../archive/capture.ts";
import { requireEmpty } from "../archive/load.ts";
import type { OnProgress } from "../archive/progress.ts";
import { lineOf, type Row } from "../archive/rows.ts";
import { copyRows, countRows, differenceOf, digestOf, insertRows, removeRows, sameRows } from "./store.ts";

/** Not more than this many changed rows are left for the pause, unless more than that change during each round. */
const fewRows = 1000;
const mostRounds = 5;

interface Source {
  source: DatabaseLocation;
  onProgress: OnProgress;
}

export interface Copied {
  tables: number;
  rows: number;
}

/**
 * Copies all rows of a data file into `tx` and compares them, while a server goes on. Then calls `hold`, which keeps it from writing,
 * repeats the changes since, and compares those and the numbers of rows.
 */
export async function copyDatabase({ source, onProgress }: Source, tx: Query, hold: () => Promise<Held>): Promise<Copied> {
  const snapshot = () => source.driver.snapshot(source);
  let last = await snapshot();
  try {
    const tables = await tablesOf(last.query, last.dialect);
    await requireEmpty(tx, tables);
    const copy = new Copy(tx, tables, onProgress);
    await copy.start(last.query);
    for (let round = 0, changed = Number.POSITIVE_INFINITY; round < mostRounds && changed > fewRows; round++) {
      const next = await snapshot();
      changed = await copy.follow(last.query, next.query).finally(last.close);
      last = next;
    }
    const { query } = await hold();
    await copy.follow(last.query, query);
    await requireSound(tx);
    return { tables: tables.length, rows: copy.rows };
  } finally {
    await last.close();
  }
}

/** A copy of a database that follows it from moment to moment. Nobody else may write to it. */
class Copy {
  rows = 0;
  readonly #tx: Query;
  readonly #tables: readonly Table[];
  readonly #onProgress: OnProgress;

  constructor(tx: Query, tables: readonly Table[], onProgress: OnProgress) {
    this.#tx = tx;
    this.#tables = tables;
    this.#onProgress = onProgress;
  }

  /** Copies every row, then reads all rows of both databases and compares them. */
  async start(from: Query): Promise<void> {
    let copied = 0;
    for (const table of this.#tables)
      await copyRows(from, this.#tx, table, (more) => {
        copied += more;
        this.#onProgress("Copying rows", copied);
      });
    for (const table of this.#tables) {
      const [ours, theirs] = [await digestOf(this.#tx, table), await digestOf(from, table)];
      if (ours.rows !== theirs.rows || ours.sum !== theirs.sum) throw differs(table);
      this.rows += ours.rows;
      this.#onProgress("Comparing rows", this.rows);
    }
  }

  /** Repeats what happened between two moments, and compares these rows and the number of all. Returns how many rows differed. */
  async follow(older: Query, newer: Query): Promise<number> {
    let changed = 0;
    this.rows = 0;
    for (const table of this.#tables) {
      const { gone, come, rows } = await differenceOf(older, newer, table);
      await removeRows(this.#tx, table, gone);
      await insertRows(this.#tx, table, come);
      const found = await sameRows(this.#tx, table, gone, come);
      if (linesOf(table, found) !== linesOf(table, come) || (await countRows(this.#tx, table)) !== rows) throw differs(table);
      changed += gone.length + come.length;
      this.rows += rows;
      this.#onProgress("Following changes", changed);
    }
    return changed;
  }
}

const linesOf = (table: Table, rows: readonly Row[]) =>
  rows
    .map((row) => lineOf(table, row))
    .sort()
    .join("\n");

const differs = ({ name }: Table) =>
  new Error(
    `The copy of table ${name} differs from the original. Nothing was moved: the server goes on with SQLite, and the new database is empty. Please report this.`,
  );

async function requireSound(tx: Query): Promise<void> {
  const damage = failures([...(await checkLedger(tx)), await checkAudit(tx)]);
  if (damage === undefined) return;
  throw new Error(
    `The database failed its checks (${damage}). Nothing was moved: the server goes on with SQLite, and the new database is empty. Run \`playtest serve doctor --ledger\` to see what to do.`,
  );
}
