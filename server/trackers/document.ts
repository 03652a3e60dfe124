import type { Data } from "../../src/contract/index.ts";
import { studio } from "../../src/contract/pages/addresses.ts";
import { positionInLink, positionText } from "../../src/contract/text/position.ts";

/** What an issue says of a finding, without the markup of any tracker. Pure. */

/** A piece of a line. `words` are the program's own; `said` is what people wrote, which must never act as markup. */
export type Run = { words: string } | { said: string } | { words: string; href: string } | { image: string; words: string };

/** Lines, each a paragraph or an item of a list. */
export type Document = readonly { item: boolean; runs: readonly Run[] }[];

type Finding = Data<"getFinding">["finding"];

/** What is known of a video of the evidence. */
export interface SeenIn {
  build: string | null;
  device: string | null;
  /** Its public page; null where there is none. */
  shareUrl: string | null;
}

/** What of a finding is public, until when (ms). */
export interface Public {
  expiresAt: number;
  /** The address of a still image of the video, and its position (ms); null without one. */
  picture: { url: string; atMs: number } | null;
}

/** The most places that an issue lists. */
const mostPlaces = 20;

const paragraph = (...runs: Run[]) => ({ item: false, runs });
const item = (...runs: Run[]) => ({ item: true, runs });

const span = (fromMs: number, toMs: number | null) =>
  toMs === null ? positionText(fromMs) : `${positionText(fromMs)}-${positionText(toMs)}`;

function facts({ kind, severity, status, testers, builds, firstSeenMs }: Finding): Run[] {
  const { seen, of, reached } = testers;
  const parts: Run[] = [{ words: `${kind}, ${severity === null ? "no severity" : `severity ${severity} of 4`}, ${status}. ` }];
  parts.push({ words: `Met by ${seen} of ${of} playtesters` });
  if (reached < of) parts.push({ words: `, ${seen} of the ${reached} who got that far` });
  if (firstSeenMs !== null) parts.push({ words: `; first at ${positionText(firstSeenMs)} (median)` });
  parts.push({ words: "." });
  for (const { version, id, seen, of } of builds)
    parts.push({ words: " Build " }, { said: version ?? id.slice(-8) }, { words: `: ${seen} of ${of}.` });
  return parts;
}

function place(baseUrl: string, { slotId, fromMs, toMs, quote, text }: Finding["evidence"][number], video: SeenIn | undefined) {
  const page = video?.shareUrl ?? `${baseUrl}${studio.slot(slotId)}`;
  const runs: Run[] = [{ words: span(fromMs, toMs), href: `${page}#t=${positionInLink(fromMs)}` }];
  if (video?.build) runs.push({ words: ", build " }, { said: video.build });
  if (video?.device) runs.push({ words: `, ${video.device.replaceAll("_", " ")}` });
  const words = quote ?? text;
  if (words) runs.push({ words: quote === null ? ": " : ", said: " }, { said: words });
  return item(...runs);
}

/** What the issue of a finding says. `videos` by slot. */
export function documentOf(
  finding: Finding,
  videos: ReadonlyMap<string, SeenIn>,
  baseUrl: string,
  shared: Public | null = null,
): Document {
  const { text, evidence, absence, id } = finding;
  const places = evidence.slice(0, mostPlaces).map((one) => place(baseUrl, one, videos.get(one.slotId)));
  const left = evidence.length - places.length;
  return [
    ...(text.trim() === "" ? [] : [paragraph({ said: text })]),
    paragraph(...facts(finding)),
    ...(places.length > 0 ? [paragraph({ words: "Seen at:" }), ...places] : []),
    ...(shared?.picture
      ? [paragraph({ image: shared.picture.url, words: `The video at ${positionText(shared.picture.atMs)}` })]
      : []),
    ...(left > 0 ? [paragraph({ words: `And at ${left} more.` })] : []),
    ...(absence === null
      ? []
      : [
          paragraph({
            words: `None of the ${absence.of} who played a newer build met it. By chance that has a probability of ${absence.p}.`,
          }),
        ]),
    ...(shared
      ? [
          paragraph({
            words: `The public page of the video${shared.picture ? " and the picture end" : " ends"} on ${new Date(shared.expiresAt).toISOString().slice(0, 10)}.`,
          }),
        ]
      : []),
    paragraph({ words: "All evidence", href: `${baseUrl}${studio.finding(id)}` }),
  ];
}

/** What is said on an issue whose finding was met again. */
export function againDocument({ testers, builds }: Finding): Document {
  const newest = builds[0];
  const where: Run[] = newest ? [{ words: " in build " }, { said: newest.version ?? newest.id.slice(-8) }] : [];
  const { seen, of } = newest ?? testers;
  return [paragraph({ words: "Seen again" }, ...where, { words: `, by ${seen} of ${of} playtesters. The issue was reopened.` })];
}
