import { impliedScopes, roleScopes, type Scope } from "../../src/contract/endpoint.ts";
import { pages } from "../../src/contract/pages/addresses.ts";
import { plural } from "../../src/contract/text/plural.ts";
import type { Toolset } from "../../src/contract/text/toolsets.ts";
import type { Deps } from "../app/deps.ts";
import type { ReadTx, Tx } from "../app/tx.ts";
import { server, Trail } from "../audit/trail.ts";
import type { Query } from "../database/port.ts";
import type { Client } from "../http/call.ts";
import { ApiError, conflict, forbidden } from "../lib/api-error.ts";
import { sha256 } from "../lib/secrets.ts";
import { queueMail } from "../mail/queue.ts";
import { composeReset, composeSignIn, composeVerification } from "../mail/texts.ts";
import { checkPassword } from "./attempts/attempts.ts";
import * as changes from "./email-changes-store.ts";
import * as factors from "./factors/store.ts";
import * as keys from "./keys-store.ts";
import * as passkeys from "./passkeys/store.ts";
import { mailPasskeyRemoved } from "./security-mails.ts";
import * as sessions from "./sessions-store.ts";
import * as users from "./users-store.ts";

const hour = 3_600_000;

/** The purposes of the two links that confirm another email address. */
export const emailPurposes = ["email-from", "email-to"] as const satisfies readonly users.TokenPurpose[];

/** How long an account is kept while its email address is not verified. */
export const unverifiedMs = 7 * 24 * hour;

export interface NewAccount {
  email: string;
  role: users.UserRow["role"];
  passwordHash: string;
  name?: string | undefined;
  companyName?: string | undefined;
  simulated?: boolean;
  /** The client that registers it; absent when the server does. */
  client?: Client;
  /** True for accounts created by the operator or the sandbox, which need no verification email. */
  verified?: boolean;
  /** The path of the page that the person came for, to which the link in the verification email leads on. */
  next?: string;
}

/** Stored instead of a password hash. No password matches it. */
export const noPassword = "!";

/** Registers an account and mails its verification link. 409 when another account has the address. */
export async function createUser(tx: Tx, account: NewAccount): Promise<users.UserRow> {
  await requireFree(tx, account.email);
  const now = tx.now;
  const name = account.name ?? account.email.split("@")[0]!;
  const verified = tx.config.autoVerify || account.verified === true;
  const user = await users.insert(tx, {
    id: tx.newId(),
    email: account.email.trim(),
    email_key: users.emailKey(account.email),
    password_hash: account.passwordHash,
    role: account.role,
    display_name: name,
    company_name: account.companyName ?? name,
    email_verified_at: verified ? now : null,
    validated_at: verified ? now : null,
    simulated: account.simulated ? 1 : 0,
    created_from: verified ? null : account.client?.address,
    created_with: verified ? null : account.client?.agent,
    created_at: now,
    updated_at: now,
  });
  if (!verified) await mailVerification(tx, user, account.next);
  return user;
}

/**
 * 409 when an account has the address, but for one that `requireFree` removes. Checked before a password is hashed, which is expensive.
 * `outcome` says what was not done, and what to do next.
 */
export async function refuseTaken(q: ReadTx, email: string, outcome = "Nothing was created. Sign in instead."): Promise<void> {
  const taken = await users.findByEmail(q, email);
  if (!taken || (taken.created_at <= q.now - unverifiedMs && (await users.isRemovable(q, taken.id)))) return;
  throw conflict(`An account with this email address already exists. ${outcome}`);
}

/** 409 when an account has the address. An account that was not verified in time is removed here if the job has not done it yet. */
export async function requireFree(tx: Tx, email: string, outcome?: string): Promise<void> {
  await refuseTaken(tx, email, outcome);
  const expired = await users.findByEmail(tx, email);
  if (expired) await users.removeUnverified(tx, expired.id);
}

/** All scopes that a key of the account can have. */
export const accountScopes = ({ role, admin_scopes: limited }: Pick<users.UserRow, "role" | "admin_scopes">): readonly Scope[] =>
  limited === null ? roleScopes[role] : (impliedScopes(role, JSON.parse(limited) as Scope[]) as readonly Scope[]);

/** The admins who decide on trials, videos and reported problems. */
export const listApprovers = async (q: Query): Promise<users.UserRow[]> =>
  (await users.listAdmins(q)).filter((admin) => accountScopes(admin).includes("approve"));

/** Creates the first admin account of a database and returns its API key. Null when the database has an admin already. */
export const ensureAdmin = (deps: Deps): Promise<string | null> =>
  deps.store.write(async (tx) => {
    if (await users.hasRole(tx, "admin")) return null;
    const account = { email: "admin@playtest.invalid", role: "admin", name: "Admin", passwordHash: noPassword } as const;
    const admin = await createUser(tx, { ...account, verified: true });
    const { row, secret } = await createKey(tx, { userId: admin.id, name: "First admin", scopes: roleScopes.admin });
    const trail = new Trail(tx, server);
    trail.created(admin.id, { action: "user.create" });
    trail.created(row.id, { action: "key.create" });
    await trail.write();
    return secret;
  });

/** The account with this email and password. 401 if either is wrong, after the same time in both cases; 403 when suspended. */
export async function login(
  deps: Deps,
  { email, password }: { email: string; password: string },
  from: Pick<Client, "address" | "signal">,
): Promise<users.UserRow> {
  const user = await deps.store.read((q) => users.findByEmail(q, email));
  const attempt = { account: users.emailKey(email), password, hash: user?.password_hash };
  if (!(await checkPassword(deps, attempt, from)) || !user) throw wrongPassword();
  if (user.suspended_at !== null) throw forbidden("This account is suspended. Contact the operator of this server.");
  return user;
}

/**
 * The current row of an account whose password was checked. 401 when the password was changed in the meantime: hashing takes long
 * enough for a reset to happen, and then the old password must not create a session or a key.
 */
export async function requireUnchanged(tx: Query, checked: users.UserRow): Promise<void> {
  const now = await users.find(tx, checked.id);
  if (now?.password_hash !== checked.password_hash) throw wrongPassword();
}

const wrongPassword = () => new ApiError("UNAUTHORIZED", "The email address or password is incorrect.");

/**
 * Sets a new password, ends all sessions, invalidates mailed reset and sign-in links, and ends what was begun, a change of the email address
 * and the set-up of a second factor or passkey: whoever began it knew the former password only. API keys and passkeys stay valid.
 */
export async function setPassword(tx: Tx, userId: string, hash: string): Promise<void> {
  const now = tx.now;
  await users.update(tx, userId, { password_hash: hash, updated_at: now });
  await factors.removePending(tx, userId);
  await passkeys.removeChallenges(tx, userId);
  await signOut(tx, userId);
}

/** Ends all sessions, mailed links with which somebody could sign in, and a change of the email address that is not confirmed. */
export async function signOut(tx: Tx, userId: string): Promise<void> {
  await sessions.endAll(tx, userId);
  await users.endLinks(tx, userId, [...users.signInPurposes, ...emailPurposes], tx.now);
  await changes.remove(tx, userId);
}

/** What became of the passkeys of an account. */
export interface PasskeysAfter {
  removed: number;
  left: number;
}

/** Removes the passkeys of an account if that is wanted, and mails its owner about each. */
export async function endPasskeys(tx: Tx, userId: string, remove: boolean, client: Client): Promise<PasskeysAfter> {
  const found = await passkeys.listForUser(tx, userId);
  if (!remove) return { removed: 0, left: found.length };
  await passkeys.removeAll(tx, userId);
  for (const passkey of found) await mailPasskeyRemoved(tx, passkey, client);
  return { removed: found.length, left: 0 };
}

/** A sentence about that, to append. */
export function passkeysNote({ removed, left }: PasskeysAfter): string {
  if (removed > 0) return ` ${plural(removed, "passkey")} ${removed === 1 ? "was" : "were"} removed.`;
  if (left === 0) return "";
  return ` ${plural(left, "passkey")} still ${left === 1 ? "signs" : "sign"} in: remove those that are not yours.`;
}

/** What happened to the API keys when a password was reset. `void` when the account was unverified, whose keys are all revoked. */
export type KeysAfterReset = "kept" | "revoked" | "void";

/** What the page of a reset says about the account: whether it is still unverified, and what else signs in to it. */
export const aboutReset = async (q: Query, { id, email_verified_at: verifiedAt }: users.UserRow) => ({
  isNew: verifiedAt === null,
  passkeys: await passkeys.count(q, id),
  hasApp: await factors.isEnabled(q, id),
});

export type AboutReset = Awaited<ReturnType<typeof aboutReset>>;

interface Wanted {
  revokeKeys: boolean;
  /** Undefined: if the account has no authenticator app, so that the former password was enough to add one. */
  removePasskeys: boolean | undefined;
}

/** What somebody enters on the page of a reset. */
export interface NewPassword extends Wanted {
  password: string;
}

interface Reset extends Wanted {
  hash: string;
  client: Client;
}

export interface ResetDone {
  keys: KeysAfterReset;
  passkeys: PasskeysAfter;
}

/** Sets a new password with a mailed token, which uses up the token and verifies the address. Undefined when the token is not valid. */
export async function resetPassword(
  tx: Tx,
  token: string,
  { hash, revokeKeys, removePasskeys, client }: Reset,
): Promise<ResetDone | undefined> {
  const now = tx.now;
  const used = await users.useToken(tx, sha256(token), "reset", now);
  const user = used && (await users.find(tx, used.user_id));
  if (!user) return undefined;
  const isNew = user.email_verified_at === null;
  if (isNew) await takeOver(tx, user.id);
  await setPassword(tx, user.id, hash);
  if (!isNew && revokeKeys) await keys.revokeAll(tx, user.id, now);
  const remove = removePasskeys ?? !(await factors.isEnabled(tx, user.id));
  const after = await endPasskeys(tx, user.id, remove, client);
  return { keys: isNew ? "void" : revokeKeys ? "revoked" : "kept", passkeys: after };
}

/** Suspends an account, which keeps the time of an earlier suspension, and signs its browsers out. */
export async function suspend(tx: Tx, user: users.UserRow): Promise<void> {
  if (user.suspended_at === null) await users.update(tx, user.id, { suspended_at: tx.now, updated_at: tx.now });
  await sessions.endAll(tx, user.id);
}

/** Marks the email address as verified. This also validates a playtester. */
export async function verifyUser(tx: Tx, userId: string): Promise<void> {
  const now = tx.now;
  const verified = { email_verified_at: now, validated_at: now, created_from: null, created_with: null };
  await users.update(tx, userId, { ...verified, updated_at: now });
  await users.endLinks(tx, userId, ["verify"], now);
}

/**
 * Verifies an account for the owner of its address. Somebody else could have registered it, so its password is removed, its sessions
 * are ended and its keys are revoked first.
 */
export async function takeOver(tx: Tx, userId: string): Promise<void> {
  const now = tx.now;
  await keys.revokeAll(tx, userId, now);
  await setPassword(tx, userId, noPassword);
  await verifyUser(tx, userId);
}

/** Creates an API key. Its secret is returned once and not stored. */
export async function createKey(
  tx: Tx,
  options: {
    userId: string;
    name: string;
    scopes: readonly Scope[];
    expiresAt?: number | null;
    parentId?: string | null;
    rotatedFrom?: string | null;
    replaces?: string | null;
    readOnly?: boolean;
    /** The OAuth client that acts with it, by tokens: then the secret is for nobody. */
    client?: { id: string; toolsets: readonly Toolset[] };
  },
): Promise<{ row: keys.KeyRow; secret: string }> {
  const most = tx.config.limits.keysPerAccount;
  if ((await keys.countLive(tx, options.userId, tx.now)) >= most)
    throw conflict(
      `The account has ${most} API keys, the most it can have. Nothing was created. Revoke a key that is no longer used.`,
    );
  const secret = `pt_sk_${tx.randomBytes(16).toString("hex")}`;
  const row = await keys.insert(tx, {
    id: tx.newId(),
    user_id: options.userId,
    name: options.name,
    prefix: options.client ? "pt_at_" : secret.slice(0, 10),
    hash: sha256(secret),
    scopes: JSON.stringify(options.scopes),
    parent_id: options.parentId,
    rotated_from: options.rotatedFrom,
    replaces: options.replaces,
    read_only: options.readOnly ? 1 : 0,
    client_id: options.client?.id,
    toolsets: options.client && JSON.stringify(options.client.toolsets),
    created_at: tx.now,
    expires_at: options.expiresAt,
  });
  return { row, secret };
}

/** The name to use in emails. Null for an unverified account, because a stranger could have chosen the name as a message to the owner. */
const nameOf = (user: users.UserRow) => (user.email_verified_at === null ? null : user.display_name);

/** Mails a link that verifies the address. It can be used once, within 24 hours. */
export async function mailVerification(tx: Tx, user: users.UserRow, next?: string): Promise<void> {
  const token = await createToken(tx, user.id, "verify", 24 * hour);
  if (token === undefined) return;
  await queueMail(tx, user.email, composeVerification({ token, url: linkOf(tx, pages.verifyEmail(), { token, next }) }));
}

/** The address of an emailed link, from which the way may lead on to the page at the path `next`. */
function linkOf(tx: Tx, page: string, { token, next }: { token: string; next?: string | undefined }): string {
  return `${tx.config.baseUrl}${page}?${new URLSearchParams({ token, ...(next !== undefined && { next }) })}`;
}

/** Mails a token that sets a new password, and with it the way to the page at the path `next`. It can be used once, within one hour. */
export async function mailReset(tx: Tx, user: users.UserRow, next?: string): Promise<void> {
  const token = await createToken(tx, user.id, "reset", hour);
  if (token === undefined) return;
  const url = linkOf(tx, pages.resetPassword(), { token, next });
  await queueMail(tx, user.email, composeReset({ name: nameOf(user), token, url }));
}

/** Mails a link that signs in. It can be used once, within 15 minutes. `next` is the path of the portal it leads to. */
export async function mailSignIn(tx: Tx, user: users.UserRow, { page, next }: { page: string; next: string }): Promise<void> {
  const token = await createToken(tx, user.id, "sign-in", hour / 4);
  if (token === undefined) return;
  await queueMail(tx, user.email, composeSignIn({ name: nameOf(user), token, url: linkOf(tx, page, { token, next }) }));
}

/** How many tokens an account gets for a purpose in an hour while the newest is valid: anybody can request emails to another's address. */
const mailsPerHour = 5;

/**
 * Creates a one-time token. Undefined when the limit of the hour is reached, but not when all of these have expired: a stranger who asks
 * for them would keep the owner of the address from signing in by mail.
 */
export async function createToken(tx: Tx, userId: string, purpose: users.TokenPurpose, validMs: number) {
  const now = tx.now;
  const created = await users.countTokens(tx, userId, purpose, now - hour);
  if (created.n >= mailsPerHour && created.until! > now) return undefined;
  const token = tx.randomBytes(32).toString("base64url");
  await users.addToken(tx, { hash: sha256(token), user_id: userId, purpose, created_at: now, expires_at: now + validMs });
  return token;
}
