import { lengthText } from "../text/length.ts";

/** A video of less than this share of the booked time is much too short. */
const shortShare = 0.9;

interface Recording {
  /** Length of the video in seconds; null if it is not known. */
  seconds: number | null | undefined;
  bookedMinutes: number;
  /** What the server measured. */
  facts: readonly { kind: string; text: string }[];
}

/** What a playtester should know of a video before submitting it, in sentences: owners reject videos for such things. */
export function wrongWith({ seconds, bookedMinutes, facts }: Recording): string[] {
  const isShort = typeof seconds === "number" && seconds < bookedMinutes * 60 * shortShare;
  const short = isShort
    ? [`The video is ${lengthText(seconds)} long, and the playtest is booked for ${bookedMinutes} minutes.`]
    : [];
  return [...short, ...facts.filter(({ kind }) => kind !== "short").map(({ text }) => text)];
}
