import type { IncomingMessage, ServerResponse } from "node:http";
import { requireActive } from "../accounts/authenticate.ts";
import type { Deps } from "../app/deps.ts";
import { fullRow } from "../database/rows.ts";
import type { Caller } from "../http/call.ts";
import { type ApiError, badRequest, conflict, notFound } from "../lib/api-error.ts";
import { gone, locked, notVideo, tooLarge, tooMuch, tusVersion, wrongChecksum } from "./errors.ts";
import { UploadFiles } from "./files.ts";
import { finish, refuse, requireReserved, scheduleDiscard } from "./finish.ts";
import { type Creation, checksumAlgorithms, readChecksum, readCreation, readOffset, requireVersion } from "./headers.ts";
import { createIncoming } from "./incoming.ts";
import { isMissing } from "./local-blobs.ts";
import { requireFreeSpace, requireQuota, requireRoomInSpool } from "./room.ts";
import * as store from "./store.ts";
import { parseMetadata, requireAccepted, send, Tus } from "./tus.ts";
import { watchSignature } from "./video-signature.ts";
import { type Hold, Locks } from "./writers/locks.ts";

export type NewUpload = Pick<store.UploadRow, "kind" | "user_id" | "game_id" | "slot_id" | "filename" | "filetype" | "sha256"> &
  Creation;

/** An upload whose size is known only at its end: at most `maxBytes`. */
export type UnsizedUpload = Omit<NewUpload, "size"> & { maxBytes: number };

const instances = new WeakMap<Deps, Uploads>();

/** The uploads of a server. There is one instance per server, because requests share its locks. */
export function uploadsOf(deps: Deps): Uploads {
  const known = instances.get(deps) ?? new Uploads(deps);
  instances.set(deps, known);
  return known;
}

/** Resumable uploads by tus 1.0. Refusals are thrown as an ApiError, which the listener renders. */
class Uploads {
  readonly #deps: Deps;
  readonly #locks: Locks;
  readonly #files: UploadFiles;
  readonly #tus: Tus;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#files = new UploadFiles(deps);
    this.#locks = new Locks(deps, this.#files);
    this.#tus = new Tus(this.#files, deps.config);
  }

  /**
   * Creates an upload. Its row is durable before the client gets its URL. An unfinished upload of the same slot is replaced. `prepare`
   * calls its `read` argument to read the upload headers, after its own checks.
   */
  async create(
    caller: Caller,
    prepare: (read: (maxBytes: number) => Creation) => Promise<NewUpload>,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    response.setHeader("Tus-Resumable", tusVersion);
    const upload = await prepare((maxBytes) => readCreation(request.headers, maxBytes, parseMetadata));
    const begun = await this.#begin(upload);
    const hold = await this.#locks.takeOver(begun.id);
    await this.#receive(begun, { hold, caller }, request, response);
  }

  /** Serves HEAD, PATCH, DELETE and OPTIONS for an upload of this user. */
  async serve(id: string, caller: Caller, request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader("Tus-Resumable", tusVersion);
    const { userId } = caller;
    if (request.method === "OPTIONS") return this.#describe(id, userId, request, response);
    requireVersion(request.headers);
    // Before taking a lock: other users must not be able to interrupt an upload, and one that ended changes no more.
    const known = await this.#loadLive(id, userId);
    if (request.method === "PATCH") return this.#patch(known, caller, request, response);
    if (request.method === "DELETE") return this.#terminate(known, request, response);
    return this.#head(known, caller, request, response);
  }

  /** Stores a file that is sent in one piece, as a form posts it. Throws and stores nothing when it is refused or incomplete. */
  async storeWhole(caller: Caller, { maxBytes, ...given }: UnsizedUpload, bytes: AsyncIterable<Buffer>): Promise<void> {
    const { config, store: database } = this.#deps;
    const { videoMaxBytes, buildMaxBytes } = config.uploads;
    const files = this.#files;
    const upload = await this.#begin({ ...given, size: maxBytes });
    const hold = await this.#locks.takeOver(upload.id);
    try {
      const isBuild = upload.kind === "build";
      const isAccepted = isBuild ? () => true : await watchSignature(files, upload, 0);
      const size = await files.append(upload.id, checked(bytes, isAccepted), { flags: "w", start: 0 });
      await files.flush(upload.id);
      const largest = isBuild ? buildMaxBytes : videoMaxBytes;
      if (size > largest) throw tooLarge(largest, {});
      if (isBuild && size === 0) throw badRequest("The file is empty. Nothing was stored. Choose another one.");
      const found = { size, sha256: isBuild ? await files.sha256(upload.id, size) : null };
      await database.write((tx) => store.setFound(tx, upload.id, found));
      const metadata = isBuild ? { ...given.metadata, contentSha256: found.sha256 } : given.metadata;
      await finish(this.#deps, files, { ...upload, ...found, metadata: JSON.stringify(metadata) }, { hold, caller });
    } catch (error) {
      await refuse(this.#deps, files, upload, hold);
      throw error;
    } finally {
      await hold.release();
    }
  }

  async #begin({ size, metadata, ...rest }: NewUpload): Promise<store.UploadRow> {
    const deps = this.#deps;
    const id = deps.newId();
    const now = deps.clock.now();
    const expiresAt = now + deps.config.uploads.expireMs;
    const progress = { status: "open", created_at: now, expires_at: expiresAt } as const;
    const upload = fullRow("uploads", { ...rest, id, size, metadata: JSON.stringify(metadata), ...progress });
    await requireFreeSpace(deps, size);
    await requireRoomInSpool(deps, size);
    await deps.store.write(async (tx) => {
      await requireActive(tx, upload.user_id);
      if (upload.slot_id) await requireReserved(tx, upload.slot_id, upload.user_id, now);
      await requireQuota(tx, upload);
      await store.insert(tx, upload);
      await scheduleDiscard(tx, id, expiresAt);
      if (!upload.slot_id) return;
      for (const old of await store.replace(tx, upload.slot_id, "open", id)) await scheduleDiscard(tx, old, now);
    });
    return upload;
  }

  /**
   * Receives the bytes of a POST or PATCH, finishes the upload when all of them have arrived, lets go of it, and replies: where another
   * process took it over meanwhile, what arrived here does not count.
   */
  async #receive(
    upload: store.UploadRow,
    held: { hold: Hold; caller: Caller },
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { hold } = held;
    const file = this.#files.path(upload.id);
    const taken = await this.#take(upload, held, request).catch(async (error: NodeJS.ErrnoException) => {
      if (!(await hold.release())) throw await this.#whyLost(upload);
      // Its file was removed while bytes arrived, because it was replaced or expired.
      throw isMissing(error) && error.path === file ? gone() : error;
    });
    if (!(await hold.release())) throw await this.#whyLost(upload);
    send(response, taken.reply, taken.complete ? undefined : upload);
  }

  /** Why this process does not hold an upload any longer. */
  async #whyLost({ id, user_id }: store.UploadRow): Promise<ApiError> {
    return this.#loadLive(id, user_id).then(locked, (problem: ApiError) => problem);
  }

  async #take(
    upload: store.UploadRow,
    held: { hold: Hold; caller: Caller },
    request: IncomingMessage,
  ): Promise<{ reply: Response; complete: boolean }> {
    const deps = this.#deps;
    const files = this.#files;
    const before = (await files.received(upload.id)) ?? 0;
    await requireFreeSpace(deps, upload.size - before);
    const checksum = readChecksum(request.headers);
    const isAccepted = upload.kind === "video" ? await watchSignature(files, upload, before) : () => true;
    const hash = upload.kind === "build" ? files.hashes.follow(upload.id, before) : () => {};
    let end = before;
    const incoming = createIncoming(request, deps.config.uploads.idleMs, (chunk) => {
      end += chunk.length;
      if (end > upload.size) return tooMuch();
      checksum?.hash.update(chunk);
      hash(chunk);
      return isAccepted(chunk) ? undefined : notVideo();
    });
    const reply = await files.withBytes(upload.id, incoming.bytes, () => this.#tus.reply(upload.id, request));
    if (incoming.refused) {
      // Too many bytes do not make the earlier ones wrong, so those are kept.
      await (end > upload.size ? files.cutTo(upload.id, before) : refuse(deps, files, upload, held.hold));
      throw incoming.refused;
    }
    await requireAccepted(reply);
    if (checksum && checksum.hash.digest("base64") !== checksum.expected) {
      await files.cutTo(upload.id, before);
      throw wrongChecksum(
        "Upload-Checksum",
        "does not match the received bytes. Nothing of this request was stored. Send it again",
      );
    }
    await files.flush(upload.id);
    const complete = (await files.received(upload.id)) === upload.size;
    if (complete) await finish(deps, files, upload, held);
    return { reply, complete };
  }

  async #patch(known: store.UploadRow, caller: Caller, request: IncomingMessage, response: ServerResponse): Promise<void> {
    readOffset(request.headers);
    requireOpen(known);
    const { id } = known;
    const hold = await this.#locks.take(id, () => {
      if (!request.complete) request.destroy();
    });
    if (!hold) throw locked();
    const upload = await this.#requireSendable(id, caller.userId).catch(async (error) => {
      await hold.release();
      throw error;
    });
    await this.#receive(upload, { hold, caller }, request, response);
  }

  async #requireSendable(id: string, userId: string): Promise<store.UploadRow> {
    const upload = await this.#loadLive(id, userId);
    requireOpen(upload);
    const { store: database, clock } = this.#deps;
    if (upload.slot_id) await database.read((q) => requireReserved(q, upload.slot_id!, userId, clock.now()));
    return upload;
  }

  /** A client asks for the offset only after it stopped sending: a request that still holds the lock belongs to a dead connection. */
  async #head(known: store.UploadRow, caller: Caller, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { id } = known;
    if (known.status === "completed") return send(response, await this.#tus.accept(id, request));
    const { upload, reply } = await this.#holding(id, async (hold) => {
      const upload = await this.#loadLive(id, caller.userId);
      if (upload.status === "open" && (await this.#isComplete(upload)))
        await finish(this.#deps, this.#files, upload, { hold, caller });
      return { upload, reply: await this.#tus.accept(id, request) };
    });
    send(response, reply, upload);
  }

  async #terminate(known: store.UploadRow, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { id, user_id } = known;
    requireOpen(known, " and cannot be terminated");
    const reply = await this.#holding(id, async (hold) => {
      requireOpen(await this.#loadLive(id, user_id), " and cannot be terminated");
      await this.#deps.store.write(async (tx) => {
        await store.transitionFromAny(tx, { id }, "terminate");
        await hold.end(tx);
      });
      return this.#tus.accept(id, request);
    });
    send(response, reply);
  }

  async #holding<T>(id: string, use: (hold: Hold) => Promise<T>): Promise<T> {
    const hold = await this.#locks.takeOver(id);
    try {
      return await use(hold);
    } finally {
      await hold.release();
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

  /** Whether all bytes have arrived. True for an open upload after a crash between the last byte and the record of it. */
  async #isComplete(upload: store.UploadRow): Promise<boolean> {
    const bytes = (await this.#files.received(upload.id)) ?? (await this.#deps.blobs.size(store.blobKeyOf(upload)));
    return bytes === upload.size;
  }
}

/** 409 for an upload of which all bytes have arrived. */
function requireOpen({ status }: store.UploadRow, consequence = ""): void {
  if (status === "completed") throw conflict(`This upload is complete${consequence}. Nothing was changed.`);
}

async function* checked(bytes: AsyncIterable<Buffer>, isVideo: (chunk: Buffer) => boolean) {
  for await (const chunk of bytes) {
    if (!isVideo(chunk)) throw notVideo();
    yield chunk;
  }
}
