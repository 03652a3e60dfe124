import { roleScopes } from "../../src/contract/endpoint.ts";
import { createKey, createUser, noPassword } from "../accounts/service.ts";
import type { UserRow } from "../accounts/users-store.ts";
import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";

const names = ["Ada", "Ben", "Chiara", "Dao", "Emil", "Femi", "Gita", "Hugo", "Ines", "Jun", "Kira", "Leo"];

/** Creates a simulated playtester: verified, and without a password, so nobody can sign in as them. */
export function createTester(deps: Deps, tx: Query): Promise<UserRow> {
  const tag = deps.randomBytes(6);
  return createUser(deps, tx, {
    email: `tester-${tag.toString("hex")}@playtest.invalid`,
    role: "playtester",
    name: `${names[tag.readUInt16BE() % names.length]} ${tag.toString("hex").slice(-3)}`,
    passwordHash: noPassword,
    simulated: true,
    verified: true,
  });
}

/** Creates a simulated playtester with an API key that has the scopes of the role. */
export async function createTesterWithKey(deps: Deps, tx: Query): Promise<{ tester: UserRow; apiKey: string }> {
  const tester = await createTester(deps, tx);
  const { secret } = await createKey(deps, tx, { userId: tester.id, name: "Sandbox", scopes: roleScopes.playtester });
  return { tester, apiKey: secret };
}
