import { invalid } from "../lib/api-error.ts";
import { late } from "../lib/late.ts";

const load = late(() => import("./common-passwords.ts"));

let common: ReadonlySet<string> | undefined;

/** Divides the list when the first password is set, because most requests set none. */
async function loadCommon(): Promise<ReadonlySet<string>> {
  const { commonPasswords } = await load();
  return new Set(commonPasswords.split(/\s+/));
}

/**
 * 422 for a password that is easy to guess: one of the most common passwords, or the account's own email address. `field` is the
 * request field with the password.
 */
export async function refuseGuessable(field: string, password: string, email: string): Promise<void> {
  const given = password.trim().toLowerCase();
  const address = email.trim().toLowerCase();
  if (given === address || given === address.split("@")[0])
    throw invalid(field, "must not be the email address or the part of it before the @");
  await refuseCommon(field, password);
}

/** 422 for one of the most common passwords. */
export async function refuseCommon(field: string, password: string): Promise<void> {
  common ??= await loadCommon();
  if (common.has(password.trim().toLowerCase()))
    throw invalid(field, "is one of the 10,000 most common passwords, which are guessed first. Choose another");
}
