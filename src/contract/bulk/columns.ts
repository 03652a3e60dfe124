import { type FileRecord, ignorer, isUnnamed, plainName } from "../files/records.ts";
import { Refused } from "../input/refused.ts";
import { operations } from "../static.ts";
import { nearest } from "../text/nearest.ts";

/** Pure functions that find out which field of an order each column of a file is. */

export interface Fault {
  line: number;
  field: string;
  message: string;
}

export const fields = new Map(operations.createPlaytest.body.map((field) => [field.name, field]));
export const columnNames = ["game", ...fields.keys()];

/** What people also call the columns. Plain names: see `plainName`. */
const aliases: Readonly<Record<string, string>> = {
  game: "gameId gameName",
  ref: "reference orderRef orderReference",
  quantity:
    "qty count slots slotCount testers testerCount playtesters playtesterCount numberOfSlots numberOfTesters amountOfTesters",
  durationMinutes: "duration durationMin durationMins minutes mins min length lengthMinutes minutesPerSlot sessionMinutes",
  playerCount: "players playersPerSlot numberOfPlayers",
  notesForTesters: "note notes testerNotes notesForTester notesForPlaytesters",
  keysForTesters: "key keys gameKey gameKeys testerKeys",
  isFreePublicTrial: "freeTrial trial freePublicTrial",
  targetedPlaytesterId: "tester testerId playtester playtesterId targetedPlaytester",
  panel: "group testerGroup",
  targetCountries: "country countries targetCountry",
  targetLanguages: "language languages targetLanguage",
  targetDevices: "device devices targetDevice",
  targetAges: "age ages ageBand targetAge",
  scheduledAt: "at time startsAt playedAt fixedTime scheduled schedule",
  selectionMode: "selection",
  qualifications: "qualification requirements requirement",
};

const known = new Map(
  columnNames.flatMap((name) =>
    [name, ...(aliases[name]?.split(" ") ?? [])].map((one): [string, string] => [plainName(one), name]),
  ),
);

/** The known name that an unknown one is a beginning or a misspelling of. */
function likeName(name: string): string | undefined {
  const plain = plainName(name);
  const names = [...known.keys()];
  const near =
    names.find((one) => plain.length > 3 && one.startsWith(plain)) ??
    names.find((one) => one.length > 3 && plain.startsWith(one)) ??
    nearest(plain, names);
  return near === undefined ? undefined : known.get(near);
}

const mostExplained = 100;

function unknownText(name: string, leaveOut: string): string {
  if (isUnnamed(name)) return "unknown field: the column has no name";
  const like = likeName(name);
  const meant = like === undefined ? "" : ` Did you mean ${like}?`;
  return `unknown field.${meant} If it is not meant for the order, ${leaveOut}.`;
}

export interface Ignored {
  /** Columns that are not meant for the order. */
  ignore: readonly string[];
  /** How a person adds another, for messages: `leave it out with …`. */
  leaveOut: string;
}

interface Understood {
  /** The records with the names of their fields as the contract spells them, without the fields that are ignored. */
  records: FileRecord[];
  faults: Fault[];
}

/**
 * Names the fields of the records as the contract does. A field that no order has is a fault, because what it says would not be ordered.
 * Two headings of one field, and a file of which nothing is understood, throw a `Refused`.
 */
export function understand(given: readonly FileRecord[], { file, ignore, leaveOut }: Ignored & { file: string }): Understood {
  const isIgnored = ignorer(ignore);
  const unknown = new Map<string, number>();
  const seen = new Set<string>();

  function rename({ line, fields: values }: FileRecord): FileRecord {
    const headings = new Map<string, string>();
    const named: FileRecord["fields"] = {};
    for (const [heading, value] of Object.entries(values)) {
      if (isIgnored(heading)) continue;
      const name = known.get(plainName(heading));
      if (name === undefined) {
        if (!unknown.has(heading)) unknown.set(heading, line);
        continue;
      }
      if (headings.has(name)) throw twice(line, [headings.get(name)!, heading], { name, leaveOut });
      headings.set(name, heading);
      seen.add(name);
      named[name] = value;
    }
    return { line, fields: named };
  }

  const records = given.map(rename);
  if (seen.size === 0 && given.length > 0) throw nothingKnown(file, given);
  // Suggestions take time, and nobody reads hundreds of them.
  const faults = [...unknown].map(([field, line], index) => ({
    line,
    field,
    message: index < mostExplained ? unknownText(field, leaveOut) : "unknown field",
  }));
  return { records, faults };
}

const twice = (
  line: number,
  [first, second]: readonly [string, string],
  { name, leaveOut }: { name: string; leaveOut: string },
) =>
  new Refused(
    `Line ${line}: ${JSON.stringify(first)} and ${JSON.stringify(second)} both give the field ${name}. Nothing was ordered.`,
    `Rename one of them, or ${leaveOut}.`,
  );

function nothingKnown(file: string, records: readonly FileRecord[]) {
  const found = [...new Set(records.flatMap(({ fields: values }) => Object.keys(values)))].slice(0, 10);
  return new Refused(
    `${file} has no column that an order has, so nothing of it was understood. Nothing was ordered.`,
    `Columns found: ${found.map((name) => JSON.stringify(name)).join(", ")}. Known columns: ${columnNames.join(", ")}.`,
  );
}
