import { problemOf, tracksText, type VideoFault, type VideoTrack } from "../files/inspect-video.ts";

export interface VideoFormat {
  container: string;
  tracks: readonly Pick<VideoTrack, "kind" | "codec" | "width" | "height">[];
  playsEverywhere: boolean;
  fault: VideoFault | null;
}

const containers: Readonly<Record<string, string>> = { mp4: "MP4", mov: "MOV", webm: "WebM", mkv: "MKV" };

/** What a video is made of, such as `H.264, 1920×1080, AAC (MP4)`, or what is wrong with it. Undefined where nothing is known. */
export function videoFormatText(format: VideoFormat | null | undefined): string | undefined {
  if (!format) return undefined;
  if (format.fault !== null) return `the file ${problemOf(format.fault).what}`;
  const made = `${tracksText(format.tracks)} (${containers[format.container] ?? format.container})`;
  return format.playsEverywhere ? made : `${made}; not every browser can show it`;
}
