import { Secret, TOTP } from "otpauth";

const stepMs = 30_000;

const totpOf = (secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret), algorithm: "SHA1", digits: 6, period: stepMs / 1000 });

/** A secret from 20 random bytes, in base32 as authenticator apps take it. */
export const secretFrom = (bytes: Uint8Array): string => new Secret({ buffer: new Uint8Array(bytes).buffer }).base32;

/**
 * The time step (RFC 6238) that a code of six digits belongs to: the one of `now` (ms), the one before or the one after, because clocks
 * differ and people need time to type. Undefined when the code belongs to none of them.
 */
export function stepOf(secret: string, code: string, now: number): number | undefined {
  const delta = totpOf(secret).validate({ token: code, timestamp: now, window: 1 });
  return delta === null ? undefined : Math.floor(now / stepMs) + delta;
}

/** The `otpauth://` URI that authenticator apps read from a QR code. */
export function uriOf(secret: string, { issuer, label }: { issuer: string; label: string }): string {
  const totp = totpOf(secret);
  // A colon separates the issuer from the label.
  totp.issuer = issuer.replaceAll(":", " ");
  totp.label = label.replaceAll(":", " ");
  return totp.toString();
}
