/** Turns what is said in a video into text. */
export interface Transcriber {
  /** What it prints for the video at `videoPath`; rejects with TranscriptionFailed, or with the signal's reason when stopped. */
  transcribe(videoPath: string, stop: AbortSignal): Promise<string>;
}

/** It failed by itself: trying again would most likely fail again. */
export class TranscriptionFailed extends Error {
  override name = "TranscriptionFailed";
}
