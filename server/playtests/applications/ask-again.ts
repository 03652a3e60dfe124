import type { Tx } from "../../app/tx.ts";
import { mailTask } from "../../events/event-mails.ts";
import { agreementToAccept } from "../agreements/service.ts";
import { agreementChangedLetter } from "../slots/mails.ts";
import * as store from "./store.ts";

/** Asks everybody whose application waits to accept an agreement that was just published, of a game or (null) of the server. */
export async function askAgain(tx: Tx, gameId: string | null): Promise<void> {
  for (const place of await store.pendingPlaces(tx, gameId, tx.now)) {
    if ((await agreementToAccept(tx, place.game_id, place.playtester_id)) === undefined) continue;
    const { playtest_id: playtestId, game_name: gameName } = place;
    await mailTask(tx, place.playtester_id, agreementChangedLetter({ config: tx.config, gameName, playtestId }));
  }
}
