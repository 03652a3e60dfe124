import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import { mailTask } from "../../events/event-mails.ts";
import { missingConsent } from "../consents/service.ts";
import { agreementChangedLetter } from "../slots/mails.ts";
import * as store from "./store.ts";

/** Asks everybody whose application waits to accept an agreement that was just published, of a game or (null) of the server. */
export async function askAgain(deps: Deps, tx: Query, gameId: string | null): Promise<void> {
  for (const place of await store.pendingPlaces(tx, gameId, deps.clock.now())) {
    if ((await missingConsent(tx, place.game_id, place.playtester_id)) === undefined) continue;
    const { playtest_id: playtestId, game_name: gameName } = place;
    await mailTask(deps, tx, place.playtester_id, agreementChangedLetter({ config: deps.config, gameName, playtestId }));
  }
}
