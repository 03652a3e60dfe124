import { stat } from "node:fs/promises";
import { basename, extname, resolve } from "node:path";
import type { Data } from "../../api/client.ts";
import { arg, type Context, define } from "../../cli/define.ts";
import { containerText, playsEverywhere, problemOf, tracksText, watchableFormats } from "../../contract/files/inspect-video.ts";
import { whyTeamIsShort } from "../../contract/teams/full.ts";
import { isBlank } from "../../contract/text/blank.ts";
import { CliError, exitCodes, notFound, usage } from "../../errors.ts";
import { uploading } from "../../io/meter.ts";
import { bytes } from "../../io/text.ts";
import { confirmRecording } from "./recorded.ts";
import { heldSlotView } from "./view.ts";

const types: Record<string, string> = {
  ".mp4": "video/mp4",
  ".m4v": "video/mp4",
  ".mov": "video/quicktime",
  ".webm": "video/webm",
  ".mkv": "video/x-matroska",
};

export const submit = define({
  name: "submit",
  summary: "Upload the video of a slot and submit it",
  description:
    "To resume after an interruption, run the same command again: what is uploaded is not sent again. What looks wrong with the recording, such as no sound, is shown before it is submitted; --yes submits it as it is. Accepted formats: MP4, MOV, WebM and MKV. Everybody can watch MP4 with H.264 and AAC, and WebM with VP8 or VP9.",
  operation: ["submitSlot", "createVideoUpload", "getHeldSlot", "getSlotSignals", "getServerInfo"],
  body: "submitSlot",
  args: {
    video: arg.text("Video file"),
    slot: { ...arg.optional("Slot id (default: your only active slot)"), id: {} },
  },
  examples: ["playtest tester submit play.mp4", "playtest tester submit play.mp4 9c21d0ff --notes 'Got stuck at the bridge'"],
  async run({ args, body }, ctx) {
    const file = resolve(ctx.io.cwd(), args.video);
    const info = await stat(file).catch(() => undefined);
    if (!info?.isFile()) throw usage(`${args.video} is not a file.`);
    if (info.size === 0) throw usage(`${args.video} is empty. Nothing was uploaded.`, "Choose a video file.");
    // The server would say so only after the upload.
    if (isBlankText(body.notes))
      throw usage("--notes: must not be blank. Nothing was uploaded.", "Write some, or leave them out.");
    await requireWatchable(ctx, file);
    const slot = args.slot ? (await ctx.api().getHeldSlot({ params: { id: args.slot } })).slot : await onlySlot(ctx);
    requireFullTeam(slot);
    const slotId = slot.id;
    const progress = await ctx.progress();
    const filetype = types[extname(file).toLowerCase()];
    const uploaded = await ctx
      .upload({
        path: `/playtester/slots/${slotId}/video`,
        file,
        metadata: { filename: basename(file), ...(filetype && { filetype }) },
        fingerprint: `${file} ${info.size} ${info.mtimeMs}`,
        progress: uploading(ctx.now, basename(file), progress),
      })
      .finally(() => progress.done());
    await confirmRecording(ctx, slotId);
    const data = await ctx.api().submitSlot({ params: { id: slotId }, body });
    await uploaded.forget();
    ctx.out.note(`Submitted ${basename(file)}, ${bytes(info.size)}.`);
    return ctx.item(data, heldSlotView);
  },
});

type Slot = Data<"listHeldSlots">["slots"][number];

const isBlankText = (value: unknown) => typeof value === "string" && value !== "" && isBlank(value);

/** Throws when whoever claimed the slot could not submit the video because members of the team are missing. */
function requireFullTeam(slot: Slot): void {
  const short = whyTeamIsShort(slot);
  if (!short || slot.team?.members.some(({ isYou, isClaimant }) => isYou && !isClaimant)) return;
  const how = `Ask one with \`playtest tester team replace ${slot.id} --with HANDLE\`.`;
  throw new CliError("CONFLICT", exitCodes.conflict, `${short.what}. Nothing was uploaded.`, { hint: `${short.remedy} ${how}` });
}

/** Throws for a file that nobody could watch, and warns about one that not everybody can. */
async function requireWatchable(ctx: Context, file: string): Promise<void> {
  const { inspectLocal } = await import("../../io/files/video-file.ts");
  const facts = await inspectLocal(file);
  const name = basename(file);
  if (facts?.fault) {
    const { what, remedy } = problemOf(facts.fault);
    throw usage(`${name} ${what}. Nothing was uploaded.`, remedy);
  }
  if (facts && playsEverywhere(facts)) return;
  const made = facts ? `is ${tracksText(facts.tracks)} in ${containerText(facts.type)}` : "cannot be read here";
  ctx.out.note(`${name} ${made}. Not every browser can show it. What everybody can watch: ${watchableFormats}.`);
}

async function onlySlot(ctx: Context): Promise<Slot> {
  const held: Slot[] = [];
  for await (const { items } of ctx.pages("listHeldSlots", {}, { all: true }))
    held.push(...(items as Slot[]).filter(({ status }) => status === "reserved"));
  if (held.length === 1) return held[0]!;
  if (held.length === 0)
    throw notFound("You have no active slot to submit a video for.", "Find a playtest to claim with `playtest tester browse`.");
  throw usage(
    "You have several active slots.",
    `Pass one of these ids: ${held.map(({ id, game }) => `${id} (${game.name})`).join(", ")}.`,
  );
}
