/** The types of `inspect-video.js`, which browsers run as it is. */

export declare const signatureBytes: number;

export type VideoType = "video/mp4" | "video/quicktime" | "video/webm" | "video/x-matroska";
/** Why nobody could watch a file. */
export type VideoFault = "not-video" | "unfinished" | "no-picture" | "encrypted";

export interface VideoTrack {
  kind: "video" | "audio";
  /** As the library names it, such as `avc`; null when it is not known. */
  codec: string | null;
  /** The codec with its profile, such as `avc1.64001f`. */
  profile: string | null;
  /** In pixels, as shown; null for sound. */
  width: number | null;
  height: number | null;
}

/** What a video file is made of. */
export interface VideoFacts {
  /** Null for a file that is no video. */
  type: VideoType | null;
  tracks: VideoTrack[];
  /** Null when it is not known. */
  durationMs: number | null;
  fault: VideoFault | null;
}

/** A file whose parts can be read: from `start` up to `end`, which is not included. Fewer bytes at its end. */
export interface VideoFile {
  size: number;
  read(start: number, end: number): Uint8Array | Promise<Uint8Array>;
}

/** What reading a file may cost. */
export interface Bounds {
  reads: number;
  bytes: number;
}

export declare function videoType(head: Uint8Array): VideoType | undefined;
export declare function problemOf(fault: VideoFault): { what: string; remedy: string };
export declare function tracksText(tracks: readonly Omit<VideoTrack, "profile">[]): string;
export declare function containerText(type: VideoType | null): string;
export declare function playsEverywhere(facts: Pick<VideoFacts, "type" | "tracks">): boolean;
export declare const watchableFormats: string;
/** `library` is mediabunny. */
export declare function inspectVideo(library: unknown, file: VideoFile, bounds?: Bounds): Promise<VideoFacts>;
