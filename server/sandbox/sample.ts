import { writeFile } from "node:fs/promises";
import type { Deps } from "../app/deps.ts";
import { uploadPath } from "../uploads/files.ts";
import { blobKeyOf } from "../uploads/store.ts";
import { sampleVideo } from "./sample-video.ts";

export interface Sample {
  uploadId: string;
  blobKey: string;
  size: number;
}

/** Puts the small real video that comes with the server into the blob store, as a finished upload does. */
export async function storeSample(deps: Deps): Promise<Sample> {
  const uploadId = deps.newId();
  const blobKey = blobKeyOf({ id: uploadId, kind: "video" });
  const path = uploadPath(deps.dataDir, uploadId);
  await writeFile(path, Buffer.from(sampleVideo, "base64"));
  await deps.blobs.put(blobKey, path);
  const size = await deps.blobs.size(blobKey);
  if (size === undefined) throw new Error(`the blob store has no ${blobKey}, although it was just put there`);
  return { uploadId, blobKey, size };
}
