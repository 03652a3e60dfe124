import { open as openFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { waitHint } from "../../api/replies.ts";
import { decide, type Failure, type RetryState, retryAfter } from "../../api/retry.ts";
import type { HttpReply, HttpRequest, TraceEvent } from "../../api/types.ts";
import { webUrl } from "../../api/url.ts";
import { signatureBytes, videoType } from "../../contract/files/inspect-video.ts";
import { extensionOf } from "../../contract/files/media.ts";
import { CliError, cannotWrite, exitCodes, failure } from "../../errors.ts";
import { plural } from "../text.ts";
import { makeFolder } from "./folder.ts";
import { safePart } from "./safe-name.ts";

/** One file to download from a signed link. A lost connection is resumed; the file appears only when it is complete. */
export interface Download {
  /** Path without extension. Unless `extension` is given, the content determines it. */
  stem: string;
  extension: string | undefined;
  /** Extension for content of an unknown kind. */
  otherwise: string;
  /**
   * What no other content has: the name of the partial file has it, so that a later run resumes that one and no other. Undefined: what an
   * earlier run left is replaced.
   */
  version?: string | undefined;
  /** Expected size in bytes, if known. */
  size: number | undefined;
  /** Gets a link. Called again when the previous one has expired. */
  link(): Promise<string>;
  way: DownloadWay;
  onBytes(count: number): void;
}

/** How files are downloaded: the same for all of a command. Times in milliseconds. */
export interface DownloadWay extends Pick<RetryState, "retries" | "maxWait"> {
  send(request: HttpRequest): Promise<HttpReply>;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  now(): number;
  /** From 0 up to, not including, 1. */
  random(): number;
  signal: AbortSignal;
  trace(event: TraceEvent): void;
  /** How long without data before the connection counts as lost. */
  timeout: number;
}

const sizeOf = async (path: string) => (await stat(path).catch(() => undefined))?.size;

const partOf = ({ stem, version }: Pick<Download, "stem" | "version">) =>
  `${stem}${version === undefined ? "" : `.${safePart(version)}`}.part`;

/** The extension for what was saved, by its first bytes, else by the media type; the name that the server gives is not trusted. */
async function savedExtension(part: string, { "content-type": type = "" }: Record<string, string>, otherwise: string) {
  const file = await openFile(part);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(signatureBytes), 0, signatureBytes, 0);
    const detected = videoType(buffer.subarray(0, bytesRead));
    return (detected && extensionOf(detected)) ?? extensionOf(type) ?? otherwise;
  } finally {
    await file.close();
  }
}

const expired = (status: number) => status === 401 || status === 403 || status === 410;
const busy = (status: number) => status === 408 || status === 429 || status >= 500;
/** What `decide` knows before the first attempt, and after one that brought something. */
const untried = { tries: 0, toldWhen: 0, waited: 0 };
/** Before a lost connection that brought something is opened again. */
const pauseMs = 250;

/** Opens a signed link. Follows redirects, which is safe because the request carries no API key. */
export async function openLink(
  { send, signal, timeout }: Pick<DownloadWay, "send" | "signal" | "timeout">,
  address: string,
  headers: Record<string, string>,
): Promise<HttpReply> {
  let url = webUrl(address);
  for (let hops = 0; hops < 5; hops++) {
    const reply = await send({ method: "GET", url, headers: { accept: "*/*", ...headers }, timeout, signal, stream: true });
    const { location } = reply.headers;
    if (reply.status < 300 || reply.status >= 400 || location === undefined) return reply;
    reply.stream?.destroy();
    url = webUrl(URL.canParse(location, url.href) ? new URL(location, url).href : location);
  }
  throw failure(`Too many redirects from ${url.origin}.`);
}

/**
 * Writes data as it arrives, so that everything before a lost connection is kept. Stops soon after `expected` bytes: a server that never
 * ends would fill the disk.
 */
async function append({ onBytes }: Download, stream: Readable, part: string, from: number, expected: number | undefined) {
  const failed = (error: Error): never => {
    stream.destroy();
    throw cannotWrite(part, error);
  };
  const file = await openFile(part, from > 0 ? "a" : "w").catch(failed);
  let size = from;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (expected !== undefined && size > expected) throw await wrongSize(part, `the server sent more than ${expected} bytes`);
      await file.writeFile(chunk).catch(failed);
      onBytes(chunk.length);
    }
  } finally {
    await file.close().catch(failed);
  }
}

/** Why an attempt got nothing more, and whether the next one needs another link. */
interface Missed extends Failure {
  why: string;
  needsLink?: true;
  error?: unknown;
}

/** One attempt. Returns the extension when the file is complete. `seen` holds the ETag of what the attempts before it got. */
async function attempt(
  download: Download,
  address: string,
  part: string,
  seen: { etag?: string | undefined },
): Promise<{ extension: string } | Missed> {
  const had = (await sizeOf(part)) ?? 0;
  // A partial file larger than the whole cannot be resumed.
  const from = download.size !== undefined && had > download.size ? 0 : had;
  const isSame = seen.etag === undefined || seen.etag.startsWith("W/") ? undefined : { "if-range": seen.etag };
  const reply = await openLink(download.way, address, from > 0 ? { range: `bytes=${from}-`, ...isSame } : {});
  const { status, headers, stream } = reply;
  if (expired(status)) return { why: `the link was refused with status ${status}`, needsLink: true };
  if (busy(status)) return { why: `the server answered with status ${status}`, status, retryAfter: headers["retry-after"] };
  const total = totalOf(reply);
  if (status === 416 && from > 0 && total === from) return whole(download, part, total, headers);
  if (status === 416) throw await wrongSize(part, `${from} bytes were downloaded, but the file has ${total ?? "fewer"}`);
  if ((status !== 200 && status !== 206) || !stream) throw failure(`The download failed with status ${status}.`);
  if (status === 206 && !headers["content-range"]?.startsWith(`bytes ${from}-`))
    throw failure("The server sent a different byte range than requested.");
  seen.etag = headers.etag;
  // The whole file replaces the partial one: the server ignores Range, or the content has changed.
  await append(download, stream, part, status === 206 ? from : 0, download.size ?? total);
  return whole(download, part, total, headers);
}

/** Size of the whole file according to the reply. */
function totalOf({ status, headers }: HttpReply): number | undefined {
  const said = headers["content-range"]?.split("/")[1] ?? (status === 200 ? headers["content-length"] : undefined);
  return said === undefined || said === "*" ? undefined : Number(said);
}

/** Too few bytes mean a lost connection, because the HTTP client treats a closed connection as the end of the body. */
async function whole(
  { size, otherwise }: Download,
  part: string,
  total: number | undefined,
  headers: Record<string, string>,
): Promise<{ extension: string } | Missed> {
  const expected = size ?? total;
  const actual = (await sizeOf(part)) ?? 0;
  if (expected !== undefined && total !== undefined && total < expected)
    throw await wrongSize(part, `the file has ${total} bytes instead of ${expected}`);
  if (expected !== undefined && actual < expected) return { why: "the connection ended before the file was complete" };
  if (expected !== undefined && actual > expected) throw await wrongSize(part, `received ${actual} bytes instead of ${expected}`);
  return { extension: await savedExtension(part, headers, otherwise) };
}

async function wrongSize(part: string, what: string) {
  await rm(part, { force: true });
  return failure(`Wrong file size: ${what}. The partial file was removed.`, "Run the command again.");
}

const lost = (error: unknown, signal: AbortSignal) =>
  !signal.aborted && (!(error instanceof CliError) || error.exitCode === exitCodes.unreachable);

/**
 * Downloads the file and returns its path. Throws after too many consecutive attempts without new data, by the rules for requests: a server
 * that says when to try again is waited for.
 */
export async function download(options: Download): Promise<string> {
  const { way } = options;
  const { signal } = way;
  const part = partOf(options);
  await makeFolder(dirname(part));
  if (options.version === undefined) await rm(part, { force: true });
  const seen = {};
  let address = await options.link();
  let state = untried;
  // A server that ignores Range begins again with each attempt: only what is more than ever before is new.
  let most = (await sizeOf(part)) ?? 0;
  for (;;) {
    const outcome = await attempt(options, address, part, seen).catch((error: unknown): Missed => {
      if (signal.aborted) throw signal.reason;
      if (!lost(error, signal)) throw error;
      return { why: (error as Error).message, error };
    });
    if ("extension" in outcome) {
      const path = options.stem + (options.extension ?? outcome.extension);
      await rename(part, path).catch((error: Error) => {
        throw cannotWrite(path, error);
      });
      return path;
    }
    const size = (await sizeOf(part)) ?? 0;
    if (size > most) {
      [most, state] = [size, untried];
      await way.sleep(pauseMs, signal);
      continue;
    }
    state = { ...state, tries: state.tries + 1 };
    if (outcome.needsLink) {
      // Another link is asked for at once: nothing is waited for.
      if (state.tries > way.retries) throw gaveUp(options, outcome, state.tries);
      address = await options.link();
    } else state = await pause(options, outcome, state);
  }
}

/** Waits before the next attempt. Throws when there is none. */
async function pause(download: Download, outcome: Missed, state: typeof untried): Promise<typeof untried> {
  const { way } = download;
  const { retries, maxWait } = way;
  const now = way.now();
  const next = decide(outcome, { ...state, retries, maxWait, now, random: way.random() });
  if (!next.retry) throw gaveUp(download, outcome, state.tries, waitHint(next.requestedWait, next.waited));
  const waited = state.waited + next.wait;
  way.trace({ kind: "retry", wait: next.wait, tries: state.tries, waited, maxWait });
  await way.sleep(next.wait, way.signal);
  const told = retryAfter(outcome.retryAfter, now) !== undefined;
  return { tries: state.tries, toldWhen: state.toldWhen + (told ? 1 : 0), waited };
}

function gaveUp({ version }: Download, { why, error }: Missed, tries: number, hint?: string): unknown {
  if (error instanceof CliError) return error;
  const next = [`Run the command again${version === undefined ? "" : " to resume it"}.`, hint].filter(Boolean).join(" ");
  return failure(`The download failed after ${plural(tries, "attempt")}: ${why}.`, next, error);
}

/** The complete file with this stem, if there is one. */
export async function finished(
  stem: string,
  extensions: readonly string[],
  size: number | undefined,
): Promise<string | undefined> {
  for (const extension of extensions) {
    const found = await sizeOf(stem + extension);
    if (found !== undefined && (size === undefined || found === size)) return stem + extension;
  }
  return undefined;
}

/** A file with this stem but another size, if there is one. */
export async function other(stem: string, extensions: readonly string[], size: number | undefined): Promise<string | undefined> {
  if (size === undefined) return undefined;
  for (const extension of extensions) {
    const found = await sizeOf(stem + extension);
    if (found !== undefined && found !== size) return stem + extension;
  }
  return undefined;
}

/** Bytes that an earlier attempt downloaded. */
export const partSize = async (of: Pick<Download, "stem" | "version">) => (await sizeOf(partOf(of))) ?? 0;
