import { ConfigError } from "../../config/read.ts";
import type { Config } from "../../config/schema.ts";
import type { CardProcessor, HostedCards } from "./processor.ts";
import { createSandboxCards } from "./sandbox-processor.ts";

/** Creates each processor from its settings, or null if it is not configured. Its package is loaded only if it is. */
const factories: Record<HostedCards["name"], (config: Config) => Promise<HostedCards | null>> = {
  async stripe({ stripe: { secretKey, webhookSecret, apiUrl } }) {
    if (secretKey === null || webhookSecret === null) return null;
    const { createStripeCards } = await import("./stripe.ts");
    return createStripeCards({ secretKey, webhookSecret, apiUrl });
  },
};

/** Creates the configured card processor. Null when cards are disabled. A sandbox never uses a real processor. */
export async function createCards(config: Config): Promise<CardProcessor | null> {
  if (config.sandbox) return createSandboxCards();
  const made = await Promise.all(Object.values(factories).map((make) => make(config)));
  const [first, second] = made.filter((cards) => cards !== null);
  if (second)
    throw new ConfigError(
      `Both ${first!.title} and ${second.title} are configured to take cards. The server was not started. Configure one of them.`,
    );
  return first ?? null;
}
