import { roleScopes, type Scope } from "../../src/contract/endpoint.ts";
import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";
import { conflict, forbidden, Problem } from "../lib/problem.ts";
import { sha256 } from "../lib/secrets.ts";
import { queueMail } from "../mail/queue.ts";
import { composeReset, composeSignIn, composeVerification } from "../mail/texts.ts";
import * as keys from "./keys-store.ts";
import * as sessions from "./sessions-store.ts";
import * as users from "./users-store.ts";

const hour = 3_600_000;

export interface NewAccount {
  email: string;
  role: users.UserRow["role"];
  passwordHash: string;
  name?: string | undefined;
  companyName?: string | undefined;
  simulated?: boolean;
  /** Needs no verification mail: the operator or the sandbox made it. */
  verified?: boolean;
}

/** In place of a password hash: no password matches it. */
export const noPassword = "!";

/** Registers an account and mails its verification link; 409 when the address is taken. */
export async function createUser(deps: Deps, tx: Query, account: NewAccount): Promise<users.UserRow> {
  if (await users.findByEmail(tx, account.email))
    throw conflict("An account with this email address already exists. Nothing was created. Sign in instead.");
  const now = deps.clock.now();
  const name = account.name ?? account.email.split("@")[0]!;
  const verified = deps.config.autoVerify || account.verified === true;
  const user: users.UserRow = {
    id: deps.newId(),
    email: account.email.trim(),
    email_key: users.emailKey(account.email),
    password_hash: account.passwordHash,
    role: account.role,
    display_name: name,
    company_name: account.companyName ?? name,
    website_url: null,
    gaming_experience: null,
    email_verified_at: verified ? now : null,
    validated_at: verified ? now : null,
    suspended_at: null,
    simulated: account.simulated ? 1 : 0,
    created_at: now,
    updated_at: now,
  };
  await users.insert(tx, user);
  if (!verified) await mailVerification(deps, tx, user);
  return user;
}

/** The first admin account and its API key, once per database; null when the database has one. */
export const ensureAdmin = (deps: Deps): Promise<string | null> =>
  deps.store.write(async (tx) => {
    if (await users.hasRole(tx, "admin")) return null;
    const account = { email: "admin@playtest.invalid", role: "admin", name: "Admin", passwordHash: noPassword } as const;
    const admin = await createUser(deps, tx, { ...account, verified: true });
    return (await createKey(deps, tx, { userId: admin.id, name: "First admin", scopes: roleScopes.admin })).secret;
  });

/** The account behind e-mail and password; 401, as slowly for an unknown address as for a wrong password, 403 when suspended. */
export async function login(deps: Deps, email: string, password: string): Promise<users.UserRow> {
  const user = await deps.store.read((q) => users.findByEmail(q, email));
  if (!(await deps.passwords.verify(password, user?.password_hash)) || !user)
    throw new Problem("UNAUTHORIZED", "The email address or password is incorrect.");
  if (user.suspended_at !== null) throw forbidden("This account is suspended. Contact the operator of this server.");
  return user;
}

/** A new password ends what was opened without it: every browser is signed out, and mailed links work no more. API keys stay. */
export async function setPassword(deps: Deps, tx: Query, userId: string, hash: string): Promise<void> {
  const now = deps.clock.now();
  await users.update(tx, userId, { password_hash: hash, updated_at: now });
  await sessions.endAll(tx, userId);
  await users.endLinks(tx, userId, now);
}

/** Sets a new password with a mailed token, which that uses up; false when the token does not work anymore. */
export async function resetPassword(deps: Deps, tx: Query, token: string, hash: string): Promise<boolean> {
  const used = await users.useToken(tx, sha256(token), "reset", deps.clock.now());
  if (used) await setPassword(deps, tx, used.user_id, hash);
  return used !== undefined;
}

/** Marks the address as the account's own; a playtester is validated from then on. */
export async function verifyUser(deps: Deps, tx: Query, userId: string): Promise<void> {
  const now = deps.clock.now();
  await users.update(tx, userId, { email_verified_at: now, validated_at: now, updated_at: now });
}

/** A new API key; its secret exists only in the reply. */
export async function createKey(
  deps: Deps,
  tx: Query,
  options: { userId: string; name: string; scopes: readonly Scope[]; expiresAt?: number | null },
): Promise<{ row: keys.KeyRow; secret: string }> {
  const secret = `pt_sk_${deps.randomBytes(16).toString("hex")}`;
  const row: keys.KeyRow = {
    id: deps.newId(),
    user_id: options.userId,
    name: options.name,
    prefix: secret.slice(0, 10),
    hash: sha256(secret),
    scopes: JSON.stringify(options.scopes),
    created_at: deps.clock.now(),
    last_used_at: null,
    expires_at: options.expiresAt ?? null,
    revoked_at: null,
  };
  await keys.insert(tx, row);
  return { row, secret };
}

/** Mails a link that verifies the address once within 24 hours. */
export async function mailVerification(deps: Deps, tx: Query, user: users.UserRow): Promise<void> {
  const token = await createToken(deps, tx, user.id, "verify", 24 * hour);
  if (token === undefined) return;
  await queueMail(
    deps,
    tx,
    user.email,
    composeVerification({ name: user.display_name, url: `${deps.config.baseUrl}/verify-email?token=${token}` }),
  );
}

/** Mails a token that sets a new password once within one hour. */
export async function mailReset(deps: Deps, tx: Query, user: users.UserRow): Promise<void> {
  const token = await createToken(deps, tx, user.id, "reset", hour);
  if (token === undefined) return;
  await queueMail(
    deps,
    tx,
    user.email,
    composeReset({ name: user.display_name, token, url: `${deps.config.baseUrl}/reset-password?token=${token}` }),
  );
}

/** Mails a link that signs in once within 15 minutes; `next` is where on the portal it leads. */
export async function mailSignIn(deps: Deps, tx: Query, user: users.UserRow, next: string): Promise<void> {
  const token = await createToken(deps, tx, user.id, "sign-in", hour / 4);
  if (token === undefined) return;
  const url = `${deps.config.baseUrl}/play/sign-in/confirm?${new URLSearchParams({ token, next })}`;
  await queueMail(deps, tx, user.email, composeSignIn({ name: user.display_name, url }));
}

/** So many of a kind within an hour: who asks for a mail may be somebody else than who gets it. */
const mailsPerHour = 5;

/** Undefined: that would be one mail too many. */
async function createToken(deps: Deps, tx: Query, userId: string, purpose: users.TokenPurpose, validMs: number) {
  const now = deps.clock.now();
  if ((await users.countTokens(tx, userId, purpose, now - hour)) >= mailsPerHour) return undefined;
  const token = deps.randomBytes(32).toString("base64url");
  await users.addToken(tx, { hash: sha256(token), user_id: userId, purpose, created_at: now, expires_at: now + validMs });
  return token;
}
