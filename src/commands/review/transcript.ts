import { type Context, define, flag } from "../../cli/define.ts";
import { refuseDryRun } from "../../cli/session/dry-run.ts";
import { CliError, exitCodes, failure, isAbsent, stillPending, usage } from "../../errors.ts";
import { foldLines, lines } from "../../io/text.ts";
import { findMade, keepMade, type MadeTranscript, removeMade } from "../shared/video/made-transcripts.ts";
import { loudnessOf, transcriptText } from "../shared/video/transcript.ts";
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

async function forPerson(ctx: Context, text: string) {
  const { readableTranscript } = await import("../../io/files/transcript-text.ts");
  // Character references are decoded before: what they stand for must not reach a terminal either.
  return foldLines(lines(readableTranscript(text)), ctx.io.columns);
}

const readable = async (ctx: Context, address: string) => forPerson(ctx, await transcriptText(ctx, address));

/** The transcript as text for a person, with control characters escaped. */
export async function readTranscript(ctx: Context, id: string) {
  const made = findMade(ctx, id);
  return made ? forPerson(ctx, made.vtt) : readable(ctx, (await transcriptOf(ctx, id)).downloadUrl);
}

/** Makes a transcript with the owner's program. A server that takes none leaves it on this computer. */
async function make(ctx: Context, id: string, command: string, withinSeconds: number | undefined) {
  const { makeTranscript } = await import("./make-transcript.ts");
  const text = await makeTranscript(ctx, id, { command, withinSeconds });
  const { toWebVtt } = await import("../../contract/text/webvtt.ts");
  const { vtt, fault } = toWebVtt(text);
  if (vtt === undefined) throw failure(`What ${command} printed ${fault}. Nothing was changed.`);
  try {
    const data = await ctx.api().putSlotTranscript({ params: { id }, body: { vtt } });
    if (findMade(ctx, id)) await removeMade(ctx, id);
    return ctx.text("Saved the transcript.", data);
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== "NOT_OFFERED") throw error;
    const kept = await keepMade(ctx, id, vtt);
    return ctx.text("This server takes no transcripts. It is kept on this computer: playtest review transcript shows it.", {
      ...kept,
    });
  }
}

/** Shows what highlights, suggestions and searches leave out of a transcript. */
async function showRemoved(ctx: Context, id: string) {
  const [{ cleaned, leftOutText }, { readCues }, { positionText }] = await Promise.all([
    import("../../contract/signals/cleaned.ts"),
    import("../../contract/text/cues.ts"),
    import("../../contract/text/position.ts"),
  ]);
  const text = findMade(ctx, id)?.vtt ?? (await transcriptText(ctx, (await transcriptOf(ctx, id)).downloadUrl));
  const { removed } = cleaned(readCues(text), await loudnessOf(ctx, id));
  if (removed.length === 0) return ctx.text("Nothing is left out of this transcript.", { removed });
  const listed = removed.map((cue) => `[${positionText(cue.startMs)}] ${cue.text} (${leftOutText[cue.reason]})`);
  return ctx.text(foldLines(lines(listed.join("\n")), ctx.io.columns), { removed });
}

/** Whether it is shown on a terminal rather than written to a file or pipe. */
const isForPerson = (ctx: Context) => ctx.io.terminal.stdout && (ctx.flags.output ?? "-") === "-";

/** Shows the transcript that was made on this computer. */
async function showMade(ctx: Context, made: MadeTranscript) {
  if (ctx.out.format.kind !== "auto") return ctx.item({ ...made });
  ctx.out.note("This transcript was made on this computer. To see that of the server: --revert.");
  return ctx.verbatim(isForPerson(ctx) ? await forPerson(ctx, made.vtt) : made.vtt, { ...made });
}

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
  if (findMade(ctx, id)) {
    refuseDryRun(ctx);
    await ctx.confirm("Delete the transcript that was made on this computer?");
    await removeMade(ctx, id);
    return ctx.text("Deleted the transcript on this computer.", {});
  }
  await ctx.confirm("Delete the edited transcript? The automatic one, if there is one, takes its place.");
  return ctx.item(await ctx.api().deleteSlotTranscript({ params: { id } }));
}

const changes = ["edit", "upload", "make", "revert"] as const;

export const transcript = define({
  name: "transcript",
  summary: "Print or edit the transcript of a video",
  description:
    "A terminal shows each sentence with its time. A file or a pipe gets the file as it is, such as WebVTT. An edited transcript " +
    "replaces the automatic one, which is kept. --make downloads the video and runs a program of yours on it, without a shell; without " +
    "--with it prints examples. A server that takes no transcripts leaves what it made on this computer. --removed lists the lines that highlights, " +
    "suggestions and searches leave out: loops of a transcriber, lines over silence, and those too fast to be said.",
  args: { slot: slotArg() },
  flags: {
    takeaways: flag.toggle("Print only the key takeaways"),
    removed: flag.toggle("Print only the lines that highlights, suggestions and searches leave out"),
    edit: flag.toggle("Edit the transcript in $VISUAL or $EDITOR"),
    upload: flag.text("Replace the transcript with this WebVTT or SubRip (SRT) file (- for standard input)", { value: "FILE" }),
    make: flag.toggle("Make the transcript with a program on this computer"),
    with: flag.text("Program for --make, with arguments; {video} stands for the file, otherwise it comes last", {
      value: "COMMAND",
    }),
    within: flag.duration("How long the program may take (default 2h)"),
    revert: flag.toggle("Delete the edited transcript and return to the automatic one"),
  },
  operation: [
    "getSlotTranscript",
    "getSlot",
    "putSlotTranscript",
    "deleteSlotTranscript",
    "getSlotDownloadUrl",
    "getSlotSignals",
  ],
  risk: "write",
  examples: [
    "playtest review transcript SLOT",
    "playtest review transcript SLOT --takeaways",
    "playtest review transcript SLOT --removed",
    "playtest review transcript SLOT > session.vtt",
    "playtest review transcript SLOT --edit",
    "playtest review transcript SLOT --upload session.vtt",
    "playtest review transcript SLOT --make --with './transcribe.sh {video}'",
  ],
  exits: [8],
  async run({ args, flags }, ctx) {
    const given = changes.filter((name) => flags[name] !== undefined && flags[name] !== false);
    if (given.length > 1) throw usage(`--${given[0]} and --${given[1]} cannot be used together.`);
    if (!flags.make && (flags.with !== undefined || flags.within !== undefined))
      throw usage("--with and --within belong to --make.");
    if (flags.make) {
      if (flags.with !== undefined) return make(ctx, args.slot, flags.with, flags.within);
      const { presets } = await import("./make-transcript.ts");
      throw usage("--make needs --with COMMAND. Nothing was changed.", presets);
    }
    if (flags.edit) return edit(ctx, args.slot);
    if (flags.upload !== undefined) {
      const name = flags.upload === "-" ? "Standard input" : flags.upload;
      return upload(ctx, args.slot, name, await ctx.io.readText(flags.upload, "--upload"));
    }
    if (flags.revert) return revert(ctx, args.slot);
    if (flags.removed) return showRemoved(ctx, args.slot);
    const made = flags.takeaways ? undefined : findMade(ctx, args.slot);
    if (made) return showMade(ctx, made);
    const data = await transcriptOf(ctx, args.slot);
    if (flags.takeaways) return ctx.text(data.keyTakeaways.map((line) => `• ${lines(line)}`).join("\n"), data);
    const { kind } = ctx.out.format;
    if (kind !== "auto") return ctx.item(data);
    return ctx.verbatim(await (isForPerson(ctx) ? readable : fetchText)(ctx, data.downloadUrl), data);
  },
});
