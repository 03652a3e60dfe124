import { studio } from "../../../../src/contract/pages/addresses.ts";
import { mostReelParts } from "../../../../src/contract/sharing/kinds.ts";
import { type Place, partsFor } from "../../../../src/contract/sharing/reel-parts.ts";
import { firstCharacters } from "../../../../src/contract/text/one-line.ts";
import { badRequest } from "../../../lib/api-error.ts";
import { html, type Markup } from "../../html.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { tokens } from "../../shared/parts.ts";
import { commandButton } from "../parts.ts";
import type { StudioContext } from "../types.ts";
import { cutsClips, cutsNothing } from "./clips.ts";

/** How long a reel of Studio is, at most (ms). The command makes longer ones. */
const reelMs = 3 * 60_000;

/** The form that cuts a reel, where the server cuts clips: `address` is where it posts to, `command` does the same. */
export async function reelSection(context: StudioContext, address: string, command: string): Promise<Markup> {
  const server = await ifOffered(context.call("getServerInfo"));
  return cutsClips(server?.data) ? reelForm(context, address, command) : cutsNothing;
}

const reelForm = (context: StudioContext, address: string, command: string): Markup =>
  html`<details class="reel"><summary>Cut a reel</summary><form method="post" action="${address}">${tokens(context)}
<p class="soft">One video of at most ${reelMs / 60_000} minutes, with a card before each part. It is listed with the clips of its first video, where you share or delete it.</p>
<label class="check"><input type="checkbox" name="captions" value="yes"> Show what is said</label>
<label class="check"><input type="checkbox" name="withName" value="yes"> Name the playtesters</label>
<button class="quiet">Cut it</button></form>${commandButton(context, command)}</details>`;

interface Wanted {
  gameId: string;
  name: string;
  /** The best first. */
  places: readonly Place[];
}

/** Cuts a reel of as many places as fit. Returns the page that lists it. 400 when none does. */
export async function cutReel({ call, form }: StudioContext, { gameId, name, places }: Wanted): Promise<string> {
  const parts = partsFor(places, reelMs, mostReelParts);
  if (parts.length === 0) throw badRequest("There is nothing to show yet. Nothing was made.");
  const body = { name: firstCharacters(name, 100), parts, captions: form.captions === "yes", withName: form.withName === "yes" };
  const { clip } = (await call("createReel", { params: { id: gameId }, idempotencyKey: form.formKey, body })).data;
  return `${studio.slot(clip.slotId)}?done=clipped#clips`;
}
