import type { Data } from "../../api/client.ts";
import { type BarRow, barChart, type ChartOptions, sparkline } from "../../io/charts/text-charts.ts";
import { foldLines, plural } from "../../io/text.ts";

type Statistics = Data<"getStatistics">;

/** Minutes as their largest units: `45 min`, `2.5 h`, `3.1 d`. */
export function span(minutes: number | null): string {
  if (minutes === null) return "-";
  if (minutes < 90) return `${Math.round(minutes)} min`;
  return minutes < 48 * 60 ? `${(minutes / 60).toFixed(1)} h` : `${(minutes / 1440).toFixed(1)} d`;
}

const percent = (share: number) => `${Math.round(share * 100)}%`;
const date = (iso: string) => iso.slice(0, 10);

/** Slots by status, those without any left out. */
export function slotLines(slots: Readonly<Record<string, number>>, options: ChartOptions): string[] {
  const rows = Object.entries(slots)
    .filter(([status, count]) => status !== "total" && count > 0)
    .map(([status, value]): BarRow => ({ label: status, value, text: String(value) }));
  return ["Slots by status", ...barChart(rows, options)];
}

function rateLines({ acceptanceRate, retryRate }: Statistics): string[] {
  if (acceptanceRate === null || retryRate === null) return ["No submission has been reviewed yet."];
  return [`Of the reviewed submissions, ${percent(acceptanceRate)} were accepted and ${percent(retryRate)} got a retry.`];
}

function ratingLines({ ratings: { count, average, scores, builds, periods } }: Statistics, options: ChartOptions): string[] {
  if (average === null) return ["", "No ratings yet."];
  const byScore = scores.map((value, i): BarRow => ({ label: String(i + 1), value, text: String(value) })).toReversed();
  const severalGames = new Set(builds.map(({ gameId }) => gameId)).size > 1;
  const byBuild = builds.map(
    (build): BarRow => ({
      label: `${severalGames ? `${build.gameName} ` : ""}${build.version ?? date(build.uploadedAt)}`,
      value: build.average ?? 0,
      text: `${(build.average ?? 0).toFixed(2)} of ${build.count}`,
    }),
  );
  const line = sparkline(
    periods.map((period) => period.average),
    5,
    { ...options, width: options.width - 2 },
  );
  const shown = periods.slice(-(options.width - 2));
  return [
    "",
    `Ratings: ${average.toFixed(2)} on average of ${count}`,
    ...barChart(byScore, options),
    ...(byBuild.length > 0 ? ["", "Average rating by build", ...barChart(byBuild, options)] : []),
    "",
    `Average rating over time, ${date(shown[0]!.from)} to ${date(shown.at(-1)!.from)}`,
    `  ${line}`.trimEnd(),
  ];
}

const steps = [
  ["claim", "until claimed"],
  ["submit", "until submitted"],
  ["review", "until reviewed"],
] as const;

function timeLines({ times }: Statistics, options: ChartOptions): string[] {
  const rows = steps.map(([step, label]) => ({ label, ...times[step] })).filter(({ count }) => count > 0);
  if (rows.length === 0) return ["", "No slot has been claimed yet."];
  const drawn = rows.map(
    ({ label, medianMinutes, p90Minutes }): BarRow => ({
      label,
      value: medianMinutes ?? 0,
      text: `${span(medianMinutes)}, ${span(p90Minutes)}`,
    }),
  );
  return ["", "Times: median, and 9 of 10 slots took no longer than", ...barChart(drawn, options)];
}

/** What submissions were played on; nothing where nobody said so. */
function deviceLines({ devices = [] }: Partial<Statistics>, options: ChartOptions): string[] {
  if (devices.every(({ device }) => device === null)) return [];
  const rows = devices.map(({ device, count }): BarRow => ({ label: device ?? "not said", value: count, text: String(count) }));
  return ["", "Submissions by device", ...barChart(rows, options)];
}

/** The statistics of playtests as text with charts. */
export function statisticsText(stats: Statistics, options: ChartOptions): string {
  const since = date(stats.since);
  if (stats.slots.total === 0) return `No slots were ordered since ${since}.`;
  const lines = [
    `${plural(stats.slots.total, "slot")} ordered since ${since}${stats.isPartial ? ", the newest of many" : ""}`,
    "",
    ...slotLines(stats.slots, options),
    ...rateLines(stats),
    ...ratingLines(stats, options),
    ...timeLines(stats, options),
    ...deviceLines(stats, options),
  ];
  return foldLines(lines.join("\n"), options.width);
}
