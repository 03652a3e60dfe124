import type { IncomingMessage } from "node:http";
import { finished, type Readable } from "node:stream";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import type { Deps } from "../app/deps.ts";
import { badRequest, notFound, Problem } from "../lib/problem.ts";
import { findForPlaytester } from "../playtests/slots/store.ts";
import { readText } from "./headers.ts";
import { uploadsOf } from "./index.ts";
import { tooLarge } from "./problems.ts";

/** A file that a form posts, with the fields that stand before it. */
export interface PostedFile {
  fields: Record<string, string>;
  filename: string;
  /** At most so many bytes: the length of the whole form. */
  maxBytes: number;
  /** Ends by an error when the form does not come whole. */
  bytes: Readable;
  /** Takes what is left and drops it: browsers read an answer only after they sent everything. */
  skip(): Promise<void>;
}

const limits = { files: 1, fields: 8, fieldSize: 4096, fieldNameSize: 100, headerSize: 8192 };
/** What a form may have beside its file. */
const formBytes = 64 * 1024;

const broken = () => badRequest("The form did not arrive whole. Nothing was kept; send it again.");

/** Reads a posted form up to its file. Rejects with 400, 413 or 415; a connection that is silent for `idleMs` is cut. */
export function readPosted(
  request: IncomingMessage,
  { maxBytes, idleMs }: { maxBytes: number; idleMs: number },
): Promise<PostedFile> {
  const { "content-type": type, "content-length": length } = request.headers;
  if (!type?.startsWith("multipart/form-data"))
    return Promise.reject(new Problem("UNSUPPORTED_MEDIA_TYPE", "This page takes a form with a file."));
  if (length === undefined) return Promise.reject(badRequest("A form with a file needs Content-Length. Nothing was kept."));
  if (Number(length) > maxBytes + formBytes) return Promise.reject(tooLarge(maxBytes, { Connection: "close" }));
  request.setTimeout(idleMs, () => request.destroy());

  return new Promise((resolve, reject) => {
    const fields: Record<string, string> = {};
    let file: Readable | undefined;
    const fail = (error: unknown) => {
      reject(error);
      file?.destroy(error as Error);
    };
    let parser: BusboyInstance;
    try {
      parser = new Busboy({ headers: { ...request.headers, "content-type": type }, limits });
    } catch (error) {
      return reject(new Problem("BAD_REQUEST", "The form is malformed. Nothing was kept.", { cause: error }));
    }
    parser.on("field", (name, value) => {
      fields[name] = value;
    });
    parser.on("file", (_name, bytes, filename) => {
      file = bytes;
      bytes.on("error", () => {});
      resolve({ fields, filename: filename ?? "", maxBytes: Number(length), bytes, skip: () => skip(request, bytes) });
    });
    parser.on("error", () => fail(broken()));
    parser.on("finish", () => reject(badRequest("The form has no file. Nothing was kept.")));
    finished(request, { writable: false }, (error) => {
      request.setTimeout(0);
      if (error) fail(broken());
    });
    request.pipe(parser);
  });
}

function skip(request: IncomingMessage, bytes: Readable): Promise<void> {
  return new Promise((resolve) => {
    finished(request, { writable: false }, () => resolve());
    request.unpipe();
    bytes.resume();
    request.resume();
  });
}

/** Stores a posted file as the video of a slot that this account holds; all of it, or nothing and a problem. */
export async function keepPostedVideo(deps: Deps, userId: string, slotId: string, file: PostedFile): Promise<void> {
  try {
    const { filename, maxBytes, bytes } = file;
    if (filename === "") throw badRequest("Choose a video first.");
    const slot = await deps.store.read((q) => findForPlaytester(q, slotId, userId));
    if (!slot) throw notFound();
    const names = { filename: readText({ filename }, "filename", 255), filetype: null, sha256: null, metadata: { filename } };
    const of = { kind: "video", user_id: userId, game_id: slot.game_id, slot_id: slotId } as const;
    await uploadsOf(deps).keep({ ...of, ...names, maxBytes }, bytes);
  } catch (error) {
    // The rest of a refused file is read all the same: only then the browser shows why.
    await file.skip();
    throw error;
  }
}
