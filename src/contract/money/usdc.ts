import type { ChainName } from "../headers.ts";

/** The contracts of USDC that payments can be signed for, by the CAIP-2 name of their network. Those of test networks differ: null. */
export const usdcOn: Readonly<Record<string, { chain: ChainName; contract: string | null }>> = {
  "eip155:8453": { chain: "base", contract: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" },
  "eip155:1": { chain: "ethereum", contract: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48" },
  "eip155:84532": { chain: "base", contract: null },
  "eip155:11155111": { chain: "ethereum", contract: null },
};
