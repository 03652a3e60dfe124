import { createReadStream } from "node:fs";
import { sendFile } from "../../api/send-file.ts";
import { isWebUrl } from "../../api/url.ts";
import type { Context } from "../../cli/define.ts";
import { shellQuote } from "../../contract/text/shell.ts";
import { CliError, exitCodes, failure, usage } from "../../errors.ts";
import { uploading } from "../../io/meter.ts";
import { oneLine } from "../../io/text.ts";
import type { BuildFile } from "./build/source.ts";

/** Flags for storage other than the server's own. */
export interface StorageFlags {
  putUrl: string | undefined;
  publicUrl: string | undefined;
  uploadCmd: string | undefined;
  noVerify: boolean;
}

export function checkUrl(text: string, label: string): string {
  if (!isWebUrl(text)) throw usage(`${label}: ${JSON.stringify(text)} is not an http or https URL.`);
  return text;
}

/** Adds the content hash to a URL, so that an identical build is recognized on any machine. */
export const withHash = (url: string, contentSha256: string) => {
  const withFragment = new URL(url);
  withFragment.hash = `content-sha256=${contentSha256}`;
  return withFragment.href;
};
export const hashOf = (url: string) => /#content-sha256=([0-9a-f]{64})$/.exec(url)?.[1];

/** Uploads the build and returns the URL that playtesters download it from. */
export async function store(ctx: Context, build: BuildFile, flags: StorageFlags): Promise<string> {
  const url =
    flags.putUrl === undefined ? await byCommand(ctx, build, flags) : await byPut(ctx, build, flags.putUrl, flags.publicUrl);
  if (!flags.noVerify) await verify(ctx, url, build.size);
  return url;
}

const withoutQuery = (address: string) => {
  const url = new URL(address);
  return url.origin + url.pathname;
};

/** Where a presigned upload can be downloaded. */
export const addressOf = (putUrl: string, publicUrl: string | undefined) => publicUrl ?? withoutQuery(putUrl);

async function byPut(ctx: Context, build: BuildFile, putUrl: string, publicUrl: string | undefined): Promise<string> {
  const progress = await ctx.progress();
  const body = createReadStream(build.file, { highWaterMark: 2 ** 19 });
  const report = uploading(ctx.now, build.filename, progress);
  const counted = (sent: number) => report(sent, build.size);
  counted(0);
  try {
    const headers = { "content-length": `${build.size}` };
    const request = { method: "PUT", url: new URL(putUrl), headers, signal: ctx.signal };
    const reply = await sendFile(ctx.send, { ...request, body, total: build.size, progress: counted });
    if (reply.status >= 300)
      throw refused(`The storage returned ${reply.status}`, oneLine(reply.body.toString("utf8").slice(0, 300)));
  } finally {
    progress.done();
  }
  return addressOf(putUrl, publicUrl);
}

/**
 * A command with the name of the build for `{file}`. No quotes of cmd.exe keep a `%`, but it leaves alone what a variable holds, and no
 * file on Windows has a double quote in its name.
 */
export const uploadCommand = (command: string, file: string, platform: string) =>
  command.replaceAll("{file}", () => (platform === "win32" ? '"%PLAYTEST_BUILD_FILE%"' : shellQuote(file)));

async function byCommand(ctx: Context, build: BuildFile, flags: StorageFlags): Promise<string> {
  const { shellOutput } = await import("../../io/shell.ts");
  const command = uploadCommand(flags.uploadCmd!, build.file, ctx.io.platform);
  const env = { PLAYTEST_BUILD_FILE: build.file, PLAYTEST_BUILD_NAME: build.filename, PLAYTEST_BUILD_SHA256: build.sha256 };
  const { code, out } = await shellOutput(ctx.io, command, { env });
  if (code !== 0) throw refused(`--upload-cmd exited with code ${code}`, "");
  const last = out.trimEnd().split("\n").at(-1)?.trim() ?? "";
  if (flags.publicUrl !== undefined) return flags.publicUrl;
  if (isWebUrl(last)) return last;
  throw refused(
    `--upload-cmd did not print a URL as its last line but ${JSON.stringify(last)}`,
    "Print the URL as the last line, or pass --public-url.",
  );
}

const refused = (what: string, hint: string) => failure(`${what}. The game's build was not changed.`, hint || undefined);

/** Sends a HEAD request without the API key, and follows up to five redirects. */
async function headOf(ctx: Context, address: string) {
  for (let url = new URL(address), hops = 0; ; hops++) {
    const reply = await ctx.send({ method: "HEAD", url, headers: {}, signal: ctx.signal });
    const { location } = reply.headers;
    if (reply.status < 300 || reply.status >= 400 || !location || !URL.canParse(location, url.href) || hops === 5) return reply;
    url = new URL(location, url);
  }
}

/** Verifies that the URL serves the build, before any playtester is sent there. */
async function verify(ctx: Context, url: string, size: number) {
  const reply = await headOf(ctx, url);
  const length = Number(reply.headers["content-length"] ?? Number.NaN);
  const problem =
    reply.status >= 300
      ? `returned ${reply.status}`
      : length !== size && !Number.isNaN(length)
        ? `serves ${length} bytes instead of ${size}`
        : undefined;
  if (problem === undefined) return;
  const hint = "Check the URL, pass another with --public-url, or skip the check with --no-verify.";
  throw new CliError("NOT_VERIFIED", exitCodes.error, `${url} ${problem}. The game's build was not changed.`, { hint });
}
