import type { Data } from "../../api/client.ts";
import { webUrl } from "../../api/url.ts";
import type { Context } from "../../cli/define.ts";
import { CliError } from "../../errors.ts";
import type { ReadBytes } from "../../io/files/video-file.ts";

type Slot = Data<"getSlot">["slot"];

/** Reads parts of the video behind a link. A server that ignores Range is read only as far as wanted. */
const reader = (ctx: Context, url: URL): ReadBytes =>
  async function read(offset, length) {
    const headers = { accept: "*/*", range: `bytes=${offset}-${offset + length - 1}` };
    const { status, stream } = await ctx.send({ method: "GET", url, headers, signal: ctx.signal, stream: true });
    const chunks: Buffer[] = [];
    let missing = status === 206 || (status === 200 && offset === 0) ? length : 0;
    if (missing === 0) stream?.destroy();
    else
      for await (const chunk of (stream ?? []) as AsyncIterable<Buffer>) {
        chunks.push(chunk.subarray(0, missing));
        missing -= chunk.length;
        if (missing <= 0) break;
      }
    return Buffer.concat(chunks);
  };

/** The real length of a submitted video in seconds, read from the file where the server does not report it; undefined if it cannot be found out, which does not hinder a review. */
export async function lengthOf(ctx: Context, { id, submission }: Slot): Promise<number | undefined> {
  if (!submission?.videoFileSize) return undefined;
  if (submission.videoDurationSeconds) return submission.videoDurationSeconds;
  try {
    const { downloadUrl } = await ctx.api().getSlotDownloadUrl({ params: { id } });
    const { inspectRemote } = await import("../../io/files/video-file.ts");
    const facts = await inspectRemote(submission.videoFileSize, reader(ctx, webUrl(downloadUrl)));
    return facts?.durationMs ? facts.durationMs / 1000 : undefined;
  } catch (error) {
    if (error instanceof CliError && !ctx.signal.aborted) return undefined;
    throw error;
  }
}
