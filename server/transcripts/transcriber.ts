/** Transcribes the speech in a video. */
export interface Transcriber {
  /** The transcriber's output for the video at `videoPath`. Rejects with ProgramFailed, or with the signal's reason when stopped. */
  transcribe(videoPath: string, stop: AbortSignal): Promise<string>;
  /** It says the same of every video. */
  isSample?: true;
}
