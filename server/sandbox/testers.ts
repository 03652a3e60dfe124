import { roleScopes } from "../../src/contract/endpoint.ts";
import { createKey, createUser, noPassword } from "../accounts/service.ts";
import type { UserRow } from "../accounts/users-store.ts";
import type { Tx } from "../app/tx.ts";

const names = ["Ada", "Ben", "Chiara", "Dao", "Emil", "Femi", "Gita", "Hugo", "Ines", "Jun", "Kira", "Leo"];

/** Creates a simulated playtester: verified, and without a password, so nobody can sign in as them. */
export function createTester(tx: Tx): Promise<UserRow> {
  const tag = tx.randomBytes(6);
  return createUser(tx, {
    email: `tester-${tag.toString("hex")}@playtest.invalid`,
    role: "playtester",
    name: `${names[tag.readUInt16BE() % names.length]} ${tag.toString("hex").slice(-3)}`,
    passwordHash: noPassword,
    simulated: true,
    verified: true,
  });
}

/** Creates a simulated playtester with an API key that has the scopes of the role. */
export async function createTesterWithKey(tx: Tx): Promise<{ tester: UserRow; apiKey: string }> {
  const tester = await createTester(tx);
  const { secret } = await createKey(tx, { userId: tester.id, name: "Sandbox", scopes: roleScopes.playtester });
  return { tester, apiKey: secret };
}
