/** Transcribes the speech in a video. */
export interface Transcriber {
  /** The transcriber's output for the video at `videoPath`. Rejects with TranscriptionFailed, or with the signal's reason when stopped. */
  transcribe(videoPath: string, stop: AbortSignal): Promise<string>;
}

/** The transcriber itself failed: a retry would most likely fail too. */
export class TranscriptionFailed extends Error {
  override name = "TranscriptionFailed";
}
