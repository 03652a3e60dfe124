import { arg, type Context, define, flag } from "../../../cli/define.ts";
import { shareSeconds } from "../../../contract/sharing/kinds.ts";
import { isAbsent, usage } from "../../../errors.ts";
import { readSecret } from "../../shared/secret.ts";
import { sharesView, shareView } from "./view.ts";

/** A password for the page, from a file or typed twice. */
async function passwordOf(ctx: Context, asked: boolean, file: string | undefined): Promise<string | undefined> {
  if (!asked && file === undefined) return undefined;
  const password = await readSecret(ctx, file, "--password-file", "Password for the page (at least 8 characters):");
  if (file !== undefined || (await readSecret(ctx, undefined, "--password-file", "Password again:")) === password)
    return password;
  throw usage("The two passwords differ. Nothing was shared.", "Run the command again.");
}

type Creation = "createSlotShare" | "createClipShare" | "createPlaytestShare";

/** What the id is of: an id alone does not say so. */
async function creationFor(ctx: Context, id: string): Promise<Creation> {
  const params = { id };
  const tries = [
    ["createSlotShare", () => ctx.api().getSlot({ params })],
    ["createClipShare", () => ctx.api().getClip({ params })],
  ] as const;
  for (const [creation, find] of tries) {
    try {
      await find();
      return creation;
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }
  return "createPlaytestShare";
}

const share = define({
  name: "share",
  summary: "Share a video, a clip or the videos of a playtest by a link that expires",
  description:
    "Anyone who has the link can watch, and read the transcript and its takeaways. The page names the playtester and shows your notes only if you say so. " +
    "`playtest review unshare` ends the link at once.",
  args: { of: arg.id("Id of a slot, clip or playtest") },
  flags: {
    for: flag.duration("How long the link works (default 14d; at most 365d)", {
      field: "validForSeconds",
      max: Number.POSITIVE_INFINITY,
    }),
    password: flag.toggle("Ask for a password that the page then asks for"),
    passwordFile: flag.text("Read that password from a file; - reads standard input", { value: "FILE" }),
    withNotes: flag.toggle("Show your notes on the videos"),
    note: flag.list("Show this note; may be repeated", { value: "NOTE", field: "noteIds" }),
    withName: flag.toggle("Name the playtesters"),
    noName: flag.toggle("Do not name the playtesters (the default)"),
  },
  operation: ["createSlotShare", "createPlaytestShare", "createClipShare", "getSlot", "getClip"],
  examples: [
    "playtest review share SLOT --for 7d",
    "playtest review share SLOT --with-notes --password-file password.txt",
    "playtest review share CLIP",
    "playtest review share PLAYTEST --for 30d --with-name",
  ],
  async run({ args, flags }, ctx) {
    const { for: seconds, withNotes, withName, noName, note: noteIds } = flags;
    if (withName && noName) throw usage("--with-name and --no-name cannot be used together.");
    if (withNotes && noteIds.length > 0) throw usage("--with-notes and --note cannot be used together.");
    const { least, most } = shareSeconds;
    if (seconds !== undefined && (seconds < least || seconds > most))
      throw usage("--for: must be from 1 minute to 365 days. Nothing was shared.");
    const password = await passwordOf(ctx, flags.password, flags.passwordFile);
    const body = {
      withNotes,
      withName,
      noteIds: noteIds.map((id) => ctx.resolveId(id)),
      ...(seconds !== undefined && { validForSeconds: seconds }),
      ...(password !== undefined && { password }),
    };
    const create = await creationFor(ctx, args.of);
    return ctx.item(await ctx.api()[create]({ params: { id: args.of }, body }), shareView);
  },
});

const shares = define({
  name: "shares",
  summary: "List your shares, how often they were viewed and when they expire",
  description: "A browser that opens a page several times counts once per hour. Nothing about who opened it is stored.",
  operation: "listShares",
  query: "listShares",
  list: true,
  examples: ["playtest review shares", "playtest review shares --playtest PLAYTEST --all"],
  view: sharesView,
});

const unshare = define({
  name: "unshare",
  summary: "End a share: its link stops working at once",
  args: {
    share: arg.id(
      "Id of the share",
      "listShares",
      ({ gameName, kind, createdAt }) => `${gameName}, ${kind}, ${String(createdAt).slice(0, 10)}`,
    ),
  },
  operation: "deleteShare",
  confirm: false,
  examples: ["playtest review unshare SHARE"],
  run: async ({ args }, ctx) => ctx.item(await ctx.api().deleteShare({ params: { id: args.share } })),
});

export const shareCommands = [share, shares, unshare];
