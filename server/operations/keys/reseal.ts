import type { Store } from "../../database/port.ts";
import { createSecrets, type Secrets } from "../../lib/secrets.ts";
import { sealedColumns } from "./sealed.ts";
import { type Row, replaceSealed, type SealedColumn, sealedRows } from "./store.ts";

/** Rows per transaction. Small, so that requests do not wait long. */
const batchRows = 200;

type Random = (count: number) => Buffer;

/** Seals all values of `former` again with `current` and returns their number. Can be interrupted at any point and repeated. */
export async function reseal(
  store: Store,
  { current, former }: { current: Uint8Array; former: Uint8Array },
  randomBytes: Random,
  onProgress: (resealed: number) => void,
): Promise<number> {
  const [to, from] = [createSecrets(current, randomBytes), createSecrets(former, randomBytes)];
  let resealed = 0;
  for (const column of sealedColumns) {
    for (let last: Row | undefined, more = true; more; ) {
      const { rows, changed } = await store.write(async (tx) => {
        const batch = await sealedRows(tx, column, last, batchRows);
        let count = 0;
        for (const row of batch) {
          const value = sealedAgain(column, row, to, from);
          if (value !== undefined) count += await replaceSealed(tx, column, row, value);
        }
        return { rows: batch, changed: count };
      });
      resealed += changed;
      onProgress(resealed);
      last = rows.at(-1);
      more = rows.length === batchRows;
    }
  }
  return resealed;
}

/** The value sealed with the new key. Undefined if it is sealed with that key already, or not with the old one. */
function sealedAgain(
  { column, bytes, context }: SealedColumn,
  row: Row,
  to: Secrets,
  from: Secrets,
): string | Buffer | undefined {
  const [value, bound] = [row[column]!, context(row)];
  const sealed = bytes ? Buffer.from(value as Uint8Array) : Buffer.from(String(value), "base64url");
  if (opened(to, sealed, bound) !== undefined) return undefined;
  const plain = opened(from, sealed, bound);
  if (plain === undefined) return undefined;
  const again = to.sealBytes(plain, bound);
  return bytes ? again : again.toString("base64url");
}

function opened(secrets: Secrets, sealed: Buffer, context: string): Buffer | undefined {
  try {
    return secrets.openBytes(sealed, context);
  } catch {
    return undefined;
  }
}

/**
 * Whether the key opens the sealed values of the database, which may be that of an older program. Checks one row of each column that is
 * always sealed.
 */
export async function opensSealed(store: Store, key: Uint8Array, randomBytes: Random): Promise<boolean> {
  const secrets = createSecrets(key, randomBytes);
  for (const column of sealedColumns.filter(({ bytes }) => !bytes)) {
    const [row] = await store.read(async (q) => {
      const known = await q.all<{ name: string }>(store.dialect.columns, column.table);
      return known.some(({ name }) => name === column.column) ? sealedRows(q, column, undefined, 1) : [];
    });
    if (row && opened(secrets, Buffer.from(String(row[column.column]), "base64url"), column.context(row)) === undefined)
      return false;
  }
  return true;
}
