import * as z from "zod";
import { cents, id, minutes, timestamp } from "../fields.ts";
import { selectionModes, targetingScopes, targetingTypes, visibilities } from "../order-body.ts";
import { approvalStatuses } from "../states/index.ts";
import { targeted } from "./traits.ts";

export const approvalMethods = ["any", "hours", "credit", "card", "x402"] as const;

/** An order that a budget lets nobody place without approval. */
export const approval = z
  .strictObject({
    id: id(),
    status: z.enum(approvalStatuses),
    gameId: id(),
    gameName: z.string(),
    keyId: id().meta({ description: "API key that ordered." }),
    keyName: z.string(),
    totalCents: cents().meta({ description: "Price when it was ordered. At another one it is not placed." }),
    method: z.enum(approvalMethods).meta({ description: "Payment method that was asked for." }),
    visibility: z.enum(visibilities),
    quantity: z.int(),
    durationMinutes: minutes(),
    playerCount: z.int(),
    selectionMode: z.enum(selectionModes),
    targetingType: z.enum(targetingTypes).nullable(),
    targetingScope: z.enum(targetingScopes).nullable(),
    targetedPlaytesterId: id().nullable(),
    panel: z.string().nullable().meta({ description: "Tester group that it is offered to; null for everyone." }),
    ...targeted,
    ref: z.string().nullable(),
    scheduledAt: timestamp().nullable().meta({ description: "Fixed time at which it is played; null if playtesters choose." }),
    notesForTesters: z.string().nullable(),
    playtestId: id().nullable().meta({ description: "The order that was placed; null without one." }),
    reason: z.string().nullable().meta({ description: "Why it was declined." }),
    url: z.string().meta({ description: "Where the owner decides." }),
    createdAt: timestamp(),
    expiresAt: timestamp(),
    decidedAt: timestamp().nullable(),
  })
  .meta({ id: "OrderApproval" });

/** The reply, with status 202, to an order that was not placed but waits. */
export const waitingOrder = z.strictObject({ approval, needsApproval: z.literal(true) }).meta({ id: "WaitingOrder" });
