import { targetNames } from "../accounts/audience-text.ts";
import type { Data } from "../index.ts";
import type { PlaytestStatus } from "../states/index.ts";
import type { Fault } from "./columns.ts";
import { keyOfRef } from "./keys.ts";
import type { EarlierRuns, Ordered } from "./ordered.ts";
import type { Row } from "./rows.ts";

/**
 * A ref names a row across files and computers. What was ordered by it is known from the journal, or else from the server. A row that
 * was ordered as it is is not ordered again; one that was ordered otherwise stops the whole file.
 */

export type Playtest = Data<"findPlaytestsByRef">["playtests"][number];

/** Where it is known what was ordered by a ref. */
export interface KnownOrders {
  journal: EarlierRuns;
  /** The orders that have these refs. Undefined if the server keeps no refs. */
  byRefs(refs: string[]): Promise<readonly Playtest[] | undefined>;
  /** An order of the journal. Undefined if the server does not know it. */
  byId(id: string): Promise<Partial<Playtest> | undefined>;
  /** Says what does not keep the other rows from being ordered. */
  warn(message: string): void;
}

const compared = [
  "visibility",
  "quantity",
  "durationMinutes",
  "playerCount",
  "notesForTesters",
  "isFreePublicTrial",
  "targetingType",
  "targetingScope",
  "pastPlaytesterScope",
  "targetedPlaytesterId",
  "panel",
  ...targetNames,
  "selectionMode",
  "qualifications",
  "scheduledAt",
] as const;

interface Difference {
  name: string;
  was: unknown;
  now: unknown;
}

/** Lists by what they hold, in any order. Nothing is the same as an empty list. */
const comparable = (value: unknown) => {
  if (!Array.isArray(value)) return value ?? null;
  return value.length === 0 ? null : [...value].sort().join(" ");
};

/** How a row differs from the order that has its ref. What the server does not say is not compared. */
function differences({ game, order }: Row, playtest: Partial<Playtest>): Difference[] {
  const rows = compared.map((name): Difference => ({ name, was: playtest[name], now: order[name as keyof typeof order] }));
  return [{ name: "game", was: playtest.gameId, now: game }, ...rows].filter(
    ({ was, now }) => was !== undefined && comparable(was) !== comparable(now),
  );
}

const longest = 60;
const shown = (value: unknown) => {
  const text = JSON.stringify(value ?? null) ?? "null";
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
};

function changedFault({ line, ref }: Row, id: string, status: string | undefined, changes: readonly Difference[]): Fault {
  const how = changes.map(({ name, was, now }) => `${name} ${shown(was)}, not ${shown(now)}`).join("; ");
  const onlyNotes = status === "active" && changes.length > 0 && changes.every(({ name }) => name === "notesForTesters");
  const next = onlyNotes
    ? `Change it with \`playtest playtests update ${id} --notes-for-testers TEXT\`, or give the row a new ref.`
    : "Correct the row, or give it a new ref. Only the notes, keys and fixed time of an active order can be changed.";
  return {
    line,
    field: "ref",
    message: `${JSON.stringify(ref)} was ordered as ${id}${how === "" ? "" : ` with ${how}`}. ${next}`,
  };
}

const otherKeys = ({ line, ref }: Row, id: string): Fault => ({
  line,
  field: "ref",
  message: `${JSON.stringify(ref)} was ordered as ${id} with other game keys. Add keys to it with \`playtest playtests keys add ${id}\`, or give the row a new ref.`,
});

/** The orders that have the refs of these rows. Undefined if the server keeps no refs. */
async function byRef({ byRefs }: KnownOrders, rows: readonly Row[]): Promise<Map<string, Playtest> | undefined> {
  const found = new Map<string, Playtest>();
  const most = 100;
  for (let from = 0; from < rows.length; from += most) {
    const playtests = await byRefs(rows.slice(from, from + most).map(({ orderRef }) => orderRef!));
    if (playtests === undefined) return undefined;
    for (const playtest of playtests) found.set(playtest.ref!, playtest);
  }
  return found;
}

/** What is known of the refs of a file. */
export interface Refs {
  /** The rows, each with the key under which it is ordered. */
  rows: Row[];
  faults: Fault[];
  /** What earlier runs, also of other computers, ordered. */
  ordered: ReadonlyMap<string, Ordered>;
  /** Whether the server keeps the ref of an order and refuses a second one. */
  kept: boolean;
}

const orderedAs = (id: string, { status, costPerSlotCents, quantity = 1 }: Partial<Playtest>): Ordered => ({
  playtestId: id,
  status: status as PlaytestStatus,
  cents: (costPerSlotCents ?? 0) * quantity,
  minutes: 0,
  paidWith: "not reported",
});

/** The key of the order that takes the place of a cancelled one. */
const keyAfter = (row: Row, { playtestId }: Ordered) => keyOfRef(row.orderRef!, playtestId);

/** Whether the journal says that a row was ordered as it is, and nothing in its place since. */
function isKnown(row: Row, journal: EarlierRuns): boolean {
  const before = journal.orderedAs(row);
  return before !== undefined && journal.ordered(keyAfter(row, before)) === undefined;
}

/** Compares the rows that have a ref with what was ordered by it. */
export async function settleRefs(known: KnownOrders, given: readonly Row[]): Promise<Refs> {
  const { journal } = known;
  const rows: Row[] = [];
  const faults: Fault[] = [];
  const ordered = new Map<string, Ordered>();
  const open = given.filter((row) => row.orderRef !== undefined && !isKnown(row, journal));
  const found = open.length === 0 ? undefined : await byRef(known, open);

  /** Compares a row with its earlier order, if there is one. Of a cancelled one only the ref is left, which another order takes. */
  async function settle(row: Row): Promise<Row> {
    const before = journal.ordered(row.key);
    const held = found?.get(row.orderRef!);
    const id = held?.id ?? before?.playtestId;
    if (id === undefined) return row;
    const isReplaced = before && (held ? held.id !== before.playtestId : journal.ordered(keyAfter(row, before)) !== undefined);
    if (isReplaced) return settle({ ...row, key: keyAfter(row, before) });
    const playtest = held ?? (await known.byId(id));
    const changes = playtest === undefined ? [] : differences(row, playtest);
    if (playtest !== undefined && changes.length === 0 && !(before && journal.hasOtherKeys(row))) {
      if (playtest.status === "cancelled") known.warn(cancelledText(row, id));
      if (playtest.status === "pending_payment") known.warn(unpaidText(row, id));
      ordered.set(row.key, before ?? orderedAs(id, playtest));
      return row;
    }
    if (playtest?.status === "cancelled") return { ...row, key: keyOfRef(row.orderRef!, id) };
    faults.push(changes.length === 0 && playtest ? otherKeys(row, id) : changedFault(row, id, playtest?.status, changes));
    return row;
  }

  const unsettled = new Set(open);
  for (const row of given) rows.push(unsettled.has(row) ? await settle(row) : row);
  return { rows, faults, ordered, kept: found !== undefined };
}

const cancelledText = ({ line, ref }: Row, id: string) =>
  `Line ${line}: ${JSON.stringify(ref)} was ordered as ${id}, which was cancelled. It is not ordered again. To order it, give it a new ref.`;

const unpaidText = ({ line, ref }: Row, id: string) =>
  `Line ${line}: ${JSON.stringify(ref)} was ordered as ${id}, which is not paid yet. To pay it, run \`playtest playtests pay ${id} --method METHOD\`.`;
