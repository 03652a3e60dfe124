import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Transform } from "node:stream";
import type { DetailedError, HttpRequest, HttpStack, UploadOptions } from "tus-js-client";
import { CliError, exitCodeOfReply, failure } from "../errors.ts";
import { notTheApi, replyError } from "./replies.ts";
import type { HttpReply, Transport } from "./transport.ts";
import { unfinishedUploads } from "./unfinished.ts";

/** A file to send to one of the server's upload routes. */
export interface UploadRequest {
  /** The route that creates the upload, below `/api/v1`. */
  path: string;
  file: string;
  metadata: Record<string, string>;
  /** The same text in a later run goes on where this one was cut off. */
  fingerprint: string;
  progress(sent: number, total: number): void;
}

export interface Uploader {
  /** Address of the instance, with `/api/v1`. */
  base: string;
  apiKey: string | undefined;
  transport: Transport;
  userAgent: string;
  /** Folder that remembers unfinished uploads. */
  directory: string;
  retries: number;
  signal: AbortSignal;
}

const chunkBytes = 64 * 2 ** 20;
const readBytes = 2 ** 19;
/** Of one request: a slow line may take hours for a chunk. */
const timeout = 24 * 3_600_000;
const pauses = [0, 1_000, 3_000, 5_000, 10_000];

/**
 * Sends a file by tus 1.0, in chunks that are tried again, and resumed by a later run after a kill. Throws what the server
 * answered, or the network's error; nothing is lost then.
 */
export async function upload(uploader: Uploader, request: UploadRequest): Promise<void> {
  const { Upload } = await import("tus-js-client");
  const { signal, base } = uploader;
  const fingerprint = `${base} ${request.path} ${request.fingerprint}`;
  await new Promise<void>((resolve, reject) => {
    const unreadable = (error: Error) => {
      void task.abort();
      reject(failure(`Cannot read ${request.file}: ${error.message}.`, undefined, error));
    };
    const task = new Upload(request.file as unknown as Buffer, {
      endpoint: base + request.path,
      headers: { ...(uploader.apiKey && { authorization: `Bearer ${uploader.apiKey}` }), "user-agent": uploader.userAgent },
      metadata: request.metadata,
      chunkSize: chunkBytes,
      retryDelays: pauses.slice(0, uploader.retries),
      onShouldRetry: worthAnotherTry,
      fileReader: fileReader(unreadable),
      httpStack: httpStack(uploader),
      urlStorage: unfinishedUploads(join(uploader.directory, "uploads")),
      fingerprint: async () => fingerprint,
      removeFingerprintOnSuccess: true,
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
        if (previous) task.resumeFromPreviousUpload(previous);
        task.start();
      })
      .catch(reject);
  });
}

/** The library's own reader takes 64 KiB at a time, and its connection waits for the disk as often. */
function fileReader(unreadable: (error: Error) => void): NonNullable<UploadOptions["fileReader"]> {
  return {
    async openFile(path: string) {
      const { size } = await stat(path).catch((error: Error) => {
        unreadable(error);
        throw error;
      });
      const slice = async (start: number, end: number) => {
        const bytes = createReadStream(path, { start, end: end - 1, highWaterMark: readBytes }).on("error", unreadable);
        // The server would wait for what never comes.
        bytes.on("end", () => bytes.bytesRead < end - start && unreadable(new Error("it became shorter meanwhile")));
        return { value: Object.assign(bytes, { size: end - start }), done: end >= size };
      };
      return { size, slice, close() {} };
    },
  };
}

const replyTo = ({ originalResponse }: DetailedError) => originalResponse?.getUnderlyingObject() as HttpReply | undefined;

/** 409 and 423: the offset was another, or is held; the next try asks for it. */
function worthAnotherTry(error: Error): boolean {
  const { causingError } = error as DetailedError;
  if (causingError instanceof CliError) return causingError.extra.retryable === true;
  const status = replyTo(error as DetailedError)?.status ?? 500;
  return status >= 500 || [408, 409, 423, 429].includes(status);
}

/**
 * The library begins an upload anew when it does not learn how far it is. Only a server that has it no more may cause that: one that
 * is busy, or wants another key, has it still.
 */
function requireOffset(reply: HttpReply, url: URL): void {
  const { status } = reply;
  if (status < 300 || [403, 404, 410, 423].includes(status)) return;
  const retryable = status >= 500 || status === 429 || status === 408;
  const message = `${url.origin} answered ${status} when asked how much of the upload it has.`;
  throw new CliError("UPLOAD_UNKNOWN", exitCodeOfReply(status, undefined), message, {
    hint: "What arrived is kept: run the command again to go on from there.",
    httpStatus: status,
    retryable,
  });
}

function explain(error: DetailedError, url: URL): Error {
  if (error.causingError instanceof CliError) return error.causingError;
  const reply = replyTo(error);
  if (!reply) return failure(`The upload failed: ${error.message}.`, undefined, error);
  return reply.status < 300 ? notTheApi(reply, url) : replyError(reply, url);
}

/** Requests through the client's own transport: its proxies, its errors, and no key to any other host. */
function httpStack({ transport, base, signal }: Uploader): HttpStack {
  const { origin } = new URL(base);

  function createRequest(method: string, address: string): HttpRequest {
    const url = new URL(address);
    const headers: Record<string, string> = {};
    const stopped = new AbortController();
    let progress: (sent: number) => void = () => {};

    async function send(body: (Readable & { size?: number }) | Uint8Array | null) {
      if (url.origin !== origin) {
        if (body instanceof Readable) body.on("error", () => {}).destroy();
        const refused = `${origin} sends the upload to ${url.origin}; the key was not sent there.`;
        throw failure(refused, "Use the server's own address as base URL.");
      }
      if (body instanceof Readable && body.size !== undefined) headers["content-length"] = `${body.size}`;
      const sent = body instanceof Readable ? counted(body, progress) : (body ?? undefined);
      const either = AbortSignal.any([signal, stopped.signal]);
      const reply = await transport.send({ method, url, headers, body: sent, timeout, signal: either });
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

/** The same bytes, and word of how many have gone. */
function counted(body: Readable, progress: (sent: number) => void): Readable {
  let sent = 0;
  const through = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sent += chunk.length;
      progress(sent);
      done(null, chunk);
    },
  });
  body.once("error", (error) => through.destroy(error));
  return body.pipe(through);
}
