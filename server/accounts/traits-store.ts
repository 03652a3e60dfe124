import type { AgeBand, Traits } from "../../src/contract/accounts/audience-text.ts";
import type { Device } from "../../src/contract/games.ts";
import type { Query } from "../database/port.ts";
import { deleteWhere, findRows, insertRows } from "../database/rows.ts";
import type { Tables } from "../database/schema/index.ts";

/** What playtesters say about themselves in the profile, by which owners choose whom a playtest is for. */

type Kind = Tables["playtester_traits"]["kind"];

export async function traitsOf(q: Query, userId: string): Promise<Traits> {
  const rows = await findRows(q, "playtester_traits", { user_id: userId }, "value");
  const of = (kind: Kind) => rows.flatMap((row) => (row.kind === kind ? [row.value] : []));
  return {
    country: of("country")[0] ?? null,
    languages: of("language"),
    devices: of("device") as Device[],
    ageBand: (of("age")[0] as AgeBand | undefined) ?? null,
  };
}

/** Changes what is given and keeps the rest. */
export async function change(tx: Query, userId: string, given: Changes): Promise<void> {
  const { country, ageBand, languages, devices } = given;
  await replace(tx, userId, "country", country === undefined ? undefined : listOf(country));
  await replace(tx, userId, "language", languages);
  await replace(tx, userId, "device", devices);
  await replace(tx, userId, "age", ageBand === undefined ? undefined : listOf(ageBand));
}

const listOf = (value: string | null) => (value === null ? [] : [value]);

type Changes = { [K in keyof Traits]?: Traits[K] | undefined };

async function replace(tx: Query, userId: string, kind: Kind, values: readonly string[] | undefined): Promise<void> {
  if (values === undefined) return;
  await deleteWhere(tx, "playtester_traits", { user_id: userId, kind });
  const rows = values.map((value) => ({ user_id: userId, kind, value }));
  if (rows.length > 0) await insertRows(tx, "playtester_traits", rows);
}

/** SQL for whether a JSON list of wanted values is empty, or user `who`, an SQL expression, has one of them. */
export const fits = (who: string, kind: Kind, list: string) =>
  `(${list} = '[]' OR EXISTS (SELECT 1 FROM playtester_traits x WHERE x.user_id = ${who} AND x.kind = '${kind}' AND ${list} LIKE '%"' || x.value || '"%'))`;

/** SQL for whether user `who` named none of a kind, or a JSON list is empty or names one of theirs, also with a region: `pt` in `pt-BR`. */
export const suits = (who: string, kind: Kind, list: string) =>
  `(${list} = '[]' OR NOT EXISTS (SELECT 1 FROM playtester_traits x WHERE x.user_id = ${who} AND x.kind = '${kind}')
    OR EXISTS (SELECT 1 FROM playtester_traits x WHERE x.user_id = ${who} AND x.kind = '${kind}'
      AND (${list} LIKE '%"' || x.value || '"%' OR ${list} LIKE '%"' || x.value || '-%')))`;
