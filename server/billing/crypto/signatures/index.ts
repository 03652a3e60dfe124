import type { ChainName } from "../rules.ts";
import { signs } from "./ed25519.ts";
import { hasChecksum, signerOf } from "./eip191.ts";

export { type Authorization, authorizerOf, type TokenDomain } from "./eip3009.ts";

/**
 * Checks signatures that prove control of an address. Loaded only when needed, because nothing else uses its packages.
 */

/** The one of `addresses` that signed the message. Undefined if none did, or the signature is malformed or not in canonical form. */
export function findSigner(
  chain: ChainName,
  { message, signature, addresses }: { message: string; signature: string; addresses: readonly string[] },
): string | undefined {
  if (chain === "solana") return addresses.find((address) => signs(address, message, signature));
  const signer = signerOf(message, signature);
  return addresses.find((address) => address === signer);
}

/** False for an Ethereum address in mixed case with a wrong checksum. True for Solana addresses, which have no such checksum. */
export const hasValidChecksum = (address: string): boolean => !address.startsWith("0x") || hasChecksum(address);
