import { codeSpan } from "../../../contract/text/one-line.ts";
import { positionText } from "../../../contract/text/position.ts";
import { plural } from "../../../io/text.ts";
import type { Report, ReportedFinding, Seen } from "./data.ts";

/** A report in Markdown. Text that people wrote is shown as code, so that it cannot format, link or mention. */

export const place = ({ fromMs, toMs }: Pick<Seen, "fromMs" | "toMs">) =>
  toMs === null ? positionText(fromMs) : `${positionText(fromMs)}-${positionText(toMs)}`;

/** `2 h 5 min`. */
export const hours = (seconds: number) => {
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

const listed = (counts: Partial<Record<string, number>>) =>
  Object.entries(counts)
    .sort(([, a = 0], [, b = 0]) => b - a)
    .map(([name, count]) => `${count} ${name.replaceAll("_", " ")}`)
    .join(", ");

/** The facts of a round, by what they are called. */
export function factRows({ facts, playtest }: Report): [name: string, value: string][] {
  const { slots, videos, testers, seconds, rating, devices } = facts;
  return [
    ["Slots", listed(slots)],
    ["Videos", `${plural(videos, "video")} of ${plural(testers, "playtester")}`],
    ["Length", `${hours(seconds)}${playtest.durationMinutes ? `; ${playtest.durationMinutes} min booked each` : ""}`],
    ...(rating === null ? [] : [["Rating", `${rating} of 5`] as [string, string]]),
    ...(Object.keys(devices).length === 0 ? [] : [["Devices", listed(devices)] as [string, string]]),
  ];
}

/** The share of the playtesters who met it, as a bar of ten signs. */
const bar = ({ seen, of }: ReportedFinding["testers"]) => {
  const full = of === 0 ? 0 : Math.round((10 * seen) / of);
  return "█".repeat(full) + "░".repeat(10 - full);
};

const seenLine = ({ tester, quote, text, url, ...at }: Seen) => {
  const where = url === null ? place(at) : `[${place(at)}](${url})`;
  const said = quote === null ? codeSpan(text) : `“${codeSpan(quote)}”`;
  return `- ${where}, ${codeSpan(tester)}${said === "" ? "" : `: ${said}`}`;
};

export const metBy = ({ testers: { seen, of, reached }, firstSeenMs }: ReportedFinding) =>
  `${seen} of ${of}` +
  (reached < of ? `, ${seen} of the ${reached} who got that far` : "") +
  (firstSeenMs === null ? "" : `; first at ${positionText(firstSeenMs)} (median)`);

function section(finding: ReportedFinding): string[] {
  const { number, title, text, kind, severity, status, seen } = finding;
  const about = [kind, severity === null ? "no severity" : `severity ${severity}`, status].join(", ");
  return [
    `### ${number}. ${codeSpan(title)}`,
    "",
    `${bar(finding.testers)} ${metBy(finding)}. ${about}.`,
    ...(text.trim() === "" ? [] : ["", codeSpan(text, 1000)]),
    "",
    ...seen.map(seenLine),
    "",
  ];
}

export function markdownOf(report: Report): string {
  const { playtest, findings, notCovered } = report;
  return [
    `# Playtest of ${codeSpan(playtest.gameName) || "a game"}`,
    "",
    ...factRows(report).map(([name, value]) => `- ${name}: ${value}`),
    "",
    "## Findings",
    "",
    ...(findings.length === 0 ? ["None.", ""] : findings.flatMap(section)),
    "## Not covered",
    "",
    ...(notCovered.length === 0 ? ["Nothing was left out."] : notCovered.map((sentence) => `- ${sentence}`)),
  ].join("\n");
}
