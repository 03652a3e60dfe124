import { notFound, usage } from "../errors.ts";
import { cacheFile } from "../io/files/cache-file.ts";

/** Recently listed ids, newest first: used to resolve and to complete short ids. */
export interface IdCache {
  entries(baseUrl: string): readonly IdEntry[];
  all(): readonly IdEntry[];
  remember(baseUrl: string, key: string, items: readonly Record<string, unknown>[]): void;
}

export interface IdEntry {
  id: string;
  /** Name of the list that it was in, such as `games`. */
  key: string;
  label: string;
}

const maxEntries = 2_000;

/** The id of a listed item: its own, or that of its slot or account. */
export function idOf(item: Record<string, unknown>): string | undefined {
  const { id = (item.slot as { id?: unknown } | undefined)?.id ?? item.userId } = item;
  return typeof id === "string" ? id : undefined;
}

export function openIdCache(directory: string | undefined): IdCache {
  const file = cacheFile(directory, "ids.json");
  const read = () => (file.read() ?? {}) as Record<string, IdEntry[]>;

  function remember(baseUrl: string, key: string, items: readonly Record<string, unknown>[]) {
    const fresh = items
      .filter((item) => idOf(item) !== undefined)
      .map((item) => ({ id: idOf(item)!, key, label: String(item.name ?? item.displayName ?? item.status ?? "") }));
    if (fresh.length === 0) return;
    const all = read();
    const ids = new Set(fresh.map((entry) => entry.id));
    all[baseUrl] = [...fresh, ...(all[baseUrl] ?? []).filter((entry) => !ids.has(entry.id))].slice(0, maxEntries);
    file.write(all);
  }

  return { entries: (baseUrl) => read()[baseUrl] ?? [], all: () => Object.values(read()).flat(), remember };
}

const shortForm = /^[0-9a-f]{8}$/i;

/** The full id for a short form; any other text is returned unchanged. Unknown: exit 3; ambiguous: exit 2. */
export function resolveId(text: string, entries: readonly IdEntry[]): string {
  if (!shortForm.test(text)) return text;
  const found = entries.filter(({ id }) => id.toLowerCase().endsWith(text.toLowerCase()));
  if (found.length === 1) return found[0]!.id;
  if (found.length > 1)
    throw usage(`The short id "${text}" is ambiguous: ${found.map(({ id }) => id).join(", ")}.`, "Use the full id.");
  throw notFound(`No recently listed id ends in "${text}".`, "List the items first, or use the full id.");
}
