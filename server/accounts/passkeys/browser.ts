import type { IncomingHttpHeaders } from "node:http";
import type { Role } from "../../../src/contract/endpoint.ts";
import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import type { Client } from "../../http/call.ts";
import { forbidden } from "../../lib/api-error.ts";
import { sha256 } from "../../lib/secrets.ts";
import { OtherRole } from "../browser/other-role.ts";
import { readCookie } from "../sessions.ts";
import * as users from "../users-store.ts";
import { relyingParty } from "./rules.ts";
import { finishSignIn, type SignIn, startSignIn } from "./sign-in.ts";
import * as store from "./store.ts";
import type { RequestOptions } from "./webauthn.ts";

type Headers = IncomingHttpHeaders;
type Cookie = string;

interface Visit {
  headers: Headers;
  client: Client;
}

/** The steps of signing in that do not depend on how somebody signs in. */
interface Steps {
  /** The account whose password or link was right in this browser. */
  findSecondStep(headers: Headers): Promise<users.UserRow | undefined>;
  finishSecondStep(visit: Visit, userId: string): Promise<Cookie[] | undefined>;
  startSession(tx: Tx, visit: Visit, userId: string): Promise<Cookie>;
}

/** Signing in with a passkey in a browser: alone, or after the password or a link. */
export class BrowserPasskeys {
  readonly #deps: Deps;
  readonly #steps: Steps;

  constructor(deps: Deps, steps: Steps) {
    this.#deps = deps;
    this.#steps = steps;
  }

  /** Whether browsers can have passkeys for this server. */
  get available(): boolean {
    return relyingParty(this.#deps.config.baseUrl) !== undefined;
  }

  /** Whether a code that is asked for in this browser can be replaced by a passkey. */
  async replaceCode(headers: Headers): Promise<boolean> {
    const user = this.available ? await this.#steps.findSecondStep(headers) : undefined;
    return user !== undefined && (await this.#deps.store.read((q) => store.count(q, user.id))) > 0;
  }

  /** What the browser needs to sign in with a passkey alone. Undefined when it keeps no cookies. */
  async start({ headers }: Visit): Promise<RequestOptions | undefined> {
    const signIn = this.#alone(headers);
    return signIn && startSignIn(this.#deps, signIn);
  }

  /** Signs in with a passkey alone, which replaces the code too. 401 for a passkey that is not accepted, `OtherRole` for that of an account of another role. */
  async signIn(visit: Visit, role: Role, answer: string): Promise<Cookie> {
    const signIn = this.#alone(visit.headers);
    if (!signIn)
      throw forbidden("Your browser sent no cookie. You are not signed in. Allow cookies for this site and try again.");
    const userId = await finishSignIn(this.#deps, signIn, answer, visit.client);
    return this.#deps.store.write(async (tx) => {
      const user = await users.find(tx, userId);
      if (user && user.role !== role) throw new OtherRole(user.role);
      if (!user || user.email_verified_at === null || user.suspended_at !== null)
        throw forbidden("This account cannot sign in here. Contact the operator of this server.");
      return this.#steps.startSession(tx, visit, userId);
    });
  }

  #alone(headers: Headers): SignIn | undefined {
    const visitor = readCookie(this.#deps, headers, "visitor");
    return visitor === undefined ? undefined : { boundTo: `sign-in ${sha256(visitor)}`, userId: null };
  }

  /** What the browser needs to use a passkey after the password or the link. Undefined when that is too long ago. */
  async startStep({ headers }: Visit): Promise<RequestOptions | undefined> {
    const step = await this.#step(headers);
    return step && startSignIn(this.#deps, step);
  }

  /** Signs in with a passkey after the password or the link. Undefined when that is too long ago. */
  async signInByStep(visit: Visit, answer: string): Promise<Cookie[] | undefined> {
    const step = await this.#step(visit.headers);
    if (!step) return undefined;
    return this.#steps.finishSecondStep(visit, await finishSignIn(this.#deps, step, answer, visit.client));
  }

  async #step(headers: Headers): Promise<SignIn | undefined> {
    const token = readCookie(this.#deps, headers, "second_step");
    const user = await this.#steps.findSecondStep(headers);
    return token === undefined || !user ? undefined : { boundTo: `second step ${sha256(token)}`, userId: user.id };
  }
}
