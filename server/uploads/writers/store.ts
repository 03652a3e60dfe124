import type { Query } from "../../database/port.ts";
import { deleteWhere, updateWhere } from "../../database/rows.ts";
import type { Tables } from "../../database/schema/index.ts";
import type { LeaseTime } from "../../jobs/store.ts";

/** The lease of an upload: each holder has a token of its own. One that ended by itself has `lease_until` 0. */
export type Acquired = Pick<Tables["upload_writers"], "generation" | "previous">;

/** Undefined while somebody else holds the lease. Whoever takes it from a holder that has not let go of it begins a new generation. */
export const acquire = (tx: Query, id: string, token: string, now: LeaseTime, leaseMs: number) =>
  tx.one<Acquired>(
    `INSERT INTO upload_writers (upload_id, generation, token, lease_until, wanted) VALUES (?, 0, ?, ${now.sql} + CAST(? AS INTEGER), 0)
     ON CONFLICT (upload_id) DO UPDATE SET token = excluded.token, previous = upload_writers.token, lease_until = excluded.lease_until, wanted = 0,
       generation = upload_writers.generation + CASE WHEN upload_writers.lease_until = 0 THEN 0 ELSE 1 END
     WHERE upload_writers.lease_until <= ${now.sql}
     RETURNING generation, previous`,
    id,
    token,
    ...now.values,
    leaseMs,
    ...now.values,
  );

/** Asks the holder to stop. */
export const want = (tx: Query, id: string) =>
  tx.run("UPDATE upload_writers SET wanted = 1 WHERE upload_id = ? AND lease_until > 0", id);

/** Undefined when the lease was lost. */
export const extend = (tx: Query, id: string, token: string, now: LeaseTime, leaseMs: number) =>
  tx.one<{ wanted: number }>(
    `UPDATE upload_writers SET lease_until = ${now.sql} + CAST(? AS INTEGER) WHERE upload_id = ? AND token = ? AND lease_until > 0 RETURNING wanted`,
    ...now.values,
    leaseMs,
    id,
    token,
  );

/** Ends the lease, and says that the holder has nothing open anymore. Zero rows when it was lost. */
export const release = (tx: Query, id: string, token: string) =>
  updateWhere(tx, "upload_writers", { lease_until: 0 }, { upload_id: id, token });

/** Forgets the lease of an upload that is not written anymore. Zero rows when this token does not hold it. */
export const end = (tx: Query, id: string, token: string) => deleteWhere(tx, "upload_writers", { upload_id: id, token });

/** Forgets the lease of an upload whoever holds it. Returns its generation. */
export const revoke = async (tx: Query, id: string): Promise<number> =>
  (await tx.one<{ generation: number }>("DELETE FROM upload_writers WHERE upload_id = ? RETURNING generation", id))?.generation ??
  0;
