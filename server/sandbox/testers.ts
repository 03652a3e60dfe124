import { roleScopes } from "../../src/contract/endpoint.ts";
import { createKey, createUser, noPassword } from "../accounts/service.ts";
import type { UserRow } from "../accounts/users-store.ts";
import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";

const names = ["Ada", "Ben", "Chiara", "Dao", "Emil", "Femi", "Gita", "Hugo", "Ines", "Jun", "Kira", "Leo"];

/** A simulated playtester: verified, without a password anybody could log in with. */
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

/** A simulated playtester with an API key of its role's scopes. */
export async function createTesterWithKey(deps: Deps, tx: Query): Promise<{ tester: UserRow; apiKey: string }> {
  const tester = await createTester(deps, tx);
  const { secret } = await createKey(deps, tx, { userId: tester.id, name: "Sandbox", scopes: roleScopes.playtester });
  return { tester, apiKey: secret };
}
