import type { Order } from "../../src/contract/order-body.ts";
import type { PlaytestRow } from "./store.ts";

/** The columns of a playtest that its order decides, besides its game. The keys of the order are rows of their own. */
export const orderedColumns = (order: Order) =>
  ({
    visibility: order.visibility,
    quantity: order.quantity,
    duration_minutes: order.durationMinutes,
    player_count: order.playerCount,
    notes_for_testers: order.notesForTesters ?? null,
    is_free_public_trial: order.isFreePublicTrial ? 1 : 0,
    targeting_type: order.targetingType ?? null,
    targeting_scope: order.targetingScope ?? null,
    past_playtester_scope: order.pastPlaytesterScope ?? null,
    targeted_playtester_id: order.targetedPlaytesterId ?? null,
    panel: order.panel ?? null,
    target_countries: JSON.stringify(order.targetCountries ?? []),
    target_languages: JSON.stringify(order.targetLanguages ?? []),
    target_devices: JSON.stringify(order.targetDevices ?? []),
    target_ages: JSON.stringify(order.targetAges ?? []),
    ref: order.ref ?? null,
    selection_mode: order.selectionMode,
    qualifications: order.qualifications ?? null,
    scheduled_at: order.scheduledAt === undefined ? null : Date.parse(order.scheduledAt),
    uses_keys: order.keysForTesters ? 1 : 0,
  }) satisfies Partial<PlaytestRow>;

/** What the owner of an active playtest can change. Whoever sends the order again does not know of it. */
const changeable: ReadonlySet<string> = new Set([
  "notes_for_testers",
  "scheduled_at",
  "uses_keys",
] satisfies (keyof PlaytestRow)[]);

/** Whether the columns are those of the order. `evenIfChanged`: leaves out what can be changed since. */
export const isOrderedAs = (playtest: PlaytestRow, order: Order, { evenIfChanged }: { evenIfChanged: boolean }): boolean =>
  Object.entries(orderedColumns(order)).every(
    ([column, value]) => playtest[column as keyof PlaytestRow] === value || (evenIfChanged && changeable.has(column)),
  );
