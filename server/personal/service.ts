import type * as users from "../accounts/users-store.ts";
import type { Deps } from "../app/deps.ts";
import { end } from "../billing/subscriptions/service.ts";
import * as subscriptions from "../billing/subscriptions/store.ts";
import type { Query } from "../database/port.ts";
import { conflict } from "../lib/problem.ts";
import { erase, hasOtherFullAdmin } from "./erase-store.ts";
import { obstaclesOf } from "./obstacles-store.ts";

/**
 * Deletes an account: its personal data goes, and the row stays for the ledger and for others. 409 while money or work is pending, and
 * for the last admin. `byOperator`: money that is left and a running plan are no obstacle.
 */
export async function deleteAccount(
  deps: Deps,
  tx: Query,
  user: users.UserRow,
  { byOperator }: { byOperator: boolean },
): Promise<void> {
  if (user.deleted_at !== null) throw conflict("This account is deleted already. Nothing was changed.");
  if (user.role === "admin" && !(await hasOtherFullAdmin(tx, user.id)))
    throw conflict("This is the last administrator with every scope. Nothing was deleted. Add another one first.");
  if (byOperator) await endPlan(deps, tx, user.id);
  const obstacles = (await obstaclesOf(tx, user.id)).filter(({ isMoney }) => !(byOperator && isMoney));
  if (obstacles.length > 0)
    throw conflict(`The account cannot be deleted yet. Nothing was deleted. ${obstacles.map(({ text }) => text).join(" ")}`);
  const { id, email, display_name: displayName, company_name: companyName } = user;
  await erase(tx, { id, email, displayName, companyName }, deps.clock.now());
}

async function endPlan(deps: Deps, tx: Query, ownerId: string): Promise<void> {
  const running = await subscriptions.findRunning(tx, ownerId);
  if (running) await end(deps, tx, running, "cancelled");
}
