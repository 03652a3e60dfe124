import type { PublicVideo } from "./publisher.ts";

/** Templates for what a platform shows. `{game}`, `{player}` and `{link}` stand for names and the game's page. */
export interface Words {
  title: string;
  description: string;
}

/** Longest title and description that the platforms take. */
const maxTitle = 100;
const maxDescription = 4_000;

/** What is in the description of every video, so that it can be found again when a reply was lost. */
export const markerOf = (slotId: string) => `playtest:${slotId}`;
/** Whether a description ends with the marker of this slot. Elsewhere in it, a game or a link may have the same words. */
export const hasMarker = (description: string, slotId: string) => description.trim().split(/\s+/).at(-1) === markerOf(slotId);

/** The title and description of a video. */
export function wordsFor(
  { title, description }: Words,
  { slotId, gameName, gameUrl, playtesterName }: Pick<PublicVideo, "slotId" | "gameName" | "gameUrl" | "playtesterName">,
): Words {
  const values: Record<string, string> = { game: gameName, player: playtesterName ?? "a playtester", link: gameUrl ?? "" };
  const filled = (template: string) =>
    template.replace(/\{(game|player|link)\}/g, (_, name: string) => plain(values[name] ?? ""));
  const own = cut(filled(description), maxDescription).trim();
  return { title: cut(filled(title).replace(/\s+/g, " "), maxTitle), description: `${own}\n\n${markerOf(slotId)}` };
}

/** Without what the platforms refuse. */
const plain = (text: string) => text.replace(/[<>]/g, "").replace(/\p{Cc}+/gu, " ");

function cut(text: string, max: number): string {
  const points = [...text];
  return points.length <= max ? text : `${points.slice(0, max - 1).join("")}…`;
}
