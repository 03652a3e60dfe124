import type { Data } from "../../api/client.ts";
import type { Context } from "../../cli/define.ts";
import { wrongWith } from "../../contract/signals/recording.ts";
import { isAbsent } from "../../errors.ts";

type Facts = Data<"getSlotSignals">["facts"];

/** How long (ms) a video that was just uploaded is waited for, and how often the server is asked. */
const patienceMs = 10 * 60_000;
const pollMs = 2_000;

async function factsOf(ctx: Context, id: string): Promise<Facts | undefined> {
  try {
    return (await ctx.api().getSlotSignals({ params: { id } })).facts;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** What was measured of an uploaded video. Waits for it where the server measures videos. */
async function measured(ctx: Context, id: string): Promise<Facts> {
  const { features } = await ctx.api().getServerInfo();
  if (!features.clips) return [];
  const progress = await ctx.progress();
  try {
    for (const until = ctx.now() + patienceMs; ctx.now() < until; ) {
      const facts = await factsOf(ctx, id);
      if (facts) return facts;
      progress.update("Checking the recording");
      await ctx.sleep(pollMs, ctx.signal);
    }
  } finally {
    progress.done();
  }
  ctx.out.note("The recording is not checked yet.");
  return [];
}

/** Asks to confirm what looks wrong with the uploaded video of a slot. --yes skips that. */
export async function confirmRecording(ctx: Context, id: string): Promise<void> {
  if (ctx.flags.yes) return;
  const { uploadedVideo, playtest } = (await ctx.api().getHeldSlot({ params: { id } })).slot;
  const seconds = uploadedVideo?.durationSeconds;
  // The server refuses it, and says why.
  if (typeof seconds === "number" && seconds < playtest.minVideoSeconds) return;
  const facts = await measured(ctx, id);
  const wrong = wrongWith({ seconds, bookedMinutes: playtest.durationMinutes, facts });
  if (wrong.length === 0) return;
  const lines = wrong.map((one) => `  ${one}`).join("\n");
  await ctx.confirm(
    `Something looks wrong with the video, which is uploaded:\n${lines}\nOwners reject videos for this. Submit it as it is?`,
    "The video is uploaded but was not submitted.",
  );
}
