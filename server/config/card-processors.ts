import * as z from "zod";
import { described, orNull, webUrl } from "./fields.ts";

/**
 * The card processors a server can use, each with its settings and the rules between them and other settings. To add one, add it here
 * and implement what the compiler then reports as missing in server/billing/cards.
 */

const minute = 60_000;

const stripe = z.strictObject({
  secretKey: orNull(z.string().min(1), "Secret key of the Stripe account that takes card payments. Null: no card payments.", {
    variable: "PLAYTEST_STRIPE_SECRET_KEY",
    secret: true,
    expected: "a non-empty string, or null",
  }),
  webhookSecret: orNull(z.string().min(1), "Signing secret of the Stripe webhook endpoint that points at this server.", {
    variable: "PLAYTEST_STRIPE_WEBHOOK_SECRET",
    secret: true,
    expected: "a non-empty string, or null",
  }),
  apiUrl: webUrl("Another address for Stripe's API, for tests. Null: Stripe's own."),
});

/** Each is a section of config.json. */
export const cardProcessors = { stripe: described(stripe.prefault({}), "Card payments") };

/** The processor's name in payments. The sandbox processor is built in. */
export type CardProcessorName = keyof typeof cardProcessors | "sandbox";

interface Settings {
  stripe: z.output<typeof stripe>;
  checkout: { expireMs: number };
}

export const cardRules = [
  {
    settings: ["stripe.secretKey", "stripe.webhookSecret"],
    holds: ({ stripe }: Settings) => (stripe.secretKey === null) === (stripe.webhookSecret === null),
    requirement:
      "stripe.secretKey (PLAYTEST_STRIPE_SECRET_KEY) and stripe.webhookSecret (PLAYTEST_STRIPE_WEBHOOK_SECRET) must be set together.",
  },
  {
    settings: ["stripe.secretKey", "checkout.expireMs"],
    holds: ({ stripe, checkout }: Settings) =>
      stripe.secretKey === null || (checkout.expireMs >= 30 * minute && checkout.expireMs <= 24 * 60 * minute),
    requirement: "checkout.expireMs must be from 1800000 to 86400000 (30 minutes to 24 hours) when Stripe takes the cards.",
  },
];
