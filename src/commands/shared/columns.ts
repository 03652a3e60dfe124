/** A column name as people write it in a spreadsheet: `Duration (minutes)`, `duration_minutes` and `durationMinutes` are one. */
export const plainName = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

/** Whether a column is left out: it begins with `#`, or the user named it. */
export function ignorer(names: readonly string[]): (heading: string) => boolean {
  const plain = (name: string) => plainName(name) || name.trim();
  const ignored = new Set(names.flatMap((list) => list.split(",")).map(plain));
  return (heading) => heading.startsWith("#") || ignored.has(plain(heading));
}
