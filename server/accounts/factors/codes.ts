import { plural } from "../../../src/contract/text/plural.ts";
import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import { Trail } from "../../audit/trail.ts";
import type { Client, Principal } from "../../http/call.ts";
import { ApiError } from "../../lib/api-error.ts";
import { mailRecoveryCodeUsed, mailWrongCodes } from "../security-mails.ts";
import { blockedUntil, isAlarming, parseCode } from "./rules.ts";
import * as store from "./store.ts";
import { stepOf } from "./totp.ts";

/** Who enters a code. */
export interface Sender {
  client: Client;
  /** The API key or session in use; undefined while signing in. */
  principal?: Principal | undefined;
  requestId: string | null;
}

/** What became of a code: it is checked and counted in a transaction of its own, so that a refusal is stored too. */
type Outcome = { done: "accepted" | "wrong" | "used" | "disabled" } | { done: "blocked"; until: number };

/** 401 for a request that needs a code of the account's second factor and has none. */
const codeRequired = () =>
  new ApiError(
    "CODE_REQUIRED",
    "This account has a second factor. Nothing was changed. Send `code`: six digits from the authenticator app, or a recovery code.",
  );

/** Uses up a code where the account has a second factor. 401 when `code` is missing, 422 when it is wrong, 429 after too many. */
export async function requireCode(deps: Deps, userId: string, code: string | undefined, sender: Sender): Promise<void> {
  if (!(await deps.store.read((q) => store.isEnabled(q, userId)))) return;
  if (code === undefined) throw codeRequired();
  await useCode(deps, userId, code, sender);
}

/** Uses up a code of an account whose second factor is enabled. 422 when the code is wrong or was used, 429 after too many. */
export async function useCode(deps: Deps, userId: string, code: string, sender: Sender): Promise<void> {
  const given = parseCode(code);
  if (!given) throw refusedCode("must have six digits, or be a recovery code of 20 letters and digits");
  const outcome = await deps.store.write((tx) =>
    given.kind === "app" ? checkAppCode(deps, tx, userId, given.code, sender) : checkRecoveryCode(tx, userId, given.code, sender),
  );
  if (outcome.done === "blocked") throw tooManyCodes(outcome.until - deps.clock.real());
  if (outcome.done !== "accepted") throw refusedCode(reasons[outcome.done]);
}

/** 422 with a sentence, because pages show it as it is. */
const refusedCode = (message: string) =>
  new ApiError("VALIDATION_ERROR", `The code ${message}. Nothing was changed.`, { details: [{ field: "code", message }] });

const reasons = {
  wrong: "is not correct",
  used: "was used already: wait for the next one",
  disabled: "is not needed: the account has no second factor",
};

function tooManyCodes(ms: number): ApiError {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  const wait = seconds < 120 ? plural(seconds, "second") : `${Math.ceil(seconds / 60)} minutes`;
  return new ApiError(
    "RATE_LIMITED",
    `Too many wrong codes were entered for this account. Nothing was changed. Wait ${wait}, or use a recovery code.`,
    { headers: { "Retry-After": String(seconds) } },
  );
}

/** Real time, because authenticator apps know no other: a sandbox may have moved its clock. */
async function checkAppCode(deps: Deps, tx: Tx, userId: string, code: string, sender: Sender): Promise<Outcome> {
  const now = deps.clock.real();
  const factor = await store.find(tx, userId);
  if (!factor) return { done: "disabled" };
  const until = blockedUntil(factor);
  if (now < until) return { done: "blocked", until };
  const step = stepOf(deps.secrets.open(factor.secret, store.secretContext(userId)), code, now);
  if (step !== undefined) return { done: (await store.acceptStep(tx, userId, step)) === 1 ? "accepted" : "used" };
  await store.countWrong(tx, userId, now);
  if (factor.enabled_at !== null && isAlarming(factor.wrong_codes + 1)) await mailWrongCodes(tx, userId, sender.client);
  return { done: "wrong" };
}

/** Not limited: a recovery code cannot be guessed, and it lets the owner in while somebody else enters wrong codes. */
async function checkRecoveryCode(tx: Tx, userId: string, code: string, sender: Sender): Promise<Outcome> {
  if (!(await store.isEnabled(tx, userId))) return { done: "disabled" };
  const trail = trailOf(tx, userId, sender);
  await trail.changing(userId, { by: userId });
  if ((await store.useRecoveryCode(tx, userId, code, tx.now)) === 0) return { done: "wrong" };
  await store.forgetWrong(tx, userId);
  await trail.write();
  await mailRecoveryCodeUsed(tx, userId, sender.client, await store.countRecoveryCodes(tx, userId));
  return { done: "accepted" };
}

function trailOf(tx: Tx, userId: string, { client, principal, requestId }: Sender): Trail {
  const credential = {
    key_id: principal && principal.sessionId === null ? principal.keyId : null,
    session_id: principal?.sessionId ?? null,
  };
  const actor = { actor_id: userId, ...credential, address: client.address, request_id: requestId };
  return new Trail(tx, actor, "user.use_recovery_code");
}
