import { type Context, define, flag } from "../../cli/define.ts";
import { CliError, exitCodes, isAbsent, stillPending, usage } from "../../errors.ts";
import { foldLines, lines } from "../../io/text.ts";
import { transcriptText } from "../shared/video/transcript.ts";
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

const fetchText = async (ctx: Context, address: string) => lines(await transcriptText(ctx, address));

const readable = async (ctx: Context, address: string) => {
  const { readableTranscript } = await import("../../io/files/transcript-text.ts");
  // Character references are decoded before: what they stand for must not reach a terminal either.
  return foldLines(lines(readableTranscript(await transcriptText(ctx, address))), ctx.io.columns);
};

/** The transcript as text for a person, with control characters escaped. */
export const readTranscript = async (ctx: Context, id: string) => readable(ctx, (await transcriptOf(ctx, id)).downloadUrl);

/** Saves a transcript. `name`: of the file, for a person. */
async function upload(ctx: Context, id: string, name: string, text: string) {
  const { toWebVtt } = await import("../../contract/text/webvtt.ts");
  const { vtt, fault } = toWebVtt(text);
  if (vtt === undefined) throw usage(`${name} ${fault}. Nothing was changed.`, "Correct the file, then run the command again.");
  const data = await ctx.api().putSlotTranscript({ params: { id }, body: { vtt } });
  return ctx.text("Saved the edited transcript.", data);
}

const emptyTranscript = "WEBVTT\n\n00:00:00.000 --> 00:00:05.000\n\n";

async function edit(ctx: Context, id: string) {
  if (!ctx.prompt.possible)
    throw usage(
      "Cannot open an editor without a terminal. Nothing was changed.",
      "Pass --upload FILE with the edited transcript.",
    );
  const found = await transcriptOf(ctx, id).catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });
  const before = found ? await transcriptText(ctx, found.downloadUrl) : emptyTranscript;
  const { withEditor } = await import("../../io/editor.ts");
  return withEditor(ctx.io, "transcript.vtt", before, async (edited) =>
    edited === before ? ctx.text("Nothing was changed.", found ?? {}) : upload(ctx, id, "The edited transcript", edited),
  );
}

async function revert(ctx: Context, id: string) {
  await ctx.confirm("Delete the edited transcript? The automatic one, if there is one, takes its place.");
  return ctx.item(await ctx.api().deleteSlotTranscript({ params: { id } }));
}

const changes = ["edit", "upload", "revert"] as const;

export const transcript = define({
  name: "transcript",
  summary: "Print or edit the transcript of a video",
  description:
    "A terminal shows each sentence with its time. A file or a pipe gets the file as it is, such as WebVTT. An edited transcript " +
    "replaces the automatic one, which is kept.",
  args: { slot: slotArg() },
  flags: {
    takeaways: flag.toggle("Print only the key takeaways"),
    edit: flag.toggle("Edit the transcript in $VISUAL or $EDITOR"),
    upload: flag.text("Replace the transcript with this WebVTT or SubRip (SRT) file (- for standard input)", { value: "FILE" }),
    revert: flag.toggle("Delete the edited transcript and return to the automatic one"),
  },
  operation: ["getSlotTranscript", "getSlot", "putSlotTranscript", "deleteSlotTranscript"],
  risk: "write",
  examples: [
    "playtest review transcript SLOT",
    "playtest review transcript SLOT --takeaways",
    "playtest review transcript SLOT > session.vtt",
    "playtest review transcript SLOT --edit",
    "playtest review transcript SLOT --upload session.vtt",
  ],
  exits: [8],
  async run({ args, flags }, ctx) {
    const given = changes.filter((name) => flags[name] !== undefined && flags[name] !== false);
    if (given.length > 1) throw usage(`--${given[0]} and --${given[1]} cannot be used together.`);
    if (flags.edit) return edit(ctx, args.slot);
    if (flags.upload !== undefined) {
      const name = flags.upload === "-" ? "Standard input" : flags.upload;
      return upload(ctx, args.slot, name, await ctx.io.readText(flags.upload, "--upload"));
    }
    if (flags.revert) return revert(ctx, args.slot);
    const data = await transcriptOf(ctx, args.slot);
    if (flags.takeaways) return ctx.text(data.keyTakeaways.map((line) => `• ${lines(line)}`).join("\n"), data);
    const { kind } = ctx.out.format;
    if (kind !== "auto") return ctx.item(data);
    const forPerson = ctx.io.terminal.stdout && (ctx.flags.output ?? "-") === "-";
    return ctx.verbatim(await (forPerson ? readable : fetchText)(ctx, data.downloadUrl), data);
  },
});
