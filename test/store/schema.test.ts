import { expect, it } from "vitest";
import type { Query } from "../../server/database/port.ts";
import type { Column } from "../../server/database/schema/columns.ts";
import { schema } from "../../server/database/schema/index.ts";
import { type Driver, drivers } from "../helpers/store.ts";

/** `schema` as lines such as `games.languages text = '[]'`, and `?` for a column that may be null. */
const described = Object.entries(schema).flatMap(([table, columns]) =>
  Object.entries<Column>(columns).map(([name, { kind, preset }]) => {
    const initial = typeof preset === "string" ? `'${preset}'` : preset;
    return `${table}.${name} ${kind}${preset === null ? "?" : preset === undefined ? "" : ` = ${initial}`}`;
  }),
);

interface Found {
  table_name: string;
  name: string;
  type: string;
  nullable: number;
  initial: string | null;
}

const COLUMNS = {
  sqlite: `SELECT t.name AS table_name, c.name, c.type, c."notnull" = 0 AND c.pk = 0 AS nullable, c.dflt_value AS initial
    FROM pragma_table_list t JOIN pragma_table_info(t.name) c WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`,
  postgres: `SELECT table_name, column_name AS name, data_type AS type, CASE is_nullable WHEN 'YES' THEN 1 ELSE 0 END AS nullable,
      column_default AS initial FROM information_schema.columns WHERE table_schema = current_schema()`,
};

const kinds: Record<string, string> = {
  TEXT: "text",
  INTEGER: "int",
  BLOB: "bytes",
  text: "text",
  bigint: "int",
  bytea: "bytes",
};

/** The columns of a migrated database in the same form. */
async function columnsOf(q: Query, dialect: Driver["name"]): Promise<string[]> {
  const found = await q.all<Found>(COLUMNS[dialect]);
  return found.map(({ table_name, name, type, nullable, initial }) => {
    const preset = initial === null ? "" : ` = ${initial.replace("::text", "")}`;
    return `${table_name}.${name} ${kinds[type]}${nullable ? "?" : preset}`;
  });
}

/** `schema_migrations` is what migrates. Each database has its own way to hold the words of the search. */
const apart = /^(schema_migrations|search_words)\./;
/** Columns that were added to tables with rows, which the same migration filled. No row lacks them, although the database would let it. */
const filled = ["sessions.id text?"];

it.each(drivers)("$name: the migrated tables have the columns that the program reads and writes", async ({ name, open }) => {
  const store = await open();
  const columns = (await store.read((q) => columnsOf(q, name))).filter((line) => !apart.test(line));
  await store.remove();
  expect(columns).toEqual(expect.arrayContaining(filled));
  const meant = columns.map((line) => (filled.includes(line) ? line.replace("?", "") : line));
  expect(meant.sort()).toEqual(described.filter((line) => !apart.test(line)).sort());
});
