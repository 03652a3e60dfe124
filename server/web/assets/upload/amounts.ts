export const MiB = 1024 * 1024;

export const sizeText = (bytes: number) =>
  bytes < 1024 * MiB ? `${(bytes / MiB).toFixed(1)} MiB` : `${(bytes / 1024 / MiB).toFixed(2)} GiB`;

export function durationText(seconds: number): string {
  if (seconds < 60) return "less than a minute";
  const [number, unit] = seconds < 5400 ? [Math.round(seconds / 60), "minute"] : [Math.round(seconds / 3600), "hour"];
  return `about ${number} ${unit}${number === 1 ? "" : "s"}`;
}

/** How fast an upload is, measured over the last seconds. */
export class Speed {
  #samples: { at: number; sent: number }[] = [];

  /** Bytes per second; undefined while there is too little to tell. */
  measure(sent: number): number | undefined {
    const now = performance.now();
    this.#samples = [...this.#samples.filter(({ at }) => now - at < 10_000), { at: now, sent }];
    const first = this.#samples[0]!;
    const seconds = (now - first.at) / 1000;
    return seconds >= 1 && sent > first.sent ? (sent - first.sent) / seconds : undefined;
  }
}
