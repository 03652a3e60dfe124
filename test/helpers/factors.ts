import { createHmac } from "node:crypto";
import type { Person } from "./factories.ts";
import type { TestServer } from "./server.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

function bytesOf(base32: string): Buffer {
  const bits = [...base32].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** The code of a time (ms), computed here from RFC 6238, not by the server's library. */
export function codeAt(secret: string, now: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(now / 30_000)));
  const mac = createHmac("sha1", bytesOf(secret)).update(counter).digest();
  const at = mac[19]! & 15;
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

/** An authenticator app. */
export interface AuthenticatorApp {
  secret: string;
  recoveryCodes: string[];
  /** The code of this moment: the same one until the test moves the clock. */
  code(): string;
  /** The code of the next time step. Moves the clock there. */
  nextCode(): Promise<string>;
}

/** Sets up a second factor for an account. The first code is used up. */
export async function setUpFactor(server: TestServer, person: Person, password?: string): Promise<AuthenticatorApp> {
  const started = await person.post("/auth/factor", password === undefined ? {} : { password });
  if (started.status !== 200) throw new Error(`could not begin: ${started.text}`);
  const { secret } = started.body.data;
  const code = () => codeAt(secret, server.clock.real());
  const enabled = await person.post("/auth/factor/enable", { code: code() });
  if (enabled.status !== 200) throw new Error(`could not enable: ${enabled.text}`);
  const nextCode = async () => {
    await server.advance(30_000);
    return code();
  };
  return { secret, recoveryCodes: enabled.body.data.recoveryCodes, code, nextCode };
}
