import { basename, dirname, join } from "node:path";
import type { Context } from "../../../cli/define.ts";
import type { EarlierRuns, Ordered } from "../../../contract/bulk/ordered.ts";
import type { Row } from "../../../contract/bulk/rows.ts";
import { contentKey } from "../../../contract/hash/content-key.ts";
import { type Journal, openJournal } from "../../../io/files/journal.ts";

/** What a row with a ref asks for, so that a later run can tell whether it was changed. */
interface Content {
  ref?: string;
  content?: string;
  /** The key that the row would have without its ref. */
  keyByContent?: string;
  keys?: string | undefined;
  /** Whether the server was told the ref, and so refuses a second order. */
  kept?: boolean;
}

/** A journal entry for a row: that it was sent, then its outcome. */
type Entry = { base: string; key: string; at: number } & Content &
  ({ state: "sent" } | ({ state: "ordered" } & Ordered) | { state: "failed"; code: string });

// The server stores an idempotency key for 24 hours. One hour less leaves time for the last retry.
const keyLifetimeMs = 23 * 3_600_000;

export interface BulkJournal extends EarlierRuns {
  readonly path: string;
  /** Whether an earlier run sent a row and did not hear what became of it: it may be ordered, and paid. */
  isUnsure(key: string): boolean;
  /**
   * Whether a row was sent so long ago, with unknown outcome, that sending it again could order it twice. `kept`: the server keeps refs,
   * and was asked for that of the row.
   */
  lost(key: string, kept: boolean): boolean;
  sent(row: Row, kept: boolean): Promise<void>;
  done(row: Row, order: Ordered): Promise<void>;
  failed(row: Row, code: string): Promise<void>;
  close(): Promise<void>;
}

const pathOf = (ctx: Context, file: string) =>
  file === "-" ? join(ctx.io.cwd(), "orders.playtest-journal") : join(dirname(file), `${basename(file)}.playtest-journal`);

function contentOf({ orderRef, game, order, keyByContent }: Row): Content {
  if (orderRef === undefined) return {};
  const { keysForTesters, ...rest } = order;
  const keys = keysForTesters && contentKey(keysForTesters);
  return { ref: orderRef, content: contentKey({ game, order: rest }), keyByContent, ...(keys && { keys }) };
}

/** The last entry of each key. A row that was sent again and again is as old as its first attempt, which may have placed the order. */
function lastOf(entries: readonly Entry[]): Map<string, Entry> {
  const last = new Map<string, Entry>();
  for (const entry of entries) {
    const before = last.get(entry.key);
    const again = entry.state === "sent" && before?.state === "sent";
    last.set(entry.key, again ? { ...entry, at: before.at, kept: before.kept === true && entry.kept === true } : entry);
  }
  return last;
}

/** The entries of refs that are no longer in the file, by the content of their rows. */
function withoutRow(entries: Iterable<Entry>, rows: readonly Row[]): Map<string, Entry> {
  const refs = new Set(rows.map(({ orderRef }) => orderRef));
  const left = [...entries].filter(({ ref, keyByContent }) => keyByContent !== undefined && !refs.has(ref));
  return new Map(left.map((entry) => [entry.keyByContent!, entry]));
}

/** Opens the journal beside a file of these rows. Only entries about this instance count. */
export async function openBulkJournal(
  ctx: Context,
  file: string,
  given: string | undefined,
  rows: readonly Row[],
): Promise<BulkJournal> {
  const journal: Journal<Entry> = await openJournal(given ?? pathOf(ctx, file));
  const base = ctx.api().base;
  const last = lastOf(journal.entries.filter((entry) => entry.base === base));
  const append = (key: string, rest: object) => journal.append({ base, key, at: ctx.now(), ...rest } as Entry);

  const renamed = withoutRow(last.values(), rows);

  const ordered = (key: string) => orderIn(last.get(key));

  function orderIn(entry: Entry | undefined): Ordered | undefined {
    if (entry?.state !== "ordered") return undefined;
    const { playtestId, status, cents, minutes, paidWith } = entry;
    return { playtestId, status, cents, minutes, paidWith };
  }

  const hasOtherKeys = (row: Row) => last.get(row.key)?.keys !== contentOf(row).keys;

  return {
    path: journal.path,
    isUnsure: (key) => last.get(key)?.state === "sent",
    ordered,
    orderedAs(row) {
      const before = ordered(row.key);
      // Ordered before its ref was removed, or before it had one.
      if (row.orderRef === undefined) return before ?? orderIn(renamed.get(row.key));
      if (before === undefined) return ordered(row.keyByContent);
      return last.get(row.key)!.content === contentOf(row).content && !hasOtherKeys(row) ? before : undefined;
    },
    hasOtherKeys,
    lost(key, kept) {
      const entry = last.get(key);
      return entry?.state === "sent" && !(kept && entry.kept) && ctx.now() - entry.at > keyLifetimeMs;
    },
    sent: (row, kept) => append(row.key, { state: "sent", ...contentOf(row), ...(kept && { kept }) }),
    done: (row, order) => append(row.key, { state: "ordered", ...order, ...contentOf(row) }),
    failed: ({ key }, code) => append(key, { state: "failed", code }),
    close: journal.close,
  };
}
