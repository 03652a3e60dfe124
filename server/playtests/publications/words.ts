import type { PublicVideo } from "./publisher.ts";

/** Templates for what a platform shows. `{game}`, `{player}` and `{link}` stand for names and the game's page. */
export interface Words {
  title: string;
  description: string;
}

/** Longest title (characters) and description (bytes of UTF-8) that a platform takes. */
export interface Limits {
  title: number;
  descriptionBytes: number;
}

/** What is in the description of every video, so that it can be found again when a reply was lost. */
export const markerOf = (publicationId: string) => `playtest:${publicationId}`;
const day = 86_400_000;

/** Whether a video was made (an ISO time) before a publication began (ms), whatever the clocks say. */
export const isTooOld = (made: string, since: number): boolean => Date.parse(made) < since - day;

/** Whether a description ends with the marker of this publication. Elsewhere in it, a game or a link may have the same words. */
export const hasMarker = (description: string, publicationId: string) =>
  description.trim().split(/\s+/).at(-1) === markerOf(publicationId);

/** The title and description of a video. */
export function wordsFor(
  { title, description }: Words,
  {
    publicationId,
    gameName,
    gameUrl,
    playtesterName,
  }: Pick<PublicVideo, "publicationId" | "gameName" | "gameUrl" | "playtesterName">,
  limits: Limits,
): Words {
  const values: Record<string, string> = {
    game: shownGame(gameName),
    player: plain(playtesterName ?? "") || "a playtester",
    link: plain(gameUrl ?? ""),
  };
  const filled = (template: string) => template.replace(/\{(game|player|link)\}/g, (_, name: string) => values[name] ?? "");
  const end = `\n\n${markerOf(publicationId)}`;
  const own = cut(filled(description).trim(), limits.descriptionBytes - end.length, Buffer.byteLength);
  return { title: cut(filled(title).replace(/\s+/g, " "), limits.title, () => 1), description: own.trim() + end };
}

/** Without what the platforms refuse. */
const plain = (text: string) =>
  text
    .replace(/[<>]/g, "")
    .replace(/\p{Cc}+/gu, " ")
    .trim();

/** The name of a game as a platform shows it, which takes no empty title. */
export const shownGame = (name: string): string => plain(name) || "Playtest";

/** As many characters as `max` has room for, of which each takes up as much as `sizeOf` says. */
function cut(text: string, max: number, sizeOf: (character: string) => number): string {
  const points = [...text];
  if (points.reduce((sum, point) => sum + sizeOf(point), 0) <= max) return text;
  let left = max - sizeOf("…");
  const kept = points.findIndex((point) => {
    left -= sizeOf(point);
    return left < 0;
  });
  return `${points.slice(0, kept).join("")}…`;
}
