import { open } from "node:fs/promises";
import { type Bounds, inspectVideo, type VideoFacts, type VideoFile } from "../../contract/files/inspect-video.ts";

/** What a video is made of; undefined when it cannot be read within the bounds. */
async function inspect(file: VideoFile, bounds?: Bounds): Promise<VideoFacts | undefined> {
  const library = await import("mediabunny");
  return inspectVideo(library, file, bounds).catch(() => undefined);
}

/** What a video on this computer is made of; undefined when it cannot be read. */
export async function inspectLocal(path: string): Promise<VideoFacts | undefined> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const read = async (start: number, end: number) => {
      const bytes = new Uint8Array(end - start);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
      return bytes.subarray(0, bytesRead);
    };
    return await inspect({ size, read });
  } finally {
    await file.close();
  }
}

/** Bytes of a file from `offset`; fewer at its end. */
export type ReadBytes = (offset: number, length: number) => Promise<Uint8Array>;

/** What a request reads at least, so that a header of many small parts takes few requests. */
const pieceBytes = 256 * 1024;
const remoteBounds: Bounds = { reads: 2000, bytes: 64 * 1024 * 1024 };

/** What a video of a server is made of, read in pieces; undefined when that takes too many. Fails as `read` does. */
export async function inspectRemote(size: number, read: ReadBytes): Promise<VideoFacts | undefined> {
  let last: { offset: number; bytes: Uint8Array } | undefined;
  let failed: unknown;
  const part = async (start: number, end: number) => {
    if (last === undefined || start < last.offset || end > last.offset + last.bytes.length)
      last = { offset: start, bytes: await read(start, Math.min(size, Math.max(end, start + pieceBytes)) - start) };
    return last.bytes.subarray(start - last.offset, end - last.offset);
  };
  const facts = await inspect(
    {
      size,
      read: (start, end) =>
        part(start, end).catch((error: unknown) => {
          failed = error;
          throw error;
        }),
    },
    remoteBounds,
  );
  if (failed !== undefined) throw failed;
  return facts;
}
