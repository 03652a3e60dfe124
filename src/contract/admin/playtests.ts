import * as z from "zod";
import { endpoint } from "../endpoint.ts";
import { cents, id, minutes, page, text, timestamp } from "../fields.ts";
import { playtest, slotCounts } from "../playtests.ts";
import { playtester as person } from "../slots.ts";
import { gameStatuses, slotStatuses } from "../states/index.ts";

const operator = { access: { anyOf: ["approve", "accounts", "money"] }, extension: true } as const;

export const operatedPlaytest = playtest
  .pick({
    id: true,
    gameId: true,
    status: true,
    visibility: true,
    isFreePublicTrial: true,
    quantity: true,
    durationMinutes: true,
    createdAt: true,
  })
  .extend({
    costPerSlotCents: cents(),
    payoutCents: cents(),
    gameName: z.string(),
    gameStatus: z.enum(gameStatuses),
    owner: person,
    slots: slotCounts,
    heldCents: cents().meta({ description: "Price of the slots that have not ended, if it was paid with money." }),
    heldMinutes: minutes().meta({ description: "Minutes of the slots that have not ended, if it was paid with playtest hours." }),
  })
  .meta({ id: "OperatedPlaytest" });

const operatedSlot = z
  .strictObject({
    id: id(),
    status: z.enum(slotStatuses),
    playtester: person.nullable(),
    deadlineAt: timestamp().nullable(),
    submittedAt: timestamp().nullable(),
    createdAt: timestamp(),
  })
  .meta({ id: "OperatedSlot" });

/** The playtests of all owners, for operators. */
export const operatedPlaytests = {
  listAllPlaytests: endpoint("GET /admin/playtests", {
    ...operator,
    summary: "List playtests of all owners",
    query: z.object({
      ...page,
      id: id().optional().meta({ description: "Only this playtest, those of this game, or those of this owner." }),
      search: text(254, 1).optional().meta({
        description: "Only those with this text in the name of the game or owner, in any case.",
      }),
    }),
    list: true,
    reply: z.strictObject({ playtests: z.array(operatedPlaytest) }),
  }),
  getAnyPlaytest: endpoint("GET /admin/playtests/:id", {
    ...operator,
    summary: "Show a playtest of any owner and its slots",
    reply: z.strictObject({ playtest: operatedPlaytest, slots: z.array(operatedSlot).meta({ description: "Oldest first." }) }),
  }),
};
