import type { IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { type Cue, readCues } from "../../../src/contract/text/cues.ts";
import { checkPassword } from "../../accounts/attempts.ts";
import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import type { Client } from "../../http/call.ts";
import { notFound } from "../../lib/problem.ts";
import { sameText, sha256 } from "../../lib/secrets.ts";
import type { Download } from "../../lib/signed-links.ts";
import type { MomentRow } from "../../playtests/moments/store.ts";
import * as transcripts from "../../transcripts/store.ts";
import { bakeUnlocked, bakeViewed, isUnlocked, wasViewed } from "./cookies.ts";
import * as store from "./store.ts";

export interface SharedVideo {
  slotId: string;
  gameName: string;
  /** Null where the share does not name playtesters. */
  playtesterName: string | null;
  lengthMs: number | null;
  submittedAt: number;
}

export interface SharedMoment extends Pick<MomentRow, "kind"> {
  atMs: number;
  endMs: number | null;
  text: string;
}

/** A video with what is shown beside it. */
export interface SharedDetail extends SharedVideo {
  hasCaptions: boolean;
  cues: Cue[];
  takeaways: string[];
  moments: SharedMoment[];
}

export interface OpenShare {
  /** What is shared is one video, not those of a playtest. */
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
 * that has ended shows nothing from then on. The same 404 for a token that is unknown, expired or revoked.
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

  /** One video of the share. 404 as for the share itself, and for the videos of other shares. */
  async video(token: string, headers: Headers, slotId: string): Promise<SharedDetail> {
    const { share, video, moments, transcript } = await this.#deps.store.read(async (q) => {
      const { share, video } = await this.#findVideo(q, token, headers, slotId);
      const [transcript, moments] = [await transcripts.findForSlot(q, slotId), await store.momentsOf(q, slotId)];
      return { share, video, moments: shownMoments(share, moments), transcript };
    });
    const key = transcript && transcripts.approvedKey(transcript);
    return {
      ...videoOf(share, video),
      hasCaptions: key !== undefined,
      cues: key === undefined ? [] : readCues(await this.#captions(share, key)),
      takeaways: key === undefined ? [] : (JSON.parse(transcript!.key_takeaways) as string[]),
      moments,
    };
  }

  /** The file of one video of the share, without the name that the playtester gave it. 404 as for the video. */
  async file(token: string, headers: Headers, slotId: string): Promise<Download> {
    const { video } = await this.#deps.store.read((q) => this.#findVideo(q, token, headers, slotId));
    return { blobKey: video.blob_key, filename: "video", contentType: video.content_type, disposition: "inline" };
  }

  /** The captions of one video of the share, as WebVTT. 404 as for the video, and where it has none. */
  async captions(token: string, headers: Headers, slotId: string): Promise<string> {
    const { share, transcript } = await this.#deps.store.read(async (q) => {
      const { share } = await this.#findVideo(q, token, headers, slotId);
      return { share, transcript: await transcripts.findForSlot(q, slotId) };
    });
    const key = transcript && transcripts.approvedKey(transcript);
    if (key === undefined) throw notFound();
    return this.#captions(share, key);
  }

  /** Checks the password of a share. Returns the cookie with which its pages open; undefined when the password is wrong. */
  async unlock(token: string, password: string, client: Client): Promise<string | undefined> {
    const share = await this.#deps.store.read((q) => this.#find(q, token));
    if (share.password_hash === null) return bakeUnlocked(this.#deps, token, share);
    const attempt = { account: `share ${share.id}`, password, hash: share.password_hash };
    return (await checkPassword(this.#deps, attempt, client)) ? bakeUnlocked(this.#deps, token, share) : undefined;
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

  /** A transcript, without the names of its speakers where the share does not name playtesters. */
  async #captions({ with_name }: store.ShareRow, key: string): Promise<string> {
    const size = await this.#deps.blobs.size(key);
    if (!size) return "";
    const vtt = await text(await this.#deps.blobs.read(key, { start: 0, end: Math.min(size, transcriptBytes) - 1 }));
    return with_name === 1 ? vtt : vtt.replace(/<v\b[^>]*>/g, "");
  }
}

const videoOf = ({ with_name }: store.ShareRow, video: store.SharedVideoRow): SharedVideo => ({
  slotId: video.id,
  gameName: video.game_name,
  playtesterName: with_name === 1 ? video.display_name : null,
  lengthMs: video.video_duration_ms,
  submittedAt: video.submitted_at,
});

function shownMoments({ with_moments, moment_ids }: store.ShareRow, moments: readonly MomentRow[]): SharedMoment[] {
  const chosen = new Set(JSON.parse(moment_ids) as string[]);
  return moments
    .filter(({ id }) => with_moments === 1 || chosen.has(id))
    .map(({ at_ms: atMs, end_ms: endMs, kind, body }) => ({ atMs, endMs, kind, text: body }));
}
