import type { Data } from "../../../api/client.ts";
import type { Context } from "../../../cli/define.ts";
import { type MomentKind, momentKinds } from "../../../contract/moments/kinds.ts";
import { positionText } from "../../../contract/text/position.ts";
import type { Player } from "../../../io/player.ts";
import type { KeyChoice } from "../../../io/prompt.ts";
import type { EvidenceBody, Reply } from "../../shared/findings/book.ts";
import { createFinding, findingNamed, findingsWith } from "../../shared/findings/source.ts";
import { saveNote } from "../../shared/notes/local.ts";
import { position } from "../../shared/video/position.ts";

/** Notes a moment during a review. */

/** The kinds begin with different letters. */
const kinds: readonly KeyChoice<MomentKind | "back">[] = [
  ...momentKinds.map((kind) => ({ key: kind.charAt(0), value: kind, name: kind })),
  { key: "escape", value: "back", name: "Back" },
];

/** Where the player is, or what the person says; undefined to cancel. In ms. */
async function askPosition(ctx: Context, player: Player | undefined, instead: string): Promise<number | undefined> {
  const atMs = await player?.position();
  if (atMs !== undefined) return atMs;
  const text = (await ctx.prompt.optional("Position in the video, such as 12:41 (leave empty to cancel):", instead)).trim();
  return text === "" ? undefined : position(text);
}

/** Asks for position, text and kind, and saves the note. */
export async function askNote(ctx: Context, slot: Data<"getSlot">["slot"], player: Player | undefined): Promise<void> {
  const instead = "Use `playtest review note`.";
  const atMs = await askPosition(ctx, player, instead);
  if (atMs === undefined) return;
  const at = positionText(atMs);
  const text = (await ctx.prompt.optional(`Note at ${at} (leave empty to cancel):`, instead)).trim();
  if (text === "") return;
  const kind = await ctx.prompt.menu("Kind:", kinds, instead);
  if (kind === "back") return;
  const { local } = await saveNote(ctx, slot.id, { atMs, text, kind }, slot);
  if (!local) ctx.out.note(`Noted at ${at}.`);
}

/** Adds a place to the finding with that number; any other text is the title of a new one. */
async function seenAt(ctx: Context, gameId: string, answer: string, place: EvidenceBody): Reply {
  if (!/^#?\d{1,6}$/.test(answer)) return createFinding(ctx, gameId, { title: answer, evidence: [place] });
  const id = await findingNamed(ctx, answer, gameId);
  return findingsWith(ctx, id).add(id, place);
}

/** Asks for position and finding, by its number or as the title of a new one, and adds the place to it. */
export async function askFinding(ctx: Context, slot: Data<"getSlot">["slot"], player: Player | undefined): Promise<void> {
  const instead = "Use `playtest findings add`.";
  const fromMs = await askPosition(ctx, player, instead);
  if (fromMs === undefined) return;
  const at = positionText(fromMs);
  const question = `Finding seen at ${at}: its number, or the title of a new one (leave empty to cancel):`;
  const answer = (await ctx.prompt.optional(question, instead)).trim();
  if (answer === "") return;
  const { finding } = await seenAt(ctx, slot.game.id, answer, { slotId: slot.id, fromMs });
  const { seen, of } = finding.testers;
  ctx.out.note(`#${finding.number} is seen at ${at}: by ${seen} of ${of}.`);
}
