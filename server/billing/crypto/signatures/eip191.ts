import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";

/** Signatures of Ethereum-compatible wallets: of messages (`personal_sign`, EIP-191); and the checksum of addresses (EIP-55). */

/** The address, in lower case, whose key signed the message. Undefined if the signature is malformed or has a high `s`. */
export const signerOf = (message: string, signature: string): string | undefined => signerOfDigest(digestOf(message), signature);

/** The address, in lower case, whose key signed the 32 bytes. Undefined if the signature is malformed or has a high `s`. */
export function signerOfDigest(digest: Uint8Array, signature: string): string | undefined {
  const [, hex, last] = /^(?:0x)?([0-9a-f]{128})([0-9a-f]{2})$/i.exec(signature) ?? [];
  // Some hardware wallets use 0 and 1 instead of 27 and 28.
  const recovery = last === undefined ? -1 : [0, 1, 27, 28].indexOf(Number.parseInt(last, 16)) % 2;
  if (hex === undefined || recovery < 0) return undefined;
  try {
    const parsed = secp256k1.Signature.fromBytes(Buffer.from(hex, "hex"), "compact");
    if (parsed.hasHighS()) return undefined;
    const key = parsed.addRecoveryBit(recovery).recoverPublicKey(digest);
    return `0x${Buffer.from(keccak_256(key.toBytes(false).subarray(1)).subarray(-20)).toString("hex")}`;
  } catch {
    return undefined;
  }
}

function digestOf(message: string): Uint8Array {
  const bytes = Buffer.from(message, "utf8");
  return keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes]));
}

/** Whether the case of the letters is a valid checksum. Also true if all letters have the same case, which means no checksum. */
export function hasChecksum(address: string): boolean {
  const digits = address.slice(2);
  const lower = digits.toLowerCase();
  if (digits === lower || digits === digits.toUpperCase()) return true;
  const hash = Buffer.from(keccak_256(Buffer.from(lower))).toString("hex");
  return [...digits].every((digit, at) => digit === (Number.parseInt(hash[at]!, 16) >= 8 ? digit.toUpperCase() : lower[at]));
}
