import { userInfo } from "node:os";
import { sleep } from "../api/sleep.ts";
import { systemKeyring } from "../config/keyring.ts";
import type { Outside } from "./context.ts";

/** The real clock, randomness and waiting. */
export const outside: Outside = {
  now: () => Date.now(),
  random: () => Math.random(),
  newId: () => globalThis.crypto.randomUUID(),
  sleep,
  keyring: systemKeyring,
  systemHome: () => userInfo().homedir,
};
