import type { Migration, Statement } from "./migrate.ts";
import type { Dialect } from "./port.ts";

/** What a statement of a migration does to a table. */
export type Effect =
  | { does: "create table"; table: string }
  | { does: "drop table"; table: string }
  | { does: "add column"; table: string; column: string; required: boolean }
  | { does: "drop column"; table: string; column: string }
  | { does: "create index"; table: string; unique: boolean }
  | { does: "drop index"; name: string }
  | { does: "restrict"; table: string; column: string; values: readonly string[] }
  | { does: "drop restriction"; table: string; name: string }
  | { does: "change rows" | "remove rows" | "forbid changes"; table: string }
  /** `from`: the tables whose rows they are made of. */
  | { does: "add rows"; table: string; from: readonly string[] };

type Reader = readonly [form: RegExp, effect: (groups: Record<string, string>, sql: string) => Effect];

/** Every form that statements of migrations have. The first that fits counts. */
const readers: readonly Reader[] = [
  [/^CREATE (VIRTUAL )?TABLE (?<table>\w+)/, ({ table }) => ({ does: "create table", table: table! })],
  [/^DROP TABLE (?<table>\w+)/, ({ table }) => ({ does: "drop table", table: table! })],
  [
    /^ALTER TABLE (?<table>\w+) ADD COLUMN (?<column>\w+)/,
    ({ table, column }, sql) => ({
      does: "add column",
      table: table!,
      column: column!,
      required: /\bNOT NULL\b/.test(sql) && !/\bDEFAULT\b/.test(sql),
    }),
  ],
  [
    /^ALTER TABLE (?<table>\w+) DROP COLUMN (?<column>\w+)/,
    ({ table, column }) => ({ does: "drop column", table: table!, column: column! }),
  ],
  [
    /^ALTER TABLE (?<table>\w+) DROP CONSTRAINT (?<name>\w+)/,
    ({ table, name }) => ({ does: "drop restriction", table: table!, name: name! }),
  ],
  [
    /^CREATE (?<unique>UNIQUE )?INDEX \w+ ON (?<table>\w+)/,
    ({ table, unique }) => ({ does: "create index", table: table!, unique: unique !== undefined }),
  ],
  [/^DROP INDEX (?<name>\w+)/, ({ name }) => ({ does: "drop index", name: name! })],
  [/^UPDATE (?<table>\w+)/, ({ table }) => ({ does: "change rows", table: table! })],
  [/^DELETE FROM (?<table>\w+)/, ({ table }) => ({ does: "remove rows", table: table! })],
  [
    /^INSERT INTO (?<table>\w+)/,
    ({ table }, sql) => ({
      does: "add rows",
      table: table!,
      from: [...sql.matchAll(/\b(?:FROM|JOIN) (\w+)/g)].map(([, name]) => name!),
    }),
  ],
  [/^CREATE TRIGGER \w+ BEFORE \w+ ON (?<table>\w+)/, ({ table }) => ({ does: "forbid changes", table: table! })],
  [/^REVOKE [\w, ]+ ON (?<table>\w+)/, ({ table }) => ({ does: "forbid changes", table: table! })],
];

/** What the statements of a migration do, in order. Throws for a statement of a form that is not known. */
export const effectsOf = ({ statements }: Migration, { variant }: Pick<Dialect, "variant">): Effect[] =>
  statements.map((statement) => effectOf(statement, variant));

function effectOf(statement: Statement, variant: Dialect["variant"]): Effect {
  if (typeof statement === "object" && "column" in statement) return { does: "restrict", ...statement };
  const sql = (typeof statement === "string" ? statement : statement[variant]).trim();
  for (const [form, effect] of readers) {
    const found = form.exec(sql);
    if (found) return effect(found.groups ?? {}, sql);
  }
  throw new Error(`It is not known what this statement does: ${sql}`);
}

/**
 * Rows (of about 300 bytes) a second and bytes copied a second, measured on a machine with 2 cores and the database on its own disk: the
 * slowest of several, such as an index of random texts. `rewrite` is of columns that are removed. `copy`, of an SQLite file, is assumed.
 */
export const rates: Record<Dialect["variant"], Record<"read" | "index" | "write" | "add" | "rewrite" | "copy", number>> = {
  sqlite: { read: 1_200_000, index: 190_000, write: 500_000, add: 150_000, rewrite: 500_000, copy: 200_000_000 },
  postgres: { read: 1_900_000, index: 350_000, write: 25_000, add: 70_000, rewrite: Infinity, copy: Infinity },
};
