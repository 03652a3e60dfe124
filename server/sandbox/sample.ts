import { rm, writeFile } from "node:fs/promises";
import type { VideoFacts } from "../../src/contract/files/inspect-video.ts";
import type { Deps } from "../app/deps.ts";
import { late } from "../lib/late.ts";
import { blobKeyOf, pathOf } from "../uploads/store.ts";

const load = late(() => import("./sample-video.ts"));

const profiles = ["avc1.42c015", "avc1.64000c"];

/** What the sample videos are made of. */
const factsOf = (turn: number): VideoFacts => ({
  type: "video/mp4",
  tracks: [
    { kind: "video", codec: "avc", profile: profiles[turn % profiles.length]!, width: 320, height: 180 },
    { kind: "audio", codec: "aac", profile: "mp4a.40.2", width: null, height: null },
  ],
  durationMs: 3000,
  fault: null,
});

export interface Sample {
  uploadId: string;
  blobKey: string;
  size: number;
  durationMs: number | null;
  facts: string;
}

/** Puts one of the sample videos that are built into the server into the blob store, like a finished upload. `turn` counts up. */
export async function storeSample(deps: Deps, turn: number): Promise<Sample> {
  const { sampleVideos } = await load();
  const uploadId = deps.newId();
  const blobKey = blobKeyOf({ id: uploadId, kind: "video" });
  const path = pathOf(deps.dataDir, uploadId);
  try {
    await writeFile(path, Buffer.from(sampleVideos[turn % sampleVideos.length]!, "base64"));
    await deps.blobs.put(blobKey, path);
  } catch (error) {
    // Half a file would take what is left of a full disk.
    await rm(path, { force: true });
    throw error;
  }
  const size = await deps.blobs.size(blobKey);
  if (size === undefined) throw new Error(`the blob store does not have ${blobKey}, which was just stored`);
  const facts = factsOf(turn);
  return { uploadId, blobKey, size, durationMs: facts.durationMs, facts: JSON.stringify(facts) };
}
