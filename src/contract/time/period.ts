/** The name of the month `2026-10`, such as October 2026, or of a year. */
export function periodName(period: string): string {
  if (!period.includes("-")) return period;
  return new Date(`${period}-01T00:00:00Z`).toLocaleDateString("en-US", { month: "long", year: "numeric", timeZone: "UTC" });
}
