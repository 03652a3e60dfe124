import type { IncomingHttpHeaders } from "node:http";
import { type Cue, readCues, type Speakers, writeCues } from "../../../src/contract/text/cues.ts";
import { checkPassword } from "../../accounts/attempts/attempts.ts";
import { withinGuesses } from "../../accounts/attempts/bounded.ts";
import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import type { Client } from "../../http/call.ts";
import { notFound } from "../../lib/api-error.ts";
import { sameText, sha256 } from "../../lib/secrets.ts";
import type { Download } from "../../lib/signed-links.ts";
import * as stills from "../../playtests/moments/stills-store.ts";
import type { MomentRow } from "../../playtests/moments/store.ts";
import { stillFile, thumbnailFile } from "../../playtests/moments/views.ts";
import { playerNames } from "../../playtests/teams/players.ts";
import * as transcripts from "../../transcripts/store.ts";
import { bakeUnlocked, bakeViewed, isUnlocked, wasViewed } from "./cookies.ts";
import { cuesWithin, isWithin, type Part } from "./rules.ts";
import * as store from "./store.ts";

export interface SharedVideo {
  slotId: string;
  gameName: string;
  /** Null where the share does not name playtesters. */
  playtesterName: string | null;
  lengthMs: number | null;
  submittedAt: number;
  hasPoster: boolean;
  /** The name of the clip; null for a whole video. */
  clipName: string | null;
}

export interface SharedMoment extends Pick<MomentRow, "id" | "kind"> {
  hasStill: boolean;
  atMs: number;
  endMs: number | null;
  text: string;
}

export interface SharedImage {
  momentId: string;
  size: "whole" | "small";
}

/** A video with what is shown beside it. */
export interface SharedDetail extends SharedVideo {
  hasCaptions: boolean;
  cues: Cue[];
  takeaways: string[];
  moments: SharedMoment[];
}

export interface OpenShare {
  /** What is shared is one video or clip, not those of a playtest. */
  isSingle: boolean;
  hasPassword: boolean;
  expiresAt: number;
  videos: SharedVideo[];
}

/** How much of a transcript is shown. */
const transcriptBytes = 4 * 2 ** 20;

type Headers = IncomingHttpHeaders;

/**
 * What a share shows to whoever has its link. The secret token in its URL is looked up for every request, files included, so that a share
 * that has ended shows nothing from then on. The same 404 for a token that is unknown, expired or revoked; a page may say
 * `expiredAt` to whoever has the token.
 */
export class PublicShares {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The share; `locked` when it has a password that the browser has not shown to know. 404 when there is no video to show. */
  async open(token: string, headers: Headers): Promise<OpenShare | "locked"> {
    const { share, videos } = await this.#deps.store.read(async (q) => {
      const found = await this.#find(q, token);
      return { share: found, videos: await this.#stored(await store.videosOf(q, found)) };
    });
    if (videos.length === 0) throw notFound();
    if (!isUnlocked(this.#deps, headers, share)) return "locked";
    return {
      isSingle: share.slot_id !== null,
      hasPassword: share.password_hash !== null,
      expiresAt: share.expires_at,
      videos: videos.map((video) => videoOf(share, video)),
    };
  }

  /** When the share of a token expired. Undefined for one that is unknown, was revoked, or expired long ago. */
  async expiredAt(token: string): Promise<number | undefined> {
    const hash = sha256(token);
    const share = await this.#deps.store.read((q) => store.findExpired(q, hash, this.#deps.clock.now()));
    return share && sameText(share.token_hash, hash) ? share.expires_at : undefined;
  }

  /** One video of the share. 404 as for the share itself, and for the videos of other shares. */
  async video(token: string, headers: Headers, slotId: string): Promise<SharedDetail> {
    const { share, video, moments, transcript, speakers } = await this.#deps.store.read(async (q) => {
      const { share, video } = await this.#findVideo(q, token, headers, slotId);
      const [transcript, moments] = [await transcripts.findForSlot(q, slotId), await store.momentsOf(q, slotId)];
      return {
        share,
        video,
        moments: shownMoments(share, video, moments),
        transcript,
        speakers: await speakersOf(q, share, slotId),
      };
    });
    // What is said in a reel is in its picture, if anywhere: its positions are not those of the transcript.
    const key = video.is_reel === 0 && transcript ? transcripts.approvedKey(transcript) : undefined;
    return {
      ...videoOf(share, video),
      hasCaptions: key !== undefined,
      cues: key === undefined ? [] : cuesOf(video, await this.#transcript(key), speakers),
      takeaways: key === undefined || share.clip_id !== null ? [] : (JSON.parse(transcript!.key_takeaways) as string[]),
      moments,
    };
  }

  /** The file of one video of the share, without the name that the playtester gave it. 404 as for the video. */
  async file(token: string, headers: Headers, slotId: string): Promise<Download> {
    const { video } = await this.#deps.store.read((q) => this.#findVideo(q, token, headers, slotId));
    return { blobKey: video.blob_key, filename: "video", contentType: video.content_type, disposition: "inline" };
  }

  /** The poster of one video of the share. 404 as for the video, and where it has none. */
  async poster(token: string, headers: Headers, slotId: string): Promise<Download> {
    const { video } = await this.#deps.store.read((q) => this.#findVideo(q, token, headers, slotId));
    if (video.poster_id === null) throw notFound();
    return stillFile({ id: video.poster_id, at_ms: video.poster_at_ms! }, "inline");
  }

  /** The still image of a moment on one video of the share, or its small copy. 404 as for the video, and where it has none. */
  async image(token: string, headers: Headers, slotId: string, { momentId, size }: SharedImage): Promise<Download> {
    const still = await this.#deps.store.read(async (q) => {
      const { share, video } = await this.#findVideo(q, token, headers, slotId);
      const shown = shownMoments(share, video, await store.momentsOf(q, slotId));
      return shown.some(({ id, hasStill }) => id === momentId && hasStill) && stills.ofMoment(q, momentId);
    });
    if (!still) throw notFound();
    return (size === "whole" ? stillFile : thumbnailFile)(still, "inline");
  }

  /** The captions of one video of the share, as WebVTT. 404 as for the video, and where it has none. */
  async captions(token: string, headers: Headers, slotId: string): Promise<string> {
    const { video, transcript, speakers } = await this.#deps.store.read(async (q) => {
      const { share, video } = await this.#findVideo(q, token, headers, slotId);
      return { video, transcript: await transcripts.findForSlot(q, slotId), speakers: await speakersOf(q, share, slotId) };
    });
    // What is said in a reel is in its picture, if anywhere: its positions are not those of the transcript.
    const key = video.is_reel === 0 && transcript ? transcripts.approvedKey(transcript) : undefined;
    if (key === undefined) throw notFound();
    return writeCues(cuesOf(video, await this.#transcript(key), speakers));
  }

  /** Checks the password of a share. Returns the cookie with which its pages open; undefined when the password is wrong. */
  async unlock(token: string, password: string, client: Client): Promise<string | undefined> {
    const share = await this.#deps.store.read((q) => this.#find(q, token));
    if (share.password_hash === null) return bakeUnlocked(this.#deps, token, share);
    const attempt = { account: `share ${share.id}`, password, hash: share.password_hash };
    const isRight = () => checkPassword(this.#deps, attempt, client);
    return (await withinGuesses(this.#deps, attempt.account, isRight)) ? bakeUnlocked(this.#deps, token, share) : undefined;
  }

  /** Counts a view of a browser, unless it was counted recently. Returns the cookie by which that is known. */
  async countView(token: string, headers: Headers): Promise<string | undefined> {
    const { clock, store: database } = this.#deps;
    if (wasViewed(this.#deps, headers)) return undefined;
    // One statement.
    await database.write(async (tx) => store.countView(tx, (await this.#find(tx, token)).id, clock.now()), { isolation: "rows" });
    return bakeViewed(this.#deps, token);
  }

  async #find(q: Query, token: string): Promise<store.ShareRow> {
    const hash = sha256(token);
    const share = await store.findOpen(q, hash, this.#deps.clock.now());
    if (!share || !sameText(share.token_hash, hash)) throw notFound();
    return share;
  }

  async #findVideo(q: Query, token: string, headers: Headers, slotId: string) {
    const share = await this.#find(q, token);
    if (!isUnlocked(this.#deps, headers, share)) throw notFound();
    const [video] = await this.#stored(await store.videosOf(q, share, slotId));
    if (!video) throw notFound();
    return { share, video };
  }

  /** Those whose file is still there. */
  async #stored(videos: readonly store.SharedVideoRow[]): Promise<store.SharedVideoRow[]> {
    const sizes = await Promise.all(videos.map(({ blob_key }) => this.#deps.blobs.size(blob_key)));
    return videos.filter((_, index) => sizes[index] !== undefined);
  }

  async #transcript(key: string): Promise<string> {
    return (await this.#deps.blobs.text(key, { start: 0, end: transcriptBytes - 1 })) ?? "";
  }
}

/** Where the share does not name playtesters, what is said does not say who says it. */
const speakersOf = async (q: Query, share: store.ShareRow, slotId: string): Promise<Speakers> =>
  share.with_name === 1 ? "named" : { hidden: await playerNames(q, slotId) };

/** What is said in what is shared. */
const cuesOf = (video: store.SharedVideoRow, vtt: string, speakers: Speakers): Cue[] =>
  cuesWithin(readCues(vtt, speakers), partOf(video));

const videoOf = ({ with_name }: store.ShareRow, video: store.SharedVideoRow): SharedVideo => ({
  slotId: video.id,
  gameName: video.game_name,
  playtesterName: with_name === 1 && video.is_reel === 0 ? video.display_name : null,
  lengthMs: video.video_duration_ms,
  submittedAt: video.submitted_at,
  hasPoster: video.poster_id !== null,
  clipName: video.clip_name,
});

/** The part of the video that is shared; undefined for all of it. */
const partOf = ({ clip_at_ms: at_ms, clip_end_ms: end_ms }: store.SharedVideoRow): Part | undefined =>
  at_ms === null || end_ms === null ? undefined : { at_ms, end_ms };

/** Where a moment ends in what is shared; null for a single point, as for one that begins where a clip ends. */
function endWithin(atMs: number, endMs: number | null, part: Part | undefined): number | null {
  const end = endMs === null ? atMs : Math.min(endMs, part?.end_ms ?? endMs);
  return end > atMs ? end - (part?.at_ms ?? 0) : null;
}

type Moments = Awaited<ReturnType<typeof store.momentsOf>>;

/** The moments that the page shows, with their positions in what is shared. */
function shownMoments(
  { with_moments, moment_ids }: store.ShareRow,
  video: store.SharedVideoRow,
  moments: Moments,
): SharedMoment[] {
  if (video.is_reel === 1) return [];
  const chosen = new Set(JSON.parse(moment_ids) as string[]);
  const part = partOf(video);
  const from = part?.at_ms ?? 0;
  return moments
    .filter(({ id, at_ms }) => (with_moments === 1 || chosen.has(id)) && (!part || isWithin(part, at_ms)))
    .map(({ id, at_ms, end_ms, kind, body, still_id }) => ({
      id,
      atMs: at_ms - from,
      endMs: endWithin(at_ms, end_ms, part),
      kind,
      text: body,
      hasStill: still_id !== null,
    }));
}
