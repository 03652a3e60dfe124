/** How long a video is, such as `45 s`, `12 min 5 s` or `1 h 2 min`; `unknown` for one whose length could not be read. */
export function lengthText(seconds: number | null): string {
  if (seconds === null) return "unknown";
  const parts = [
    [Math.floor(seconds / 3600), "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [Math.floor(seconds) % 60, "s"],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).slice(0, 2);
  return shown.length === 0 ? "0 s" : shown.map(([count, unit]) => `${count} ${unit}`).join(" ");
}
