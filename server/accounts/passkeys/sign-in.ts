import { authenticationResponse } from "../../../src/contract/accounts/passkeys.ts";
import type { Deps } from "../../app/deps.ts";
import { Trail } from "../../audit/trail.ts";
import type { Client } from "../../http/call.ts";
import { ApiError } from "../../lib/api-error.ts";
import { mailPasskeyBlocked } from "../security-mails.ts";
import { newChallenge, requireParty, takeChallenge } from "./challenges.ts";
import { challengeMs } from "./rules.ts";
import * as store from "./store.ts";
import { type RequestOptions, requestOptions, verifyUse } from "./webauthn.ts";

/** What a sign-in is bound to, and the account it belongs to after a password or a link; null when the passkey alone says so. */
export interface SignIn {
  boundTo: string;
  userId: string | null;
}

/** A passkey alone signs in only if its authenticator checked who uses it: that makes two factors, what somebody has and is or knows. */
const mustVerify = ({ userId }: SignIn) => userId === null;

/** One text for everything that can be wrong, so that it does not say which passkeys exist. */
const refused = () =>
  new ApiError("UNAUTHORIZED", "This passkey was not accepted. You are not signed in. Try another one, or sign in another way.");

const blocked = () =>
  new ApiError(
    "UNAUTHORIZED",
    "This passkey is blocked because it may have been copied. You are not signed in. Sign in another way, then remove it on your passkeys page.",
  );

/** The options for `navigator.credentials.get`. */
export async function startSignIn(deps: Deps, signIn: SignIn): Promise<RequestOptions> {
  const party = requireParty(deps);
  const { boundTo, userId } = signIn;
  const challenge = newChallenge(deps);
  const allowed = userId === null ? [] : await deps.store.read((q) => store.listForUser(q, userId));
  const options = await requestOptions(party, challenge, { allowed, verified: mustVerify(signIn) });
  await deps.store.write((tx) => {
    const expires_at = tx.now + challengeMs;
    const row = { bound_to: boundTo, challenge: challenge.challenge, user_id: userId, user_handle: null, expires_at };
    return store.putChallenge(tx, row);
  });
  return options;
}

/** The id of the account whose passkey answered the challenge, with the browser's answer as JSON. 401 for any other answer, 422 when there is no open challenge. */
export async function finishSignIn(deps: Deps, signIn: SignIn, answer: string, client: Client): Promise<string> {
  const party = requireParty(deps);
  const { challenge, user_id: bound } = await takeChallenge(deps, signIn.boundTo);
  const { success, data: response } = authenticationResponse.safeParse(parsed(answer));
  if (!success || bound !== signIn.userId) throw refused();
  const passkey = await deps.store.read((q) => store.findByCredential(q, response.id));
  if (!passkey || !isOwn(passkey, response.response.userHandle, signIn)) throw refused();
  const counter = await verifyUse(party, challenge, { passkey, response, verified: mustVerify(signIn) });
  if (counter === undefined) throw refused();
  if (!(await recordUse(deps, passkey, counter, client))) throw blocked();
  return passkey.user_id;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Whether the passkey belongs to the account that signs in. Without a password or a link, the authenticator must name the account. */
function isOwn(passkey: store.PasskeyRow, handle: string | undefined, { userId }: SignIn): boolean {
  if (userId !== null && passkey.user_id !== userId) return false;
  return handle === undefined ? userId !== null : handle === passkey.user_handle;
}

/** Records a use. A counter that does not rise belongs to a copy, or to the original after a copy was used: the passkey is blocked then. */
const recordUse = (deps: Deps, passkey: store.PasskeyRow, counter: number, client: Client): Promise<boolean> =>
  deps.store.write(async (tx) => {
    const now = tx.now;
    if ((await store.recordUse(tx, passkey.id, counter, now)) === 1) return true;
    const actor = { actor_id: null, key_id: null, session_id: null, address: client.address, request_id: null };
    const trail = new Trail(tx, actor, "passkey.block");
    if (!(await store.findByCredential(tx, passkey.credential_id))) throw refused();
    await trail.changing(passkey.id);
    if ((await store.block(tx, passkey.id, now)) === 0) return false;
    await trail.write();
    await mailPasskeyBlocked(tx, passkey, client);
    return false;
  });
