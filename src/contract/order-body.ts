import * as z from "zod";
import { targets } from "./accounts/traits.ts";
import { extension, id, instant, readableText } from "./fields.ts";
import { plural } from "./text/plural.ts";

export const durations = [30, 60, 120, 180] as const;

const hour = 3_600_000;
/** How long before its fixed time a playtest is ordered: 12 hours at least, 90 days at most (ms). */
export const earliestSessionMs = 12 * hour;
export const latestSessionMs = 90 * 24 * hour;
/** In the last 12 hours before its time it can no longer be moved, and claimed slots that are cancelled are paid (ms). */
export const bindingSessionMs = 12 * hour;

export const visibilities = ["public", "private"] as const;
export type Visibility = (typeof visibilities)[number];
export const selectionModes = ["automatic", "manual"] as const;
export type SelectionMode = (typeof selectionModes)[number];
export const targetingTypes = ["new", "past"] as const;
export type TargetingType = (typeof targetingTypes)[number];
export const targetingScopes = ["game", "owner"] as const;
export type TargetingScope = (typeof targetingScopes)[number];
export const pastPlaytesterScopes = ["any", "specific"] as const;
export type PastPlaytesterScope = (typeof pastPlaytesterScopes)[number];

/** The name of a tester group: short, and written the same way everywhere. */
export const groupName = () =>
  z
    .string()
    .max(50)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "must be lowercase words joined by hyphens");

/** The owner's own name for an order. One text is one name, however its accents are encoded. */
export const orderRef = () =>
  readableText(100)
    .refine((ref) => ref === ref.trim(), "must not begin or end with spaces")
    .overwrite((ref) => ref.normalize("NFC"));

const fields = {
  visibility: z
    .enum(visibilities)
    .optional()
    .meta({ description: "A public playtest is free, and its videos are published; default private." }),
  quantity: z.int().min(1).max(100).default(1).meta({ description: "Slots to create." }),
  durationMinutes: z
    .literal(durations)
    .optional()
    .meta({ description: "Minutes per slot; default 60, or 30 for a public playtest." }),
  playerCount: z.int().min(1).max(8).default(1).meta({ description: "Players per slot." }),
  notesForTesters: readableText(5000, 0)
    .nullable()
    .optional()
    .meta({ description: "Notes, shown to playtesters only after claiming." }),
  keysForTesters: z
    .array(readableText(200))
    .max(800)
    .optional()
    .meta({ description: "Game keys, one for each player of each slot, assigned in order." }),
  isFreePublicTrial: z
    .boolean()
    .default(false)
    .meta({ description: "Use the game's one free public trial: 1 player, 30 minutes." }),
  targetingType: z
    .enum(targetingTypes)
    .optional()
    .meta({ description: "Offer it only to new playtesters, or only to past ones." }),
  targetingScope: z
    .enum(targetingScopes)
    .optional()
    .meta({ description: "Whether new and past refer to this game or to all your games; default owner." }),
  pastPlaytesterScope: z
    .enum(pastPlaytesterScopes)
    .optional()
    .meta({ description: "Any past playtester, or one specific playtester." }),
  targetedPlaytesterId: id().optional().meta({ description: "Playtester to invite." }),
  panel: extension(
    groupName().optional().meta({ description: "Offer it only to the members of this tester group of the server." }),
  ),
  ...targets,
  selectionMode: z
    .enum(selectionModes)
    .default("automatic")
    .meta({ description: "First come, first served (automatic), or you approve applications (manual)." }),
  qualifications: readableText(2000, 0).optional().meta({ description: "Requirements for playtesters, shown with the offer." }),
  scheduledAt: extension(
    instant()
      .optional()
      .meta({ description: "Fixed time at which it is played, 12 hours to 90 days ahead; without it, playtesters choose." }),
  ),
  ref: extension(
    orderRef()
      .optional()
      .meta({ description: "Your own name for the order. Another order with it is refused unless this one was cancelled." }),
  ),
};

const shape = z.strictObject(fields);
const quoteShape = shape.extend({
  gameId: id().optional().meta({ description: "Game to order for, to check its free trial." }),
});
type Fields = z.output<typeof shape>;
type Fault = { field: keyof Fields; message: string };

const isPublic = (order: Fields) => order.visibility === "public" || (order.isFreePublicTrial && order.visibility === undefined);

function targetingFaults(order: Fields): Fault[] {
  const { targetingType, pastPlaytesterScope, targetedPlaytesterId } = order;
  const faults: Fault[] = [];
  if (targetingType === "past" && pastPlaytesterScope === undefined)
    faults.push({ field: "pastPlaytesterScope", message: "is required when targetingType is past" });
  if (targetingType === undefined && pastPlaytesterScope !== undefined)
    faults.push({ field: "pastPlaytesterScope", message: "requires targetingType" });
  // Ignoring it would offer the game to playtesters whom the owner did not choose.
  if (targetingType === "new" && pastPlaytesterScope === "specific")
    faults.push({ field: "pastPlaytesterScope", message: "can be specific only for targetingType past" });
  if (pastPlaytesterScope === "specific" && targetedPlaytesterId === undefined)
    faults.push({ field: "targetedPlaytesterId", message: "is required when pastPlaytesterScope is specific" });
  if (pastPlaytesterScope !== "specific" && targetedPlaytesterId !== undefined)
    faults.push({ field: "targetedPlaytesterId", message: "is only for pastPlaytesterScope specific" });
  if (order.selectionMode === "manual" && pastPlaytesterScope === "specific")
    faults.push({ field: "selectionMode", message: "cannot be manual for one specific playtester" });
  return faults;
}

function trialFaults(order: Fields): Fault[] {
  if (!order.isFreePublicTrial) return [];
  const faults: Fault[] = [];
  if (order.visibility === "private") faults.push({ field: "visibility", message: "must be public for a free trial" });
  if (order.playerCount !== 1) faults.push({ field: "playerCount", message: "must be 1 for a free trial" });
  if (order.selectionMode === "manual") faults.push({ field: "selectionMode", message: "cannot be manual for a free trial" });
  return faults;
}

function durationFaults(order: Fields): Fault[] {
  const fits = order.durationMinutes === undefined || order.durationMinutes === 30;
  const short = isPublic(order) || order.isFreePublicTrial;
  return short && !fits ? [{ field: "durationMinutes", message: "must be 30 for a public playtest" }] : [];
}

function keyFaults({ keysForTesters: keys, quantity, playerCount }: Fields): Fault[] {
  if (keys === undefined) return [];
  const needed = quantity * playerCount;
  if (keys.length !== needed)
    return [
      {
        field: "keysForTesters",
        message: `must hold exactly ${plural(needed, "key")} (quantity × playerCount), not ${keys.length}`,
      },
    ];
  return new Set(keys).size === keys.length ? [] : [{ field: "keysForTesters", message: "must not hold the same key twice" }];
}

/** Everything wrong with how an order's fields go together; the command checks by the same rules before it sends. */
export const orderFaults = (order: Fields): Fault[] => [
  ...targetingFaults(order),
  ...trialFaults(order),
  ...durationFaults(order),
  ...keyFaults(order),
];

function check(ctx: { value: Fields; issues: unknown[] }) {
  for (const { field, message } of orderFaults(ctx.value))
    ctx.issues.push({ code: "custom", path: [field], message, input: ctx.value[field] });
}

/** Fills in what depends on other fields: a trial is public, a public playtest lasts 30 minutes, targeting looks at all the owner's games. */
function complete<T extends Fields>(order: T) {
  const visibility: Visibility = isPublic(order) ? "public" : "private";
  const durationMinutes = order.durationMinutes ?? (visibility === "public" ? 30 : 60);
  const targetingScope = order.targetingType && (order.targetingScope ?? "owner");
  return { ...order, visibility, durationMinutes, targetingScope };
}

export const orderBody = shape.check(check).transform(complete).prefault({});
export const quoteBody = quoteShape.check(check).transform(complete).prefault({});

/** An order whose fields are all decided. */
export type Order = z.output<typeof orderBody>;
