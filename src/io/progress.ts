import type { Io } from "./io.ts";
import { lines, oneLine } from "./text.ts";

/** What long work says on standard error while it runs. */
export interface Progress {
  /** Says how far it is; `fraction` from 0 to 1 where that is known. */
  update(text: string, fraction?: number): void;
  /** Ends the line, with a last text if one is given. */
  done(text?: string): void;
}

export type ProgressMode = "auto" | "plain" | "none";

const quietMs = 10_000;
const silent: Progress = { update() {}, done() {} };

/** On one line of so many columns; what is cut off is the end of the text, not how far it is. */
export function label(text: string, fraction: number | undefined, columns = Number.POSITIVE_INFINITY): string {
  const percent = fraction === undefined ? "" : ` ${Math.floor(fraction * 100)} %`;
  const characters = [...oneLine(text)];
  const room = Math.max(1, columns - percent.length);
  return (characters.length > room ? `${characters.slice(0, room - 1).join("")}…` : characters.join("")) + percent;
}

/** At most one line in ten seconds, so that a log is not flooded. */
function plain(io: Io, now: () => number): Progress {
  // Work that is done within the first ten seconds says nothing.
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

/** A line that rewrites itself on a terminal, sparse lines elsewhere, nothing when quiet. */
export async function createProgress(io: Io, mode: ProgressMode, quiet: boolean, now: () => number): Promise<Progress> {
  if (quiet || mode === "none") return silent;
  const stream = io.stderr as NodeJS.WriteStream;
  // A terminal that does not know its width would be cleared line by line without end.
  if (mode === "plain" || !io.terminal.stderr || stream.columns === 0 || io.env.CI) return plain(io, now);
  const { default: ora } = await import("ora");
  const spinner = ora({ stream, discardStdin: false, isEnabled: true });
  return {
    update(text, fraction) {
      // Before it stand the spinner and a blank; the last column would wrap on some terminals.
      spinner.text = label(text, fraction, (stream.columns ?? 80) - 3);
      if (!spinner.isSpinning) spinner.start();
    },
    done(text) {
      spinner.stop();
      if (text) io.err(`${lines(text)}\n`);
    },
  };
}
