import { ConfigError } from "../../config/read.ts";
import type { Config } from "../../config/schema.ts";
import type { CardProcessor, HostedCards } from "./processor.ts";
import { createSandboxCards } from "./sandbox-processor.ts";

/** How each processor is made of its settings; null where it is not configured. What it needs is loaded only then. */
const factories: Record<HostedCards["name"], (config: Config) => Promise<HostedCards | null>> = {
  async stripe({ stripe: { secretKey, webhookSecret, apiUrl } }) {
    if (secretKey === null || webhookSecret === null) return null;
    const { createStripeCards } = await import("./stripe.ts");
    return createStripeCards({ secretKey, webhookSecret, apiUrl });
  },
};

/** The processor this server is configured for; null when cards are off. A sandbox never reaches a real one. */
export async function createCards(config: Config): Promise<CardProcessor | null> {
  if (config.sandbox) return createSandboxCards();
  const made = await Promise.all(Object.values(factories).map((make) => make(config)));
  const [first, second] = made.filter((cards) => cards !== null);
  if (second)
    throw new ConfigError(`Both ${first!.title} and ${second.title} are configured to take cards. Configure one of them.`);
  return first ?? null;
}
