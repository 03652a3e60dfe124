import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { DetailedError, HttpRequest, HttpStack, UploadOptions } from "tus-js-client";
import { CliError, exitCodeOfReply, failure } from "../errors.ts";
import { notTheApi, replyError } from "./replies.ts";
import { sendFile } from "./send-file.ts";
import type { HttpReply, Transport } from "./types.ts";
import { unfinishedUploads } from "./unfinished.ts";
import { requireEncryption } from "./url.ts";

/** A file to upload to the server. */
export interface UploadRequest {
  /** The route that creates the upload, relative to `/api/v1`. */
  path: string;
  file: string;
  metadata: Record<string, string>;
  /** A later run with the same fingerprint resumes an interrupted upload, and sends nothing for one that is complete. */
  fingerprint: string;
  progress(sent: number, total: number): void;
}

/** A complete upload. Until it is forgotten, a later run finds it instead of sending the file again. */
export interface Uploaded {
  /** Whether an earlier run began it, and may have completed it. */
  resumed: boolean;
  forget(): Promise<void>;
}

export interface Uploader {
  /** Address of the instance, with `/api/v1`. */
  base: string;
  apiKey: string | undefined;
  transport: Transport;
  userAgent: string;
  /** Directory that stores the addresses of unfinished uploads; undefined: none is stored. */
  directory: string | undefined;
  /** Milliseconds for a request that sends none of the file. */
  timeout: number;
  retries: number;
  /** Milliseconds that the retries may wait while no byte gets through; those of `retries` are made in any case. */
  maxWait: number;
  signal: AbortSignal;
  insecure: boolean;
}

const chunkBytes = 64 * 2 ** 20;
const readBytes = 2 ** 19;
/** In ms. The three by default outlast a restart of a server whose proxy does not say when to try again. The last one is repeated. */
const retryDelays = [0, 2_000, 5_000, 8_000, 10_000];

/** More than a day of them: the list must end, also where there is no limit. */
const mostPauses = 10_000;

/** At least one pause for each of the retries, and then as many as fit into `maxWait`. */
function pausesWithin(maxWait: number, retries: number): number[] {
  const pauses: number[] = [];
  let waited = 0;
  while (pauses.length < mostPauses) {
    const next = retryDelays[Math.min(pauses.length, retryDelays.length - 1)]!;
    waited += next;
    if (pauses.length >= retries && (retries === 0 || waited > maxWait)) break;
    pauses.push(next);
  }
  return pauses;
}

/**
 * Uploads a file by tus 1.0 in chunks, with retries; after a crash a later run resumes it. Throws the error of the server's response or
 * of the network; the uploaded part is kept.
 */
export async function upload(uploader: Uploader, request: UploadRequest): Promise<Uploaded> {
  const { Upload } = await import("tus-js-client");
  const { signal, base } = uploader;
  if (!uploader.insecure) requireEncryption(new URL(base), "The file");
  const fingerprint = `${base} ${request.path} ${request.fingerprint}`;
  const urlStorage = unfinishedUploads(uploader.directory);
  let resumed = false;
  await new Promise<void>((resolve, reject) => {
    const failReading = (error: Error) => {
      void task.abort();
      reject(failure(`Cannot read ${request.file}: ${error.message}.`, undefined, error));
    };
    const task = new Upload(request.file as unknown as Buffer, {
      endpoint: base + request.path,
      headers: { ...(uploader.apiKey && { authorization: `Bearer ${uploader.apiKey}` }), "user-agent": uploader.userAgent },
      metadata: request.metadata,
      chunkSize: chunkBytes,
      retryDelays: pausesWithin(uploader.maxWait, uploader.retries),
      onShouldRetry: (error, tries) => isRetryable(error) && (tries < uploader.retries || saysWhen(error, uploader.maxWait)),
      fileReader: fileReader(failReading),
      httpStack: httpStack(uploader),
      urlStorage,
      fingerprint: async () => fingerprint,
      onProgress: request.progress,
      onError: (error) => reject(signal.aborted ? signal.reason : explain(error as DetailedError, new URL(base))),
      onSuccess: () => resolve(),
    });
    const stop = () => void task.abort().finally(() => reject(signal.reason));
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    task
      .findPreviousUploads()
      .then(([previous]) => {
        resumed = previous !== undefined;
        if (previous) task.resumeFromPreviousUpload(previous);
        task.start();
      })
      .catch(reject);
  });
  return { resumed, forget: () => urlStorage.forget(fingerprint) };
}

/** Reads larger blocks than the library's own reader, which reads 64 KiB at a time and so waits for the disk more often. */
function fileReader(failReading: (error: Error) => void): NonNullable<UploadOptions["fileReader"]> {
  return {
    async openFile(path: string) {
      const { size } = await stat(path).catch((error: Error) => {
        failReading(error);
        throw error;
      });
      const slice = async (start: number, end: number) => {
        const bytes = createReadStream(path, { start, end: end - 1, highWaterMark: readBytes }).on("error", failReading);
        // Without this the server would wait for bytes that never arrive.
        bytes.on(
          "end",
          () => bytes.bytesRead < end - start && failReading(new Error("the file became shorter during the upload")),
        );
        return { value: Object.assign(bytes, { size: end - start, total: end }), done: end >= size };
      };
      return { size, slice, close() {} };
    },
  };
}

const replyTo = ({ originalResponse }: DetailedError) => originalResponse?.getUnderlyingObject() as HttpReply | undefined;

/** 409: the offset was wrong; 423: the upload is locked. The next attempt asks for the offset again. */
function isRetryable(error: Error): boolean {
  const { causingError } = error as DetailedError;
  if (causingError instanceof CliError) return causingError.extra.retryable === true;
  const status = replyTo(error as DetailedError)?.status ?? 500;
  return status >= 500 || [408, 409, 423, 429].includes(status);
}

/** A server that says in how many seconds to try again is waited for, unless that is too long. */
function saysWhen(error: Error, maxWait: number): boolean {
  const { causingError } = error as DetailedError;
  const seconds =
    causingError instanceof UnknownOffset ? causingError.retryAfter : replyTo(error as DetailedError)?.headers["retry-after"];
  return Number(seconds) * 1000 <= maxWait;
}

/** The server did not say how much of an upload it has. */
class UnknownOffset extends CliError {
  /** In seconds. */
  readonly retryAfter: string | undefined;

  constructor({ status, headers }: HttpReply, { origin }: URL) {
    super(
      "UPLOAD_UNKNOWN",
      exitCodeOfReply(status, undefined),
      `${origin} returned ${status} when asked for the offset of the upload.`,
      {
        hint: "The uploaded part is kept. Run the command again to resume.",
        httpStatus: status,
        retryable: status >= 500 || status === 429 || status === 408,
      },
    );
    this.retryAfter = headers["retry-after"];
  }
}

/**
 * The library starts an upload over when it cannot learn the offset. That is right only if the server no longer has the upload: a busy
 * server, or one that rejects the key, still has it.
 */
function requireOffset(reply: HttpReply, url: URL): void {
  const { status } = reply;
  if (status < 300 || [403, 404, 410, 423].includes(status)) return;
  throw new UnknownOffset(reply, url);
}

function explain(error: DetailedError, url: URL): Error {
  if (error.causingError instanceof CliError) return error.causingError;
  const reply = replyTo(error);
  if (!reply) return failure(`The upload failed: ${error.message}.`, undefined, error);
  return reply.status < 300 ? notTheApi(reply, url) : replyError(reply, url);
}

/** A part of the file: its size, and that of the file up to its end. */
type Part = Readable & { size: number; total: number };

/** Sends requests through the client's transport, with its proxies and errors; the API key goes to no other host. */
function httpStack({ transport, base, signal, timeout }: Uploader): HttpStack {
  const { origin } = new URL(base);

  function createRequest(method: string, address: string): HttpRequest {
    const url = new URL(address);
    const headers: Record<string, string> = {};
    const stopped = new AbortController();
    let progress: (sent: number) => void = () => {};

    /** The library sends only parts that the file's reader gave to it. */
    async function send(body: Part | null) {
      if (url.origin !== origin) {
        body?.on("error", () => {}).destroy();
        const message = `${origin} redirected the upload to ${url.origin}. The API key was not sent there.`;
        throw failure(message, "Use the server's own address as the base URL.");
      }
      const request = { method, url, headers, signal: AbortSignal.any([signal, stopped.signal]) };
      if (body) headers["content-length"] = `${body.size}`;
      const reply = await (body
        ? sendFile(transport.send, { ...request, body, total: body.total, progress })
        : transport.send({ ...request, timeout }));
      if (method === "HEAD") requireOffset(reply, url);
      return {
        getStatus: () => reply.status,
        getHeader: (name: string) => reply.headers[name.toLowerCase()],
        getBody: () => reply.body.toString("utf8"),
        getUnderlyingObject: () => reply,
      };
    }

    return {
      getMethod: () => method,
      getURL: () => address,
      setHeader: (name, value) => {
        headers[name.toLowerCase()] = value;
      },
      getHeader: (name) => headers[name.toLowerCase()],
      setProgressHandler: (handler) => {
        progress = handler;
      },
      send,
      abort: async () => stopped.abort(),
      getUnderlyingObject: () => undefined,
    };
  }

  return { createRequest, getName: () => "playtest" };
}
