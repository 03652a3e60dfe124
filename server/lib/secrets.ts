import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, timingSafeEqual } from "node:crypto";
import { pooled } from "./random.ts";

/** Encryption and signatures with the instance key. Without the key, stored secrets cannot be read; they are never silently wrong. */
export interface Secrets {
  /** Encrypts text with AES-256-GCM to base64url. `context`, such as the row's id, must be the same for decryption. */
  seal(plain: string, context: string): string;
  open(sealed: string, context: string): string;
  sealBytes(plain: Uint8Array, context: string): Buffer;
  openBytes(sealed: Uint8Array, context: string): Buffer;
  /** HMAC-SHA256, base64url, for cursors and signed links. */
  mac(purpose: string, text: string): string;
  /**
   * Whether it is the `mac` by any key of the ring, also by the one that a rotation replaced. Only for links that must outlive a rotation:
   * whoever stole the former key can still make them.
   */
  isMacOfRing(purpose: string, text: string, mac: string): boolean;
}

/** SHA-256 in hex: sufficient as a hash of secrets with 112 bits or more (API keys, tokens). */
export const sha256 = (text: string | Uint8Array) => hash("sha256", text, "hex");

/** Compares two texts in a time that depends only on their lengths. */
export function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** The instance key in force, and others that stored values may be sealed with while keys are rotated. May change at any time. */
export interface KeyRing {
  current: Uint8Array;
  others: readonly Uint8Array[];
}

/** Says which key it is and nothing about it. */
export const fingerprintOf = (key: Uint8Array, randomBytes: (count: number) => Buffer) =>
  createSecrets(key, randomBytes).mac("key fingerprint", "v1").slice(0, 22);

const subkey = (instanceKey: Uint8Array, info: string) => Buffer.from(hkdfSync("sha256", instanceKey, "", info, 32));

/** Derived keys of the instance keys that were used, one for each purpose. */
function subkeys() {
  const known = new WeakMap<Uint8Array, Map<string, Buffer>>();
  return (instanceKey: Uint8Array, info: string) => {
    const own = known.get(instanceKey) ?? new Map<string, Buffer>();
    known.set(instanceKey, own);
    const derived = own.get(info) ?? subkey(instanceKey, info);
    own.set(info, derived);
    return derived;
  };
}

/** Secrets derived from the 32-byte instance key, one subkey per purpose. Other keys of a ring only open what they sealed. */
export function createSecrets(keys: Uint8Array | KeyRing, randomBytes: (count: number) => Buffer): Secrets {
  const ring: KeyRing = keys instanceof Uint8Array ? { current: keys, others: [] } : keys;
  const derive = subkeys();
  const sealing = (key: Uint8Array) => derive(key, "playtest seal v1");
  // A nonce must not repeat, but is no secret.
  const newNonce = pooled(randomBytes, 1_200);

  const sealBytes = (plain: Uint8Array, context: string) => {
    const nonce = newNonce(12);
    const cipher = createCipheriv("aes-256-gcm", sealing(ring.current), nonce).setAAD(Buffer.from(context));
    const body = [cipher.update(plain), cipher.final()];
    return Buffer.concat([nonce, cipher.getAuthTag(), ...body]);
  };
  const openWith = (key: Uint8Array, bytes: Buffer, context: string) => {
    const decipher = createDecipheriv("aes-256-gcm", sealing(key), bytes.subarray(0, 12)).setAAD(Buffer.from(context));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
  };
  const tryOpen = (key: Uint8Array, bytes: Buffer, context: string) => {
    try {
      return openWith(key, bytes, context);
    } catch {
      return undefined;
    }
  };
  const openBytes = (sealed: Uint8Array, context: string) => {
    const bytes = Buffer.from(sealed);
    for (const key of [ring.current, ...ring.others]) {
      const opened = tryOpen(key, bytes, context);
      if (opened) return opened;
    }
    return openWith(ring.current, bytes, context);
  };

  const macBy = (key: Uint8Array, purpose: string, text: string) =>
    createHmac("sha256", derive(key, `playtest mac ${purpose}`))
      .update(text)
      .digest("base64url");

  return {
    sealBytes,
    openBytes,
    seal: (plain, context) => sealBytes(Buffer.from(plain), context).toString("base64url"),
    open: (sealed, context) => openBytes(Buffer.from(sealed, "base64url"), context).toString(),
    mac: (purpose, text) => macBy(ring.current, purpose, text),
    isMacOfRing: (purpose, text, mac) => [ring.current, ...ring.others].some((key) => sameText(mac, macBy(key, purpose, text))),
  };
}
