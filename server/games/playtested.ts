import { isBudgeted } from "../accounts/budgets/store.ts";
import type { ReadTx } from "../app/tx.ts";
import type { Caller } from "../http/call.ts";
import { forbidden } from "../lib/api-error.ts";
import * as games from "./store.ts";

/** 403 for an API key with a budget while the game is playtested: whoever has a slot would get another build than its owner chose. */
export async function requireMayReplaceBuild(q: ReadTx, caller: Caller, gameId: string): Promise<void> {
  if (!(await games.isPlaytested(q, gameId)) || !(await isBudgeted(q, caller))) return;
  throw forbidden(
    "An API key with a budget cannot replace the build of a game that is being playtested. Nothing was changed. Use a key without a budget, or wait until its playtests have ended.",
  );
}
