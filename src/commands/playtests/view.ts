import {
  col,
  columnsOf,
  detail,
  type ItemOf,
  moneyCol,
  optionalCol,
  shorter,
  viewOf,
  whileStatus,
  withColumns,
} from "../../cli/define.ts";
import { targetingText } from "../../contract/accounts/audience-text.ts";
import type { Data } from "../../contract/index.ts";
import type { SlotStatus } from "../../contract/states/index.ts";
import { utcText } from "../shared/fixed-time.ts";

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

/** The same for a table: the first status, and how many slots have another, such as `2 submitted, 1 other`. */
export function compactCounts(counts: Counts | null | undefined): string {
  const [first, ...others] = present(counts);
  const more = others.reduce((sum, [count]) => sum + count, 0);
  return first === undefined ? "" : `${first[0]} ${first[1]}${more > 0 ? `, ${more} other` : ""}`;
}

type Listed = ItemOf<"listPlaytests">;
/** A playtest as an order returns it. */
type Ordered = Data<"createPlaytest">["playtest"];
type Playtest = ItemOf<"updatePlaytest"> & Partial<ItemOf<"getPlaytest">>;

const kind = (playtest: { isFreePublicTrial?: boolean; visibility: string }) =>
  playtest.isFreePublicTrial ? "free trial" : playtest.visibility;

export const playtestsView = viewOf<Listed>(
  [
    "id",
    "status",
    shorter(
      col("slots", ({ slots }) => countsText(slots)),
      ({ slots }) => compactCounts(slots),
    ),
    "duration:durationMinutes",
    optionalCol("players:playerCount"),
    optionalCol("kind", kind),
    optionalCol("selection:selectionMode"),
    "price per slot:costPerSlotCents",
    "ordered:createdAt",
    optionalCol("played at", ({ scheduledAt }) => utcText(scheduledAt)),
  ],
  { empty: "No playtests yet. Order one with `playtest order`." },
);

/** The same columns plus the game's name, for a list of all games. */
export const allPlaytestsView = withColumns<Listed & { gameName: string }>(playtestsView, ["game:gameName"]);

/** The columns that `playtests get` and the reply to an order have in common. */
export const playtestColumns = columnsOf<Ordered>([
  detail("playtest:id"),
  detail("status"),
  detail("ref"),
  detail("slots ordered:quantity"),
  detail("duration:durationMinutes"),
  detail("players per slot:playerCount"),
  detail("kind", kind),
  detail("offered to", targetingText),
  detail("selection:selectionMode"),
  detail("played at", ({ scheduledAt }) => utcText(scheduledAt)),
  detail("price per slot:costPerSlotCents"),
  detail("payout per slot:payoutCents"),
]);

export const playtestView = viewOf<Playtest>([
  playtestColumns[0]!,
  detail("game:gameName"),
  playtestColumns[1]!,
  detail("slots", ({ slots }) => countsText(slots)),
  ...playtestColumns.slice(2),
  detail("qualifications"),
  detail("applications close:applicationsExpireAt"),
  detail("notes:notesForTesters"),
  detail("ordered:createdAt"),
]);

/** What blocks a slot. */
const problem = ({ status, blockedReport }: ItemOf<"listSlots">) =>
  status === "blocked" ? blockedReport?.reasonCode.replaceAll("_", " ") : undefined;

export const slotsView = viewOf<ItemOf<"listSlots">>(
  [
    "id",
    "status",
    "playtester:playtester.displayName",
    optionalCol("problem", problem),
    col("deadline", whileStatus("reserved", "deadlineAt"), "ago"),
    "video:submission.videoFileSize",
    "submitted:submission.createdAt",
    "rating:rating.score",
    col("transcript:transcription.status", "text"),
    optionalCol("played at", ({ scheduledAt }) => utcText(scheduledAt)),
    optionalCol("asked for", ({ proposal }) => utcText(proposal?.scheduledAt)),
  ],
  { empty: "No slots. An order has no slots until it is paid." },
);

/** An estimate leaves open what it does not know. */
type Nullable<T> = { [K in keyof T]: T[K] | null };

export const quoteView = viewOf<Nullable<Omit<Data<"quotePlaytest">, "budgets">>>([
  "total:totalCents",
  "price per slot:costPerSlotCents",
  "payout per slot:payoutCents",
  moneyCol(col("minutes needed:playtestMinutesNeeded")),
  moneyCol(col("minutes available:playtestMinutesAvailable")),
  "balance:balanceCents",
  moneyCol(col("would pay with:wouldPayWith")),
  "funds missing:missingCents",
]);
