import { col, detail, moneyCol, optionalCol, whileStatus } from "../../cli/define.ts";
import type { SlotStatus } from "../../contract/states/index.ts";
import type { Column, View } from "../../io/cells.ts";

type Counts = Readonly<Record<string, number>>;

const order: readonly SlotStatus[] = [
  "submitted",
  "publishing",
  "accepted",
  "reserved",
  "blocked",
  "open",
  "rejected",
  "expired",
  "cancelled",
];

/** How tables abbreviate the statuses of slots. A status that this program does not know is not abbreviated. */
const abbreviations = {
  submitted: "sub",
  publishing: "pub",
  accepted: "acc",
  reserved: "res",
  blocked: "blk",
  open: "open",
  rejected: "rej",
  expired: "exp",
  cancelled: "can",
} as const satisfies Record<SlotStatus, string>;

const short = (status: string) => abbreviations[status as SlotStatus] ?? status;

/** The counts that are not zero, with their statuses. Slots that wait for the owner come first. */
function present(counts: Counts | null | undefined): [count: number, status: string][] {
  const names = [...order, ...Object.keys(counts ?? {}).filter((name) => !(order as readonly string[]).includes(name))];
  return names.flatMap((name) => ((counts?.[name] ?? 0) > 0 ? [[counts![name]!, name] as [number, string]] : []));
}

/** The counts that are not zero, such as `2 submitted, 1 open`. */
export const countsText = (counts: Counts | null | undefined) =>
  present(counts)
    .map(([count, status]) => `${count} ${status}`)
    .join(", ");

/** The same for a table: `2 sub · 1 open`. */
export const compactCounts = (counts: Counts | null | undefined) =>
  present(counts)
    .map(([count, status]) => `${count} ${short(status)}`)
    .join(" · ");

const slots: Column = {
  ...col("slots", (playtest) => countsText(playtest.slots as Counts)),
  inTable: (playtest) => compactCounts(playtest.slots as Counts),
};
const kind = (playtest: Record<string, unknown>) => (playtest.isFreePublicTrial ? "free trial" : playtest.visibility);

export const playtestsView: View = {
  columns: [
    col("id", "id", "id"),
    col("status", "status", "status"),
    slots,
    col("duration", "durationMinutes", "minutes"),
    optionalCol("players", "playerCount"),
    optionalCol("kind", kind),
    optionalCol("selection", "selectionMode"),
    col("price per slot", "costPerSlotCents", "usd"),
    col("ordered", "createdAt", "ago"),
  ],
  empty: "No playtests yet. Order one with `playtest order`.",
};

/** The same columns plus the game's name, for a list of all games. */
export const allPlaytestsView: View = {
  ...playtestsView,
  columns: [playtestsView.columns[0]!, col("game", "gameName"), ...playtestsView.columns.slice(1)],
};

/** Which playtesters the playtest is offered to; undefined if the server does not say so. */
export function targetingText(playtest: Record<string, unknown>) {
  const { targetingType: type, targetingScope: scope, targetedPlaytesterId: tester, panel } = playtest;
  const group = panel ? `the group ${panel}` : undefined;
  if (!type) return group ?? (type === null ? "everyone" : undefined);
  const whom = tester ? `playtester ${tester}` : `${type} to ${scope === "game" ? "this game" : "your games"}`;
  return group ? `${group}, ${whom}` : whom;
}

/** The columns that `playtests get` and the reply to an order have in common. */
export const playtestColumns: readonly Column[] = [
  detail("playtest", "id", "id"),
  detail("status", "status", "status"),
  detail("ref", "ref"),
  detail("slots ordered", "quantity"),
  detail("duration", "durationMinutes", "minutes"),
  detail("players per slot", "playerCount"),
  detail("kind", kind),
  detail("offered to", targetingText),
  detail("selection", "selectionMode"),
  detail("price per slot", "costPerSlotCents", "usd"),
  detail("payout per slot", "payoutCents", "usd"),
];

export const playtestView: View = {
  columns: [
    playtestColumns[0]!,
    detail("game", "gameName"),
    playtestColumns[1]!,
    detail("slots", (playtest) => countsText(playtest.slots as Counts)),
    ...playtestColumns.slice(2),
    detail("qualifications", "qualifications"),
    detail("applications close", "applicationsExpireAt", "ago"),
    detail("notes", "notesForTesters"),
    detail("ordered", "createdAt", "ago"),
  ],
};

/** What blocks a slot. */
function problem({ status, blockedReport }: Record<string, unknown>) {
  const report = blockedReport as { reasonCode: string } | null | undefined;
  return status === "blocked" ? report?.reasonCode.replaceAll("_", " ") : undefined;
}

export const slotsView: View = {
  columns: [
    col("id", "id", "id"),
    col("status", "status", "status"),
    col("playtester", "playtester.displayName"),
    optionalCol("problem", problem),
    col("deadline", whileStatus("reserved", "deadlineAt"), "ago"),
    col("video", "submission.videoFileSize", "bytes"),
    col("submitted", "submission.createdAt", "ago"),
    col("rating", "rating.score"),
    col("transcript", "transcription.status"),
  ],
  empty: "No slots. An order has no slots until it is paid.",
};

export const quoteView: View = {
  columns: [
    col("total", "totalCents", "usd"),
    col("price per slot", "costPerSlotCents", "usd"),
    col("payout per slot", "payoutCents", "usd"),
    moneyCol(col("minutes needed", "playtestMinutesNeeded")),
    moneyCol(col("minutes available", "playtestMinutesAvailable")),
    col("balance", "balanceCents", "usd"),
    moneyCol(col("would pay with", "wouldPayWith")),
    col("funds missing", "missingCents", "usd"),
  ],
};
