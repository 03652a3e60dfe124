import type { Deps } from "../../app/deps.ts";
import { ApiError, conflict } from "../../lib/api-error.ts";
import { challengeMs, type RelyingParty, relyingParty } from "./rules.ts";
import * as store from "./store.ts";
import type { Challenge } from "./webauthn.ts";

/** 409 where browsers have no passkeys for the server's address. */
export function requireParty({ config }: Deps): RelyingParty {
  const party = relyingParty(config.baseUrl);
  if (!party)
    throw conflict("This server has no passkeys: browsers allow them only for a host name with HTTPS. Nothing was changed.");
  return party;
}

export const newChallenge = ({ randomBytes }: Deps): Challenge => ({
  challenge: randomBytes(32).toString("base64url"),
  timeout: challengeMs,
});

/** The challenge with this binding, which no second answer gets. 422 when there is none or it is too old. */
export async function takeChallenge(deps: Deps, boundTo: string): Promise<store.ChallengeRow> {
  const found = await deps.store.write((tx) => store.takeChallenge(tx, boundTo));
  if (found && found.expires_at > deps.clock.now()) return found;
  throw new ApiError(
    "VALIDATION_ERROR",
    `This took more than ${challengeMs / 60_000} minutes, or was answered already. Nothing was changed. Try again.`,
    { details: [{ field: "response", message: "answers no open challenge" }] },
  );
}
