import type { IncomingHttpHeaders } from "node:http";
import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";
import { forbidden } from "../lib/problem.ts";
import { sameText, sha256 } from "../lib/secrets.ts";
import { createUser, login, mailReset, mailSignIn, resetPassword, verifyUser } from "./service.ts";
import { bakeCookie, endSession, findSession, readCookie, type Session, startSession } from "./sessions.ts";
import * as sessions from "./sessions-store.ts";
import * as users from "./users-store.ts";

type Headers = IncomingHttpHeaders;

/** The value of a `Set-Cookie` header. */
type Cookie = string;

/** As typed: no longer than an address may be, and storable. */
const typed = (email: string) => email.trim().slice(0, 254).replaceAll("\0", "");

/**
 * Everything the web pages do with accounts: signing in and out in a browser, and the links that are mailed. Each method that signs
 * in returns the session's cookie and ends the session the browser had before.
 */
export class BrowserAccounts {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The session of a request's cookie, while it and its account are good. */
  findSession(headers: Headers): Promise<Session | undefined> {
    return findSession(this.#deps, headers);
  }

  endSession(session: Session): Promise<Cookie> {
    return this.#deps.store.write((tx) => endSession(this.#deps, tx, session));
  }

  /** 401 for a wrong address or password, 403 for an account that may not sign in here. */
  async signInByPassword(headers: Headers, email: string, password: string): Promise<Cookie> {
    const user = await login(this.#deps, typed(email), password);
    if (user.role !== "playtester") throw forbidden("This is not a playtester account. Game owners use the command line.");
    if (user.email_verified_at === null)
      throw forbidden("Your email address is not verified yet. Get a sign-in link instead: it also verifies the address.");
    return this.#deps.store.write((tx) => this.#signIn(tx, headers, user.id));
  }

  /** Uses a mailed link, which proves the address too; undefined when the link does not work anymore. */
  signInByLink(headers: Headers, token: string): Promise<Cookie | undefined> {
    return this.#deps.store.write(async (tx) => {
      const used = await users.useToken(tx, sha256(token), "sign-in", this.#deps.clock.now());
      const user = used && (await users.find(tx, used.user_id));
      if (!user || user.suspended_at !== null) return undefined;
      if (user.email_verified_at === null) await verifyUser(this.#deps, tx, user.id);
      return this.#signIn(tx, headers, user.id);
    });
  }

  /** Creates a playtester's account; undefined when the address has to be verified before signing in. */
  async register(
    headers: Headers,
    { password, ...account }: { email: string; password: string; name?: string | undefined },
  ): Promise<Cookie | undefined> {
    const passwordHash = await this.#deps.passwords.hash(password);
    return this.#deps.store.write(async (tx) => {
      const user = await createUser(this.#deps, tx, { ...account, role: "playtester", passwordHash });
      return user.email_verified_at === null ? undefined : this.#signIn(tx, headers, user.id);
    });
  }

  /** Mails a link that signs a playtester in and leads to `next`. Nobody learns whether the address has an account. */
  mailSignInLink(email: string, next: string): Promise<void> {
    return this.#deps.store.write(async (tx) => {
      const user = await users.findByEmail(tx, typed(email));
      if (user?.role === "playtester" && user.suspended_at === null) await mailSignIn(this.#deps, tx, user, next);
    });
  }

  /** Mails a link that sets a new password. Nobody learns whether the address has an account. */
  mailPasswordReset(email: string): Promise<void> {
    return this.#deps.store.write(async (tx) => {
      const user = await users.findByEmail(tx, typed(email));
      if (user && user.suspended_at === null) await mailReset(this.#deps, tx, user);
    });
  }

  isResetLink(token: string): Promise<boolean> {
    return this.#deps.store.read((q) => users.hasToken(q, sha256(token), "reset", this.#deps.clock.now()));
  }

  /** False when the link does not work anymore; only a password that is set uses it up. */
  async resetPassword(token: string, password: string): Promise<boolean> {
    const hash = await this.#deps.passwords.hash(password);
    return this.#deps.store.write((tx) => resetPassword(this.#deps, tx, token, hash));
  }

  /** Uses the link of a verification mail; false when it does not work anymore. */
  verifyEmail(token: string): Promise<boolean> {
    return this.#deps.store.write(async (tx) => {
      const used = await users.useToken(tx, sha256(token), "verify", this.#deps.clock.now());
      if (used) await verifyUser(this.#deps, tx, used.user_id);
      return used !== undefined;
    });
  }

  /**
   * The token that forms carry in a browser that is not signed in, and the cookie it is made from if the browser has none yet: no
   * other site can sign somebody in.
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

  async #signIn(tx: Query, headers: Headers, userId: string): Promise<Cookie> {
    const token = readCookie(this.#deps, headers, "session");
    const before = token === undefined ? undefined : await sessions.find(tx, sha256(token), this.#deps.clock.now());
    if (before) await sessions.end(tx, before.hash);
    return startSession(this.#deps, tx, userId);
  }
}
