import { cardRules } from "./card-processors.ts";
import type { Settings } from "./schema.ts";

/** The rules between settings. */
export interface Rule {
  settings: readonly string[];
  holds(settings: Settings): boolean;
  /** The rule as a sentence. */
  requirement: string;
}

const differ = (chain: "base" | "ethereum" | "solana"): Rule => ({
  settings: [`crypto.${chain}.receiver`, `crypto.${chain}.usdc`],
  holds: ({ crypto }) => crypto[chain].receiver?.toLowerCase() !== crypto[chain].usdc.toLowerCase(),
  requirement: `crypto.${chain}.receiver must be your own address, not that of the USDC token.`,
});

export const rules: readonly Rule[] = [
  {
    settings: ["http.idleTimeoutMs", "http.heartbeatMs"],
    holds: ({ http }) => http.idleTimeoutMs > http.heartbeatMs,
    requirement:
      "http.idleTimeoutMs must be more than http.heartbeatMs. Otherwise event streams are closed before their heartbeat.",
  },
  {
    settings: ["webhooks.inFlightPerHost", "webhooks.inFlight"],
    holds: ({ webhooks }) => webhooks.inFlightPerHost <= webhooks.inFlight,
    requirement: "webhooks.inFlightPerHost must be at most webhooks.inFlight.",
  },
  {
    settings: ["crypto.scanMs", "crypto.idleScanMs"],
    holds: ({ crypto }) => crypto.scanMs <= crypto.idleScanMs,
    requirement: "crypto.scanMs must be at most crypto.idleScanMs.",
  },
  {
    settings: ["publishing.youtube.clientId", "publishing.youtube.clientSecret"],
    holds: ({ publishing: { youtube } }) => (youtube.clientId === null) === (youtube.clientSecret === null),
    requirement: "publishing.youtube.clientId and publishing.youtube.clientSecret must be set together.",
  },
  {
    settings: ["publishing.to", "publishing.youtube.clientId"],
    holds: ({ publishing: { to, youtube } }) => to !== "youtube" || youtube.clientId !== null,
    requirement: "publishing.to can be youtube only with publishing.youtube.clientId.",
  },
  ...cardRules,
  differ("base"),
  differ("ethereum"),
  differ("solana"),
];
