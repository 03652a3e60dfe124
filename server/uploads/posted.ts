import type { IncomingMessage } from "node:http";
import { finished, type Readable } from "node:stream";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import type { Deps } from "../app/deps.ts";
import type { Caller } from "../http/call.ts";
import { ApiError, badRequest, notFound } from "../lib/api-error.ts";
import { findForPlaytester } from "../playtests/slots/store.ts";
import { tooLarge } from "./errors.ts";
import { readText } from "./headers.ts";
import { uploadsOf } from "./index.ts";
import { readLabels, requireOwnBuild } from "./labels.ts";

/** A file posted by a form, with the fields that come before it. */
export interface PostedFile {
  fields: Record<string, string>;
  filename: string;
  /** Upper bound of the file's size in bytes: the length of the whole form. */
  maxBytes: number;
  /** Fails when the form does not arrive completely. */
  bytes: Readable;
  /** Reads and drops the rest of the form: browsers read a reply only after they sent everything. */
  skip(): Promise<void>;
}

// The notes of a build have 5000 characters.
const limits = { files: 1, fields: 8, fieldSize: 20_000, fieldNameSize: 100, headerSize: 8192 };
/** How many bytes the fields and boundaries of a form may take in addition to its file. */
const overheadBytes = 64 * 1024;

const incomplete = () => badRequest("The form did not arrive completely. Nothing was stored. Send it again.");

/** Reads a posted form up to its file. Rejects with 400, 413 or 415; a connection that is silent for `idleMs` is cut. */
export function readPosted(
  request: IncomingMessage,
  { maxBytes, idleMs }: { maxBytes: number; idleMs: number },
): Promise<PostedFile> {
  const { "content-type": type, "content-length": length } = request.headers;
  if (!type?.startsWith("multipart/form-data"))
    return Promise.reject(
      new ApiError(
        "UNSUPPORTED_MEDIA_TYPE",
        "This page accepts only a form with a file (multipart/form-data). Nothing was stored.",
      ),
    );
  if (length === undefined)
    return Promise.reject(badRequest("The header Content-Length is required for a form with a file. Nothing was stored."));
  if (Number(length) > maxBytes + overheadBytes) return Promise.reject(tooLarge(maxBytes, {}));
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
      return reject(new ApiError("BAD_REQUEST", "The form is malformed. Nothing was stored.", { cause: error }));
    }
    parser.on("field", (name, value) => {
      fields[name] = value;
    });
    parser.on("file", (_name, bytes, filename) => {
      file = bytes;
      bytes.on("error", () => {});
      resolve({ fields, filename: filename ?? "", maxBytes: Number(length), bytes, skip: () => skip(request, bytes) });
    });
    parser.on("error", () => fail(incomplete()));
    parser.on("finish", () => reject(badRequest("The form has no file. Nothing was stored. Choose a file first.")));
    finished(request, { writable: false }, (error) => {
      request.setTimeout(0);
      if (error) fail(incomplete());
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

/** Stores a posted file as the video of a slot of this playtester. Throws and stores nothing when it is refused or incomplete. */
export function storePostedVideo(deps: Deps, caller: Caller, slotId: string, file: PostedFile): Promise<void> {
  const { userId } = caller;
  const { filename, maxBytes, bytes } = file;
  return readToItsEnd(file, async () => {
    if (filename === "") throw badRequest("No video was chosen. Nothing was stored. Choose a video first.");
    const slot = await deps.store.read((q) => findForPlaytester(q, slotId, userId));
    if (!slot) throw notFound();
    const names = { filename: readText({ filename }, "filename", 255), filetype: null, sha256: null, metadata: { filename } };
    const of = { kind: "video", user_id: userId, game_id: slot.game_id, slot_id: slotId } as const;
    await uploadsOf(deps).storeWhole(caller, { ...of, ...names, maxBytes }, bytes);
  });
}

/** Stores a posted file as a build of a game of this owner, and makes it the game's build. Throws as for a video. */
export function storePostedBuild(deps: Deps, caller: Caller, gameId: string, file: PostedFile): Promise<void> {
  const { filename, maxBytes, bytes, fields } = file;
  return readToItsEnd(file, async () => {
    if (filename === "") throw badRequest("No file was chosen. Nothing was stored. Choose a file first.");
    await deps.store.read((q) => requireOwnBuild(q, caller, gameId));
    const { version = "", channel = "", notes = "" } = fields;
    const metadata = readLabels({ filename, version: version.trim(), channel: channel.trim(), notes: notes.trim() });
    const names = { filename: readText(metadata, "filename", 255), filetype: null, sha256: null, metadata };
    const of = { kind: "build", user_id: caller.userId, game_id: gameId, slot_id: null } as const;
    await uploadsOf(deps).storeWhole(caller, { ...of, ...names, maxBytes }, bytes);
  });
}

async function readToItsEnd(file: PostedFile, store: () => Promise<void>): Promise<void> {
  try {
    await store();
  } catch (error) {
    // The rest of a refused file is read as well: only then does the browser show the reason.
    await file.skip();
    throw error;
  }
}
