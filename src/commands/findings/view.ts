import { arg, col, detail, flag, optionalCol, prose, viewOf } from "../../cli/define.ts";
import { trackerTitles } from "../../contract/findings/trackers.ts";
import { positionText } from "../../contract/text/position.ts";
import type { Finding } from "../shared/findings/source.ts";

/** What a column says about a finding that is only on this computer. */
export const onThisComputer = "on this computer";

const testers = ({ testers: { seen, of } }: Finding) => `${seen} of ${of}`;
const firstSeen = ({ firstSeenMs }: Finding) => (firstSeenMs === null ? "" : positionText(firstSeenMs));
const tags = (finding: Finding) => finding.tags.join(", ");
const builds = (finding: Finding) =>
  finding.builds.map(({ id, version, seen, of }) => `${version ?? id.slice(-8)}: ${seen} of ${of}`).join(", ");

const compared = [
  col("against", ({ against }: Finding) => (against ? `${against.seen} of ${against.of}` : "")),
  col("change", ({ against }: Finding) => against?.change),
  col("p", ({ against }: Finding) => against?.p ?? ""),
];

/** The columns of lists. With the ids of findings on this computer, a column tells them from the others. */
export const findingsView = (localIds: ReadonlySet<string> = new Set(), withAnother = false) =>
  viewOf<Finding>(
    [
      "number",
      optionalCol("rank", ({ rank }: Finding) => rank.toFixed(2)),
      optionalCol("testers", testers),
      ...(withAnother ? compared : []),
      optionalCol("severity"),
      optionalCol("kind"),
      "status",
      prose("title"),
      optionalCol("first seen", firstSeen),
      optionalCol("tags", tags),
      "id",
      detail("builds", builds),
      ...(localIds.size > 0 ? [col("stored", ({ id }: Finding) => (localIds.has(id) ? onThisComputer : ""))] : []),
    ],
    { empty: "No findings. Create one with `playtest findings create TITLE`." },
  );

const span = (fromMs: number, toMs: number | null) =>
  toMs === null ? positionText(fromMs) : `${positionText(fromMs)}-${positionText(toMs)}`;

const evidenceLine = ({ id, slotId, playtester, fromMs, toMs, quote, text }: Finding["evidence"][number]) =>
  [
    `${id} ${playtester === null ? "" : `${playtester.displayName}, `}slot ${slotId} at ${span(fromMs, toMs)}`,
    quote === null ? text : `“${quote}”`,
  ]
    .filter((part) => part)
    .join(": ");

const issueText = ({ tracker, target, key, url, state, error }: NonNullable<Finding["issue"]>) =>
  `${trackerTitles[tracker]} ${target}${key === null ? "" : ` ${key}`}, ${state}${url === null ? "" : `: ${url}`}${error === null ? "" : `. ${error}`}`;

export const findingView = viewOf<Finding>([
  "id",
  "number",
  "title",
  "text",
  "kind",
  "severity",
  "status",
  col("tags", tags),
  col("testers", testers),
  col("builds", builds),
  col("first seen", firstSeen),
  "rank",
  "merged into:mergedInto",
  col("issue", ({ issue }: Finding) => (issue ? issueText(issue) : "")),
  col("absence", ({ absence }: Finding) =>
    absence ? `none of ${absence.of} who played a newer build met it; by chance with a probability of ${absence.p}` : "",
  ),
  col("evidence", ({ evidence }: Finding) => evidence.map(evidenceLine).join("\n")),
]);

export const findingArg = arg.id("Finding: its number, such as 7, or its id");

export const ofGame = {
  game: flag.text("Game of a finding that is given by its number (default: the game set with `games use`, else the only game)", {
    value: "GAME",
  }),
};
