import { signatureBytes, videoType } from "../../src/contract/files/inspect-video.ts";
import type { UploadFiles } from "./files.ts";
import type { UploadRow } from "./store.ts";

/** Checks the first bytes of a video while they arrive, possibly over several requests. The function returns false once they are not a video's. */
export async function watchSignature(files: UploadFiles, upload: UploadRow, before: number): Promise<(chunk: Buffer) => boolean> {
  let head: Buffer = before === 0 ? Buffer.alloc(0) : await files.head(upload.id);
  let known = head.length >= signatureBytes;
  return (chunk) => {
    if (known) return true;
    head = Buffer.concat([head, chunk.subarray(0, signatureBytes)]);
    known = head.length >= Math.min(signatureBytes, upload.size);
    return !known || videoType(head) !== undefined;
  };
}
