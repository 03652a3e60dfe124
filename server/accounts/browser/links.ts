import type { Role } from "../../../src/contract/endpoint.ts";
import type { Deps } from "../../app/deps.ts";
import { sha256 } from "../../lib/secrets.ts";
import { mailReset, mailSignIn, mailVerification } from "../service.ts";
import * as users from "../users-store.ts";

/** Why a mailed link does nothing any more; `unknown` for one that was mailed never, or so long ago that it was removed. */
export interface DeadLink {
  why: "used" | "expired" | "unknown";
  /** The kind of account that it was mailed to. */
  role: Role | undefined;
  /** Whether the address of that account is verified. */
  isVerified: boolean;
}

/** An email address as it was typed, without what cannot be stored: spaces around it, NUL characters, and more than 254 characters. */
export const typed = (email: string): string => email.trim().slice(0, 254).replaceAll("\0", "");

/** What pages do with the links of emails, beside using them. */
export class BrowserLinks {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** What became of a link of one of these purposes. Undefined for one that works. */
  async dead(token: string, ...purposes: users.TokenPurpose[]): Promise<DeadLink | undefined> {
    const { store, clock } = this.#deps;
    const found = await store.read((q) => users.findAnyToken(q, sha256(token), purposes));
    if (!found) return { why: "unknown", role: undefined, isVerified: false };
    if (found.used_at === null && found.expires_at > clock.now()) return undefined;
    const { role, email_verified_at: verifiedAt } = found;
    return { why: found.used_at === null ? "expired" : "used", role, isVerified: verifiedAt !== null };
  }

  /**
   * Mails another verification link, which leads to `next`, if an account with this address waits for one. The result does not show
   * whether there is one.
   */
  mailVerification(email: string, next?: string): Promise<void> {
    return this.#deps.store.write(async (tx) => {
      const user = await users.findByEmail(tx, typed(email));
      if (user?.email_verified_at === null && user.suspended_at === null) await mailVerification(tx, user, next);
    });
  }

  /**
   * Mails a link that signs an account of this role in, on the page at the path `page`, and leads to `next`. The result does not show
   * whether the address has an account.
   */
  mailSignInLink({ role, page }: { role: Role; page: string }, email: string, next: string): Promise<void> {
    return this.#deps.store.write(async (tx) => {
      const user = await users.findByEmail(tx, typed(email));
      if (user?.role === role && user.suspended_at === null) await mailSignIn(tx, user, { page, next });
    });
  }

  /**
   * Mails a link that sets a new password, and with it the way to `next`. The result does not show whether the address has an account.
   */
  mailPasswordReset(email: string, next?: string): Promise<void> {
    return this.#deps.store.write(async (tx) => {
      const user = await users.findByEmail(tx, typed(email));
      if (user && user.suspended_at === null) await mailReset(tx, user, next);
    });
  }
}
