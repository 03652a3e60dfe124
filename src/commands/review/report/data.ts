import type { Data } from "../../../api/client.ts";
import type { Context } from "../../../cli/define.ts";
import { studio } from "../../../contract/pages/addresses.ts";
import { positionInLink } from "../../../contract/text/position.ts";
import { findingsOfPlaytest } from "../../shared/findings/of-playtest.ts";
import type { Finding } from "../../shared/findings/source.ts";
import { slotsOf } from "../../shared/slots.ts";

/** What a report says of a playtest, as plain data: what `--as json` prints, and what the other formats lay out. */

type Playtest = Data<"getPlaytest">["playtest"];
type Slot = Data<"listSlots">["slots"][number];

export interface Seen {
  slotId: string;
  /** `tester 4`, or the playtester's name where that was asked for. */
  tester: string;
  fromMs: number;
  toMs: number | null;
  quote: string | null;
  text: string | null;
  /** The video at that position, on servers with such a page. */
  url: string | null;
}

export interface ReportedFinding
  extends Pick<
    Finding,
    "number" | "title" | "text" | "kind" | "severity" | "tags" | "status" | "testers" | "firstSeenMs" | "rank"
  > {
  seen: Seen[];
}

export interface Report {
  playtest: Pick<Playtest, "id" | "gameId" | "gameName" | "status" | "durationMinutes" | "createdAt">;
  facts: {
    /** Slots with each status, without those that none has. */
    slots: Partial<Record<string, number>>;
    videos: number;
    testers: number;
    /** Length of all videos together in seconds, as far as it is known. */
    seconds: number;
    /** Mean of the scores; null without a rating. */
    rating: number | null;
    devices: Partial<Record<string, number>>;
  };
  findings: ReportedFinding[];
  /** What was not looked at, or could not be, in sentences. */
  notCovered: string[];
}

const counts = (values: readonly (string | null | undefined)[]): Partial<Record<string, number>> => {
  const found: Record<string, number> = {};
  for (const value of values) if (value != null) found[value] = (found[value] ?? 0) + 1;
  return found;
};

const watchable = (slots: readonly Slot[]) => slots.filter(({ submission, status }) => submission && status !== "rejected");

function factsOf(slots: readonly Slot[]): Report["facts"] {
  const videos = watchable(slots);
  const scores = videos.flatMap(({ rating }) => rating?.score ?? []);
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return {
    slots: counts(slots.map(({ status }) => status)),
    videos: videos.length,
    testers: new Set(videos.map(({ id, playtester }) => playtester?.id ?? id)).size,
    seconds: videos.reduce((sum, { submission }) => sum + (submission?.videoDurationSeconds ?? 0), 0),
    rating: scores.length === 0 ? null : Math.round(mean * 10) / 10,
    devices: counts(videos.map(({ submission }) => submission?.device)),
  };
}

/** The number of each playtester, in the order of their submissions: a report that leaves the team names nobody. */
function testersOf(slots: readonly Slot[], withName: boolean): Map<string, string> {
  const inOrder = watchable(slots).toSorted((a, b) => a.submission!.createdAt.localeCompare(b.submission!.createdAt));
  const numbers = new Map<string, number>();
  return new Map(
    inOrder.map(({ id, playtester }) => {
      const key = playtester?.id ?? id;
      const number = numbers.get(key) ?? numbers.size + 1;
      numbers.set(key, number);
      return [id, (withName && playtester?.displayName) || `tester ${number}`];
    }),
  );
}

function notCovered(slots: readonly Slot[], findings: readonly ReportedFinding[], { durationMinutes }: Playtest): string[] {
  const videos = watchable(slots);
  const withEvidence = new Set(findings.flatMap(({ seen }) => seen.map(({ slotId }) => slotId)));
  const isShort = ({ submission }: Slot) => {
    const seconds = submission?.videoDurationSeconds;
    return seconds != null && durationMinutes != null && seconds < durationMinutes * 60;
  };
  const rows: [number, (n: string) => string][] = [
    [slots.filter(({ submission }) => !submission).length, (n) => `${n} without a video.`],
    [slots.filter(({ status }) => status === "rejected").length, (n) => `${n} with a rejected video, which does not count.`],
    [videos.filter(({ status }) => status === "submitted").length, (n) => `${n} with a video that waits for review.`],
    [videos.filter(({ id }) => !withEvidence.has(id)).length, (n) => `${n} with a video in which no finding is seen.`],
    [videos.filter(isShort).length, (n) => `${n} with a video that is shorter than the ${durationMinutes} minutes booked.`],
    [
      videos.filter(({ transcription }) => transcription?.status !== "approved").length,
      (n) => `${n} with a video without a transcript.`,
    ],
  ];
  return rows.flatMap(([count, sentence]) => (count === 0 ? [] : [sentence(count === 1 ? "1 slot" : `${count} slots`)]));
}

/** Gathers a report. `withName`: with the names of the playtesters. */
export async function reportOf(ctx: Context, id: string, withName: boolean): Promise<Report> {
  const { playtest } = await ctx.api().getPlaytest({ params: { id } });
  const [slots, { findings, onServer }] = [await slotsOf(ctx, id), await findingsOfPlaytest(ctx, playtest)];
  const testers = testersOf(slots, withName);
  const baseUrl = ctx.settings().get("baseUrl")!.value.replace(/\/+$/, "");
  const seenOf = ({ evidence }: Finding): Seen[] =>
    evidence
      .filter(({ slotId }) => testers.has(slotId))
      .map(({ slotId, fromMs, toMs, quote, text }) => {
        const url = onServer ? `${baseUrl}${studio.slot(slotId)}#t=${positionInLink(fromMs)}` : null;
        return { slotId, tester: testers.get(slotId)!, fromMs, toMs, quote, text, url };
      });
  const reported = findings.map((finding): ReportedFinding => {
    const { number, title, text, kind, severity, tags, status, testers: met, firstSeenMs, rank } = finding;
    return { number, title, text, kind, severity, tags, status, testers: met, firstSeenMs, rank, seen: seenOf(finding) };
  });
  const shown = reported.filter(({ seen }) => seen.length > 0);
  const { gameId, gameName, status, durationMinutes, createdAt } = playtest;
  return {
    playtest: { id, gameId, gameName, status, durationMinutes, createdAt },
    facts: factsOf(slots),
    findings: shown,
    notCovered: notCovered(slots, shown, playtest),
  };
}
