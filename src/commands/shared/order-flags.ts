import { type Context, flag } from "../../cli/define.ts";
import { idNamed, playtestNamed } from "../../cli/names.ts";
import type { SelectionMode } from "../../contract/order-body.ts";
import type { OrderBody } from "../../contract/order-check.ts";
import { type FixedTimeFlags, fixedTime, fixedTimeFlags, requireFixedTimes } from "./fixed-time.ts";
import { keysIn, likeBody, targeting } from "./order-body.ts";

const selectionModes = ["automatic", "manual"] as const satisfies readonly SelectionMode[];

/** Flags of an order beside those for the fields of its body. A field that one of them sets has no visible flag of its own. */
export const orderFlags = {
  keysFile: flag.text("File with game keys, one per line, one for each player of each slot; - for standard input", {
    value: "FILE",
    field: "keysForTesters",
  }),
  tester: flag.text("Only this playtester, by id or name, who has tested for you before", {
    value: "TESTER",
    field: "targetedPlaytesterId",
  }),
  targetCountry: flag.listOf("createPlaytest", "targetCountries"),
  targetLanguage: flag.listOf("createPlaytest", "targetLanguages"),
  targetDevice: flag.listOf("createPlaytest", "targetDevices"),
  targetAge: flag.listOf("createPlaytest", "targetAges"),
  like: flag.text("Copy the settings of this earlier playtest", { value: "ID" }),
  fresh: flag.toggle("Same as --targeting-type new --targeting-scope game", { hidden: true }),
  select: flag.choice(selectionModes, "Same as --selection-mode", { hidden: true }),
  ...fixedTimeFlags,
};

export interface OrderFlags extends FixedTimeFlags {
  keysFile: string | undefined;
  fresh: boolean;
  tester: string | undefined;
  select: SelectionMode | undefined;
  like: string | undefined;
  targetCountry: unknown[][];
  targetLanguage: unknown[][];
  targetDevice: unknown[][];
  targetAge: unknown[][];
}

/** Whom the flags say that the order is for. The contract checks the values with the rest of the order. */
function audience({ targetCountry, targetLanguage, targetDevice, targetAge }: OrderFlags): OrderBody {
  const lists = {
    targetCountries: targetCountry.flat(),
    targetLanguages: targetLanguage.flat(),
    targetDevices: targetDevice.flat(),
    targetAges: targetAge.flat(),
  };
  return Object.fromEntries(Object.entries(lists).filter(([, values]) => values.length > 0)) as OrderBody;
}

/** Builds the order body from an earlier playtest, the file, the flags and the shorthand flags. Later ones take precedence. */
export async function assembleBody(ctx: Context, body: OrderBody, flags: OrderFlags): Promise<OrderBody> {
  const like = flags.like === undefined ? {} : likeBody(await earlier(ctx, flags.like));
  const keys =
    flags.keysFile === undefined ? undefined : keysIn(await ctx.io.readText(flags.keysFile, "--keys-file"), "--keys-file");
  const short = targeting(flags);
  const tester = flags.tester === undefined ? undefined : await idNamed(ctx, "listContacts", flags.tester);
  const at = flags.at ?? body.scheduledAt;
  const scheduledAt =
    at === undefined ? undefined : await fixedTime(ctx, at, flags.at === undefined ? "scheduledAt" : "--at", flags.timeZone);
  if (scheduledAt !== undefined) await requireFixedTimes(ctx, "Nothing was ordered.");
  return {
    ...like,
    ...body,
    ...short,
    ...audience(flags),
    ...(tester !== undefined && { targetedPlaytesterId: tester }),
    ...(keys && { keysForTesters: keys }),
    ...(scheduledAt !== undefined && { scheduledAt }),
  };
}

const earlier = async (ctx: Context, id: string) =>
  (await ctx.api().getPlaytest({ params: { id: await playtestNamed(ctx, id) } })).playtest;
