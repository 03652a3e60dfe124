import { join } from "node:path";
import type { DatabaseLocation } from "../database/drivers.ts";
import { type Effect, effectsOf, rates } from "../database/effects.ts";
import { type Migration, migrations, pending as pendingOf } from "../database/migrate.ts";
import type { Dialect, Store } from "../database/port.ts";
import { sizeOf } from "../uploads/local-blobs.ts";
import { countRows } from "./move/store.ts";

/** What bringing a database up to date changes, before it is done. */
export interface UpgradePlan {
  /** The migrations that are pending, and what each does in words. Empty when the database is up to date. */
  migrations: { name: string; changes: string[] }[];
  /** How many rows the tables have that are read or changed. */
  rows: Record<string, number>;
  /** The tables of which every row is written again. */
  rewritten: string[];
  /** How long it takes at least and at most (ms), as far as that is known. */
  estimate: { fromMs: number; toMs: number };
  /** Whether processes of the older program may go on while those of this one start, and why not. */
  sideBySide: { possible: boolean; reasons: string[] };
  /** The tables that requests of running processes wait for, until all migrations are done. Those of a database on a server. */
  locked: string[];
}

/** A migration that changes no row. */
const eachMs = 10;
/** How much slower another disk or a busy machine may be. */
const spread = 5;

/** Reads what is pending and counts the rows of the tables that it touches. Changes nothing; throws as `migrate` does. */
export async function planUpgrade(
  store: Store,
  { driver, dataDir }: Pick<DatabaseLocation, "driver" | "dataDir">,
  list: readonly Migration[] = migrations,
): Promise<UpgradePlan> {
  const pending = await pendingOf(store, list);
  const steps = pending.map((migration) => ({ name: migration.name, effects: effectsOf(migration, store.dialect) }));
  const touched = touchedBy(steps.flatMap(({ effects }) => effects));
  const rows: UpgradePlan["rows"] = {};
  for (const name of touched.read) rows[name] = await store.read((q) => countRows(q, { name }));
  const sizes = await Promise.all((driver.file?.names ?? []).map((name) => sizeOf(join(dataDir, name))));
  const copied = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  const isAlone = driver.file !== undefined;
  const reasons = isAlone
    ? ["only one process at a time uses an SQLite database"]
    : [...(await stepwiseReason(store)), ...incompatible(steps, touched.made, list.slice(0, list.length - pending.length))];
  return {
    migrations: steps.map(({ name, effects }) => ({ name, changes: wordsOf(effects) })),
    rows,
    rewritten: isAlone ? touched.rewritten : [],
    estimate: pending.length === 0 ? { fromMs: 0, toMs: 0 } : estimate(steps, rows, store.dialect, copied),
    sideBySide: {
      possible: pending.length === 0 ? !isAlone : reasons.length === 0,
      reasons: pending.length === 0 ? [] : reasons,
    },
    locked: isAlone ? [] : touched.changed,
  };
}

interface Step {
  name: string;
  effects: readonly Effect[];
}

const unique = (names: readonly string[]) => [...new Set(names)].sort();

/** The tables that exist before: of which rows are read, which are changed, and which are written again. `made` do not exist yet. */
function touchedBy(effects: readonly Effect[]) {
  const made = new Set(effects.flatMap((effect) => (effect.does === "create table" ? [effect.table] : [])));
  const existing = (names: readonly string[]) => unique(names.filter((name) => !made.has(name)));
  const tables = (...kinds: readonly Effect["does"][]) =>
    effects.flatMap((effect) => ("table" in effect && kinds.includes(effect.does) ? [effect.table] : []));
  const sources = effects.flatMap((effect) => (effect.does === "add rows" ? effect.from : []));
  return {
    made,
    read: existing([...tables("create index", "restrict", "change rows", "remove rows", "drop column"), ...sources]),
    changed: existing(effects.flatMap((effect) => ("table" in effect ? [effect.table] : []))),
    rewritten: existing(tables("drop column")),
  };
}

function estimate(
  steps: readonly Step[],
  rows: UpgradePlan["rows"],
  { variant }: Dialect,
  bytes: number,
): UpgradePlan["estimate"] {
  const { read, index, write, add, rewrite, copy } = rates[variant];
  const of = (table: string, rate: number) => ((rows[table] ?? 0) / rate) * 1000;
  let ms = steps.length * eachMs + (bytes / copy) * 1000;
  for (const effect of steps.flatMap(({ effects }) => effects)) {
    if (effect.does === "create index") ms += of(effect.table, index);
    if (effect.does === "restrict") ms += of(effect.table, read);
    if (effect.does === "change rows" || effect.does === "remove rows") ms += of(effect.table, write);
    if (effect.does === "drop column") ms += of(effect.table, rewrite);
    if (effect.does === "add rows") for (const table of effect.from) ms += of(table, add);
  }
  return { fromMs: Math.round(ms), toMs: Math.round(ms * spread) };
}

const stepwiseReason = async (store: Store): Promise<string[]> =>
  (await store.separateDefinitions?.())
    ? ["this database cannot undo definitions of tables, so older processes would see tables that are only partly changed"]
    : [];

/** What older processes that go on could not bear, or would undo. */
function incompatible(steps: readonly Step[], made: ReadonlySet<string>, before: readonly Migration[]): string[] {
  const allowed = new Map(before.flatMap(({ statements }) => statements.flatMap(enumeratedValues)));
  const isNew = new Set<string>();
  const reasons: string[] = [];
  for (const effect of steps.flatMap(({ effects }) => effects)) {
    if (!("table" in effect) || made.has(effect.table)) continue;
    const { table } = effect;
    if (effect.does === "drop table") reasons.push(`the table ${table} is removed`);
    if (effect.does === "drop column") reasons.push(`the column ${table}.${effect.column} is removed`);
    if (effect.does === "change rows" || effect.does === "remove rows")
      reasons.push(
        `rows of ${table} are ${effect.does === "change rows" ? "changed" : "removed"}, and older processes write them as before`,
      );
    if (effect.does === "create index" && effect.unique)
      reasons.push(`${table} can no longer have two rows that are alike in an index`);
    if (effect.does === "forbid changes") reasons.push(`rows of ${table} can no longer be changed or removed`);
    if (effect.does === "add column") {
      isNew.add(`${table}.${effect.column}`);
      if (effect.required) reasons.push(`older processes do not fill the column ${table}.${effect.column}`);
    }
    if (effect.does !== "restrict") continue;
    const column = `${table}.${effect.column}`;
    const earlier = allowed.get(column);
    const isNarrower = earlier ? earlier.some((value) => !effect.values.includes(value)) : !isNew.has(column);
    if (isNarrower) reasons.push(`${column} can no longer have every value that older processes write`);
    allowed.set(column, effect.values);
  }
  return [...new Set(reasons)];
}

const enumeratedValues = (statement: Migration["statements"][number]): [string, readonly string[]][] =>
  typeof statement === "object" && "column" in statement ? [[`${statement.table}.${statement.column}`, statement.values]] : [];

/** Each change once, in plain words. */
function wordsOf(effects: readonly Effect[]): string[] {
  const made = new Set(effects.flatMap((effect) => (effect.does === "create table" ? [effect.table] : [])));
  const replaced = new Set(effects.flatMap((effect) => (effect.does === "drop restriction" ? [effect.name] : [])));
  const words = effects.map((effect) => {
    // What belongs to a table that is created needs no words of its own.
    if (effect.does !== "create table" && "table" in effect && made.has(effect.table)) return undefined;
    switch (effect.does) {
      case "create table":
        return `creates the table ${effect.table}`;
      case "drop table":
        return `removes the table ${effect.table}`;
      case "add column":
        return `adds the column ${effect.table}.${effect.column}`;
      case "drop column":
        return `removes the column ${effect.table}.${effect.column}`;
      case "create index":
        return `creates an index of ${effect.table}`;
      case "drop index":
        return `removes the index ${effect.name}`;
      case "restrict": {
        const column = `${effect.table}.${effect.column}`;
        return replaced.has(`${effect.table}_${effect.column}_check`)
          ? `changes which values ${column} can have`
          : `restricts which values ${column} can have`;
      }
      case "change rows":
        return `changes rows of ${effect.table}`;
      case "remove rows":
        return `removes rows of ${effect.table}`;
      case "add rows":
        return `adds rows to ${effect.table}`;
      case "forbid changes":
        return `protects the rows of ${effect.table} from changes`;
      default:
        return undefined;
    }
  });
  return [...new Set(words.filter((word) => word !== undefined))];
}
