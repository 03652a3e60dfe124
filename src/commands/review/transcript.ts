import { webUrl } from "../../api/url.ts";
import { type Context, define, flag } from "../../cli/define.ts";
import { CliError, exitCodes, failure, stillPending } from "../../errors.ts";
import { foldLines, lines } from "../../io/text.ts";
import { slotArg } from "./queue.ts";

/** The link to the transcript. Exit code 8 if it is still being created, 3 if there is none. */
async function transcriptOf(ctx: Context, id: string) {
  try {
    return await ctx.api().getSlotTranscript({ params: { id } });
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== exitCodes.notFound) throw error;
    const { slot } = await ctx.api().getSlot({ params: { id } });
    const status = slot.transcription?.status;
    if (status !== "pending" && status !== "processing") throw error;
    throw stillPending(`The transcript of slot ${id} is ${status}.`, "Try again in a few minutes.");
  }
}

async function fetchText(ctx: Context, address: string) {
  const timeout = ctx.settings().get("timeout")!.value * 1000;
  const url = webUrl(address);
  const reply = await ctx.send({ method: "GET", url, headers: { accept: "*/*" }, timeout, signal: ctx.signal });
  if (reply.status !== 200) throw failure(`Downloading the transcript failed with status ${reply.status}.`);
  return lines(reply.body.toString("utf8"));
}

const readable = async (ctx: Context, address: string) => {
  const { readableTranscript } = await import("../../io/files/transcript-text.ts");
  return foldLines(readableTranscript(await fetchText(ctx, address)), ctx.io.columns);
};

/** The transcript as text for a person, with control characters escaped. */
export const readTranscript = async (ctx: Context, id: string) => readable(ctx, (await transcriptOf(ctx, id)).downloadUrl);

export const transcript = define({
  name: "transcript",
  summary: "Print the transcript of a video",
  description: "A terminal shows each sentence with its time. A file or a pipe gets the file as it is, such as WebVTT.",
  args: { slot: slotArg() },
  flags: { takeaways: flag.toggle("Print only the key takeaways") },
  operation: ["getSlotTranscript", "getSlot"],
  examples: [
    "playtest review transcript SLOT",
    "playtest review transcript SLOT --takeaways",
    "playtest review transcript SLOT > session.vtt",
  ],
  exits: [8],
  async run({ args, flags }, ctx) {
    const data = await transcriptOf(ctx, args.slot);
    if (flags.takeaways) return ctx.text(data.keyTakeaways.map((line) => `• ${lines(line)}`).join("\n"), data);
    const { kind } = ctx.out.format;
    if (kind !== "auto") return ctx.item(data);
    const forPerson = ctx.io.terminal.stdout && (ctx.flags.output ?? "-") === "-";
    return ctx.text(await (forPerson ? readable : fetchText)(ctx, data.downloadUrl), data);
  },
});
