import {
  bestOf,
  chosenOf,
  entriesOf,
  type Highlight,
  type Lexicon,
  type Watched,
} from "../../server/sharing/highlights/rules.ts";

/** The best parts of these videos, as the server lists them. */
export function highlightsOf(
  videos: readonly Watched[],
  lexicon: Lexicon,
  { minutes, perVideo }: { minutes: number; perVideo: number },
): Highlight[] {
  const entries = entriesOf(lexicon);
  return chosenOf(
    videos.flatMap((video) => bestOf(video, entries, perVideo)),
    minutes,
  );
}
