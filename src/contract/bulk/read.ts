import type { FileRecord, RecordFormat } from "../files/records.ts";
import { Refused } from "../input/refused.ts";
import { orderChecker } from "../order-check.ts";
import { plural } from "../text/plural.ts";
import type { TimeReader } from "../time/local.ts";
import { type Fault, type Ignored, understand } from "./columns.ts";
import { type Row, readRows, wordsIn } from "./rows.ts";

type Found = ReadonlyMap<string, string | { message: string }>;

/** What a file's words are looked up by: the account that orders. */
export interface Account {
  /** The game for rows without one. */
  game: string | undefined;
  /** The account's only game, asked where no row names one and none is given. */
  onlyGame(): Promise<string | undefined>;
  /** The ids of these games, or what is wrong with the words. */
  games(words: readonly string[]): Promise<Found>;
  /** The same for playtesters. */
  testers(words: ReadonlySet<string>): Promise<Found>;
  /** How these times are read. */
  times(texts: readonly string[]): Promise<TimeReader>;
  hasGame(id: string): Promise<boolean>;
}

interface Given extends Ignored {
  /** What the file is called, for messages. */
  file: string;
  batch: string;
  /** Why there is no game for rows without one, for messages. */
  noGame: string;
}

/** Errors for games that do not exist. */
async function gameFaults(account: Account, rows: readonly Row[]): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const game of new Set(rows.map((row) => row.game))) {
    if (await account.hasGame(game)) continue;
    const { line } = rows.find((row) => row.game === game)!;
    faults.push({ line, field: "game", message: `${game} is not one of your games` });
  }
  return faults;
}

/** The rows of a file, or everything that is wrong with them. Throws a `Refused` where nothing of the file can be understood. */
export async function readOrders(
  { format, records: read }: { format: RecordFormat; records: readonly FileRecord[] },
  given: Given,
  account: Account,
): Promise<{ rows: Row[]; faults: Fault[] }> {
  const { file, batch, noGame } = given;
  const { records, faults: unknown } = understand(read, given);
  const named = wordsIn(records, "game");
  const game = account.game ?? (named.size > 0 ? undefined : await account.onlyGame());
  const games = await account.games([...named, ...(game === undefined ? [] : [game])]);
  const testers = await account.testers(wordsIn(records, "targetedPlaytesterId"));
  const { rows, faults } = readRows(records, {
    format,
    game,
    noGame,
    batch,
    check: await orderChecker(),
    gameId: (word) => games.get(word)!,
    testerId: (word) => testers.get(word)!,
    time: await account.times([...wordsIn(records, "scheduledAt")]),
  });
  if (unknown.length > 0 || faults.length > 0) return { rows, faults: [...unknown, ...faults] };
  if (rows.length === 0) throw new Refused(`${file} contains no orders.`);
  return { rows, faults: await gameFaults(account, rows) };
}

const mostFaults = 100;

/** What is said of a file with errors: a sentence, and the first of them by line. */
export function faultsOf(faults: readonly Fault[], file: string) {
  const inOrder = [...faults].sort((a, b) => a.line - b.line);
  const details = inOrder.slice(0, mostFaults).map(({ line, field, message }) => ({ field: `line ${line}: ${field}`, message }));
  const more = faults.length > mostFaults ? ` The first ${mostFaults}:` : "";
  return { message: `${file} has ${plural(faults.length, "error")}. Nothing was ordered.${more}`, details };
}
