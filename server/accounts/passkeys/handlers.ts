import type { Contract } from "../../../src/contract/index.ts";
import { isUniqueViolation } from "../../database/port.ts";
import type { Call, Handlers, Principal } from "../../http/call.ts";
import { conflict, invalid, notFound } from "../../lib/api-error.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import { requireCode } from "../factors/codes.ts";
import { requirePassword } from "../factors/proof.ts";
import { mailPasskeyAdded, mailPasskeyRemoved } from "../security-mails.ts";
import { requireUnchanged } from "../service.ts";
import * as users from "../users-store.ts";
import { newChallenge, requireParty, takeChallenge } from "./challenges.ts";
import { challengeMs, mostPasskeys, relyingParty } from "./rules.ts";
import * as store from "./store.ts";
import { creationOptions, verifyCreation } from "./webauthn.ts";

type ProvingCall = Pick<Call<Contract["startPasskey" | "removePasskey"]>, "deps" | "principal" | "client" | "requestId" | "body">;

/** What a new passkey is bound to: the browser session, or the API key of a program that has an authenticator of its own. */
const bindingOf = ({ sessionId, keyId }: Principal) => `add ${sessionId ?? keyId}`;

const view = (row: store.PasskeyRow) => ({
  id: row.id,
  name: row.name,
  createdAt: iso(row.created_at),
  lastUsedAt: isoOrNull(row.last_used_at),
  blockedAt: isoOrNull(row.blocked_at),
});

/** The account, after its owner proved who they are, as for an authenticator app. */
async function provenOwner(call: ProvingCall): Promise<users.UserRow> {
  const user = await call.deps.store.read((q) => users.find(q, call.principal.userId));
  if (!user) throw notFound();
  await requirePassword(call.deps, user, call.body.password, call);
  await requireCode(call.deps, user.id, call.body.code, call);
  return user;
}

function requireRoom(existing: number): void {
  if (existing >= mostPasskeys)
    throw conflict(`The account has ${mostPasskeys} passkeys, the most it can have. Nothing was added. Remove one first.`);
}

export const passkeys = {
  async listPasskeys(call) {
    const rows = await call.read((q) => store.listForUser(q, call.principal.userId));
    return { passkeys: rows.map(view), available: relyingParty(call.deps.config.baseUrl) !== undefined };
  },

  async startPasskey(call) {
    const party = requireParty(call.deps);
    const user = await provenOwner(call);
    const existing = await call.read((q) => store.listForUser(q, user.id));
    requireRoom(existing.length);
    const challenge = newChallenge(call.deps);
    const handle = existing[0]?.user_handle ?? call.deps.randomBytes(32).toString("base64url");
    const options = await creationOptions(party, challenge, { handle, name: user.email, existing });
    return call.commit(async (tx) => {
      await requireUnchanged(tx, user);
      const expires_at = tx.now + challengeMs;
      const bound = { bound_to: bindingOf(call.principal), challenge: challenge.challenge, user_id: user.id };
      await store.putChallenge(tx, { ...bound, user_handle: handle, expires_at });
      return { options: { ...options } };
    });
  },

  async addPasskey(call) {
    const party = requireParty(call.deps);
    const { userId } = call.principal;
    const user = await call.read((q) => users.find(q, userId));
    if (!user) throw notFound();
    const challenge = await takeChallenge(call.deps, bindingOf(call.principal));
    const made = await verifyCreation(party, challenge.challenge, call.body.response);
    if (!made || challenge.user_id !== userId || challenge.user_handle === null)
      throw invalid("response", "is not a valid answer to the challenge. Nothing was added. Begin again");
    const own = { id: call.deps.newId(), user_id: userId, name: call.body.name, user_handle: challenge.user_handle };
    const added = { ...own, ...made, created_at: call.deps.clock.now() };
    return call.commit(async (tx, trail) => {
      await requireUnchanged(tx, user);
      requireRoom(await store.count(tx, userId));
      const passkey = await store.insert(tx, added).catch((error: unknown) => {
        throw isUniqueViolation(error, "passkeys") ? conflict("This passkey exists already. Nothing was added.") : error;
      });
      trail.created(passkey.id);
      await mailPasskeyAdded(tx, passkey, call.client);
      return { passkey: view(passkey) };
    });
  },

  async removePasskey(call) {
    const { userId } = call.principal;
    const find = (rows: store.PasskeyRow[]) => rows.find(({ id }) => id === call.params.id);
    // Before the code, which is used up.
    if (!find(await call.read((q) => store.listForUser(q, userId)))) throw notFound();
    const user = await provenOwner(call);
    return call.commit(async (tx) => {
      await requireUnchanged(tx, user);
      const passkey = find(await store.listForUser(tx, userId));
      if (!passkey || (await store.remove(tx, passkey.id, userId)) === 0) throw notFound();
      await mailPasskeyRemoved(tx, passkey, call.client);
      return { message: "The passkey was removed. It can no longer be used to sign in." };
    });
  },
} satisfies Partial<Handlers>;
