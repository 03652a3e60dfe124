import {
  containerText,
  inspectVideo,
  playsEverywhere,
  problemOf,
  tracksText,
  type VideoFacts,
  videoType,
} from "../../../../src/contract/files/inspect-video.ts";
import { sizeText } from "./amounts.ts";
import { readStart, Unusable } from "./start.ts";

/** What a video is made of; undefined when it cannot be read here: the server looks closer. */
async function inspect(file: File): Promise<VideoFacts | undefined> {
  const read = async (start: number, end: number) => new Uint8Array(await file.slice(start, end).arrayBuffer());
  try {
    return await inspectVideo(await import("../mediabunny.js"), { size: file.size, read });
  } catch {
    return undefined;
  }
}

/** Fails for a file that the server would refuse, before any of it is sent. Returns what the playtester should know of it. */
export async function check(file: File, maxBytes: number): Promise<string | undefined> {
  if (file.size === 0) throw new Unusable(`${file.name} is empty. Nothing was sent. Choose a video file.`);
  if (file.size > maxBytes)
    throw new Unusable(
      `${file.name} has ${sizeText(file.size)}, and a video can have at most ${sizeText(maxBytes)}. Nothing was sent. Record with a lower resolution, or make the file smaller.`,
    );
  if (videoType(await readStart(file)) === undefined)
    throw new Unusable(`${file.name} is not an MP4, WebM, MOV or MKV video. Nothing was sent. Choose a video file.`);
  const facts = await inspect(file);
  if (facts?.fault) {
    const { what, remedy } = problemOf(facts.fault);
    throw new Unusable(`${file.name} ${what}. Nothing was sent. ${remedy}`);
  }
  if (!facts || playsEverywhere(facts)) return undefined;
  return `${file.name} is ${tracksText(facts.tracks)} in ${containerText(facts.type)}, which some browsers cannot show. It is uploaded all the same. If you can, record in one of the formats above.`;
}
