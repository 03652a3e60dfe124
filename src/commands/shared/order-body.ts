import { targetNames } from "../../contract/accounts/audience-text.ts";
import { type CheckedOrder, type OrderBody, orderChecker } from "../../contract/order-check.ts";
import { CliError, exitCodes, usage } from "../../errors.ts";

/** Flags that are short for one or more fields of the body. */
export interface Shorthands {
  fresh?: boolean | undefined;
  tester?: string | undefined;
  select?: "automatic" | "manual" | undefined;
}

export function targeting({ fresh, tester, select }: Shorthands): OrderBody {
  if (fresh && tester !== undefined) throw usage("--fresh and --tester cannot be used together.");
  return {
    ...(fresh && { targetingType: "new" as const, targetingScope: "game" as const }),
    ...(tester !== undefined && {
      targetingType: "past" as const,
      pastPlaytesterScope: "specific" as const,
      targetedPlaytesterId: tester,
    }),
    ...(select && { selectionMode: select }),
  };
}

const copied = [
  "visibility",
  "quantity",
  "durationMinutes",
  "playerCount",
  "notesForTesters",
  "selectionMode",
  "qualifications",
  "panel",
  ...targetNames,
];
const targeted = ["targetingType", "targetingScope", "pastPlaytesterScope", "targetedPlaytesterId"];

/** An order body with the settings of an earlier playtest. Its keys and its free trial are used up, so they are not copied. */
export function likeBody(playtest: Record<string, unknown>): OrderBody {
  const names = playtest.targetingType ? [...copied, ...targeted] : copied;
  const isSet = (value: unknown) => value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
  const set = names.filter((name) => isSet(playtest[name]));
  return Object.fromEntries(set.map((name) => [name, playtest[name]]));
}

const headings = /^"?((game|steam|cd|product|activation)[ _-]?)?keys?"?([,;\t|]|$)/i;

/** Game keys, one per line. Blank lines are ignored. The heading of a table would be given to a playtester as a key. */
export function keysIn(text: string, source: string): string[] {
  const keys = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const [first] = keys;
  if (first === undefined || !headings.test(first)) return keys;
  throw usage(
    `${source}: the first line, ${JSON.stringify(first)}, is the heading of a table, not a game key. Nothing was sent.`,
    "Write one game key per line and nothing else.",
  );
}

/** The order with defaults applied. Throws a usage error that names every invalid flag. */
export async function checkOrder(body: OrderBody): Promise<CheckedOrder> {
  const verdict = (await orderChecker())(body);
  if ("order" in verdict) return verdict.order;
  throw new CliError("VALIDATION_ERROR", exitCodes.usage, "The order is invalid. Nothing was sent.", {
    details: verdict.faults,
  });
}
