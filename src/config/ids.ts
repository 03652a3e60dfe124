import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { notFound, usage } from "../errors.ts";

/** What was recently listed, newest first: to resolve short ids and to complete them. */
export interface IdCache {
  entries(baseUrl: string): readonly IdEntry[];
  all(): readonly IdEntry[];
  remember(baseUrl: string, key: string, items: readonly Record<string, unknown>[]): void;
}

export interface IdEntry {
  id: string;
  /** Name of the list it was in, such as `games`. */
  key: string;
  label: string;
}

const most = 2_000;

/** The id of a listed item: its own, or that of the slot it is about. */
export function idOf(item: Record<string, unknown>): string | undefined {
  const { id = (item.slot as { id?: unknown } | undefined)?.id } = item;
  return typeof id === "string" ? id : undefined;
}

/** The cache is a convenience: a file that cannot be read or written is as good as none. */
export function openIdCache(directory: string): IdCache {
  const path = join(directory, "ids.json");
  const read = (): Record<string, IdEntry[]> => {
    try {
      return JSON.parse(readFileSync(path, "utf8")) as Record<string, IdEntry[]>;
    } catch {
      return {};
    }
  };

  function remember(baseUrl: string, key: string, items: readonly Record<string, unknown>[]) {
    const fresh = items
      .filter((item) => idOf(item) !== undefined)
      .map((item) => ({ id: idOf(item)!, key, label: String(item.name ?? item.displayName ?? item.status ?? "") }));
    if (fresh.length === 0) return;
    const all = read();
    const ids = new Set(fresh.map((entry) => entry.id));
    all[baseUrl] = [...fresh, ...(all[baseUrl] ?? []).filter((entry) => !ids.has(entry.id))].slice(0, most);
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      writeFileSync(`${path}.part`, JSON.stringify(all), { mode: 0o600 });
      renameSync(`${path}.part`, path);
    } catch {
      return;
    }
  }

  return { entries: (baseUrl) => read()[baseUrl] ?? [], all: () => Object.values(read()).flat(), remember };
}

const short = /^[0-9a-f]{8}$/i;

/** The full id for a short form; any other text is taken as a full id. Unknown: exit 3; ambiguous: exit 2. */
export function resolveId(text: string, entries: readonly IdEntry[]): string {
  if (!short.test(text)) return text;
  const found = entries.filter(({ id }) => id.toLowerCase().endsWith(text.toLowerCase()));
  if (found.length === 1) return found[0]!.id;
  if (found.length > 1)
    throw usage(`${text} is the end of ${found.length} ids: ${found.map(({ id }) => id).join(", ")}.`, "Use the full id.");
  throw notFound(`${text} is not the end of an id that was listed here lately.`, "List first, or use the full id.");
}
