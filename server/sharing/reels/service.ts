import type { BodyOut } from "../../../src/contract/endpoint.ts";
import type { Contract } from "../../../src/contract/index.ts";
import { longestClipMs, longestReelMs, reelCardMs } from "../../../src/contract/sharing/kinds.ts";
import { positionText } from "../../../src/contract/text/position.ts";
import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import { invalid } from "../../lib/api-error.ts";
import { recordingsIn } from "../../playtests/findings/rules.ts";
import * as findings from "../../playtests/findings/store.ts";
import { requireWithin } from "../../playtests/moments/within.ts";
import * as slots from "../../playtests/slots/store.ts";
import { queueClip, requireFewClips } from "../clips/service.ts";
import type * as clips from "../clips/store.ts";
import { requireTurn } from "../requirements.ts";

type Wanted = BodyOut<Contract["createReel"]>;
type Part = Wanted["parts"][number] & { slot: slots.SlotDetailRow };

/** The slot of a part, which must be the owner's, of this game and with a video, and the part as far as the video goes. Names the field that is wrong. */
async function checked(tx: Tx, ownerId: string, gameId: string, index: number, part: Wanted["parts"][number]): Promise<Part> {
  const field = (name: string) => `parts.${index}.${name}`;
  const slot = await slots.findForOwner(tx, part.slotId, ownerId);
  if (slot?.game_id !== gameId || slot.submission_id === null)
    throw invalid(field("slotId"), "must be a slot of this game with a video");
  const { video_duration_ms: length } = slot;
  requireWithin({ at_ms: part.atMs, end_ms: null }, length, { at: field("atMs") });
  const endMs = Math.min(part.endMs, length ?? Infinity);
  if (endMs <= part.atMs) throw invalid(field("endMs"), "must be after atMs, within the video");
  if (endMs - part.atMs > longestClipMs)
    throw invalid(field("endMs"), `must be at most ${longestClipMs / 60_000} minutes after atMs`);
  return { ...part, endMs, slot };
}

/** What a card says of whose video a part is of, such as `tester 4 of 20 · build 0.9.1 · 12:41`. */
async function factsFor(tx: Tx, gameId: string, withName: boolean) {
  const [builds, rows] = [await findings.buildsOf(tx, gameId), await findings.recordingsOf(tx, gameId)];
  const recordings = recordingsIn({ builds, recordings: rows });
  const testers = [...new Set(recordings.map(({ tester }) => tester))];
  return ({ slot, atMs }: Part): string => {
    const recording = recordings.find(({ slotId }) => slotId === slot.id);
    const build = builds.find(({ id }) => id === recording?.buildId);
    const number = recording ? testers.indexOf(recording.tester) + 1 : 0;
    const tester = number > 0 ? `tester ${number} of ${testers.length}` : "a tester";
    return [
      withName && slot.display_name ? slot.display_name : tester,
      ...(build ? [`build ${build.version ?? build.id.slice(-8)}`] : []),
      positionText(atMs),
    ].join(" · ");
  };
}

/**
 * Creates a reel and queues its cutting, inside the caller's transaction: a clip of several parts, which is listed, shared and deleted like
 * every clip. 422 for a part that is not of a video of this game, or too long; 409 without room.
 */
export async function createReel(
  deps: Deps,
  tx: Tx,
  ownerId: string,
  gameId: string,
  { name, parts: wanted, captions, withName }: Wanted,
): Promise<clips.ShownClipRow> {
  const parts: Part[] = [];
  for (const [index, part] of wanted.entries()) parts.push(await checked(tx, ownerId, gameId, index, part));
  const shown = parts.reduce((sum, { atMs, endMs }) => sum + endMs - atMs, 0);
  if (shown > longestReelMs) throw invalid("parts", `must be at most ${longestReelMs / 60_000} minutes together`);
  const first = parts[0]!;
  await requireFewClips(tx, first.slot.id);
  await requireTurn(tx, ownerId);
  const facts = await factsFor(tx, gameId, withName);
  const reel = {
    captions: captions ? 1 : 0,
    with_name: withName ? 1 : 0,
    parts: parts.map((part) => ({
      slot_id: part.slot.id,
      at_ms: part.atMs,
      end_ms: part.endMs,
      title: part.title,
      facts: facts(part),
    })),
  };
  return queueClip(deps, tx, first.slot, {
    name: name ?? `Reel of ${parts.length} ${parts.length === 1 ? "part" : "parts"}`,
    at_ms: 0,
    end_ms: shown + parts.length * reelCardMs,
    poster: { at_ms: first.atMs, end_ms: first.endMs },
    reel,
  });
}
