import { timingSafeEqual } from "node:crypto";
import type { HashPool } from "./threads/hash-pool.ts";

/** Hashes passwords with scrypt (N = 2^logN, r = 8, p = 1) in the threads of a pool. Rejects with 503 when too many are waiting. */
export interface Passwords {
  /** `signal` cancels the run of a caller that disconnected while waiting. */
  hash(password: string, signal?: AbortSignal): Promise<string>;
  /** Without `stored` (no such account) it takes as long and is false, so that timing does not reveal whether an account exists. */
  verify(password: string, stored: string | undefined, signal?: AbortSignal): Promise<boolean>;
}

const keyBytes = 32;

export function createPasswords(options: { logN: number; pool: HashPool; randomBytes(count: number): Buffer }): Passwords {
  const derive = (password: string, salt: Uint8Array, logN: number, signal: AbortSignal | undefined) =>
    options.pool.run({ password: password.normalize("NFC"), salt, logN, keyBytes }, signal);

  return {
    async hash(password, signal) {
      const salt = options.randomBytes(16);
      const key = await derive(password, salt, options.logN, signal);
      return `scrypt$${options.logN}$${salt.toString("base64url")}$${key.toString("base64url")}`;
    },
    async verify(password, stored, signal) {
      const [, logN, salt, key] = stored?.split("$") ?? [];
      const actual = await derive(password, Buffer.from(salt ?? "none", "base64url"), Number(logN ?? options.logN), signal);
      const expected = Buffer.from(key ?? "", "base64url");
      return expected.length === actual.length && timingSafeEqual(actual, expected);
    },
  };
}
