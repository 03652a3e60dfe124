/** How many backups to keep: the newest of so many days, weeks, months or years that have one, or simply the newest. */
interface Term {
  count: number;
  unit: keyof typeof periods;
}

const dayMs = 86_400_000;

/** The period (UTC) that a time in ms is in. Two backups of one period have the same. Weeks begin on Monday. */
const periods = {
  "": (ms: number) => ms,
  d: (ms: number) => Math.floor(ms / dayMs),
  // 1970-01-01 was a Thursday.
  w: (ms: number) => Math.floor((ms / dayMs + 3) / 7),
  m: (ms: number) => new Date(ms).toISOString().slice(0, 7),
  y: (ms: number) => new Date(ms).getUTCFullYear(),
};

export type KeepRule = readonly Term[];

/** Examples for messages and descriptions. */
export const keepForm =
  "7d,4w,12m for the newest backup of each of the last 7 days, 4 weeks and 12 months, or 14 for the newest 14";

/** The rule that a text such as `7d,4w,12m` or `14` stands for; undefined for another text. */
export function parseKeep(text: string): KeepRule | undefined {
  const terms = text.split(",").map((term) => /^([1-9]\d{0,3})([dwmy]?)$/.exec(term.trim()));
  return terms.every((term) => term !== null)
    ? terms.map((term) => ({ count: Number(term![1]), unit: term![2] as Term["unit"] }))
    : undefined;
}

/** Which of these times (ms) the rule keeps. Always the newest. Days without a backup do not count. */
export function kept(rule: KeepRule, times: readonly number[]): Set<number> {
  const newestFirst = [...times].sort((a, b) => b - a);
  const all = new Set<number>();
  for (const { count, unit } of rule) {
    const seen = new Set<unknown>();
    for (const time of newestFirst) {
      const period = periods[unit](time);
      if (seen.has(period)) continue;
      if (seen.size === count) break;
      seen.add(period);
      all.add(time);
    }
  }
  return all;
}
