import * as z from "zod";
import { studio } from "../../../src/contract/pages/addresses.ts";
import { namedSources } from "../../../src/contract/search/sources.ts";
import { type Cue, readCues } from "../../../src/contract/text/cues.ts";
import { positionText, secondsInMs } from "../../../src/contract/text/position.ts";
import { type Answer, chosen, continued, fits, fitting } from "../answer.ts";
import { tool } from "../tool.ts";
import { numbered, plainLine, pseudonym } from "../untrusted.ts";
import { count, cursor, fields, id, limit, list, more, text } from "./fields.ts";

const seconds = (ms: number) => Math.floor(ms / 1000);

export const getSubmission = tool({
  name: "get_submission",
  toolset: "read",
  description: "What a playtester submitted: takeaways and notes. A person can watch the video at the link.",
  input: { slot: id() },
  output: {
    slot: z.string(),
    playtest: z.string(),
    status: z.string(),
    tester: text(),
    rating: count(),
    videoSeconds: count(),
    hasTranscript: z.boolean(),
    build: text(),
    url: z.string(),
    truncated: z.boolean(),
  },
  quotes: true,
  async run({ slot: slotId }, { host }) {
    const { slot } = (await host.call("getSlot", { params: { id: slotId } })).data;
    const url = host.baseUrl + studio.slot(slot.id);
    const tester = slot.playtester ? pseudonym(slot.playtester.id) : undefined;
    const takeaways = (slot.transcription?.keyTakeaways ?? []).map((takeaway) => `Takeaway: ${plainLine(takeaway)}`);
    const notes = slot.submission?.notes ? [`Notes: ${plainLine(slot.submission.notes, 2500)}`] : [];
    const problem = slot.blockedReport?.notes ? [`Reported problem: ${plainLine(slot.blockedReport.notes, 1000)}`] : [];
    const length = slot.submission?.videoDurationSeconds ?? undefined;
    const written = [...takeaways, ...notes, ...problem];
    return {
      lines: [
        `${slot.id} ${slot.status}${tester ? ` by ${tester}` : ""}${length === undefined ? "" : `, ${positionText(length * 1000)} of video`}: ${url}`,
      ],
      data: {
        slot: slot.id,
        playtest: slot.playtest.id,
        status: slot.status,
        ...(tester && { tester }),
        ...(slot.rating?.score && { rating: slot.rating.score }),
        ...(length !== undefined && { videoSeconds: length }),
        hasTranscript: slot.transcription?.status === "approved",
        ...(slot.build && { build: slot.build.id }),
        url,
        truncated: false,
      },
      ...(written.length > 0 && { untrustedText: written.join("\n") }),
    };
  },
});

const spoken = (cues: readonly Cue[]) => cues.map((cue) => `[${positionText(cue.startMs)}] ${plainLine(cue.text)}`).join("\n");

/** No answer holds more cues, however short they are. */
const mostCues = 500;

/** As many cues as fit, and where they continue. */
function transcriptAnswer(slot: string, cues: readonly Cue[]): Answer {
  const answerOf = (part: readonly Cue[]): Answer => {
    const [next] = cues.slice(part.length);
    const first = part[0];
    return {
      lines: [
        first === undefined
          ? `No cues there in the transcript of ${slot}.`
          : `${part.length} cues of ${slot} from ${positionText(first.startMs)}${next ? `; continue from ${positionText(next.startMs)}` : ""}.`,
      ],
      data: { slot, cues: part.length, truncated: next !== undefined, ...(next && { continueFrom: next.startMs / 1000 }) },
      untrustedText: spoken(part),
    };
  };
  let [short, long] = [0, Math.min(cues.length, mostCues)];
  while (short < long) {
    const middle = Math.ceil((short + long) / 2);
    if (fits(answerOf(cues.slice(0, middle)))) short = middle;
    else long = middle - 1;
  }
  return answerOf(cues.slice(0, Math.max(short, Math.min(1, cues.length))));
}

export const readTranscript = tool({
  name: "read_transcript",
  toolset: "read",
  description: "What is said in the video of a slot, by seconds. Continue at `continueFrom`.",
  input: { slot: id(), from: z.number().min(0).default(0), to: z.number().min(0).optional() },
  output: { slot: z.string(), cues: z.int(), truncated: z.boolean(), continueFrom: z.number().optional() },
  quotes: true,
  async run({ slot: slotId, from, to = Number.POSITIVE_INFINITY }, { host }) {
    const { slot } = (await host.call("getSlot", { params: { id: slotId } })).data;
    const captions = await host.readCaptions(slot.id);
    if (captions === undefined)
      return { lines: [`${slot.id} has no transcript yet.`], data: { slot: slot.id, cues: 0, truncated: false } };
    const [fromMs, toMs] = [secondsInMs(from), secondsInMs(to)];
    const cues = readCues(captions, "hidden").filter(({ startMs }) => startMs >= fromMs && startMs <= toMs);
    return transcriptAnswer(slot.id, cues);
  },
});

export const searchFeedback = tool({
  name: "search_feedback",
  toolset: "read",
  description: "Search what was said and written, newest first. Line N of the text is result N.",
  input: { query: z.string().min(1).max(200), game: id().optional(), playtest: id().optional(), limit, cursor, fields },
  output: {
    results: list({
      id: z.string(),
      source: text(),
      slot: text(),
      finding: text(),
      second: count(),
      tester: text(),
      url: text(),
    }),
    ...more,
  },
  quotes: true,
  run: ({ query, game, playtest, limit, cursor, fields }, { host }) =>
    fitting(limit, async (size) => {
      const { data, meta } = await host.call("search", { query: { q: query, game, playtest, limit: size, cursor } });
      // Other tools list games and playtests, and agents know playtesters by a pseudonym.
      const shown = data.results.filter(({ source }) => !namedSources.some((name) => name === source));
      const results = shown.map((found, at) => {
        const second = found.atMs === null ? undefined : seconds(found.atMs);
        const page = found.slotId === null ? found.findingId && studio.finding(found.findingId) : studio.slot(found.slotId);
        return {
          id: String(at + 1),
          source: found.source,
          ...(found.slotId && { slot: found.slotId }),
          ...(found.findingId && { finding: found.findingId }),
          ...(second !== undefined && { second }),
          ...(found.playtester && { tester: pseudonym(found.playtester.id) }),
          ...(page && { url: host.baseUrl + page }),
        };
      });
      const quotes = shown.map(({ lines }) =>
        plainLine(
          lines
            .filter((line) => line.matches.length > 0)
            .map((line) => line.text)
            .join(" … "),
          300,
        ),
      );
      return {
        lines: results.map(
          ({ id, source, slot, finding, second }) =>
            `${id}. ${source} ${slot ?? finding ?? ""}${second === undefined ? "" : ` at ${positionText(second * 1000)}`}`,
        ),
        data: { results: chosen(results, fields), ...continued(meta.hasMore ? meta.cursor : null) },
        ...(quotes.length > 0 && { untrustedText: numbered(quotes) }),
      };
    }),
});
