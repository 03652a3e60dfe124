import { scrypt, timingSafeEqual } from "node:crypto";

/** Hashes with scrypt (N = 2^logN, r = 8, p = 1), at most four at once: each takes 128 MiB at production cost. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** With `stored` undefined (no such account) it takes as long and is false, so that timing tells nothing. */
  verify(password: string, stored: string | undefined): Promise<boolean>;
}

const concurrency = 4;
const keyBytes = 32;

export function createPasswords(options: { logN: number; randomBytes(count: number): Buffer }): Passwords {
  let free = concurrency;
  const waiting: (() => void)[] = [];
  const acquire = () => (free > 0 ? Promise.resolve(void free--) : new Promise<void>((resolve) => waiting.push(resolve)));
  const release = () => {
    const next = waiting.shift();
    if (next) next();
    else free++;
  };

  async function derive(password: string, salt: Buffer, logN: number): Promise<Buffer> {
    await acquire();
    try {
      return await new Promise((resolve, reject) => {
        const cost = { N: 2 ** logN, r: 8, p: 1, maxmem: 256 * 2 ** logN * 8 };
        scrypt(password.normalize("NFC"), salt, keyBytes, cost, (error, key) => (error ? reject(error) : resolve(key)));
      });
    } finally {
      release();
    }
  }

  return {
    async hash(password) {
      const salt = options.randomBytes(16);
      const key = await derive(password, salt, options.logN);
      return `scrypt$${options.logN}$${salt.toString("base64url")}$${key.toString("base64url")}`;
    },
    async verify(password, stored) {
      const [, logN, salt, key] = stored?.split("$") ?? [];
      const actual = await derive(password, Buffer.from(salt ?? "none", "base64url"), Number(logN ?? options.logN));
      const expected = Buffer.from(key ?? "", "base64url");
      return expected.length === actual.length && timingSafeEqual(actual, expected);
    },
  };
}
