import type { Io } from "./io.ts";
import { lines, oneLine } from "./text.ts";

/** Progress of a long task on standard error. */
export interface Progress {
  /** Shows the progress. `fraction` is from 0 to 1, if known. */
  update(text: string, fraction?: number): void;
  /** Ends the progress display, with a final text if given. */
  done(text?: string): void;
}

export type ProgressMode = "auto" | "plain" | "none";

const quietMs = 10_000;
const silent: Progress = { update() {}, done() {} };

/** The text and the percentage on one line of `columns` columns. If it does not fit, the end of the text is cut. */
export function label(text: string, fraction: number | undefined, columns = Number.POSITIVE_INFINITY): string {
  const percent = fraction === undefined ? "" : ` ${Math.floor(fraction * 100)} %`;
  const characters = [...oneLine(text)];
  const room = Math.max(1, columns - percent.length);
  return (characters.length > room ? `${characters.slice(0, room - 1).join("")}…` : characters.join("")) + percent;
}

/** At most one line every ten seconds, so that logs stay short. */
function plain(io: Io, now: () => number): Progress {
  // A task shorter than ten seconds prints nothing.
  let last = now();
  return {
    update(text, fraction) {
      if (now() - last < quietMs) return;
      last = now();
      io.err(`${label(text, fraction)}\n`);
    },
    done(text) {
      if (text) io.err(`${lines(text)}\n`);
    },
  };
}

/** An animated line on a terminal, occasional lines elsewhere, nothing with --quiet. */
export async function createProgress(io: Io, mode: ProgressMode, quiet: boolean, now: () => number): Promise<Progress> {
  if (quiet || mode === "none") return silent;
  const stream = io.stderr as NodeJS.WriteStream;
  // With an unknown width, the spinner would clear lines in an endless loop.
  if (mode === "plain" || !io.terminal.stderr || stream.columns === 0 || io.env.CI) return plain(io, now);
  const { default: ora } = await import("ora");
  const spinner = ora({ stream, discardStdin: false, isEnabled: true });
  return {
    update(text, fraction) {
      // Leave room for the spinner and a space; some terminals wrap at the last column.
      spinner.text = label(text, fraction, (stream.columns ?? 80) - 3);
      if (!spinner.isSpinning) spinner.start();
    },
    done(text) {
      spinner.stop();
      if (text) io.err(`${lines(text)}\n`);
    },
  };
}
