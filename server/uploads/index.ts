import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { Server } from "@tus/server";
import type { Deps } from "../app/deps.ts";
import { conflict, notFound } from "../lib/problem.ts";
import { signatureBytes, videoType } from "../playtests/slots/videos.ts";
import { UploadFiles } from "./files.ts";
import { finish, refuse, requireReserved, scheduleDiscard } from "./finish.ts";
import { type Creation, checksumAlgorithms, readChecksum, readOffset, requireVersion } from "./headers.ts";
import { createIncoming } from "./incoming.ts";
import { createLocks } from "./locks.ts";
import { gone, locked, notVideo, problemOf, tooLarge, tooMuch, tusVersion, wrongChecksum } from "./problems.ts";
import * as store from "./store.ts";

export type NewUpload = Pick<store.UploadRow, "kind" | "user_id" | "game_id" | "slot_id" | "filename" | "filetype" | "sha256"> &
  Creation;

/** An upload of a size that is not known before it is here, but at most `maxBytes`. */
export type Whole = Omit<NewUpload, "size"> & { maxBytes: number };

/** Resumable uploads, tus 1.0 (decisions §3, §5). Errors are thrown as problems; the listener answers them. */
export interface Uploads {
  /** Answers a creation: the row is durable before the client learns the address. A slot's unfinished upload is replaced. */
  create(prepare: () => Promise<NewUpload>, request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Keeps a video that comes in one piece, as a form posts it: all of it, or nothing and a problem. */
  keep(upload: Whole, bytes: AsyncIterable<Buffer>): Promise<void>;
  /** HEAD, PATCH, DELETE and OPTIONS on an upload of this user. */
  serve(id: string, userId: string, request: IncomingMessage, response: ServerResponse): Promise<void>;
}

const instances = new WeakMap<Deps, Uploads>();

/** The uploads of a server: one instance, because its locks must be. */
export function uploadsOf(deps: Deps): Uploads {
  const known = instances.get(deps) ?? createUploads(deps);
  instances.set(deps, known);
  return known;
}

function createUploads(deps: Deps): Uploads {
  const { config } = deps;
  const path = "/api/v1/uploads";
  const locks = createLocks();
  const files = new UploadFiles(deps);
  const tus = new Server({
    path,
    datastore: files,
    allowedOrigins: [],
    // The id of a new upload travels as the last segment of the address that `ask` makes.
    namingFunction: (request) => request.url.split("/").at(-1)!,
    generateUrl: (_request, { id }) => `${config.baseUrl}${path}/${id}`,
  });

  const ask = (id: string, request: IncomingMessage) => {
    const headers = Object.entries(request.headers).filter(([name]) => /^(tus|upload|content)-/.test(name)) as [string, string][];
    const url = `${config.baseUrl}${path}/${id}`;
    return tus.handleWeb(new Request(url, { method: request.method!, headers }));
  };

  const load = async (id: string, userId: string) => {
    const upload = await deps.store.read((q) => store.findForUser(q, id, userId));
    if (!upload) throw notFound();
    return upload;
  };

  async function loadLive(id: string, userId: string): Promise<store.UploadRow> {
    const upload = await load(id, userId);
    const late = upload.status === "open" && upload.expires_at <= deps.clock.now();
    if (late || (upload.status !== "open" && upload.status !== "completed")) throw gone();
    return upload;
  }

  function answer(response: ServerResponse, given: Response, upload?: store.UploadRow): void {
    if (response.destroyed) return;
    response.statusCode = given.status;
    for (const [name, value] of given.headers) if (/^(tus-|upload-|location$)/.test(name)) response.setHeader(name, value);
    if (upload?.status === "open") response.setHeader("Upload-Expires", new Date(upload.expires_at).toUTCString());
    response.end();
  }

  async function begin({ size, metadata, ...rest }: NewUpload): Promise<store.UploadRow> {
    const id = deps.newId();
    const now = deps.clock.now();
    const expiresAt = now + config.uploads.expireMs;
    const progress = { status: "open", created_at: now, completed_at: null, expires_at: expiresAt } as const;
    const upload: store.UploadRow = { ...rest, id, size, metadata: JSON.stringify(metadata), ...progress };
    await deps.store.write(async (tx) => {
      if (upload.slot_id) await requireReserved(tx, upload.slot_id, upload.user_id, now);
      await store.insert(tx, upload);
      await scheduleDiscard(deps, tx, id, expiresAt);
      if (!upload.slot_id) return;
      for (const old of await store.replace(tx, upload.slot_id, "open", id)) await scheduleDiscard(deps, tx, old, now);
    });
    return upload;
  }

  /** Takes the bytes of a POST or PATCH, and finishes the upload when they are all here. */
  async function receive(upload: store.UploadRow, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const before = (await files.received(upload.id)) ?? 0;
    const checksum = readChecksum(request.headers);
    const wanted = upload.kind === "video" ? await signatureWatch(upload, before) : () => true;
    const hash = upload.kind === "build" ? files.hashes.follow(upload.id, before) : () => {};
    let end = before;
    const incoming = createIncoming(request, config.uploads.idleMs, (chunk) => {
      end += chunk.length;
      if (end > upload.size) return tooMuch();
      checksum?.hash.update(chunk);
      hash(chunk);
      return wanted(chunk) ? undefined : notVideo();
    });
    const given = await files.with(upload.id, incoming.bytes, () => ask(upload.id, request));
    if (incoming.refused) {
      // Too much of a video says nothing about what was here before.
      await (end > upload.size ? files.cutTo(upload.id, before) : refuse(deps, files, upload));
      throw incoming.refused;
    }
    if (given.status >= 400) throw problemOf(given.status, await given.text());
    if (checksum && checksum.hash.digest("base64") !== checksum.expected) {
      await files.cutTo(upload.id, before);
      throw wrongChecksum("Upload-Checksum", "does not match what arrived. Nothing of this request was kept; send it again");
    }
    await files.flush(upload.id);
    const complete = (await files.received(upload.id)) === upload.size;
    if (complete) await finish(deps, files, upload);
    answer(response, given, complete ? undefined : upload);
  }

  /** Looks at the first bytes as they come, over as many requests as they take. */
  async function signatureWatch(upload: store.UploadRow, before: number): Promise<(chunk: Buffer) => boolean> {
    let head: Buffer = before === 0 ? Buffer.alloc(0) : await files.head(upload.id);
    let known = head.length >= signatureBytes;
    return (chunk) => {
      if (known) return true;
      head = Buffer.concat([head, chunk.subarray(0, signatureBytes)]);
      known = head.length >= Math.min(signatureBytes, upload.size);
      return !known || videoType(head) !== undefined;
    };
  }

  async function patch(id: string, userId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    readOffset(request.headers);
    const release = locks.take(id, () => {
      if (!request.complete) request.destroy();
    });
    if (!release) throw locked();
    try {
      const upload = await loadLive(id, userId);
      if (upload.status === "completed") throw conflict("This upload is complete. Nothing was changed.");
      if (upload.slot_id) await deps.store.read((q) => requireReserved(q, upload.slot_id!, userId, deps.clock.now()));
      await receive(upload, request, response);
    } finally {
      release();
    }
  }

  /** Whoever asks for the offset has stopped sending: a request that still holds the upload is a dead connection's. */
  async function head(id: string, userId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const release = await locks.takeOver(id);
    try {
      const upload = await loadLive(id, userId);
      if (upload.status === "open" && (await isAllHere(upload))) await finish(deps, files, upload);
      const given = await ask(id, request);
      if (given.status >= 400) throw problemOf(given.status, await given.text());
      answer(response, given, upload);
    } finally {
      release();
    }
  }

  /** True after a crash between the last byte and the record of it. */
  async function isAllHere(upload: store.UploadRow): Promise<boolean> {
    const bytes = (await files.received(upload.id)) ?? (await deps.blobs.size(store.blobKeyOf(upload)));
    return bytes === upload.size;
  }

  async function terminate(id: string, userId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const release = await locks.takeOver(id);
    try {
      const upload = await loadLive(id, userId);
      if (upload.status === "completed") throw conflict("This upload is complete and cannot be ended. Nothing was changed.");
      await deps.store.write((tx) => store.end(tx, id, "open", "terminated"));
      const given = await ask(id, request);
      if (given.status >= 400) throw problemOf(given.status, await given.text());
      answer(response, given);
    } finally {
      release();
    }
  }

  async function describe(id: string, userId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const upload = await load(id, userId);
    const maxBytes = upload.kind === "video" ? config.uploads.videoMaxBytes : config.uploads.buildMaxBytes;
    response.setHeader("Tus-Max-Size", maxBytes);
    response.setHeader("Tus-Checksum-Algorithm", checksumAlgorithms.join(","));
    answer(response, await ask(id, request));
  }

  async function keep({ maxBytes, ...given }: Whole, bytes: AsyncIterable<Buffer>): Promise<void> {
    const upload = await begin({ ...given, size: maxBytes });
    try {
      const wanted = await signatureWatch(upload, 0);
      await pipeline(checked(bytes, wanted), files.writer(upload.id, { flags: "w", start: 0 }));
      await files.flush(upload.id);
      const size = (await files.received(upload.id)) ?? 0;
      if (size > config.uploads.videoMaxBytes) throw tooLarge(config.uploads.videoMaxBytes, {});
      await deps.store.write((tx) => store.setSize(tx, upload.id, size));
      await finish(deps, files, { ...upload, size });
    } catch (error) {
      await refuse(deps, files, upload);
      throw error;
    }
  }

  async function* checked(bytes: AsyncIterable<Buffer>, wanted: (chunk: Buffer) => boolean) {
    for await (const chunk of bytes) {
      if (!wanted(chunk)) throw notVideo();
      yield chunk;
    }
  }

  return {
    keep,

    async create(prepare, request, response) {
      response.setHeader("Tus-Resumable", tusVersion);
      await receive(await begin(await prepare()), request, response);
    },

    async serve(id, userId, request, response) {
      response.setHeader("Tus-Resumable", tusVersion);
      if (request.method === "OPTIONS") return describe(id, userId, request, response);
      requireVersion(request.headers);
      // Before a lock is asked for: a stranger must not stop somebody's upload.
      await load(id, userId);
      if (request.method === "PATCH") return patch(id, userId, request, response);
      if (request.method === "DELETE") return terminate(id, userId, request, response);
      return head(id, userId, request, response);
    },
  };
}
