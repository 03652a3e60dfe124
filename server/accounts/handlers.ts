import { type Role, roleScopes, type Scope } from "../../src/contract/endpoint.ts";
import type { Deps } from "../app/deps.ts";
import type { HandlersFor, Principal } from "../http/call.ts";
import { invalid, notFound, Problem } from "../lib/problem.ts";
import { iso } from "../lib/time.ts";
import * as keys from "./keys-store.ts";
import { createKey, createUser, login, mailReset, mailVerification, resetPassword, setPassword } from "./service.ts";
import * as users from "./users-store.ts";
import { keyView, profileView, userView } from "./views.ts";

type Ops =
  | "registerApiKey"
  | "register"
  | "getMe"
  | "updateProfile"
  | "changePassword"
  | "createApiKey"
  | "listApiKeys"
  | "revokeApiKey"
  | "resendVerification"
  | "requestPasswordReset"
  | "confirmPasswordReset";

const sent = "If an account with this address needs it, an email is on its way.";

export function auth(deps: Deps): HandlersFor<Ops> {
  const { clock, passwords } = deps;
  const welcome = (verified: boolean) =>
    verified ? "The account was created." : "The account was created. Open the link in the email we sent to verify the address.";

  return {
    async registerApiKey(call) {
      const { keyName, scopes, ...account } = call.body;
      const hash = await passwords.hash(account.password);
      return call.commit(async (tx) => {
        const user = await createUser(deps, tx, { ...account, passwordHash: hash });
        const { secret } = await createKey(deps, tx, { userId: user.id, name: keyName, scopes: scopes ?? roleScopes[user.role] });
        return { apiKey: secret, user: userView(user), message: welcome(user.email_verified_at !== null) };
      });
    },

    async register(call) {
      const hash = await passwords.hash(call.body.password);
      return call.commit(async (tx) => {
        const user = await createUser(deps, tx, { ...call.body, passwordHash: hash });
        return { message: welcome(user.email_verified_at !== null), userId: user.id };
      });
    },

    async getMe(call) {
      const user = await call.read((q) => users.find(q, call.principal.userId));
      if (!user) throw notFound();
      return {
        ...userView(user),
        createdAt: iso(user.created_at),
        profile: profileView(user),
        scopes: [...call.principal.scopes],
      };
    },

    updateProfile: (call) =>
      call.commit(async (tx) => {
        const { displayName, companyName, websiteUrl, gamingExperience } = call.body;
        const changes: Partial<users.UserRow> = { updated_at: clock.now() };
        if (displayName !== undefined) changes.display_name = displayName;
        if (companyName !== undefined) changes.company_name = companyName;
        if (websiteUrl !== undefined) changes.website_url = websiteUrl;
        if (gamingExperience !== undefined) changes.gaming_experience = gamingExperience;
        await users.update(tx, call.principal.userId, changes);
        return { message: "The profile was updated." };
      }),

    async changePassword(call) {
      const user = await call.read((q) => users.find(q, call.principal.userId));
      if (!(await passwords.verify(call.body.currentPassword, user?.password_hash)))
        throw invalid("currentPassword", "is not the current password");
      const hash = await passwords.hash(call.body.newPassword);
      return call.commit(async (tx) => {
        await setPassword(deps, tx, call.principal.userId, hash);
        return { message: "The password was changed. API keys remain valid. Revoke those you no longer trust." };
      });
    },

    async createApiKey(call) {
      const { name, scopes, expiresAt, email, password } = call.body;
      const maker = await keyMaker(call.maybePrincipal, email, password);
      const expires = expiresAt === undefined ? maker.keyExpiresAt : Date.parse(expiresAt);
      if (expires !== null && expires <= clock.now()) throw invalid("expiresAt", "must be in the future");
      // Whoever finds a key that ends must not have what does not end.
      if (maker.keyExpiresAt !== null && expires! > maker.keyExpiresAt)
        throw invalid("expiresAt", `must be at most ${iso(maker.keyExpiresAt)}, when the API key in use expires`);
      const wanted = scopes ?? maker.scopes;
      const beyond = wanted.filter((scope) => !maker.scopes.includes(scope));
      if (beyond.length > 0)
        throw invalid("scopes", `includes scopes that this account or API key does not have: ${beyond.join(", ")}`);
      return call.commit(async (tx) => {
        const { row, secret } = await createKey(deps, tx, { userId: maker.userId, name, scopes: wanted, expiresAt: expires });
        return { key: keyView(row), apiKey: secret };
      });
    },

    async listApiKeys(call) {
      const page = call.page();
      const rows = await call.read((q) => keys.listForUser(q, call.principal.userId, page));
      return call.listed(page, rows, (items) => ({ keys: items.map(keyView) }));
    },

    revokeApiKey: (call) =>
      call.commit(async (tx) => {
        if ((await keys.revoke(tx, call.params.id, call.principal.userId, clock.now())) === 0) throw notFound();
        return { message: "The API key was revoked." };
      }),

    resendVerification: (call) =>
      call.commit(async (tx) => {
        const user = await users.findByEmail(tx, call.body.email);
        if (user && user.email_verified_at === null) await mailVerification(deps, tx, user);
        return { message: sent };
      }),

    requestPasswordReset: (call) =>
      call.commit(async (tx) => {
        const user = await users.findByEmail(tx, call.body.email);
        if (user) await mailReset(deps, tx, user);
        return { message: sent };
      }),

    async confirmPasswordReset(call) {
      const hash = await passwords.hash(call.body.newPassword);
      return call.commit(async (tx) => {
        if (!(await resetPassword(deps, tx, call.body.token, hash)))
          throw invalid("token", "is invalid, used or expired. Request a new email");
        return { message: "The password was changed." };
      });
    },
  };

  async function keyMaker(principal: Principal | undefined, email?: string, password?: string) {
    if (email !== undefined && password !== undefined) {
      const user = await login(deps, email, password);
      return { userId: user.id, scopes: roleScopes[user.role as Role] as readonly Scope[], keyExpiresAt: null };
    }
    if (!principal)
      throw new Problem("UNAUTHORIZED", "Credentials are required. Send an API key, or `email` and `password` in the body.");
    const { userId, keyExpiresAt } = principal;
    return { userId, scopes: [...principal.scopes] as readonly Scope[], keyExpiresAt };
  }
}
