import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { Deps } from "../app/deps.ts";
import { conflict, notFound } from "../lib/problem.ts";
import { UploadFiles } from "./files.ts";
import { finish, refuse, requireReserved, scheduleDiscard } from "./finish.ts";
import { type Creation, checksumAlgorithms, readChecksum, readCreation, readOffset, requireVersion } from "./headers.ts";
import { createIncoming } from "./incoming.ts";
import { createLocks } from "./locks.ts";
import { gone, locked, notVideo, tooLarge, tooMuch, tusVersion, wrongChecksum } from "./problems.ts";
import * as store from "./store.ts";
import { requireAccepted, send, Tus } from "./tus.ts";
import { watchSignature } from "./video-signature.ts";

export type NewUpload = Pick<store.UploadRow, "kind" | "user_id" | "game_id" | "slot_id" | "filename" | "filetype" | "sha256"> &
  Creation;

/** An upload of a size that is not known before it is here, but at most `maxBytes`. */
export type Whole = Omit<NewUpload, "size"> & { maxBytes: number };

const instances = new WeakMap<Deps, Uploads>();

/** The uploads of a server: one instance, because its locks must be. */
export function uploadsOf(deps: Deps): Uploads {
  const known = instances.get(deps) ?? new Uploads(deps);
  instances.set(deps, known);
  return known;
}

/** Resumable uploads, tus 1.0. Errors are thrown as problems; the listener answers them. */
class Uploads {
  readonly #deps: Deps;
  readonly #locks = createLocks();
  readonly #files: UploadFiles;
  readonly #tus: Tus;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#files = new UploadFiles(deps);
    this.#tus = new Tus(this.#files, deps.config);
  }

  /**
   * Answers a creation: the row is durable before the client learns the address. A slot's unfinished upload is replaced. `prepare`
   * reads the headers of the upload protocol where it may refuse them.
   */
  async create(
    prepare: (read: (maxBytes: number) => Creation) => Promise<NewUpload>,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    response.setHeader("Tus-Resumable", tusVersion);
    const upload = await prepare((maxBytes) => readCreation(request.headers, maxBytes));
    await this.#receive(await this.#begin(upload), request, response);
  }

  /** HEAD, PATCH, DELETE and OPTIONS on an upload of this user. */
  async serve(id: string, userId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader("Tus-Resumable", tusVersion);
    if (request.method === "OPTIONS") return this.#describe(id, userId, request, response);
    requireVersion(request.headers);
    // Before a lock is asked for: a stranger must not stop somebody's upload.
    await this.#load(id, userId);
    if (request.method === "PATCH") return this.#patch(id, userId, request, response);
    if (request.method === "DELETE") return this.#terminate(id, userId, request, response);
    return this.#head(id, userId, request, response);
  }

  /** Keeps a video that comes in one piece, as a form posts it: all of it, or nothing and a problem. */
  async keep({ maxBytes, ...given }: Whole, bytes: AsyncIterable<Buffer>): Promise<void> {
    const { config, store: database } = this.#deps;
    const files = this.#files;
    const upload = await this.#begin({ ...given, size: maxBytes });
    try {
      const wanted = await watchSignature(files, upload, 0);
      await pipeline(checked(bytes, wanted), files.writer(upload.id, { flags: "w", start: 0 }));
      await files.flush(upload.id);
      const size = (await files.received(upload.id)) ?? 0;
      if (size > config.uploads.videoMaxBytes) throw tooLarge(config.uploads.videoMaxBytes, {});
      await database.write((tx) => store.setSize(tx, upload.id, size));
      await finish(this.#deps, files, { ...upload, size });
    } catch (error) {
      await refuse(this.#deps, files, upload);
      throw error;
    }
  }

  async #begin({ size, metadata, ...rest }: NewUpload): Promise<store.UploadRow> {
    const deps = this.#deps;
    const id = deps.newId();
    const now = deps.clock.now();
    const expiresAt = now + deps.config.uploads.expireMs;
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
  async #receive(upload: store.UploadRow, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const deps = this.#deps;
    const files = this.#files;
    const before = (await files.received(upload.id)) ?? 0;
    const checksum = readChecksum(request.headers);
    const wanted = upload.kind === "video" ? await watchSignature(files, upload, before) : () => true;
    const hash = upload.kind === "build" ? files.hashes.follow(upload.id, before) : () => {};
    let end = before;
    const incoming = createIncoming(request, deps.config.uploads.idleMs, (chunk) => {
      end += chunk.length;
      if (end > upload.size) return tooMuch();
      checksum?.hash.update(chunk);
      hash(chunk);
      return wanted(chunk) ? undefined : notVideo();
    });
    const reply = await files.with(upload.id, incoming.bytes, () => this.#tus.reply(upload.id, request));
    if (incoming.refused) {
      // Too much of a video says nothing about what was here before.
      await (end > upload.size ? files.cutTo(upload.id, before) : refuse(deps, files, upload));
      throw incoming.refused;
    }
    await requireAccepted(reply);
    if (checksum && checksum.hash.digest("base64") !== checksum.expected) {
      await files.cutTo(upload.id, before);
      throw wrongChecksum("Upload-Checksum", "does not match what arrived. Nothing of this request was kept; send it again");
    }
    await files.flush(upload.id);
    const complete = (await files.received(upload.id)) === upload.size;
    if (complete) await finish(deps, files, upload);
    send(response, reply, complete ? undefined : upload);
  }

  async #patch(id: string, userId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    readOffset(request.headers);
    const release = this.#locks.take(id, () => {
      if (!request.complete) request.destroy();
    });
    if (!release) throw locked();
    try {
      const upload = await this.#loadLive(id, userId);
      if (upload.status === "completed") throw conflict("This upload is complete. Nothing was changed.");
      const { store: database, clock } = this.#deps;
      if (upload.slot_id) await database.read((q) => requireReserved(q, upload.slot_id!, userId, clock.now()));
      await this.#receive(upload, request, response);
    } finally {
      release();
    }
  }

  /** Whoever asks for the offset has stopped sending: a request that still holds the upload is a dead connection's. */
  async #head(id: string, userId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const release = await this.#locks.takeOver(id);
    try {
      const upload = await this.#loadLive(id, userId);
      if (upload.status === "open" && (await this.#isAllHere(upload))) await finish(this.#deps, this.#files, upload);
      send(response, await this.#tus.accept(id, request), upload);
    } finally {
      release();
    }
  }

  async #terminate(id: string, userId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const release = await this.#locks.takeOver(id);
    try {
      const upload = await this.#loadLive(id, userId);
      if (upload.status === "completed") throw conflict("This upload is complete and cannot be ended. Nothing was changed.");
      await this.#deps.store.write((tx) => store.transitionFromAny(tx, { id }, "terminate"));
      send(response, await this.#tus.accept(id, request));
    } finally {
      release();
    }
  }

  async #describe(id: string, userId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { videoMaxBytes, buildMaxBytes } = this.#deps.config.uploads;
    const upload = await this.#load(id, userId);
    response.setHeader("Tus-Max-Size", upload.kind === "video" ? videoMaxBytes : buildMaxBytes);
    response.setHeader("Tus-Checksum-Algorithm", checksumAlgorithms.join(","));
    send(response, await this.#tus.reply(id, request));
  }

  async #load(id: string, userId: string): Promise<store.UploadRow> {
    const upload = await this.#deps.store.read((q) => store.findForUser(q, id, userId));
    if (!upload) throw notFound();
    return upload;
  }

  async #loadLive(id: string, userId: string): Promise<store.UploadRow> {
    const upload = await this.#load(id, userId);
    const late = upload.status === "open" && upload.expires_at <= this.#deps.clock.now();
    if (late || (upload.status !== "open" && upload.status !== "completed")) throw gone();
    return upload;
  }

  /** True after a crash between the last byte and the record of it. */
  async #isAllHere(upload: store.UploadRow): Promise<boolean> {
    const bytes = (await this.#files.received(upload.id)) ?? (await this.#deps.blobs.size(store.blobKeyOf(upload)));
    return bytes === upload.size;
  }
}

async function* checked(bytes: AsyncIterable<Buffer>, wanted: (chunk: Buffer) => boolean) {
  for await (const chunk of bytes) {
    if (!wanted(chunk)) throw notVideo();
    yield chunk;
  }
}
