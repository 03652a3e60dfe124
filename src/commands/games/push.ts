import type { Data } from "../../api/client.ts";
import { arg, type Context, col, define, flag, type View } from "../../cli/define.ts";
import { notFound, usage } from "../../errors.ts";
import { ciOutputs, ciSummary, codeSpan } from "../../io/ci.ts";
import { uploading } from "../../io/meter.ts";
import { bytes, plural, usd } from "../../io/text.ts";
import { type BuildFile, withBuild } from "./build-file.ts";
import { agree, placeOrder, readOrder, wasOrdered } from "./order-after.ts";
import { preview } from "./preview.ts";
import { addressOf, checkUrl, hashOf, type StorageFlags, store, withHash } from "./storage.ts";
import { versionLabel } from "./version.ts";

const changeView: View = {
  columns: [col("change", "change"), col("file", "path"), col("size", "size", "bytes")],
  empty: "Nothing would change.",
};

interface Labels {
  version?: string;
  channel?: string;
  notes?: string;
}

interface Pushed extends Labels {
  gameId: string;
  buildUrl: string;
  sha256: string | null;
  /** Of the files inside; null for a URL. */
  contentSha256: string | null;
  size: number | null;
  skipped: boolean;
}

export const push = define({
  name: "push",
  summary: "Upload a build, or point the game at one",
  description:
    "A folder is packed into a zip that has the same bytes each time, without what its .playtestignore names. A server with build hosting gets\n" +
    "it by resumable upload. Elsewhere --put-url or --upload-cmd store it; a URL is taken as it is. The game's build changes only when the\n" +
    "upload is whole and checked. With --if-changed and --order each build is ordered for once: a run that finds the build there, but no\n" +
    "playtests ordered since, makes up for the order.",
  operation: ["createBuildUpload", "updateGame", "getGame", "listBuilds", "quotePlaytest", "listPlaytests", "createPlaytest"],
  risk: "write",
  exits: [7],
  args: { source: arg.text("Folder, file or URL"), game: arg.game() },
  flags: {
    ifChanged: flag.toggle("Do nothing when the game has this very build"),
    preview: flag.toggle("Show which files would be added, changed and removed; send nothing"),
    versionLabel: flag.text("Label of the build, such as 1.4.0", { value: "LABEL" }),
    versionFrom: flag.choice(["git", "file"], "Take the label from git, or from VERSION or package.json"),
    channel: flag.text("Channel of the build, such as beta", { value: "NAME" }),
    notes: flag.text("Notes kept with the build"),
    putUrl: flag.text("Store it here by PUT (a presigned address)", { value: "URL" }),
    uploadCmd: flag.text("Store it by this command; {file} is the file, its last line of output the URL", { value: "COMMAND" }),
    publicUrl: flag.text("Where playtesters find it, if that differs", { value: "URL" }),
    noVerify: flag.toggle("Do not check that the stored build can be downloaded"),
    order: flag.text("Then order playtests with this body, JSON or YAML", { value: "FILE" }),
    maxCost: flag.money("With --order: only if it costs no more than this"),
  },
  examples: [
    "playtest games push dist",
    "playtest games push dist --if-changed --version-from git --order playtest.yaml --yes",
    "playtest games push dist --upload-cmd 'aws s3 cp {file} s3://builds/game.zip >&2 && echo https://builds.example.com/game.zip'",
    "playtest games push https://example.com/build.zip",
  ],
  async run({ args, flags }, ctx) {
    if (flags.putUrl !== undefined && flags.uploadCmd !== undefined)
      throw usage("--put-url and --upload-cmd exclude each other.");
    for (const name of ["putUrl", "publicUrl"] as const)
      if (flags[name] !== undefined) checkUrl(flags[name], name === "putUrl" ? "--put-url" : "--public-url");
    const order =
      flags.order === undefined
        ? undefined
        : await readOrder(ctx, args.game, flags.order, { maxCents: flags.maxCost, once: flags.ifChanged });
    let cents = 0;
    const ready = async () => {
      if (order) cents = await agree(ctx, order);
    };
    const pushed = /^https?:\/\//i.test(args.source)
      ? await pushUrl(ctx, args.game, args.source, flags, ready)
      : await pushFile(ctx, args, flags, ready);
    if (Array.isArray(pushed)) return ctx.rows("changes", pushed, changeView);
    await printPushed(ctx, pushed);
    const due = order && !(pushed.skipped && (await wasOrdered(ctx, order.gameId)));
    if (due && pushed.skipped) await ready();
    const placed = due ? await placeOrder(ctx, order) : undefined;
    if (placed) await tellOrder(ctx, placed.playtest);
    const ordered = placed && `Ordered ${placed.playtest.id} for ${usd(cents)}: ${placed.playtest.status}.`;
    const text = [outcomeText(pushed, placed !== undefined), ...(ordered ? [ordered] : [])].join("\n");
    return ctx.text(text, { result: { ...pushed, ...(placed && { order: placed }) } });
  },
});

/** For the later steps of a CI job, and its page. */
async function printPushed(ctx: Context, pushed: Pushed) {
  await ciOutputs(ctx, {
    "game-id": pushed.gameId,
    "build-url": pushed.buildUrl,
    sha256: pushed.sha256,
    "content-sha256": pushed.contentSha256,
    version: pushed.version,
    skipped: pushed.skipped,
  });
  const label = pushed.version ? ` ${codeSpan(pushed.version)}` : "";
  await ciSummary(ctx, pushed.skipped ? "- The game has this build already." : `- Pushed build${label}.`);
}

async function tellOrder(
  ctx: Context,
  { id, status, quantity }: Pick<Data<"createPlaytest">["playtest"], "id" | "status" | "quantity">,
) {
  await ciOutputs(ctx, { "playtest-id": id, "playtest-status": status });
  await ciSummary(ctx, `- Ordered ${plural(quantity, "slot")}: \`${id}\`.`);
}

const size = (pushed: Pushed) =>
  pushed.size === null ? "" : ` ${bytes(pushed.size)}${pushed.version ? ` as ${pushed.version}` : ""}`;

function outcomeText(pushed: Pushed, ordered: boolean): string {
  if (!pushed.skipped) return `Pushed${size(pushed)}. ${pushed.buildUrl}`;
  return `${ordered ? "The" : "Nothing to do: the"} game has this build already. ${pushed.buildUrl}`;
}

interface PushFlags extends StorageFlags {
  ifChanged: boolean;
  preview: boolean;
  versionLabel: string | undefined;
  versionFrom: "git" | "file" | undefined;
  channel: string | undefined;
  notes: string | undefined;
}

const gameOf = async (ctx: Context, id: string) => (await ctx.api().getGame({ params: { id } })).game;

/** Called before anything is changed: what is asked first. */
type Ready = () => Promise<void>;

async function pushUrl(ctx: Context, gameId: string, url: string, flags: PushFlags, ready: Ready): Promise<Pushed> {
  if (flags.preview) throw usage("--preview compares a folder or file, not a URL.");
  const result = { gameId, buildUrl: checkUrl(url, "source"), sha256: null, contentSha256: null, size: null };
  if (flags.ifChanged && (await gameOf(ctx, gameId)).buildUrl === url) return { ...result, skipped: true };
  await ready();
  await ctx.api().updateGame({ params: { id: gameId }, body: { buildUrl: url } });
  return { ...result, skipped: false };
}

async function pushFile(ctx: Context, args: { source: string; game: string }, flags: PushFlags, ready: Ready) {
  const elsewhere = flags.putUrl !== undefined || flags.uploadCmd !== undefined;
  if (!elsewhere) await requireHosting(ctx);
  const game = await gameOf(ctx, args.game);
  return withBuild(ctx, args.source, async (build) => {
    const present = await presentBuild(ctx, game.id, game.buildUrl);
    if (flags.preview) return preview(ctx, await build.pack(), await present.link());
    const version = await versionLabel(ctx, flags, build.folder ?? ctx.io.cwd());
    const labels: Labels = {
      ...(version && { version }),
      ...(flags.channel && { channel: flags.channel }),
      ...(flags.notes && { notes: flags.notes }),
    };
    const about = { gameId: game.id, contentSha256: build.contentSha256, ...labels };
    if (flags.ifChanged && present.contentSha256 === build.contentSha256) {
      const { sha256, size } = present;
      return { ...about, sha256, size, buildUrl: game.buildUrl, skipped: true };
    }
    await ready();
    const file = await build.pack();
    const buildUrl = elsewhere ? await storeElsewhere(ctx, game.id, file, flags) : await host(ctx, game.id, file, labels);
    return { ...about, sha256: file.sha256, size: file.size, buildUrl, skipped: false };
  });
}

async function requireHosting(ctx: Context) {
  const features = await ctx
    .api()
    .getServerInfo({})
    .then(
      (info) => info.features,
      (error: { exitCode?: number }) => (error.exitCode === 3 ? undefined : Promise.reject(error)),
    );
  if (features?.buildHosting) return;
  throw notFound(
    "This server does not keep builds.",
    "Store it elsewhere with --put-url or --upload-cmd, or give the URL of a build.",
  );
}

/** What is known of the build the game has now. */
async function presentBuild(ctx: Context, gameId: string, buildUrl: string) {
  const { builds } = await ctx.api().listBuilds({ params: { id: gameId }, query: { limit: 1 } });
  const current = builds.find((build) => build.buildUrl === buildUrl);
  const hosted = current?.sha256 ? current : undefined;
  const link = async () =>
    hosted ? (await ctx.api().getBuildDownloadUrl({ params: { id: gameId, buildId: hosted.id } })).downloadUrl : buildUrl;
  const { contentSha256 = hashOf(buildUrl), sha256 = null, size = null } = hosted ?? {};
  return { contentSha256, sha256, size, link };
}

async function storeElsewhere(ctx: Context, id: string, build: BuildFile, flags: PushFlags): Promise<string> {
  const change = (url: string) =>
    ctx.api().updateGame({ params: { id }, body: { buildUrl: withHash(url, build.contentSha256) } });
  const planned =
    flags.publicUrl ?? (flags.putUrl ? addressOf(flags.putUrl, undefined) : "https://where-the-command-says.invalid/");
  if (ctx.flags.dryRun) await change(planned);
  return (await change(await store(ctx, build, flags))).game.buildUrl;
}

/** Uploads to the server, which checks the hash and then points the game at it. */
async function host(ctx: Context, id: string, build: BuildFile, labels: Labels): Promise<string> {
  const progress = await ctx.progress();
  const { sha256, contentSha256 } = build;
  const metadata = { filename: build.filename, filetype: "application/octet-stream", sha256, contentSha256, ...labels };
  try {
    await ctx.upload({
      path: `/games/${id}/builds`,
      file: build.file,
      metadata,
      fingerprint: JSON.stringify(metadata),
      progress: uploading(ctx.now, build.filename, progress),
    });
  } finally {
    progress.done();
  }
  return (await gameOf(ctx, id)).buildUrl;
}
