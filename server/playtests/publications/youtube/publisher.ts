import * as z from "zod";
import type { Clock } from "../../../lib/clock.ts";
import type { Log } from "../../../lib/log.ts";
import {
  type Budget,
  explained,
  type Outcome,
  type PublicVideo,
  type Publisher,
  type Remnants,
  type Sought,
} from "../publisher.ts";
import { offsetOf, sendMissing, type Taken } from "../resumable.ts";
import { listedMs } from "../rules.ts";
import { hasMarker, isTooOld, wordsFor } from "../words.ts";
import { addressesOf, type YoutubeApi, type YoutubeSettings } from "./api.ts";
import { dress } from "./dress.ts";
import { outcomeOf, YoutubeRefusal } from "./refusals.ts";

/** Where an upload is: the address of its session, or the id of the video that it made. `dressed`: with its captions and the like. */
const sessionState = z.union([
  z.strictObject({ uploadUrl: z.string() }),
  z.strictObject({ videoId: z.string(), dressed: z.boolean() }),
]);
type SessionState = z.output<typeof sessionState>;

const write = (state: SessionState) => JSON.stringify(state);
const read = (session: string): SessionState => sessionState.parse(JSON.parse(session));

/** The longest title (characters) and description (bytes of UTF-8). */
const limits = { title: 100, descriptionBytes: 5000 };

/** How long (ms) a video is left in peace while YouTube processes it. */
const processingMs = 60_000;

const videoReply = z.object({ id: z.string() });
const statusReply = z.object({
  items: z.array(
    z.object({
      status: z.object({
        uploadStatus: z.string(),
        privacyStatus: z.string(),
        failureReason: z.string().optional(),
        rejectionReason: z.string().optional(),
      }),
    }),
  ),
});
const channelReply = z.object({
  items: z.array(z.object({ contentDetails: z.object({ relatedPlaylists: z.object({ uploads: z.string() }) }) })).optional(),
});
const uploadsReply = z.object({
  nextPageToken: z.string().optional(),
  items: z.array(
    z.object({
      snippet: z.object({ publishedAt: z.string(), description: z.string(), resourceId: z.object({ videoId: z.string() }) }),
    }),
  ),
});

interface Parts {
  settings: YoutubeSettings;
  api: YoutubeApi;
  clock: Pick<Clock, "now">;
  log: Pick<Log, "warn">;
}

/**
 * Publishes on YouTube by resumable uploads. A project that Google has not audited gets its uploads locked as private, without appeal:
 * such a video is blocked.
 */
export class YoutubePublisher implements Publisher {
  readonly #parts: Parts;
  constructor(parts: Parts) {
    this.#parts = parts;
  }

  start = (video: PublicVideo) => this.#explained(this.#start(video));

  advance(session: string, video: PublicVideo, budget: Budget): Promise<Outcome> {
    const state = read(session);
    return this.#explained("videoId" in state ? this.#settle(state, video) : this.#upload(state.uploadUrl, video, budget));
  }

  remove = (remnants: Remnants) => this.#explained(this.#remove(remnants));

  #explained = <T>(work: Promise<T>) =>
    explained(work, (error) => (error instanceof YoutubeRefusal ? outcomeOf(error, this.#parts.clock.now()) : undefined));

  async #start(video: PublicVideo): Promise<string> {
    const { settings, api } = this.#parts;
    const known = await this.#find(video);
    if (known !== undefined) return write({ videoId: known, dressed: false });
    const { title, description } = wordsFor(settings, video, limits);
    const reply = await api.send({
      method: "POST",
      url: `${addressesOf(settings).upload}/videos?uploadType=resumable&part=snippet,status`,
      headers: {
        "content-type": "application/json; charset=UTF-8",
        "x-upload-content-length": String(video.size),
        "x-upload-content-type": video.contentType,
      },
      body: JSON.stringify({
        snippet: { title, description, categoryId: "20", defaultAudioLanguage: video.language, defaultLanguage: "en" },
        status: { privacyStatus: settings.privacy, selfDeclaredMadeForKids: false, embeddable: true },
      }),
      expects: [200],
    });
    const { location } = reply.headers;
    if (!location) throw new Error("YouTube named no address for the upload.");
    return write({ uploadUrl: location });
  }

  async #remove(remnants: Remnants): Promise<void> {
    const { settings, api } = this.#parts;
    const state = remnants.session === null ? undefined : read(remnants.session);
    const id = remnants.remoteId ?? (await this.#made(state, remnants));
    if (id !== undefined)
      await api.send({
        method: "DELETE",
        url: `${addressesOf(settings).api}/videos?id=${encodeURIComponent(id)}`,
        expects: [204, 404],
      });
    // A session that is not finished ends by itself if YouTube does not take its end.
    else if (state && "uploadUrl" in state)
      await api.send({ method: "DELETE", url: state.uploadUrl, expects: [200, 204, 404, 410, 499] });
  }

  /** The video that came of a session, or of a try of which nothing else is known. */
  async #made(state: SessionState | undefined, { size, ...sought }: Remnants): Promise<string | undefined> {
    if (state && "videoId" in state) return state.videoId;
    // Its last reply may have been lost just now, and the video is not listed yet.
    const had = state && (await this.#put(state.uploadUrl, `bytes */${size}`));
    return had && "videoId" in had ? had.videoId : this.#find(sought);
  }

  async #upload(url: string, video: PublicVideo, budget: Budget): Promise<Outcome> {
    const taken = await sendMissing(video, budget, (range, body) => this.#put(url, range, body));
    if ("offset" in taken) return { is: "progress", bytesSent: taken.offset };
    if ("outcome" in taken) return taken.outcome;
    return { is: "processing", session: write({ videoId: taken.videoId, dressed: false }), retryAt: 0 };
  }

  /** Sends a part of the video, or asks. Returns how many bytes YouTube has by now, or what the upload came to. */
  async #put(url: string, range: string, body: Buffer = Buffer.alloc(0)): Promise<Taken> {
    const headers = { "content-range": range };
    const reply = await this.#parts.api.send({ method: "PUT", url, headers, body, expects: [200, 201, 308, 400, 404, 410] });
    if (reply.status === 308) return { offset: offsetOf(reply.headers.range) };
    // A request that was repeated on another connection, after a part of it had arrived.
    if (reply.status === 400)
      return { outcome: { is: "failed", reason: "YouTube has another part of the video than was expected." } };
    if (reply.status > 400) {
      const retryAt = this.#parts.clock.now() + listedMs;
      return {
        outcome: { is: "failed", reason: "YouTube no longer knows the upload. It begins again.", retryAt, session: null },
      };
    }
    return { videoId: videoReply.parse(JSON.parse(reply.body.toString())).id };
  }

  /** Looks what YouTube makes of a video that it has completely. */
  async #settle(state: Extract<SessionState, { videoId: string }>, video: PublicVideo): Promise<Outcome> {
    const { settings, api, clock, log } = this.#parts;
    const { videoId } = state;
    const url = `${addressesOf(settings).api}/videos?part=status&id=${encodeURIComponent(videoId)}`;
    const [item] = (await api.ask(statusReply, { method: "GET", url })).items;
    const ended = endOf(item?.status, { videoId, privacy: settings.privacy });
    if (ended) return ended;
    if (!state.dressed) {
      await dress({ api, settings, log }, videoId, video);
      return { is: "processing", session: write({ videoId, dressed: true }), retryAt: clock.now() };
    }
    if (item!.status.uploadStatus !== "processed") return { is: "processing", retryAt: clock.now() + processingMs };
    return { is: "published", url: `https://www.youtube.com/watch?v=${videoId}`, remoteId: videoId };
  }

  /** The video of the account with the marker of a publication, among those that are as new. */
  async #find({ publicationId, since }: Sought): Promise<string | undefined> {
    const { settings, api } = this.#parts;
    const { api: base } = addressesOf(settings);
    const { items } = await api.ask(channelReply, { method: "GET", url: `${base}/channels?part=contentDetails&mine=true` });
    const uploads = items?.[0]?.contentDetails.relatedPlaylists.uploads;
    if (uploads === undefined) return undefined;
    for (let token: string | undefined = ""; token !== undefined; ) {
      const query = new URLSearchParams({
        part: "snippet",
        maxResults: "50",
        playlistId: uploads,
        ...(token && { pageToken: token }),
      });
      const reply: z.output<typeof uploadsReply> = await api.ask(uploadsReply, {
        method: "GET",
        url: `${base}/playlistItems?${query}`,
      });
      const found = reply.items.find(({ snippet }) => hasMarker(snippet.description, publicationId));
      if (found) return found.snippet.resourceId.videoId;
      if (reply.items.some(({ snippet }) => isTooOld(snippet.publishedAt, since))) return undefined;
      token = reply.nextPageToken;
    }
    return undefined;
  }
}

/** What YouTube's reasons mean. */
const rejections: Readonly<Record<string, string>> = {
  claim: "somebody claims its content",
  copyright: "it infringes a copyright",
  duplicate: "the account has the same video already",
  inappropriate: "it breaks the community guidelines",
  length: "it is longer than the account may upload",
  legal: "a law or court forbids it",
  termsOfUse: "it breaks the terms of service",
  trademark: "it infringes a trademark",
  uploaderAccountClosed: "the account was closed",
  uploaderAccountSuspended: "the account is suspended",
};
const failures: Readonly<Record<string, string>> = {
  codec: "it does not know the codec",
  conversion: "it could not convert the video",
  emptyFile: "the file is empty",
  invalidFile: "the file is not a video",
  tooSmall: "the file is too small",
  uploadAborted: "the upload was aborted",
};

function rejection(what: string, meanings: Readonly<Record<string, string>>, reason = ""): Outcome {
  const meaning = Object.hasOwn(meanings, reason) ? `: ${meanings[reason]}` : "";
  return { is: "failed", reason: `${what}${meaning}.`, ...(reason !== "" && { detail: reason }), permanent: true };
}

type VideoStatus = z.output<typeof statusReply>["items"][number]["status"];

/** What a video came to that YouTube will not show. Undefined for one that it shows, or will. */
export function endOf(
  status: VideoStatus | undefined,
  { videoId, privacy }: { videoId: string; privacy: string },
): Outcome | undefined {
  if (!status || status.uploadStatus === "deleted")
    return { is: "failed", reason: "The video was deleted on YouTube.", permanent: true };
  if (status.uploadStatus === "rejected") return rejection("YouTube rejected the video", rejections, status.rejectionReason);
  if (status.uploadStatus === "failed") return rejection("YouTube cannot read the video", failures, status.failureReason);
  if (status.privacyStatus !== "private" || privacy === "private") return undefined;
  const reason =
    "YouTube keeps the video private, as it does with the uploads of every project that Google has not audited. The operator asks Google for an audit of the project; this video stays private.";
  return { is: "blocked", reason, remoteId: videoId };
}
