import { arg, type Context, define, flag, viewOf } from "../../cli/define.ts";
import { flagName } from "../../cli/flags.ts";
import { costOf } from "../../contract/bulk/ordered.ts";
import { codeSpan } from "../../contract/text/one-line.ts";
import { notFound, usage } from "../../errors.ts";
import { ciOutputs, ciSummary } from "../../io/ci.ts";
import { uploading } from "../../io/meter.ts";
import { bytes, plural, usd } from "../../io/text.ts";
import { noteBudgets } from "../shared/budgets/left.ts";
import { compareCost, earlierOrder, type Price } from "../shared/price.ts";
import { withBuild } from "./build/build.ts";
import { type ContentFlags, type Findings, noFindings } from "./build/checks.ts";
import type { BuildFile } from "./build/source.ts";
import { confirmOrder, type Placed, placeOrder, readOrder, wasOrdered } from "./order-after.ts";
import { type Change, preview } from "./preview.ts";
import { addressOf, checkUrl, hashOf, type StorageFlags, store, withHash } from "./storage.ts";
import { versionLabel } from "./version.ts";

const changeView = viewOf<Change>(["change", "file:path", "size"], { empty: "Nothing would change." });

interface Labels {
  version?: string;
  channel?: string;
  notes?: string;
}

interface Pushed extends Labels, Findings {
  gameId: string;
  gameName: string;
  buildUrl: string;
  sha256: string | null;
  /** Hash of the files inside; null for a URL. */
  contentSha256: string | null;
  size: number | null;
  skipped: boolean;
}

export const push = define({
  name: "push",
  summary: "Upload a build, or set the URL of one",
  description:
    "Packs a directory into a zip file, with its links, executable bits and times, and without the files that .playtestignore lists. Uploads\n" +
    "it to the server, resuming an interrupted upload, or with --put-url or --upload-cmd to other storage. A file is sent as it is, but\n" +
    "programs in a zip file are made executable. A URL is used unchanged. The game's build changes only after the upload is complete and\n" +
    "verified. With --if-changed and --order, playtests are ordered once per build: if ordering fails, the next run retries it.",
  operation: ["createBuildUpload", "updateGame", "getGame", "listBuilds", "quotePlaytest", "listPlaytests", "createPlaytest"],
  risk: "write",
  exits: [7],
  args: { source: arg.text("Directory, file or URL"), game: arg.game() },
  flags: {
    ifChanged: flag.toggle("Do nothing if the game already has this build"),
    preview: flag.toggle("Show which files would be added, changed and removed, without sending anything"),
    noDefaultIgnores: flag.toggle("Also send files that no playtester needs, such as .git, .DS_Store and Thumbs.db"),
    skipLinks: flag.toggle("Leave out symbolic links that lead out of the directory"),
    keepModes: flag.toggle("Do not make programs of Linux and macOS executable"),
    strictNames: flag.toggle("Fail if a file cannot have its name on Windows or macOS"),
    includeSecrets: flag.toggle("Send files that look secret, such as .env and private keys"),
    versionLabel: flag.text("Version of the build, such as 1.4.0; only for uploads to the server, as the next three", {
      value: "LABEL",
    }),
    versionFrom: flag.choice(["git", "file"], "Take the version from git, or from a VERSION file or package.json"),
    channel: flag.text("Channel of the build, such as beta", { value: "NAME" }),
    notes: flag.text("Notes stored with the build"),
    putUrl: flag.text("Upload the build to this presigned URL with PUT", { value: "URL" }),
    uploadCmd: flag.text(
      "Upload the build with this command: {file}, without quotes around it, becomes the quoted name of the file, and the last line of output must be the URL",
      { value: "COMMAND" },
    ),
    publicUrl: flag.text("Where playtesters download the build, if it differs", { value: "URL" }),
    noVerify: flag.toggle("Do not verify that the uploaded build can be downloaded"),
    order: flag.text("After the push, order playtests with this order body (JSON or YAML)", { value: "FILE" }),
    maxCost: flag.money("With --order: maximum cost of the order"),
  },
  examples: [
    "playtest games push dist",
    "playtest games push dist --if-changed --version-from git --order playtest.yaml --yes",
    "playtest games push dist --upload-cmd './upload-build.sh {file}'",
    "playtest games push https://example.com/build.zip",
  ],
  async run({ args, flags }, ctx) {
    if (flags.putUrl !== undefined && flags.uploadCmd !== undefined)
      throw usage("--put-url and --upload-cmd cannot be used together.");
    for (const name of ["putUrl", "publicUrl"] as const)
      if (flags[name] !== undefined) checkUrl(flags[name], name === "putUrl" ? "--put-url" : "--public-url");
    const order =
      flags.order === undefined
        ? undefined
        : await readOrder(ctx, args.game, flags.order, { maxCents: flags.maxCost, once: flags.ifChanged });
    let price: Price | undefined;
    const beforeChange = async () => {
      if (order) price = await confirmOrder(ctx, order);
    };
    const pushed = /^https?:\/\//i.test(args.source)
      ? await pushUrl(ctx, args.game, args.source, flags, beforeChange)
      : await pushFile(ctx, args, flags, beforeChange);
    if ("changes" in pushed) return ctx.rows("changes", pushed.changes, changeView, pushed.findings);
    await reportPush(ctx, pushed);
    const due = order && !(pushed.skipped && (await wasOrdered(ctx, order.gameId)));
    if (due && pushed.skipped) await beforeChange();
    const placed = due ? await placeOrder(ctx, order) : undefined;
    if (placed?.placedBefore) ctx.out.note(earlierOrder);
    if (placed && price) compareCost(ctx, placed.reply, price, flags.maxCost);
    if (placed) await reportOrder(ctx, placed);
    if (placed) noteBudgets(ctx, placed.reply.budgets);
    const ordered = placed && orderedText(placed, ctx.withoutPayments());
    const text = [outcomeText(pushed, placed !== undefined), ...(ordered ? [ordered] : [])].join("\n");
    return ctx.text(text, { result: { ...pushed, ...(placed && { order: placed.reply }) } });
  },
});

function orderedText({ reply, placedBefore }: Placed, withoutPayments: boolean): string {
  const cost = costOf(reply);
  const cents = cost === 0 && withoutPayments ? undefined : cost;
  const { id, status } = reply.playtest;
  return `${placedBefore ? "Already ordered" : "Ordered"} ${id}${cents === undefined ? "" : ` for ${usd(cents)}`}${status ? `: ${status}` : ""}.`;
}

/** Sets the outputs for later steps of a CI job, and adds to the page of the job. */
async function reportPush(ctx: Context, pushed: Pushed) {
  await ciOutputs(ctx, {
    "game-id": pushed.gameId,
    "build-url": pushed.buildUrl,
    sha256: pushed.sha256,
    "content-sha256": pushed.contentSha256,
    version: pushed.version,
    skipped: pushed.skipped,
  });
  const label = pushed.version ? ` ${codeSpan(pushed.version)}` : "";
  await ciSummary(ctx, pushed.skipped ? "- The game already has this build." : `- Pushed build${label}.`);
}

async function reportOrder(ctx: Context, { reply, placedBefore }: Placed) {
  const { id, status, quantity } = reply.playtest;
  await ciOutputs(ctx, { "playtest-id": id, "playtest-status": status });
  await ciSummary(ctx, `- ${placedBefore ? "Already ordered" : "Ordered"} ${plural(quantity, "slot")}: \`${id}\`.`);
}

const size = (pushed: Pushed) =>
  pushed.size === null ? "" : ` ${bytes(pushed.size)}${pushed.version ? ` as ${pushed.version}` : ""}`;

function outcomeText(pushed: Pushed, ordered: boolean): string {
  if (!pushed.skipped) return `Pushed${size(pushed)} to ${pushed.gameName}. ${pushed.buildUrl}`;
  return `${ordered ? "" : "Nothing to do: "}${pushed.gameName} already has this build. ${pushed.buildUrl}`;
}

interface PushFlags extends StorageFlags, ContentFlags {
  ifChanged: boolean;
  preview: boolean;
  versionLabel: string | undefined;
  versionFrom: "git" | "file" | undefined;
  channel: string | undefined;
  notes: string | undefined;
}

const gameOf = async (ctx: Context, id: string) => (await ctx.api().getGame({ params: { id } })).game;

/** What would do nothing with the URL of a build, which is neither read nor uploaded. The API keeps no labels of one. */
const forFiles = [
  "preview",
  "versionLabel",
  "versionFrom",
  "channel",
  "notes",
  "putUrl",
  "uploadCmd",
  "publicUrl",
  "noVerify",
] as const satisfies readonly (keyof PushFlags)[];

/** Called before anything is changed, to ask for confirmation. */
type BeforeChange = () => Promise<void>;

async function pushUrl(ctx: Context, gameId: string, url: string, flags: PushFlags, beforeChange: BeforeChange): Promise<Pushed> {
  const useless = forFiles.find((name) => flags[name]);
  if (useless !== undefined)
    throw usage(
      `--${flagName({ name: useless })} works with a directory or a file, not with a URL. Nothing was changed.`,
      "Leave it out, or push the directory or the file itself.",
    );
  const buildUrl = checkUrl(url, "source");
  const game = await gameOf(ctx, gameId);
  const result = { gameId, gameName: game.name, buildUrl, sha256: null, contentSha256: null, size: null, ...noFindings() };
  if (flags.ifChanged && game.buildUrl === url) return { ...result, skipped: true };
  await beforeChange();
  await ctx.api().updateGame({ params: { id: gameId }, body: { buildUrl: url } });
  return { ...result, skipped: false };
}

async function pushFile(ctx: Context, args: { source: string; game: string }, flags: PushFlags, beforeChange: BeforeChange) {
  const elsewhere = flags.putUrl !== undefined || flags.uploadCmd !== undefined;
  if (!elsewhere) await requireHosting(ctx);
  const game = await gameOf(ctx, args.game);
  return withBuild(ctx, args.source, flags, async (build) => {
    const current = await currentBuild(ctx, game.id, game.buildUrl);
    if (flags.preview) return { changes: await preview(ctx, await build.pack(), await current.link()), findings: build.findings };
    const about = { gameId: game.id, gameName: game.name, contentSha256: build.contentSha256, ...build.findings };
    if (flags.ifChanged && current.contentSha256 === build.contentSha256) {
      const { sha256, size, labels } = current;
      return { ...about, ...labels, sha256, size, buildUrl: game.buildUrl, skipped: true };
    }
    const labels = elsewhere ? noLabels(ctx, flags) : await labelsOf(ctx, flags, build.folder ?? ctx.io.cwd());
    await beforeChange();
    const file = await build.pack();
    const buildUrl = elsewhere ? await storeElsewhere(ctx, game.id, file, flags) : await host(ctx, game.id, file, labels);
    return { ...about, ...labels, sha256: file.sha256, size: file.size, buildUrl, skipped: false };
  });
}

/** The labels that there are. */
const given = (labels: { [name in keyof Labels]: string | null | undefined }): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([, label]) => label));

async function labelsOf(ctx: Context, flags: PushFlags, directory: string): Promise<Labels> {
  const { channel, notes } = flags;
  return given({ version: await versionLabel(ctx, flags, directory), channel, notes });
}

/** A build in other storage is an address to the server, which keeps no labels of one. */
function noLabels(ctx: Context, flags: PushFlags): Labels {
  const names = (["versionLabel", "versionFrom", "channel", "notes"] as const)
    .filter((name) => flags[name])
    .map((name) => `--${flagName({ name })}`)
    .join(", ");
  if (names !== "")
    ctx.out.warn(
      `${names}: not stored, because a server keeps the version, channel and notes only of builds that are uploaded to it.`,
    );
  return {};
}

async function requireHosting(ctx: Context) {
  const info = await ctx.api().offered("getServerInfo", {});
  if (info?.data.features.buildHosting) return;
  throw notFound(
    "This server does not host builds.",
    "Upload the build to other storage with --put-url or --upload-cmd, or pass the URL of a build.",
  );
}

/** The current build of the game, as far as it is known. */
async function currentBuild(ctx: Context, gameId: string, buildUrl: string) {
  const { builds } = await ctx.api().listBuilds({ params: { id: gameId }, query: { limit: 1 } });
  const latest = builds.find((build) => build.buildUrl === buildUrl);
  const hosted = latest?.sha256 ? latest : undefined;
  const link = async () =>
    hosted ? (await ctx.api().getBuildDownloadUrl({ params: { id: gameId, buildId: hosted.id } })).downloadUrl : buildUrl;
  const { contentSha256 = hashOf(buildUrl), sha256 = null, size = null, version, channel, notes } = hosted ?? {};
  return { contentSha256, sha256, size, labels: given({ version, channel, notes }), link };
}

async function storeElsewhere(ctx: Context, id: string, build: BuildFile, flags: PushFlags): Promise<string> {
  const change = (url: string) =>
    ctx.api().updateGame({ params: { id }, body: { buildUrl: withHash(url, build.contentSha256) } });
  const planned =
    flags.publicUrl ?? (flags.putUrl ? addressOf(flags.putUrl, undefined) : "https://url-printed-by-upload-cmd.invalid/");
  if (ctx.flags.dryRun) await change(planned);
  const url = await store(ctx, build, flags);
  // What was sent, where the server does not repeat it.
  return (await change(url)).game.buildUrl ?? withHash(url, build.contentSha256);
}

/** Uploads to the server, which verifies the hash and then sets the game's build. */
async function host(ctx: Context, id: string, build: BuildFile, labels: Labels): Promise<string> {
  const progress = await ctx.progress();
  const { sha256, contentSha256 } = build;
  const metadata = { filename: build.filename, filetype: "application/octet-stream", sha256, contentSha256, ...labels };
  const upload = async () => {
    const uploaded = await ctx.upload({
      path: `/games/${id}/builds`,
      file: build.file,
      metadata,
      fingerprint: JSON.stringify(metadata),
      progress: uploading(ctx.now, build.filename, progress),
    });
    // It is the game's build now. Another upload may replace it, and then this one is to be sent again.
    await uploaded.forget();
    return { ...uploaded, buildUrl: (await gameOf(ctx, id)).buildUrl };
  };
  try {
    const { resumed, buildUrl } = await upload();
    // The server may have completed what an earlier run began, and another build may have replaced that since.
    const isReplaced = resumed && (await currentBuild(ctx, id, buildUrl)).sha256 !== sha256;
    return isReplaced ? (await upload()).buildUrl : buildUrl;
  } finally {
    progress.done();
  }
}
