import { permits, roleScopes, type Scope } from "../../src/contract/endpoint.ts";
import type { Contract } from "../../src/contract/index.ts";
import type { Deps } from "../app/deps.ts";
import type { Call, Handlers, Principal } from "../http/call.ts";
import { ApiError, forbidden, invalid, notFound } from "../lib/api-error.ts";
import { sha256 } from "../lib/secrets.ts";
import { iso } from "../lib/time.ts";
import { changeNote, deliveryOf, firstAddressNote, requestedNote, resentNote, verificationNote } from "../mail/delivery.ts";
import { queueIndexing } from "../search/queue.ts";
import { checkPassword } from "./attempts/attempts.ts";
import { addBudget } from "./budgets/service.ts";
import { lacksAddress, requestEmailChange, requestFirstAddress } from "./email-change.ts";
import { requireCode } from "./factors/codes.ts";
import { requirePassword } from "./factors/proof.ts";
import { refuseGuessable } from "./guessable.ts";
import { requireLive, rotateKey } from "./keys.ts";
import * as keys from "./keys-store.ts";
import { refuseForeignAddress, refuseRegistration } from "./registration.ts";
import { mailNewKey, mailPasswordChanged } from "./security-mails.ts";
import {
  accountScopes,
  createKey,
  createUser,
  endPasskeys,
  type KeysAfterReset,
  login,
  mailReset,
  mailVerification,
  noPassword,
  passkeysNote,
  refuseTaken,
  requireUnchanged,
  resetPassword,
  setPassword,
  signOut,
} from "./service.ts";
import * as sessions from "./sessions-store.ts";
import { change as changeTraits, traitsOf } from "./traits-store.ts";
import * as users from "./users-store.ts";
import { keyView, profileView, sessionView, userView } from "./views.ts";

const keysAfterReset: Record<KeysAfterReset, string> = {
  kept: "API keys remain valid. Revoke those you no longer trust.",
  revoked: "All API keys were revoked.",
  void: "The email address is verified. The API keys that the account had before no longer work.",
};

/** What a revocation ended: the key, and others with it or, where it had ended before, only those. */
function revokedNote(ids: readonly string[], id: string): string {
  const others = ids.filter((one) => one !== id).length;
  const more = `the ${others === 1 ? "API key" : `${others} API keys`} created with it or in its place`;
  if (!ids.includes(id)) return `The API key had been revoked before. Now ${more} ${others === 1 ? "was" : "were"} revoked too.`;
  return others === 0 ? "The API key was revoked." : `The API key and ${more} were revoked.`;
}

const staleToken = () => invalid("token", "is invalid, used or expired. Request a new email");

const welcome = (deps: Deps, { email, email_verified_at: verifiedAt }: users.UserRow) =>
  verifiedAt === null ? `The account was created. ${verificationNote[deliveryOf(deps)](email)}` : "The account was created.";

/** 422 for an account without a password, where only a password will do. */
function requireOwnPassword({ password_hash: hash }: users.UserRow, field: string): void {
  if (hash !== noPassword) return;
  throw invalid(field, "cannot be checked, because the account has no password. Nothing was changed. Set one by a reset first");
}

async function keyMaker(
  deps: Deps,
  principal: Principal | undefined,
  { body, client, requestId }: Call<Contract["createApiKey"]>,
) {
  const { email, password, code } = body;
  if (email !== undefined && password !== undefined) {
    const user = await login(deps, { email, password }, client);
    await requireCode(deps, user.id, code, { client, requestId });
    return {
      user,
      userId: user.id,
      role: user.role,
      scopes: accountScopes(user),
      keyExpiresAt: null,
      parentId: null,
    };
  }
  if (!principal)
    throw new ApiError("UNAUTHORIZED", "Credentials are required. Send an API key, or `email` and `password` in the body.");
  const { userId, keyId, keyExpiresAt, sessionId, role } = principal;
  return {
    userId,
    role,
    scopes: [...principal.scopes] as readonly Scope[],
    keyExpiresAt,
    parentId: sessionId === null ? keyId : null,
  };
}

export const auth = {
  async registerApiKey(call) {
    const { keyName, scopes, ...account } = call.body;
    refuseRegistration(call.deps, account.email);
    await refuseGuessable("password", account.password, account.email);
    await call.read((q) => refuseTaken(q, account.email));
    const hash = await call.deps.passwords.hash(account.password, call.client.signal);
    return call.commit(async (tx, trail) => {
      const user = await createUser(tx, { ...account, passwordHash: hash, client: call.client });
      const { row, secret } = await createKey(tx, {
        userId: user.id,
        name: keyName,
        scopes: scopes ?? roleScopes[user.role],
      });
      trail.created(user.id);
      trail.created(row.id, { action: "key.create", by: user.id });
      return { apiKey: secret, user: userView(user), message: welcome(call.deps, user) };
    });
  },

  async register(call) {
    refuseRegistration(call.deps, call.body.email);
    await refuseGuessable("password", call.body.password, call.body.email);
    await call.read((q) => refuseTaken(q, call.body.email));
    const hash = await call.deps.passwords.hash(call.body.password, call.client.signal);
    return call.commit(async (tx, trail) => {
      const user = await createUser(tx, { ...call.body, passwordHash: hash, client: call.client });
      trail.created(user.id);
      return { message: welcome(call.deps, user), userId: user.id };
    });
  },

  async getMe(call) {
    const { userId } = call.principal;
    const [user, traits] = await call.read((q) => Promise.all([users.find(q, userId), traitsOf(q, userId)]));
    if (!user) throw notFound();
    return {
      ...userView(user),
      createdAt: iso(user.created_at),
      profile: profileView(user, traits),
      scopes: [...call.principal.scopes],
    };
  },

  updateProfile: (call) =>
    call.commit(async (tx) => {
      const { displayName, companyName, websiteUrl, gamingExperience, publishedName, timeZone } = call.body;
      const changes: Partial<users.UserRow> = { updated_at: tx.now };
      if (displayName !== undefined) changes.display_name = displayName;
      if (companyName !== undefined) changes.company_name = companyName;
      if (websiteUrl !== undefined) changes.website_url = websiteUrl;
      if (gamingExperience !== undefined) changes.gaming_experience = gamingExperience;
      if (publishedName !== undefined) changes.published_name = publishedName;
      if (timeZone !== undefined) changes.time_zone = timeZone;
      await users.update(tx, call.principal.userId, changes);
      await changeTraits(tx, call.principal.userId, call.body);
      if (displayName !== undefined && call.principal.role === "playtester")
        await queueIndexing(tx, { what: "playtester", userId: call.principal.userId });
      return { message: "The profile was updated." };
    }),

  async changePassword(call) {
    const user = await call.read((q) => users.find(q, call.principal.userId));
    const { signal } = call.client;
    if (!user) throw notFound();
    await refuseGuessable("newPassword", call.body.newPassword, user.email);
    requireOwnPassword(user, "currentPassword");
    const attempt = { account: user.email_key, password: call.body.currentPassword, hash: user.password_hash };
    if (!(await checkPassword(call.deps, attempt, call.client))) throw invalid("currentPassword", "is not the current password");
    await requireCode(call.deps, user.id, call.body.code, call);
    const hash = await call.deps.passwords.hash(call.body.newPassword, signal);
    return call.commit(async (tx, trail) => {
      await requireUnchanged(tx, user);
      await trail.changing(user.id);
      await setPassword(tx, user.id, hash);
      await mailPasswordChanged(tx, user.id, call.client);
      const note = passkeysNote(await endPasskeys(tx, user.id, false, call.client));
      return { message: `The password was changed. API keys remain valid. Revoke those you no longer trust.${note}` };
    });
  },

  async changeEmail(call) {
    const { newEmail, password, code } = call.body;
    refuseForeignAddress(call.deps, "newEmail", newEmail);
    const user = await call.read((q) => users.find(q, call.principal.userId));
    if (!user) throw notFound();
    const isFirst = lacksAddress(user);
    // An API key alone does not change the address that resets the password.
    if (!isFirst && call.principal.sessionId === null) requireOwnPassword(user, "password");
    await requirePassword(call.deps, user, password, call);
    await requireCode(call.deps, user.id, code, call);
    return call.commit(async (tx, trail) => {
      await requireUnchanged(tx, user);
      await trail.changing(user.id);
      await (isFirst ? requestFirstAddress : requestEmailChange)(tx, user, newEmail);
      return {
        message: isFirst
          ? firstAddressNote[deliveryOf(call.deps)](newEmail)
          : changeNote[deliveryOf(call.deps)](user.email, newEmail),
      };
    });
  },

  async createApiKey(call) {
    const { name, scopes, expiresAt, readOnly, budgets = [] } = call.body;
    if (expiresAt !== undefined && Date.parse(expiresAt) <= call.deps.clock.now())
      throw invalid("expiresAt", "must be in the future");
    const maker = await keyMaker(call.deps, call.maybePrincipal, call);
    const expires = expiresAt === undefined ? maker.keyExpiresAt : Date.parse(expiresAt);
    // A key that expires cannot create keys that expire later. Otherwise a stolen key could be made permanent.
    if (maker.keyExpiresAt !== null && expires! > maker.keyExpiresAt)
      throw invalid("expiresAt", `must be at most ${iso(maker.keyExpiresAt)}, when the API key in use expires`);
    const wanted = scopes ?? maker.scopes;
    const beyond = wanted.filter((scope) => !maker.scopes.includes(scope));
    if (beyond.length > 0)
      throw invalid("scopes", `includes scopes that this account or API key does not have: ${beyond.join(", ")}`);
    return call.commit(async (tx, trail) => {
      const { userId, parentId } = maker;
      if (maker.user) await requireUnchanged(tx, maker.user);
      if (parentId !== null) await requireLive(tx, parentId);
      if (budgets.length > 0 && maker.role !== "game_owner") throw invalid("budgets", "are only for the keys of game owners");
      const { row, secret } = await createKey(tx, { userId, name, scopes: wanted, expiresAt: expires, parentId, readOnly });
      for (const given of budgets) await addBudget(tx, userId, { key_id: row.id, game_id: null }, given);
      trail.created(row.id, { by: userId });
      await mailNewKey(tx, row, call.client);
      return { key: keyView(row), apiKey: secret };
    });
  },

  async listApiKeys(call) {
    const page = call.page();
    const rows = await call.read((q) => keys.listForUser(q, call.principal.userId, page));
    return call.listed(page, rows, (items) => ({ keys: items.map((key) => keyView(key, call.principal)) }));
  },

  revokeApiKey: (call) => {
    const { principal, params } = call;
    if (params.id !== principal.keyId && !permits("main", { ...principal, scopes: [...principal.scopes] }))
      throw forbidden(
        `An API key without the scope \`${roleScopes[principal.role][0]}\` can revoke only itself. Nothing was revoked.`,
      );
    return call.commit(async (tx) => {
      const revoked = await keys.revoke(tx, params.id, principal.userId, tx.now);
      if (revoked.length === 0) throw notFound();
      return { message: revokedNote(revoked, params.id) };
    });
  },

  async rotateApiKey(call) {
    const { graceSeconds, password, code } = call.body;
    const user = await call.read((q) => users.find(q, call.principal.userId));
    if (!user) throw notFound();
    const isProven = password !== undefined;
    if (isProven) {
      requireOwnPassword(user, "password");
      await requirePassword(call.deps, user, password, call);
      await requireCode(call.deps, user.id, code, call);
    }
    return call.commit(async (tx, trail) => {
      if (isProven) await requireUnchanged(tx, user);
      const how = { graceMs: graceSeconds * 1000, isProven };
      const { old, row, secret } = await rotateKey(tx, call.principal, call.params.id, how);
      trail.created(row.id, { action: "key.create" });
      await mailNewKey(tx, row, call.client, old);
      return { key: keyView(row), apiKey: secret, previous: keyView(old, call.principal) };
    });
  },

  async listSessions(call) {
    const rows = await call.read((q) => sessions.listForUser(q, call.principal.userId, q.now));
    return { sessions: rows.map((row) => sessionView(row, call.principal)) };
  },

  endSession: (call) =>
    call.commit(async (tx) => {
      if ((await sessions.endById(tx, call.params.id, call.principal.userId)) === 0) throw notFound();
      return { message: "The browser was signed out." };
    }),

  signOutEverywhere: (call) =>
    call.commit(async (tx, trail) => {
      const { userId, keyId } = call.principal;
      await trail.changing(userId);
      const { revokeApiKeys, removePasskeys } = call.body;
      await signOut(tx, userId);
      if (revokeApiKeys) await keys.revokeOthers(tx, userId, keyId, tx.now);
      const ended = revokeApiKeys ? ", and all other API keys were revoked." : ". API keys remain valid.";
      const after = await endPasskeys(tx, userId, removePasskeys, call.client);
      return { message: `Every browser was signed out${ended}${passkeysNote(after)}`, passkeysLeft: after.left };
    }),

  resendVerification: (call) =>
    call.commit(async (tx) => {
      const user = await users.findByEmail(tx, call.body.email);
      if (user && user.email_verified_at === null && user.suspended_at === null) await mailVerification(tx, user);
      return { message: resentNote[deliveryOf(call.deps)](call.body.email) };
    }),

  requestPasswordReset: (call) =>
    call.commit(async (tx) => {
      const user = await users.findByEmail(tx, call.body.email);
      if (user && user.suspended_at === null) await mailReset(tx, user);
      return { message: requestedNote[deliveryOf(call.deps)] };
    }),

  async confirmPasswordReset(call) {
    const { token, newPassword, revokeApiKeys: revokeKeys, removePasskeys } = call.body;
    const user = await call.read((q) => users.findByToken(q, sha256(token), "reset", q.now));
    if (!user) throw staleToken();
    await refuseGuessable("newPassword", newPassword, user.email);
    const hash = await call.deps.passwords.hash(newPassword, call.client.signal);
    return call.commit(async (tx, trail) => {
      const user = await users.findByToken(tx, sha256(token), "reset", tx.now);
      if (!user) throw staleToken();
      await trail.changing(user.id, { by: user.id });
      const done = await resetPassword(tx, token, { hash, revokeKeys, removePasskeys, client: call.client });
      if (!done) throw staleToken();
      await mailPasswordChanged(tx, user.id, call.client);
      const { keys, passkeys } = done;
      return {
        message: `The password was changed. ${keysAfterReset[keys]}${passkeysNote(passkeys)}`,
        passkeysLeft: passkeys.left,
      };
    });
  },
} satisfies Partial<Handlers>;
