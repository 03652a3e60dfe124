import { ed25519 } from "@noble/curves/ed25519.js";
import { bytesOf } from "../chains/addresses.ts";

/** Signatures of Solana wallets: of the bytes of a message, or of the message in the envelope of `solana sign-offchain-message`. */

/** Whether the key of the address signed the message. The signature can be base58, as wallets output it, hex or base64. */
export function signs(address: string, message: string, signature: string): boolean {
  const [key, signed] = [bytesOf(address), signatureBytes(signature)];
  if (key?.length !== 32 || signed === undefined) return false;
  // Verifies strictly: with `zip215`, several encodings of one signature would be valid.
  return [raw(message), enveloped(message)].some((bytes) => {
    try {
      return ed25519.verify(signed, bytes, key, { zip215: false });
    } catch {
      return false;
    }
  });
}

function signatureBytes(text: string): Uint8Array | undefined {
  const read = [
    /^(0x)?[0-9a-f]{128}$/i.test(text) ? Buffer.from(text.replace(/^0x/i, ""), "hex") : undefined,
    bytesOf(text),
    /^[A-Za-z0-9+/_-]{86}(==)?$/.test(text) ? Buffer.from(text, "base64") : undefined,
  ];
  return read.find((bytes) => bytes?.length === 64);
}

const raw = (message: string) => Buffer.from(message, "utf8");

const domain = Buffer.concat([Buffer.from([0xff]), Buffer.from("solana offchain")]);

/** The envelope: version 0, format 1 (UTF-8 of limited length, required for line breaks), the length and the text. */
function enveloped(message: string): Buffer {
  const text = raw(message);
  const header = Buffer.from([0, 1, text.length & 0xff, text.length >> 8]);
  return Buffer.concat([domain, header, text]);
}
