import type { IncomingHttpHeaders } from "node:http";
import type { Role } from "../../../src/contract/endpoint.ts";
import { contract } from "../../../src/contract/index.ts";
import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import { Trail } from "../../audit/trail.ts";
import type { Query } from "../../database/port.ts";
import type { Client } from "../../http/call.ts";
import { forbidden } from "../../lib/api-error.ts";
import { sameText, sha256 } from "../../lib/secrets.ts";
import { deliveryOf, unverifiedNote } from "../../mail/delivery.ts";
import { type Confirmed, confirmEmailChange, findEmailChange } from "../email-change.ts";
import { useCode } from "../factors/codes.ts";
import * as factors from "../factors/store.ts";
import { refuseGuessable } from "../guessable.ts";
import * as invitations from "../invitations-store.ts";
import { BrowserPasskeys } from "../passkeys/browser.ts";
import { refuseRegistration } from "../registration.ts";
import { mailNewSignIn, mailPasswordChanged } from "../security-mails.ts";
import {
  type AboutReset,
  aboutReset,
  createToken,
  createUser,
  login,
  type NewAccount,
  type NewPassword,
  noPassword,
  type ResetDone,
  refuseTaken,
  requireUnchanged,
  resetPassword,
  takeOver,
  verifyUser,
} from "../service.ts";
import {
  bakeCookie,
  endSession,
  FiltersCookie,
  findSession,
  readCookie,
  type Session,
  sentBack,
  startSession,
} from "../sessions.ts";
import * as sessions from "../sessions-store.ts";
import * as users from "../users-store.ts";
import { BrowserLinks, typed } from "./links.ts";
import { OtherRole } from "./other-role.ts";

type Headers = IncomingHttpHeaders;

/** A request from a browser. */
export interface Visit {
  headers: Headers;
  client: Client;
}

/** When and from where an unverified account was registered, shown to the owner of its email address. */
export type Registration = Pick<users.UserRow, "role" | "email" | "created_at" | "created_from" | "created_with">;

/** What the page of an invitation shows. */
export type OpenInvitation = Pick<invitations.InvitationRow, "email" | "role" | "name">;

/** What became of an accepted invitation: a playtester is signed in, a game owner can set a password, or the address has an account. */
type Joined = { cookie: Cookie } | { email: string; resetToken: string } | { accountOf: Role };

/** The value of a `Set-Cookie` header. */
type Cookie = string;

/**
 * A sign-in whose password or link was right. `needsCode` when the account has a second factor: then no session was started, and the
 * cookie only shows which account it was.
 */
interface SignedIn {
  cookie: Cookie;
  needsCode: boolean;
}

const hourMs = 3_600_000;

/** A name as it was typed; undefined for none, or for one that no account can have. */
function validName(name: string): string | undefined {
  const checked = contract.updateProfile.body!.safeParse({ displayName: name.trim() });
  return checked.success ? checked.data.displayName : undefined;
}

/** How long the code of the second factor can be entered after the password or the link. */
const secondStepMs = 10 * 60_000;

/**
 * What the web pages do with accounts: signing in and out in a browser, and the links sent by email. Each method that signs in
 * returns the session's cookie and ends the previous session of the browser.
 */
export class BrowserAccounts {
  readonly #deps: Deps;

  readonly passkeys: BrowserPasskeys;

  readonly filters: FiltersCookie;

  readonly links: BrowserLinks;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.filters = new FiltersCookie(deps);
    this.links = new BrowserLinks(deps);
    this.passkeys = new BrowserPasskeys(deps, {
      findSecondStep: (headers) => this.#findSecondStep(headers),
      finishSecondStep: (visit, userId) => this.#finishSecondStep(visit, userId),
      startSession: (tx, visit, userId) => this.#startSession(tx, visit, userId),
    });
  }

  /** The session of the request's cookie; undefined if it has ended or its account is suspended. */
  findSession(headers: Headers): Promise<Session | undefined> {
    return findSession(this.#deps, headers);
  }

  endSession(session: Session): Promise<Cookie> {
    return this.#deps.store.write((tx) => endSession(tx, session));
  }

  /** Signs in with a password. 401 for a wrong address or password, 403 for an unverified account, `OtherRole` for one of another role. */
  async signInByPassword(visit: Visit, role: Role, { email, password }: { email: string; password: string }): Promise<SignedIn> {
    const user = await login(this.#deps, { email: typed(email), password }, visit.client);
    if (user.role !== role) throw new OtherRole(user.role);
    if (user.email_verified_at === null)
      throw forbidden(`Your email address is not verified yet. ${unverifiedNote[deliveryOf(this.#deps)]}`);
    return this.#deps.store.write(async (tx) => {
      await requireUnchanged(tx, user);
      return this.#signInOrAsk(tx, visit, user.id);
    });
  }

  /**
   * Signs in with a mailed link, which also verifies the address. Undefined when the link is not valid. `isNew` when the address was
   * not verified before: the password and the API keys of the account were then removed.
   */
  signInByLink(visit: Visit, token: string): Promise<(SignedIn & { isNew: boolean }) | undefined> {
    return this.#deps.store.write(async (tx) => {
      const used = await users.useToken(tx, sha256(token), "sign-in", this.#deps.clock.now());
      const user = used && (await users.find(tx, used.user_id));
      if (!user || user.suspended_at !== null) return undefined;
      const isNew = user.email_verified_at === null;
      if (isNew) {
        const take = async () => {
          await takeOver(tx, user.id);
          return true;
        };
        await this.#audited(tx, visit, { action: "user.take_over", id: user.id }, take);
      }
      return { ...(await this.#signInOrAsk(tx, visit, user.id)), isNew };
    });
  }

  /** Whether a code is asked for in this browser: the password or link was right, less than ten minutes ago. */
  async needsCode(headers: Headers): Promise<boolean> {
    return (await this.#findSecondStep(headers)) !== undefined;
  }

  /**
   * Signs in with a code of the second factor, after the password or the link. Returns the cookies to set. Undefined when there was no
   * such sign-in in this browser or it is too long ago, 422 when the code is wrong.
   */
  async signInByCode(visit: Visit, code: string): Promise<Cookie[] | undefined> {
    const user = await this.#findSecondStep(visit.headers);
    if (!user) return undefined;
    await useCode(this.#deps, user.id, code, { client: visit.client, requestId: null });
    return this.#finishSecondStep(visit, user.id);
  }

  /** Uses up the first step and starts the session. */
  async #finishSecondStep(visit: Visit, userId: string): Promise<Cookie[] | undefined> {
    const token = readCookie(this.#deps, visit.headers, "second_step") ?? "";
    return this.#deps.store.write(async (tx) => {
      const used = await users.useToken(tx, sha256(token), "second-step", this.#deps.clock.now());
      if (!used) return undefined;
      return [await this.#startSession(tx, visit, userId), bakeCookie(this.#deps, "second_step", "", 0)];
    });
  }

  async #findSecondStep(headers: Headers): Promise<users.UserRow | undefined> {
    const token = readCookie(this.#deps, headers, "second_step");
    const user = token === undefined ? undefined : await this.#findByToken(token, "second-step");
    return user?.suspended_at === null ? user : undefined;
  }

  async #signInOrAsk(tx: Tx, visit: Visit, userId: string): Promise<SignedIn> {
    if (await factors.isEnabled(tx, userId)) return { cookie: await this.#askForCode(tx, userId), needsCode: true };
    return { cookie: await this.#startSession(tx, visit, userId), needsCode: false };
  }

  async #startSession(tx: Tx, visit: Visit, userId: string): Promise<Cookie> {
    await this.#mailIfNew(tx, visit, userId);
    return this.#signIn(tx, visit, userId);
  }

  async #askForCode(tx: Query, userId: string): Promise<Cookie> {
    const { clock, randomBytes } = this.#deps;
    const token = randomBytes(32).toString("base64url");
    const [created_at, expires_at] = [clock.now(), clock.now() + secondStepMs];
    await users.addToken(tx, { hash: sha256(token), user_id: userId, purpose: "second-step", created_at, expires_at });
    return bakeCookie(this.#deps, "second_step", token, secondStepMs);
  }

  /** Creates an account. Undefined when the address must be verified before signing in. */
  async register(
    visit: Visit,
    { password, ...account }: Pick<NewAccount, "email" | "name" | "role" | "next"> & { password: string },
  ): Promise<Cookie | undefined> {
    refuseRegistration(this.#deps, account.email);
    await refuseGuessable("password", password, account.email);
    await this.#deps.store.read((q) => refuseTaken(q, account.email));
    const passwordHash = await this.#deps.passwords.hash(password, visit.client.signal);
    return this.#deps.store.write(async (tx) => {
      const user = await createUser(tx, { ...account, passwordHash, client: visit.client });
      const trail = this.#trail(tx, visit, "user.register");
      trail.created(user.id);
      await trail.write();
      return user.email_verified_at === null ? undefined : this.#signIn(tx, visit, user.id);
    });
  }

  /** The invitation that a link belongs to. Undefined when the link is not valid. */
  async findInvitation(token: string): Promise<OpenInvitation | undefined> {
    if (this.#deps.config.registration === "closed") return undefined;
    return this.#deps.store.read((q) => invitations.findByToken(q, sha256(token), this.#deps.clock.now()));
  }

  /** Creates the account of an invitation, which uses up its link. Undefined when the link is not valid. */
  async acceptInvitation(visit: Visit, token: string, name: string): Promise<Joined | undefined> {
    if (this.#deps.config.registration === "closed") return undefined;
    return this.#deps.store.write(async (tx) => {
      const now = this.#deps.clock.now();
      const invitation = await invitations.join(tx, sha256(token), now);
      if (!invitation) return undefined;
      const user = await this.#accountOf(tx, visit, { ...invitation, name: validName(name) ?? invitation.name });
      if (user === undefined) return { accountOf: (await users.findByEmail(tx, invitation.email))!.role };
      if (user.role === "playtester") return { cookie: await this.#signIn(tx, visit, user.id) };
      const resetToken = await createToken(tx, user.id, "reset", hourMs);
      return resetToken === undefined ? { accountOf: user.role } : { email: user.email, resetToken };
    });
  }

  /**
   * The new account of an invited person, verified because the link was mailed to its address. An unverified account with that address
   * may have been registered by somebody else and is replaced. Undefined when there is an account that stays as it is.
   */
  async #accountOf(
    tx: Tx,
    visit: Visit,
    { email, role, name }: Pick<invitations.InvitationRow, "email" | "role" | "name">,
  ): Promise<users.UserRow | undefined> {
    const before = await users.findByEmail(tx, email);
    if (before && (before.email_verified_at !== null || !(await users.removeUnverified(tx, before.id)))) return undefined;
    const account = { email, role, passwordHash: noPassword, verified: true, ...(name !== null && { name }) };
    const user = await createUser(tx, { ...account, client: visit.client });
    const trail = this.#trail(tx, visit, "user.accept_invitation");
    trail.created(user.id, { by: user.id });
    await trail.write();
    return user;
  }

  /** What a page says about the account of a password reset link: whether it is still unverified, and what signs in to it. */
  async findReset(token: string): Promise<AboutReset | undefined> {
    const user = await this.#findByToken(token, "reset");
    return user && this.#deps.store.read((q) => aboutReset(q, user));
  }

  /** Sets a new password, which uses up the reset link. Undefined when the link is not valid, 422 for a common password. */
  async resetPassword(visit: Visit, token: string, given: NewPassword): Promise<ResetDone | undefined> {
    const { password, ...wanted } = given;
    const user = await this.#findByToken(token, "reset");
    if (!user) return undefined;
    await refuseGuessable("password", password, user.email);
    const hash = await this.#deps.passwords.hash(password, visit.client.signal);
    return this.#deps.store.write((tx) => {
      const reset = async () => {
        const done = await resetPassword(tx, token, { ...wanted, hash, client: visit.client });
        if (done) await mailPasswordChanged(tx, user.id, visit.client);
        return done;
      };
      return this.#audited(tx, visit, { action: "user.reset_password", id: user.id }, reset);
    });
  }

  /** The registration that a verification link belongs to. Undefined when the link is not valid. */
  async findUnverified(token: string): Promise<Registration | undefined> {
    const user = await this.#findByToken(token, "verify");
    return user?.email_verified_at === null ? user : undefined;
  }

  /** Verifies the address of an account with a verification link. False when the link is not valid. */
  verifyEmail(visit: Visit, token: string): Promise<boolean> {
    return this.#deps.store.write(async (tx) => {
      const used = await users.useToken(tx, sha256(token), "verify", this.#deps.clock.now());
      if (!used) return false;
      const verify = async () => {
        await verifyUser(tx, used.user_id);
        return true;
      };
      return this.#audited(tx, visit, { action: "user.verify_email", id: used.user_id }, verify);
    });
  }

  /** Deletes an account with its verification link. False when the link is not valid. */
  deleteUnverified(visit: Visit, token: string): Promise<boolean> {
    return this.#deps.store.write(async (tx) => {
      const used = await users.useToken(tx, sha256(token), "verify", this.#deps.clock.now());
      if (!used) return false;
      const remove = () => users.removeUnverified(tx, used.user_id);
      return this.#audited(tx, visit, { action: "user.delete_unverified", id: used.user_id }, remove);
    });
  }

  /** Whether the browser has the cookie of a session, which may have ended. */
  hadSession(headers: Headers): boolean {
    return readCookie(this.#deps, headers, "session") !== undefined;
  }

  /** The CSRF token of a session that was just started, by its cookie. */
  async csrfOf(cookie: Cookie): Promise<string | undefined> {
    return (await findSession(this.#deps, sentBack(cookie)))?.csrf;
  }

  /** The change of an email address that a link belongs to. Undefined when the link is not valid. */
  findEmailChange(token: string): Promise<{ email: string } | undefined> {
    return this.#deps.store.read((q) => findEmailChange(q, token));
  }

  /** Confirms a change of an email address with one of its two links. Undefined when the link is not valid. */
  confirmEmailChange(visit: Visit, token: string): Promise<Confirmed | undefined> {
    return this.#deps.store.write(async (tx) => {
      const change = await findEmailChange(tx, token);
      if (!change) return undefined;
      const confirm = () => confirmEmailChange(tx, token);
      return this.#audited(tx, visit, { action: "user.confirm_email_change", id: change.user_id }, confirm);
    });
  }

  #findByToken(token: string, purpose: users.TokenPurpose): Promise<users.UserRow | undefined> {
    return this.#deps.store.read((q) => users.findByToken(q, sha256(token), purpose, this.#deps.clock.now()));
  }

  /**
   * The CSRF token for forms in a browser that is not signed in, and the cookie it is derived from if the browser has none yet. It
   * prevents other sites from signing a browser in.
   */
  formToken(headers: Headers): { token: string; cookie?: Cookie } {
    const known = readCookie(this.#deps, headers, "visitor");
    if (known !== undefined) return { token: this.#formToken(known) };
    const visitor = this.#deps.randomBytes(32).toString("base64url");
    return { token: this.#formToken(visitor), cookie: bakeCookie(this.#deps, "visitor", visitor) };
  }

  isFormToken(headers: Headers, token: string): boolean {
    const visitor = readCookie(this.#deps, headers, "visitor");
    return visitor !== undefined && sameText(token, this.#formToken(visitor));
  }

  #formToken(visitor: string): string {
    return this.#deps.secrets.mac("sign-in form", visitor);
  }

  #trail(tx: Tx, { client }: Visit, action: string): Trail {
    const actor = { actor_id: null, key_id: null, session_id: null, address: client.address, request_id: null };
    return new Trail(tx, actor, action);
  }

  /** Makes a change of an account by its owner and writes the audit entry. A `change` that returns false or undefined writes none. */
  async #audited<T>(tx: Tx, visit: Visit, { action, id }: { action: string; id: string }, change: () => Promise<T>): Promise<T> {
    const trail = this.#trail(tx, visit, action);
    await trail.changing(id, { by: id });
    const result = await change();
    if (result) await trail.write();
    return result;
  }

  /** Mails the owner about a sign-in, unless a session of the account has the same address and `User-Agent`. */
  async #mailIfNew(tx: Tx, { client }: Visit, userId: string): Promise<void> {
    const { address, agent } = client;
    const known = await sessions.listForUser(tx, userId, this.#deps.clock.now());
    if (known.some((session) => session.address === address && session.agent === agent)) return;
    await mailNewSignIn(tx, userId, client);
  }

  async #signIn(tx: Tx, { headers, client }: Visit, userId: string): Promise<Cookie> {
    const token = readCookie(this.#deps, headers, "session");
    const before = token === undefined ? undefined : await sessions.find(tx, sha256(token), this.#deps.clock.now());
    if (before) await sessions.end(tx, before.hash);
    return startSession(tx, userId, client);
  }
}
