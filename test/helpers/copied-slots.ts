import type { Query } from "../../server/database/port.ts";
import type { TestServer } from "./server.ts";

type Row = Record<string, string | number | null>;

async function copy(tx: Query, table: string, condition: [column: string, value: string], changes: Row): Promise<void> {
  const [column, value] = condition;
  const row = { ...(await tx.one<Row>(`SELECT * FROM ${table} WHERE ${column} = ?`, value))!, ...changes };
  const names = Object.keys(row);
  const marks = names.map(() => "?").join(", ");
  await tx.run(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${marks})`, ...Object.values(row));
}

/** Slots like this submitted one of a public playtest, each in a playtest of its own. `changes`: of the submission of each. */
export async function copySlots(
  { deps }: TestServer,
  slotId: string,
  count: number,
  changes: (index: number) => Row = () => ({}),
): Promise<string[]> {
  const ids: string[] = [];
  await deps.store.write(async (tx) => {
    const { playtest_id: original } = (await tx.one<{ playtest_id: string }>(
      "SELECT playtest_id FROM slots WHERE id = ?",
      slotId,
    ))!;
    for (let index = 0; index < count; index++) {
      const [id, playtest_id] = [deps.newId(), deps.newId()];
      await copy(tx, "playtests", ["id", original], { id: playtest_id });
      await copy(tx, "publication_consents", ["playtest_id", original], { playtest_id });
      await copy(tx, "slots", ["id", slotId], { id, playtest_id });
      await copy(tx, "submissions", ["slot_id", slotId], { id: deps.newId(), slot_id: id, ...changes(index) });
      ids.push(id);
    }
  });
  return ids;
}
