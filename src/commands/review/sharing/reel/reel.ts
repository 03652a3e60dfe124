import { rm, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { arg, type Context, define, detail, flag, type ItemOf, viewOf } from "../../../../cli/define.ts";
import { momentKinds } from "../../../../contract/moments/kinds.ts";
import { longestReelMs, mostReelParts } from "../../../../contract/sharing/kinds.ts";
import { partsFor, type ReelPart } from "../../../../contract/sharing/reel-parts.ts";
import { firstCharacters } from "../../../../contract/text/one-line.ts";
import { positionInLink, positionText } from "../../../../contract/text/position.ts";
import { notFound, usage } from "../../../../errors.ts";
import { readContents } from "../../../../io/files/contents.ts";
import { temporaryFolder } from "../../../../io/files/temporary.ts";
import { plural, shortId } from "../../../../io/text.ts";
import { finished, save } from "../cutting.ts";
import { subjectOf } from "./places.ts";

type Reel = ItemOf<"createReel">;

const reelView = viewOf<Reel>([
  detail("id"),
  detail("name"),
  detail("length", ({ endMs }: Reel) => positionText(endMs)),
  detail("parts", ({ parts }: Reel) => (parts ?? []).map(({ facts, title }) => `${facts}: ${title}`).join("\n")),
  detail("status"),
  detail("size"),
  detail("url:downloadUrl"),
  detail("image:posterUrl"),
]);

const usualSeconds = 180;

/** Cuts each part as a clip, one after the other, into the folder. Returns the paths of the files. */
async function cutEach(ctx: Context, parts: readonly ReelPart[], folder: string): Promise<string[]> {
  const paths: string[] = [];
  for (const [index, { slotId, atMs, endMs, title }] of parts.entries()) {
    const name = firstCharacters(title.trim(), 100);
    const made = await ctx.api().createClip({ params: { id: slotId }, body: { atMs, endMs, ...(name && { name }) } });
    const refetch = async () => (await ctx.api().getClip({ params: { id: made.clip.id } })).clip;
    const later = `See \`playtest review clips list ${slotId}\` later.`;
    const ready = await finished(ctx, { what: `clip ${made.clip.id}`, found: made.clip, refetch, later });
    const file = `${String(index + 1).padStart(2, "0")}-${shortId(slotId)}-${positionInLink(atMs)}.mp4`;
    paths.push(await save(ctx, { refetch, size: ready.size, output: join(folder, file), extension: ".mp4" }));
  }
  return paths;
}

/** Saves each part as a clip in a zip file. Returns how many. */
async function zipClips(ctx: Context, parts: readonly ReelPart[], output: string): Promise<number> {
  const target = isAbsolute(output) ? output : join(ctx.io.cwd(), output);
  if (await stat(target).catch(() => undefined)) throw usage(`${output} exists already. Nothing was made.`, "Name another file.");
  const folder = await temporaryFolder("reel");
  try {
    const items = [];
    for (const file of await cutEach(ctx, parts, folder)) {
      const { sha256, crc32, size } = await readContents(file, () => {});
      const path = file.slice(folder.length + 1);
      items.push({ kind: "file", path, file, executable: false, time: ctx.now(), sha256, crc32, size } as const);
    }
    const { writeZip } = await import("../../../../io/files/zip.ts");
    await writeZip(items, target, ctx.signal, () => {});
    return items.length;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const reel = define({
  name: "reel",
  summary: "Cut one video of the best parts of a finding or playtest",
  description:
    "A card stands before each part. Of a finding it shows the evidence, one place of each playtester first; of a playtest its highlights, or with --kind its notes of that kind. The card says " +
    "whose video comes: `tester 4 of 20 · build 0.9.1 · 12:41`. The server cuts it in the background. It is a clip: `playtest review share` shares it by a " +
    "link that expires, `playtest review clips delete` deletes it, and it ends with the videos that it shows.",
  args: { of: arg.id("Number or id of a finding, or id of a playtest") },
  flags: {
    kind: flag.choice(momentKinds, "Of a playtest, show its notes of this kind"),
    max: flag.duration("How long the parts may be together (default: 3m; at most 10m)", { field: "parts" }),
    captions: flag.toggle("Show what is said, where there is a transcript"),
    withName: flag.toggle("Name the playtesters on the cards"),
    name: flag.text("Name of the reel (default: that of the finding or game)", { value: "NAME" }),
    save: flag.text("Wait until it is cut, and save it to this file", { value: "FILE" }),
    zip: flag.text("Cut each part as a clip of its own instead, and save all in this zip file", { value: "FILE" }),
    game: flag.text("Game of the finding: id or name (default: the game set with `games use`, else the only game)", {
      value: "GAME",
    }),
  },
  operation: [
    "createReel",
    "getFinding",
    "getPlaytest",
    "listPlaytestHighlights",
    "listPlaytestMoments",
    "createClip",
    "getClip",
  ],
  examples: [
    "playtest review reel 7 --save lantern.mp4",
    "playtest review reel PLAYTEST --kind confusion --max 3m --captions",
    "playtest review reel PLAYTEST --zip clips.zip",
  ],
  exits: [8],
  async run({ args, flags }, ctx) {
    const { kind, game, captions, withName, max = usualSeconds } = flags;
    if (max * 1000 > longestReelMs || max < 1)
      throw usage(`--max: must be from 1 second to ${longestReelMs / 60_000} minutes. Nothing was made.`);
    if (flags.zip !== undefined && (captions || withName || flags.save !== undefined || flags.name !== undefined))
      throw usage("--zip saves the clips as they are, without --captions, --with-name, --name and --save. Nothing was made.");
    const subject = await subjectOf(ctx, { of: args.of, game, kind }, Math.ceil(max / 60));
    const parts = partsFor(subject.places, max * 1000, mostReelParts);
    if (parts.length === 0)
      throw notFound(
        "There is nothing to show: no evidence, note or highlight fits. Nothing was made.",
        "A longer --max lets more in.",
      );
    if (flags.zip !== undefined) {
      const count = await zipClips(ctx, parts, flags.zip);
      return ctx.text(`Saved ${plural(count, "clip")} to ${flags.zip}`, { result: { file: flags.zip, clips: count } });
    }
    const body = { name: flags.name ?? subject.name, parts, captions, withName };
    const made = await ctx.api().createReel({ params: { id: subject.gameId }, body });
    if (flags.save === undefined) return ctx.item(made, reelView);
    const refetch = async () => (await ctx.api().getClip({ params: { id: made.clip.id } })).clip;
    const later = `See \`playtest review clips list ${made.clip.slotId}\` later.`;
    const ready = await finished(ctx, { what: `reel ${made.clip.id}`, found: made.clip, refetch, later });
    ctx.out.note(`Saved ${await save(ctx, { refetch, size: ready.size, output: flags.save, extension: ".mp4" })}`);
    return ctx.item({ clip: ready }, reelView);
  },
});
