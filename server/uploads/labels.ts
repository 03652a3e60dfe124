import type { ReadTx } from "../app/tx.ts";
import { requireMayReplaceBuild } from "../games/playtested.ts";
import * as games from "../games/store.ts";
import type { Caller } from "../http/call.ts";
import { notFound } from "../lib/api-error.ts";
import { type Creation, readText } from "./headers.ts";

/** Throws unless the caller may give this game another build: 404 for a game of somebody else, 403 as `requireMayReplaceBuild` says. */
export async function requireOwnBuild(q: ReadTx, caller: Caller, gameId: string): Promise<void> {
  if (!(await games.findForOwner(q, gameId, caller.userId))) throw notFound();
  await requireMayReplaceBuild(q, caller, gameId);
}

/** The metadata of a build, with what its uploader says of it. Throws 422 for what is too long. */
export function readLabels(metadata: Creation["metadata"]): Creation["metadata"] {
  for (const [field, max] of [
    ["contentSha256", 64],
    ["version", 100],
    ["channel", 100],
    ["notes", 5000],
  ] as const)
    readText(metadata, field, max, true);
  return metadata;
}
