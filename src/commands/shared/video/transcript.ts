import { webUrl } from "../../../api/url.ts";
import type { Context } from "../../../cli/define.ts";
import { failure, isAbsent } from "../../../errors.ts";

/** The text of a transcript's file at the address that the server gave. */
export async function transcriptText(ctx: Context, address: string): Promise<string> {
  const url = webUrl(address);
  const reply = await ctx.send({ method: "GET", url, headers: { accept: "*/*" }, signal: ctx.signal });
  if (reply.status !== 200) throw failure(`Downloading the transcript failed with status ${reply.status}.`);
  return reply.body.toString("utf8");
}

/** How loud each second of a video is, in dB; null where that is not measured. */
export async function loudnessOf(ctx: Context, id: string): Promise<number[] | null> {
  try {
    return (await ctx.api().getSlotSignals({ params: { id } })).signals.loudnessDb;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}
