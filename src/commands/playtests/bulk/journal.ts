import { basename, dirname, join } from "node:path";
import type { Context } from "../../../cli/define.ts";
import type { PlaytestStatus } from "../../../contract/states/index.ts";
import { type Journal, openJournal } from "../../../io/files/journal.ts";
import type { Planned } from "./plan.ts";

export interface Ordered {
  playtestId: string;
  status: PlaytestStatus;
  cents: number;
  minutes: number;
  paidWith: string;
}

/** A journal entry for a row: that it was sent, then its outcome. */
type Entry = { base: string; key: string; at: number } & (
  | { state: "sent" }
  | ({ state: "ordered" } & Ordered)
  | { state: "failed"; code: string }
);

// The server stores an idempotency key for 24 hours. One hour less leaves time for the last retry.
const keyLifetimeMs = 23 * 3_600_000;

export interface BulkJournal {
  readonly path: string;
  /** The order that an earlier run placed for a row. */
  ordered(key: string): Ordered | undefined;
  /** Whether a row was sent so long ago, with unknown outcome, that sending it again could order it twice. */
  lost(key: string): boolean;
  sent(row: Planned): Promise<void>;
  done(row: Planned, order: Ordered): Promise<void>;
  failed(row: Planned, code: string): Promise<void>;
  close(): Promise<void>;
}

const pathOf = (ctx: Context, file: string) =>
  file === "-" ? join(ctx.io.cwd(), "orders.playtest-journal") : join(dirname(file), `${basename(file)}.playtest-journal`);

/** Opens the journal beside a file. Only entries about this instance count. */
export async function openBulkJournal(ctx: Context, file: string, given: string | undefined): Promise<BulkJournal> {
  const journal: Journal<Entry> = await openJournal(given ?? pathOf(ctx, file));
  const base = ctx.api().base;
  const last = new Map(journal.entries.filter((entry) => entry.base === base).map((entry) => [entry.key, entry]));
  const append = (key: string, rest: object) => journal.append({ base, key, at: ctx.now(), ...rest } as Entry);
  return {
    path: journal.path,
    ordered(key) {
      const entry = last.get(key);
      if (entry?.state !== "ordered") return undefined;
      const { playtestId, status, cents, minutes, paidWith } = entry;
      return { playtestId, status, cents, minutes, paidWith };
    },
    lost(key) {
      const entry = last.get(key);
      return entry?.state === "sent" && ctx.now() - entry.at > keyLifetimeMs;
    },
    sent: ({ key }) => append(key, { state: "sent" }),
    done: ({ key }, order) => append(key, { state: "ordered", ...order }),
    failed: ({ key }, code) => append(key, { state: "failed", code }),
    close: journal.close,
  };
}
