import * as z from "zod";
import type { Clock } from "../../../lib/clock.ts";
import type { Log } from "../../../lib/log.ts";
import { jsonOf } from "../../../outbound/json.ts";
import {
  type Budget,
  explained,
  type Outcome,
  type PublicVideo,
  type Publisher,
  PublishFailure,
  type Remnants,
  type Sought,
} from "../publisher.ts";
import { offsetOf, sendMissing, type Taken } from "../resumable.ts";
import { hasMarker, isTooOld, type Words, wordsFor } from "../words.ts";
import { type PeertubeApi, type PeertubeConnection, refuse } from "./api.ts";
import { dress, languageOf } from "./dress.ts";
import { outcomeOf, PeertubeRefusal } from "./refusals.ts";

export interface PeertubeSettings extends Words {
  privacy: "public" | "unlisted";
}

/** Where an upload is, at the account that it belongs to: its id, or that of the video that it made. `dressed`: with its captions. */
const sessionState = z.union([
  z.strictObject({ account: z.string(), uploadId: z.string() }),
  z.strictObject({ account: z.string(), videoId: z.string(), dressed: z.boolean() }),
]);
type SessionState = z.output<typeof sessionState>;

const write = (state: SessionState) => JSON.stringify(state);
const read = (session: string): SessionState => sessionState.parse(JSON.parse(session));

/** The longest title and description (both in characters; a byte is never more than one). */
const limits = { title: 120, descriptionBytes: 10_000 };
/** The shortest title. */
const minTitle = 3;

/** How long (ms) a video is left in peace while PeerTube processes it, and how long when the upload itself is being processed. */
const processingMs = 60_000;
const checkingMs = 5 * processingMs;

/** PeerTube's numbers. */
const gaming = 7;
const privacies = { public: 1, unlisted: 2 } as const;
const publishedState = 1;
const failedStates: readonly number[] = [7, 8, 11, 12];

const madeReply = z.object({ video: z.object({ uuid: z.string() }) });
const detailsReply = z.object({
  uuid: z.string(),
  shortUUID: z.string().optional(),
  state: z.object({ id: z.number() }),
  privacy: z.object({ id: z.number() }),
  blacklisted: z.boolean().nullish(),
  blacklistedReason: z.string().nullish(),
});
const listReply = z.object({
  data: z.array(z.object({ uuid: z.string(), createdAt: z.string(), description: z.string().nullish() })),
});
const descriptionReply = z.object({ description: z.string().nullable() });

/** Videos on a page of a list, at most. */
const pageSize = 100;

interface Parts {
  settings: PeertubeSettings;
  api: PeertubeApi;
  clock: Pick<Clock, "now">;
  log: Pick<Log, "warn">;
}

const hostOf = ({ url }: Pick<PeertubeConnection, "url">) => new URL(url).host;
/** An account has a name such as `moon@videos.example`. */
export const accountOf = (connection: Pick<PeertubeConnection, "url" | "username">) =>
  `${connection.username}@${hostOf(connection)}`;

const uploadPath = (uploadId: string) => `/videos/upload-resumable?upload_id=${encodeURIComponent(uploadId)}`;
const videoPath = (videoId: string) => `/videos/${encodeURIComponent(videoId)}`;

/** Publishes on a PeerTube instance by resumable uploads. A video that its moderators hold back is blocked. */
export class PeertubePublisher implements Publisher {
  readonly #parts: Parts;
  constructor(parts: Parts) {
    this.#parts = parts;
  }

  start = (video: PublicVideo) => this.#explained(this.#start(video));
  advance = (session: string, video: PublicVideo, budget: Budget) => this.#explained(this.#advance(read(session), video, budget));
  remove = (remnants: Remnants) => this.#explained(this.#remove(remnants));
  keepConnected = () => this.#parts.api.refresh();

  #explained = <T>(work: Promise<T>) =>
    explained(work, (error) => (error instanceof PeertubeRefusal ? outcomeOf(error, this.#parts.clock.now()) : undefined));

  async #start(video: PublicVideo): Promise<string> {
    const { settings, api } = this.#parts;
    const connection = await api.connection();
    const account = accountOf(connection);
    const known = await this.#find(video);
    if (known !== undefined) return write({ account, videoId: known, dressed: false });
    const { title, description } = wordsFor(settings, video, limits);
    const reply = await api.send({
      method: "POST",
      url: "/videos/upload-resumable",
      headers: {
        "content-type": "application/json",
        "x-upload-content-length": String(video.size),
        "x-upload-content-type": video.contentType,
      },
      body: JSON.stringify({
        name: title.length < minTitle ? `${title}: a playtest` : title,
        description,
        filename: video.filename,
        channelId: connection.channelId,
        privacy: privacies[settings.privacy],
        category: gaming,
        language: languageOf(video),
        nsfw: false,
        waitTranscoding: true,
        // With the same one, a second beginning goes on with the first upload.
        lastModified: video.publicationId,
      }),
      // 200: it goes on with an upload that was begun before.
      expects: [200, 201],
    });
    const uploadId = new URL(reply.headers.location ?? "/", connection.url).searchParams.get("upload_id");
    if (!uploadId) throw new Error("PeerTube named no address for the upload.");
    return write({ account, uploadId });
  }

  async #advance(state: SessionState, video: PublicVideo, budget: Budget): Promise<Outcome> {
    if (state.account !== accountOf(await this.#parts.api.connection()))
      return { is: "failed", reason: "The account on PeerTube was changed. The upload begins again.", session: null };
    return "videoId" in state ? this.#settle(state, video) : this.#upload(state, video, budget);
  }

  async #upload(
    { account, uploadId }: Extract<SessionState, { uploadId: string }>,
    video: PublicVideo,
    budget: Budget,
  ): Promise<Outcome> {
    const taken = await sendMissing(video, budget, (range, body) => this.#put(uploadId, video, range, body));
    if ("offset" in taken) return { is: "progress", bytesSent: taken.offset };
    if ("outcome" in taken) return taken.outcome;
    return { is: "processing", session: write({ account, videoId: taken.videoId, dressed: false }), retryAt: 0 };
  }

  /** Sends a part of the video, or asks what PeerTube has. */
  async #put(uploadId: string, sought: Sought, range: string, body: Buffer = Buffer.alloc(0)): Promise<Taken> {
    const { api, clock } = this.#parts;
    const headers = { "content-type": "application/octet-stream", "content-range": range };
    const expects = [200, 308, 403, 404, 409, 410, 503];
    const reply = await api.send({ method: "PUT", url: uploadPath(uploadId), headers, body, expects });
    switch (reply.status) {
      case 200:
        return { videoId: madeReply.parse(jsonOf(reply)).video.uuid };
      case 308:
        return { offset: offsetOf(reply.headers.range) };
      // It has another part of the video. The next step asks which.
      case 409:
        return { outcome: { is: "failed", reason: "PeerTube has another part of the video than was expected." } };
      case 503:
        if (reply.headers["retry-after"] === undefined) return refuse(reply);
        return { outcome: { is: "processing", retryAt: clock.now() + checkingMs } };
      case 403:
        if (!isOfAnother(jsonOf(reply))) return refuse(reply);
    }
    return this.#forgotten(sought);
  }

  /** What becomes of an upload that PeerTube no longer knows: it made a video and the reply was lost, or it ended. */
  async #forgotten(sought: Sought): Promise<Taken> {
    const videoId = await this.#find(sought);
    if (videoId !== undefined) return { videoId };
    return { outcome: { is: "failed", reason: "PeerTube no longer knows the upload. It begins again.", session: null } };
  }

  /** Looks what PeerTube makes of a video that it has completely. */
  async #settle(state: Extract<SessionState, { videoId: string }>, video: PublicVideo): Promise<Outcome> {
    const { settings, api, clock, log } = this.#parts;
    const { url: instance } = await api.connection();
    const reply = await api.send({ method: "GET", url: videoPath(state.videoId), expects: [200, 404] });
    if (reply.status === 404) return { is: "failed", reason: "The video was deleted on PeerTube.", permanent: true };
    const details = detailsReply.parse(jsonOf(reply));
    const remoteId = `${details.uuid}@${new URL(instance).host}`;
    const ended = endOf(details, { remoteId, privacy: settings.privacy });
    if (ended) return ended;
    if (!state.dressed) {
      await dress({ api, log }, state.videoId, video);
      return { is: "processing", session: write({ ...state, dressed: true }), retryAt: clock.now() };
    }
    if (details.state.id !== publishedState) return { is: "processing", retryAt: clock.now() + processingMs };
    return { is: "published", url: `${instance}/w/${details.shortUUID ?? details.uuid}`, remoteId };
  }

  async #remove({ remoteId, session, size, ...sought }: Remnants): Promise<void> {
    const { api } = this.#parts;
    const connection = await api.connection();
    const state = session === null ? undefined : read(session);
    const [, host = ""] = (remoteId ?? state?.account ?? "").split("@");
    if (host !== "" && host !== hostOf(connection)) throw new PublishFailure(elsewhere(host, connection));
    const id = remoteId?.split("@")[0] ?? (await this.#made(state, size, sought));
    if (id !== undefined) await api.send({ method: "DELETE", url: videoPath(id), expects: [204, 404] });
    else if (state && "uploadId" in state)
      await api.send({ method: "DELETE", url: uploadPath(state.uploadId), expects: [204, 403, 404, 410] });
  }

  /** The video that came of a session, or of a try of which nothing else is known. */
  async #made(state: SessionState | undefined, size: number, sought: Sought): Promise<string | undefined> {
    if (!state) return this.#find(sought);
    if ("videoId" in state) return state.videoId;
    const had = await this.#put(state.uploadId, sought, `bytes */${size}`);
    if ("outcome" in had && had.outcome.is === "processing")
      throw new PublishFailure({ is: "failed", reason: "PeerTube is still processing the video." });
    return "videoId" in had ? had.videoId : undefined;
  }

  /** The video of the account with the marker of a publication, among those that are as new. */
  async #find({ publicationId, since }: Sought): Promise<string | undefined> {
    for (let start = 0; ; start += pageSize) {
      const query = new URLSearchParams({ start: String(start), count: String(pageSize), sort: "-createdAt" });
      const { data } = await this.#parts.api.ask(listReply, `/users/me/videos?${query}`);
      for (const { uuid, createdAt, description } of data) {
        if (isTooOld(createdAt, since)) return undefined;
        if (hasMarker(await this.#descriptionOf(uuid, description ?? ""), publicationId)) return uuid;
      }
      if (data.length < pageSize) return undefined;
    }
  }

  /** A list has only the beginning of a long description. */
  async #descriptionOf(uuid: string, listed: string): Promise<string> {
    if (!listed.endsWith("...")) return listed;
    return (await this.#parts.api.ask(descriptionReply, `${videoPath(uuid)}/description`)).description ?? "";
  }
}

/** Whether the part of PeerTube that takes uploads says that this one is not the account's, and not that a filter refused the video. */
const isOfAnother = (body: unknown) => z.object({ error: z.object({ code: z.string() }) }).safeParse(body).success;

const elsewhere = (host: string, connection: PeertubeConnection) =>
  ({
    is: "failed",
    reason: `The video is on ${host}, to which this server is no longer connected.`,
    detail: `It is connected to ${hostOf(connection)}. Connect it to ${host} again, or delete the video there.`,
  }) as const;

type Details = Pick<z.output<typeof detailsReply>, "state" | "privacy" | "blacklisted" | "blacklistedReason">;

/** What a video came to that PeerTube will not show. Undefined for one that it shows, or will. */
export function endOf(
  { state, privacy, blacklisted, blacklistedReason }: Details,
  wanted: { remoteId: string; privacy: PeertubeSettings["privacy"] },
): Outcome | undefined {
  const { remoteId } = wanted;
  if (failedStates.includes(state.id))
    return { is: "failed", reason: "PeerTube cannot convert the video.", detail: `state ${state.id}`, permanent: true };
  if (blacklisted) {
    const detail = blacklistedReason ?? "A moderator of the instance has to approve it. After that, try again.";
    return { is: "blocked", reason: "The moderators of the PeerTube instance hold the video back.", detail, remoteId };
  }
  const shown: readonly number[] = [privacies.public, privacies[wanted.privacy]];
  if (shown.includes(privacy.id)) return undefined;
  return { is: "blocked", reason: "PeerTube keeps the video private.", detail: `privacy ${privacy.id}`, remoteId };
}
