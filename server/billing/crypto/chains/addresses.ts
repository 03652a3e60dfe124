/** Normalized addresses, as the server compares and stores them. Undefined for an invalid address. */

/** An Ethereum address in lower case. Its case is only a checksum, which `server/billing/crypto/signatures` checks. */
export const evmAddress = (text: string): string | undefined =>
  /^0x[0-9a-f]{40}$/i.test(text) && !/^0x0+$/.test(text) ? text.toLowerCase() : undefined;

/** A Solana address, unchanged, because it is case-sensitive. */
export const solanaAddress = (text: string): string | undefined => (bytesOf(text)?.length === 32 ? text : undefined);

const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** The bytes of a base58 text. Undefined if it is not base58, or longer than a signature. */
export function bytesOf(base58: string): Uint8Array | undefined {
  if (!/^[1-9A-HJ-NP-Za-km-z]{1,90}$/.test(base58)) return undefined;
  let value = 0n;
  for (const char of base58) value = value * 58n + BigInt(digits.indexOf(char));
  const hex = value === 0n ? "" : value.toString(16);
  const zeros = /^1*/.exec(base58)![0].length;
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex")]);
}
