import type { Transcriber } from "../transcripts/transcriber.ts";

/** What is said in the sample video, as WebVTT: used by `--seed demo` where no transcriber is configured. */
const transcript = JSON.stringify({
  vtt: `WEBVTT

00:00:00.000 --> 00:00:01.000
The lantern goes out when I open the map. Is that meant to happen?

00:00:01.000 --> 00:00:02.000
The second depth is much harder than the first.

00:00:02.000 --> 00:00:03.000
I would play this again tomorrow.
`,
  keyTakeaways: ["The lantern goes out when the map opens", "The second depth is much harder than the first"],
});

export const sampleTranscriber: Transcriber = { transcribe: async () => transcript, isSample: true };
