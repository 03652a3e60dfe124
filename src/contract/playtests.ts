import * as z from "zod";
import { spentFrom } from "./accounts/budgets.ts";
import { waitingOrder } from "./accounts/order-approval.ts";
import { targeted } from "./accounts/traits.ts";
import { endpoint, KiB } from "./endpoint.ts";
import {
  cents,
  extension,
  gameKeys,
  id,
  instant,
  minutes,
  pageQuery,
  readableText,
  timestamp,
  wholeListQuery,
  wholePage,
} from "./fields.ts";
import { newOrderHeaders, payHeaders } from "./headers.ts";
import {
  orderBody,
  orderRef,
  pastPlaytesterScopes,
  quoteBody,
  selectionModes,
  targetingScopes,
  targetingTypes,
  visibilities,
} from "./order-body.ts";
import { slot } from "./slots.ts";
import { playtestStatuses, type SlotStatus } from "./states/index.ts";

const owner = { access: ["game_owner"] } as const;
export const slotCounts = z.strictObject({
  open: z.int(),
  reserved: z.int(),
  submitted: z.int(),
  accepted: z.int(),
  rejected: z.int(),
  expired: z.int(),
  blocked: extension(z.int()),
  publishing: extension(z.int()),
  cancelled: extension(z.int()),
} satisfies Record<SlotStatus, z.ZodType>);

export const playtest = z
  .strictObject({
    id: id(),
    gameId: id(),
    ref: extension(z.string().nullable().meta({ description: "Your own name for the order; null without one." })),
    visibility: z.enum(visibilities),
    quantity: z.int(),
    durationMinutes: minutes(),
    playerCount: z.int(),
    costPerSlotCents: cents().nullable(),
    payoutCents: cents().nullable(),
    notesForTesters: z.string().nullable(),
    status: z.enum(playtestStatuses),
    isFreePublicTrial: z.boolean(),
    targetingType: z.enum(targetingTypes).nullable(),
    targetingScope: z.enum(targetingScopes).nullable(),
    pastPlaytesterScope: extension(z.enum(pastPlaytesterScopes).nullable()),
    targetedPlaytesterId: extension(id().nullable()),
    panel: extension(
      z.string().nullable().meta({ description: "Tester group whose members alone can see and claim it; null for everyone." }),
    ),
    ...targeted,
    selectionMode: z.enum(selectionModes),
    qualifications: z.string().nullable(),
    applicationsExpireAt: timestamp().nullable(),
    scheduledAt: extension(
      timestamp().nullable().meta({ description: "Fixed time at which it is played; null if playtesters choose." }),
    ),
    createdAt: timestamp(),
  })
  .meta({ id: "Playtest" });

export const playtestWithSlots = playtest.extend({ slots: slotCounts }).meta({ id: "PlaytestWithSlots" });
export const playtestDetail = playtestWithSlots
  .extend({
    gameName: z.string(),
  })
  .meta({ id: "PlaytestDetail" });

export const pendingOrder = z
  .strictObject({
    playtest,
    requiresPayment: z.literal(true),
    costPerSlotCents: cents(),
    totalCents: cents(),
    playtestMinutesNeeded: minutes(),
    playtestMinutesAvailable: minutes(),
    checkoutUrl: extension(
      z.string().optional().meta({ description: "URL of the card checkout, if card payment was requested." }),
    ),
    paymentId: extension(id().optional()),
    ...spentFrom,
  })
  .meta({ id: "PendingOrder" });

export const hoursOrder = z
  .strictObject({
    playtest: playtest.extend({ playtestMinutesPerSlot: minutes() }),
    paid: z.literal(true),
    paidWithPlaytestHours: z.literal(true),
    playtestMinutesUsed: minutes(),
    playtestMinutesRemaining: minutes(),
    paymentId: id(),
    ...spentFrom,
  })
  .meta({ id: "HoursOrder" });

export const creditOrder = z
  .strictObject({
    playtest,
    paid: z.literal(true),
    paidWithCredit: z.literal(true),
    totalCents: cents(),
    balanceCents: cents(),
    paymentId: id(),
    ...spentFrom,
  })
  .meta({ id: "CreditOrder" });

export const cryptoOrder = z
  .strictObject({
    playtest,
    paid: z.literal(true),
    paidWithCrypto: z.literal(true),
    totalCents: cents(),
    paymentId: id(),
    ...spentFrom,
  })
  .meta({ id: "CryptoOrder" });

export const trialOrder = z
  .strictObject({
    playtest,
    slots: z.array(slot),
    needsAdminApproval: z.literal(true),
    ...spentFrom,
  })
  .meta({ id: "TrialOrder" });
export const freeOrder = z.strictObject({ playtest, ...spentFrom }).meta({ id: "FreeOrder" });

export const orderReply = z.union([pendingOrder, hoursOrder, creditOrder, cryptoOrder, trialOrder, freeOrder]);
export const payReply = z.union([pendingOrder, hoursOrder, creditOrder, cryptoOrder]);

export const quote = z
  .strictObject({
    costPerSlotCents: cents(),
    payoutCents: cents(),
    totalCents: cents(),
    playtestMinutesNeeded: minutes(),
    playtestMinutesAvailable: minutes(),
    balanceCents: cents(),
    wouldPayWith: z.enum(["free", "hours", "credit", "none"]),
    missingCents: cents().meta({ description: "Credit that is missing to pay the total." }),
    ...spentFrom,
    warnings: extension(z.array(z.string()).meta({ description: "What to know before placing the order." })),
  })
  .meta({ id: "Quote" });

export const playtestKey = z
  .strictObject({
    key: z.string().meta({ description: "The key, or `…` and its last characters." }),
    status: z.enum(["unused", "given", "retired"]).meta({
      description:
        "`unused`: nobody has seen it. `given`: the playtester of its slot has it. `retired`: a playtester had it, and nobody gets it again.",
    }),
    slotId: id().nullable().meta({ description: "Slot that it was given to." }),
    retiredAt: timestamp().nullable(),
  })
  .meta({ id: "PlaytestKey" });

/** How many refs are looked up at once. */
export const maxRefs = 100;

const keySupply = {
  unused: z.int().meta({ description: "Keys that nobody has seen." }),
  needed: z.int().meta({ description: "Keys that the open slots need, one for each player." }),
};

export const playtests = {
  listPlaytests: endpoint("GET /games/:gameId/playtests", {
    ...owner,
    summary: "List the playtests of a game",
    query: pageQuery(),
    list: true,
    reply: z.strictObject({
      playtests: z.array(playtestWithSlots),
      eligibleForFreeTrial: z.boolean(),
    }),
  }),
  createPlaytest: endpoint("POST /games/:gameId/playtests", {
    ...owner,
    summary: "Order playtests of a game",
    risk: "spend",
    body: orderBody,
    maxBodyBytes: 1024 * KiB,
    status: 201,
    existing: 200,
    accepted: waitingOrder,
    reply: orderReply,
    headers: newOrderHeaders,
    errors: ["PAYMENT_REQUIRED", "BUDGET_EXCEEDED", "NOT_CONFIGURED"],
  }),
  getPlaytest: endpoint("GET /playtests/:id", {
    ...owner,
    summary: "Show a playtest",
    reply: z.strictObject({ playtest: playtestDetail }),
  }),
  updatePlaytest: endpoint("PATCH /playtests/:id", {
    ...owner,
    summary: "Change the notes of an active playtest, or propose another fixed time",
    body: z
      .strictObject({
        notesForTesters: readableText(5000, 0)
          .nullable()
          .optional()
          .meta({ description: "Notes, shown to playtesters only after claiming; null removes them." }),
        scheduledAt: extension(
          instant().optional().meta({
            description:
              "Another fixed time, 12 hours to 90 days ahead: open slots move, and each playtester accepts it or is released.",
          }),
        ),
      })
      .prefault({}),
    reply: z.strictObject({ playtest }),
  }),
  listPlaytestKeys: endpoint("GET /playtests/:id/keys", {
    ...owner,
    extension: true,
    summary: "List the game keys of a playtest",
    query: z.object({
      ...wholePage,
      reveal: z
        .string()
        .optional()
        .transform((value) => value === "true")
        .meta({ description: "`true` shows whole keys; otherwise only their last characters." }),
    }),
    list: true,
    reply: z.strictObject({ keys: z.array(playtestKey), ...keySupply }),
  }),
  addPlaytestKeys: endpoint("POST /playtests/:id/keys", {
    ...owner,
    extension: true,
    summary: "Add game keys to an active playtest",
    body: z.strictObject({
      keys: gameKeys(800).meta({ description: "Game keys, handed out in order after those that are there already." }),
    }),
    maxBodyBytes: 1024 * KiB,
    reply: z.strictObject({ added: z.int(), ...keySupply }),
  }),
  listPanels: endpoint("GET /playtests/panels", {
    ...owner,
    extension: true,
    summary: "List the tester groups that a playtest can be offered to",
    query: wholeListQuery(),
    list: true,
    reply: z.strictObject({ panels: z.array(z.strictObject({ name: z.string(), members: z.int() })) }),
  }),
  quotePlaytest: endpoint("POST /playtests/quote", {
    ...owner,
    extension: true,
    summary: "Get the price of an order without placing it",
    risk: "read",
    body: quoteBody,
    maxBodyBytes: 1024 * KiB,
    reply: quote,
    errors: ["NOT_FOUND"],
  }),
  findPlaytestsByRef: endpoint("POST /playtests/by-ref", {
    ...owner,
    extension: true,
    summary: "Find the orders that have these refs",
    risk: "read",
    body: z.strictObject({ refs: z.array(orderRef()).min(1).max(maxRefs).meta({ description: "Your own names of orders." }) }),
    reply: z.strictObject({
      playtests: z.array(playtestWithSlots).meta({
        description: "One for each ref that an order has: the one that is not cancelled, otherwise the newest cancelled one.",
      }),
    }),
  }),
  payPlaytest: endpoint("POST /playtests/:id/pay", {
    ...owner,
    extension: true,
    summary: "Pay for a pending order",
    risk: "spend",
    body: z.strictObject({
      method: z.enum(["hours", "credit", "card", "x402"]).meta({ description: "Payment method." }),
    }),
    reply: payReply,
    headers: payHeaders,
    errors: ["PAYMENT_REQUIRED", "BUDGET_EXCEEDED", "NOT_CONFIGURED"],
  }),
  cancelPlaytest: endpoint("POST /playtests/:id/cancel", {
    ...owner,
    extension: true,
    summary: "Cancel an order's unpaid or unclaimed slots and refund them",
    risk: "destroy",
    reply: z.strictObject({
      playtest,
      refundedCents: cents(),
      refundedMinutes: minutes(),
    }),
  }),
  getDashboardStats: endpoint("GET /playtests/dashboard/stats", {
    ...owner,
    summary: "Count your games, active playtests and pending reviews",
    reply: z.strictObject({
      totalGames: z.int(),
      activePlaytests: z.int(),
      pendingReviews: z.int(),
      playtestsLackingKeys: extension(
        z.int().meta({
          description: "Active playtests with open slots that nobody can claim because no game keys are left for them.",
        }),
      ),
    }),
  }),
};
