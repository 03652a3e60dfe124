import { roleScopes, type Scope } from "../../../src/contract/endpoint.ts";
import type { Contract } from "../../../src/contract/index.ts";
import type { Deps } from "../../app/deps.ts";
import type { Call, Handlers } from "../../http/call.ts";
import { conflict, forbidden, notFound } from "../../lib/api-error.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import { reachesNobody } from "../../mail/rules.ts";
import * as passkeys from "../passkeys/store.ts";
import { mailFactorDisabled, mailFactorEnabled, mailRecoveryCodesRenewed } from "../security-mails.ts";
import { accountScopes, noPassword, requireUnchanged } from "../service.ts";
import * as users from "../users-store.ts";
import { type Sender, useCode } from "./codes.ts";
import { confirmedUntil, recordConfirmation } from "./confirmations.ts";
import { requirePassword } from "./proof.ts";
import { recoveryBytes, recoveryCodeFrom, setUpMs } from "./rules.ts";
import * as store from "./store.ts";
import { secretFrom, uriOf } from "./totp.ts";

type AnyCall = Pick<Call<Contract["getFactor"]>, "deps" | "principal" | "client" | "requestId" | "read">;

const senderOf = ({ client, principal, requestId }: AnyCall): Sender => ({ client, principal, requestId });

const noFactor = () =>
  conflict("The account has no second factor. Nothing was changed. Set one up with `playtest auth factor enable`.");

const setUpEnded = () =>
  conflict(
    `A set-up has to be completed within ${setUpMs / 60_000} minutes, and ends when another one begins. Nothing was changed. Set up the second factor again.`,
  );

/**
 * The account of the caller, whose API key must have its main scope, or all scopes of an administrator with only some: narrower keys do
 * not manage the account.
 */
async function ownAccount(call: AnyCall): Promise<users.UserRow> {
  const { principal } = call;
  const user = await call.read((q) => users.find(q, principal.userId));
  if (!user) throw notFound();
  const needed: readonly Scope[] = user.role === "admin" ? accountScopes(user) : [roleScopes[user.role][0]];
  const missing = needed.filter((scope) => !principal.scopes.has(scope));
  if (missing.length === 0) return user;
  throw forbidden(`The API key does not have the required scope: ${missing.map((scope) => `\`${scope}\``).join(" and ")}.`);
}

/** The scopes with which an administrator does what takes a confirmation. */
const confirmedScopes = ["admin", "money", "accounts"] as const satisfies readonly Scope[];

/**
 * 403 for a key that can do nothing that is confirmed, before the code is looked at: wrong codes would keep the owner from signing in. The
 * key of an administrator may have one scope only.
 */
async function requireMayConfirm(call: AnyCall): Promise<void> {
  const { role, scopes } = call.principal;
  if (role !== "admin") return void (await ownAccount(call));
  if (!confirmedScopes.some((scope) => scopes.has(scope)))
    throw forbidden("Nothing that this API key can do needs a confirmation. The code was not used.");
}

const newRecoveryCodes = (deps: Deps) => Array.from({ length: 10 }, () => recoveryCodeFrom(deps.randomBytes(recoveryBytes)));

async function useFactor(call: AnyCall, user: users.UserRow, code: string): Promise<void> {
  if (!(await call.read((q) => store.isEnabled(q, user.id)))) throw noFactor();
  await useCode(call.deps, user.id, code, senderOf(call));
}

export const factors = {
  async getFactor(call) {
    const user = await ownAccount(call);
    return call.read(async (q) => {
      const factor = await store.find(q, user.id);
      const until = await confirmedUntil(q, call.principal);
      return {
        enabled: factor?.enabled_at != null,
        enabledAt: isoOrNull(factor?.enabled_at ?? null),
        recoveryCodesLeft: await store.countRecoveryCodes(q, user.id),
        passkeys: await passkeys.count(q, user.id),
        hasPassword: user.password_hash !== noPassword,
        confirmedUntil: isoOrNull(until),
      };
    });
  },

  async startFactor(call) {
    const user = await ownAccount(call);
    await requirePassword(call.deps, user, call.body.password, call);
    const secret = secretFrom(call.deps.randomBytes(20));
    const issuer = `playtest ${new URL(call.deps.config.baseUrl).hostname}`;
    const label = reachesNobody(user.email_key) ? user.display_name : user.email;
    return call.commit(async (tx) => {
      await requireUnchanged(tx, user);
      const factor = {
        ...{ user_id: user.id, secret: tx.secrets.seal(secret, store.secretContext(user.id)), created_at: tx.now },
        ...{ enabled_at: null, last_step: 0, wrong_codes: 0, wrong_at: 0 },
      };
      if (!(await store.replacePending(tx, factor)))
        throw conflict("The account has a second factor. Nothing was changed. Disable it first to set up another one.");
      return { secret, uri: uriOf(secret, { issuer, label }) };
    });
  },

  async enableFactor(call) {
    const user = await ownAccount(call);
    const factor = await call.read((q) => store.find(q, user.id));
    if (!factor) throw noFactor();
    if (factor.enabled_at !== null) throw conflict("The second factor is enabled already. Nothing was changed.");
    if (call.deps.clock.now() - factor.created_at >= setUpMs) throw setUpEnded();
    await useCode(call.deps, user.id, call.body.code, senderOf(call));
    const recoveryCodes = newRecoveryCodes(call.deps);
    return call.commit(async (tx, trail) => {
      await trail.changing(user.id);
      if ((await store.enable(tx, factor, tx.now)) === 0) throw setUpEnded();
      // A passkey that is being added was begun without a code.
      await passkeys.removeChallenges(tx, user.id);
      await store.replaceRecoveryCodes(tx, user.id, recoveryCodes, tx.now);
      await mailFactorEnabled(tx, user.id, call.client);
      return { recoveryCodes };
    });
  },

  async disableFactor(call) {
    const user = await ownAccount(call);
    await useFactor(call, user, call.body.code);
    return call.commit(async (tx, trail) => {
      await trail.changing(user.id);
      if (!(await store.remove(tx, user.id))) throw noFactor();
      await mailFactorDisabled(tx, user.id, call.client);
      return { message: "The second factor was removed. Signing in takes no code any more." };
    });
  },

  async renewRecoveryCodes(call) {
    const user = await ownAccount(call);
    await useFactor(call, user, call.body.code);
    const recoveryCodes = newRecoveryCodes(call.deps);
    return call.commit(async (tx, trail) => {
      await trail.changing(user.id);
      if (!(await store.isEnabled(tx, user.id))) throw noFactor();
      await store.replaceRecoveryCodes(tx, user.id, recoveryCodes, tx.now);
      await mailRecoveryCodesRenewed(tx, user.id, call.client);
      return { recoveryCodes };
    });
  },

  async confirmKey(call) {
    const { userId } = call.principal;
    await requireMayConfirm(call);
    if (!(await call.read((q) => store.isEnabled(q, userId)))) throw noFactor();
    await useCode(call.deps, userId, call.body.code, senderOf(call));
    return call.commit(async (tx, trail) => {
      await trail.changing(userId);
      return { confirmedUntil: iso(await recordConfirmation(tx, call.principal)) };
    });
  },
} satisfies Partial<Handlers>;
