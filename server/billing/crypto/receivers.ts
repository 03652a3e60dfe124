import { ConfigError } from "../../config/read.ts";
import type { Config } from "../../config/schema.ts";
import { solanaAddress } from "./chains/addresses.ts";

/** Throws ConfigError where an address that is to receive payments, or that of a token's contract, has a typing mistake that shows. */
export async function requireReceivers({ crypto }: Pick<Config, "crypto">): Promise<void> {
  for (const chain of ["base", "ethereum", "solana"] as const) {
    const { receiver, usdc } = crypto[chain];
    // Without a receiver, nothing is paid on the chain.
    if (receiver === null) continue;
    for (const [name, address] of Object.entries({ receiver, usdc }))
      if (!(await isSound(address)))
        throw new ConfigError(
          `crypto.${chain}.${name} has a typing mistake: ${address} is not an address of that chain. The server was not started. Copy the address again.`,
        );
  }
}

async function isSound(address: string): Promise<boolean> {
  if (!address.startsWith("0x")) return solanaAddress(address) !== undefined;
  // Only a mix of cases is a checksum.
  if (address === address.toLowerCase()) return true;
  return (await import("./signatures/index.ts")).hasValidChecksum(address);
}
