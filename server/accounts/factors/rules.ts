const minute = 60_000;

const free = 5;
const [firstWaitMs, longestWaitMs] = [minute / 2, 60 * minute];

/** Wrong codes since the last accepted one, and the time of the last one in milliseconds. */
export interface WrongCodes {
  wrong_codes: number;
  wrong_at: number;
}

/**
 * Until when (ms) no code of an authenticator app is accepted. A code has six digits and three are valid at a time, so guessing must be
 * slow: after five wrong codes each further one doubles the wait, from half a minute to an hour. At one guess an hour, finding a code takes
 * decades. The count is stored, so it holds for all server processes together.
 */
export function blockedUntil({ wrong_codes: wrong, wrong_at: at }: WrongCodes): number {
  return wrong < free ? 0 : at + Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(20, wrong - free));
}

/** Whether the owner is told about the wrong codes: whoever enters them knows the password or has an API key. */
export const isAlarming = (wrong: number): boolean => wrong > 0 && wrong % free === 0;

/** How long after its beginning a set-up can be completed with the first code. */
export const setUpMs = 15 * minute;

/** 32 characters that are hard to confuse. */
const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const [recoveryLength, groupLength] = [20, 5];

export const recoveryBytes = recoveryLength;

/** A recovery code of 100 random bits, such as `ABCDE-FGHJK-LMNPQ-RSTUV`, from 20 random bytes. */
export function recoveryCodeFrom(bytes: Uint8Array): string {
  const letters = [...bytes.subarray(0, recoveryLength)].map((byte) => alphabet[byte % alphabet.length]).join("");
  return letters.match(new RegExp(`.{${groupLength}}`, "g"))!.join("-");
}

export type GivenCode = { kind: "app" | "recovery"; code: string };

/** What somebody typed: six digits of an authenticator app, or a recovery code, with any spaces and hyphens. Undefined for anything else. */
export function parseCode(typed: string): GivenCode | undefined {
  const code = typed.replace(/[\s-]/g, "").toUpperCase();
  if (/^\d{6}$/.test(code)) return { kind: "app", code };
  return code.length === recoveryLength && [...code].every((letter) => alphabet.includes(letter))
    ? { kind: "recovery", code }
    : undefined;
}
