import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, timingSafeEqual } from "node:crypto";

/** What the instance key protects. Losing the key file makes stored secrets unreadable, never silently wrong. */
export interface Secrets {
  /** AES-256-GCM; text in, base64url out. `context` must be the same to open it (such as the row's id). */
  seal(plain: string, context: string): string;
  open(sealed: string, context: string): string;
  sealBytes(plain: Uint8Array, context: string): Buffer;
  openBytes(sealed: Uint8Array, context: string): Buffer;
  /** HMAC-SHA256, base64url, for cursors and signed links. */
  mac(purpose: string, text: string): string;
}

/** SHA-256 in hex: enough for secrets of 112 bits or more (keys, tokens). */
export const sha256 = (text: string | Uint8Array) => hash("sha256", text, "hex");

/** Compares two texts in a time that depends only on their lengths. */
export function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Secrets derived from the 32-byte instance key, one subkey per purpose. */
export function createSecrets(instanceKey: Uint8Array, randomBytes: (count: number) => Buffer): Secrets {
  const subkey = (info: string) => Buffer.from(hkdfSync("sha256", instanceKey, "", info, 32));
  const sealing = subkey("playtest seal v1");
  const macs = new Map<string, Buffer>();

  const sealBytes = (plain: Uint8Array, context: string) => {
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", sealing, nonce).setAAD(Buffer.from(context));
    const body = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]);
  };
  const openBytes = (sealed: Uint8Array, context: string) => {
    const bytes = Buffer.from(sealed);
    const decipher = createDecipheriv("aes-256-gcm", sealing, bytes.subarray(0, 12)).setAAD(Buffer.from(context));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
  };

  return {
    sealBytes,
    openBytes,
    seal: (plain, context) => sealBytes(Buffer.from(plain), context).toString("base64url"),
    open: (sealed, context) => openBytes(Buffer.from(sealed, "base64url"), context).toString(),
    mac(purpose, text) {
      const key = macs.get(purpose) ?? subkey(`playtest mac ${purpose}`);
      macs.set(purpose, key);
      return createHmac("sha256", key).update(text).digest("base64url");
    },
  };
}
