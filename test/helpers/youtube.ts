import type { IncomingMessage, ServerResponse } from "node:http";
import { type Exchange, LoopbackPlatform, send, startPlatform, type Upload } from "./loopback-platform.ts";

/**
 * A YouTube on this machine, as its public documentation describes it: sign-in, resumable uploads, videos, playlists, thumbnails and
 * captions. See `developers.google.com/youtube/v3/guides/using_resumable_upload_protocol` and the reference of each method.
 */

/** The kinds of requests. `query` asks an upload how far it is, `part` sends a part of it. */
export type Kind =
  | ("token" | "device" | "channel" | "start" | "query" | "part" | "status" | "delete" | "list")
  | ("thumbnail" | "captions" | "playlist");

interface YoutubeUpload extends Upload {
  description: string;
  privacy: string;
  /** The video that it made. A session that is asked says it again. */
  videoId?: string;
}

export interface YoutubeVideo {
  /** When it was made. */
  publishedAt: string;
  description: string;
  privacy: string;
  size: number;
  /** How often it is still said to be in processing. */
  polls: number;
  rejected?: string;
  failed?: string;
  thumbnail: boolean;
  captions: string[];
}

/** The longest title (characters) and description (bytes). */
const [maxTitle, maxDescription] = [100, 5000];
/** All parts but the last are multiples of this. */
const unit = 256 * 1024;

export class Youtube extends LoopbackPlatform<Kind, YoutubeUpload> {
  readonly videos = new Map<string, YoutubeVideo>();
  readonly playlists = new Map<string, { description: string; videos: string[] }>();
  #made: Partial<Pick<YoutubeVideo, "polls" | "rejected" | "failed" | "privacy">> = {};
  /** Tokens that are not given any more. */
  revoked = false;
  /** How often a device asks before somebody has entered the code. */
  pending = 0;
  hasChannel = true;
  /** Videos that are not listed yet. */
  readonly unlisted = new Set<string>();
  #count = 0;

  /** What becomes of the videos from now on. */
  make(made: Partial<Pick<YoutubeVideo, "polls" | "rejected" | "failed" | "privacy">>): void {
    this.#made = made;
  }

  protected kindOf = kindOf;
  protected refuse = refuse;
  protected isOpen = (kind: Kind) => kind === "token" || kind === "device";
  protected uploadOf = ({ pathname }: URL) => pathname.split("/").at(-1)!;
  protected answer = (kind: Kind, exchange: Exchange) => this.#answers[kind](exchange);

  readonly #answers: Record<Kind, (exchange: Exchange) => unknown> = {
    token: ({ response, body }) => {
      const form = new URLSearchParams(body.toString());
      if (this.revoked) return send(response, 400, { error: "invalid_grant", error_description: "Token has been revoked." });
      if (form.get("grant_type")?.endsWith("device_code") && this.pending-- > 0)
        return send(response, 428, { error: "authorization_pending" });
      const token = `access-${++this.#count}`;
      this.accepted.add(token);
      send(response, 200, { access_token: token, expires_in: 3600, refresh_token: "refresh-1", token_type: "Bearer" });
    },
    device: ({ response }) =>
      send(response, 200, {
        device_code: "device-1",
        user_code: "AB-CD",
        verification_url: "https://g.example/device",
        interval: 1,
      }),
    channel: ({ response }) => {
      const channel = { snippet: { title: "Moon Games" }, contentDetails: { relatedPlaylists: { uploads: "uploads" } } };
      send(response, 200, this.hasChannel ? { items: [channel] } : {});
    },
    start: ({ request, response, body }) => {
      const { snippet, status } = JSON.parse(body.toString());
      if (snippet.title === "" || snippet.title.length > maxTitle || /[<>]/.test(snippet.title))
        return refuse(response, 400, "invalidTitle");
      if (Buffer.byteLength(snippet.description) > maxDescription || /[<>]/.test(snippet.description))
        return refuse(response, 400, "invalidDescription");
      const id = `upload-${++this.#count}`;
      const size = Number(request.headers["x-upload-content-length"]);
      this.uploads.set(id, { size, description: snippet.description, privacy: status.privacyStatus, bytes: 0 });
      send(response, 200, {}, { Location: `${this.url}/session/${id}` });
    },
    query: (exchange) => this.#put(exchange),
    part: (exchange) => this.#put(exchange),
    status: ({ response, url }) => {
      const video = this.videos.get(url.searchParams.get("id")!);
      if (!video) return send(response, 200, { items: [] });
      const { rejected, failed, polls } = video;
      const uploadStatus = rejected ? "rejected" : failed ? "failed" : polls > 0 ? "uploaded" : "processed";
      video.polls--;
      const status = { uploadStatus, privacyStatus: video.privacy, rejectionReason: rejected, failureReason: failed };
      send(response, 200, { items: [{ status }] });
    },
    delete: ({ response, url }) => {
      if (url.pathname.startsWith("/session/")) {
        this.uploads.delete(url.pathname.split("/").at(-1)!);
        return void response.writeHead(499).end();
      }
      const known = this.videos.delete(url.searchParams.get("id")!);
      if (known) response.writeHead(204).end();
      else refuse(response, 404, "videoNotFound");
    },
    list: ({ response, url }) => {
      const playlist = url.searchParams.get("playlistId");
      const videoId = url.searchParams.get("videoId");
      if (playlist !== "uploads") {
        const there = this.playlists.get(playlist!)?.videos.includes(videoId!);
        return send(response, 200, { items: there ? [{}] : [] });
      }
      const listed = [...this.videos].filter(([id]) => !this.unlisted.has(id));
      const items = listed.map(([id, { description, publishedAt }]) => ({
        snippet: { publishedAt, description, resourceId: { videoId: id } },
      }));
      send(response, 200, { items: items.reverse() });
    },
    thumbnail: ({ response, url }) => {
      this.videos.get(url.searchParams.get("videoId")!)!.thumbnail = true;
      send(response, 200, {});
    },
    captions: ({ response, body }) => {
      const text = body.toString();
      const videoId = /"videoId":"([^"]+)"/.exec(text)![1]!;
      this.videos.get(videoId)!.captions.push(text.slice(text.indexOf("WEBVTT")));
      send(response, 200, { id: "caption" });
    },
    playlist: ({ request, response, url, body }) => {
      if (request.method === "GET") {
        const items = [...this.playlists].map(([id, { description }]) => ({ id, snippet: { description } }));
        return send(response, 200, { items });
      }
      const { snippet } = JSON.parse(body.toString());
      if (url.pathname.endsWith("/playlistItems")) {
        this.playlists.get(snippet.playlistId)!.videos.push(snippet.resourceId.videoId);
        return send(response, 200, {});
      }
      const id = `playlist-${++this.#count}`;
      this.playlists.set(id, { description: snippet.description, videos: [] });
      send(response, 200, { id });
    },
  };

  #put({ request, response, url, body }: Exchange): void {
    const id = url.pathname.split("/").at(-1)!;
    const upload = this.uploads.get(id);
    if (!upload) {
      send(response, 404, {});
      return;
    }
    if (upload.videoId !== undefined) {
      send(response, 200, { id: upload.videoId });
      return;
    }
    const [, first, last] = /^bytes (\d+)-(\d+)/.exec(request.headers["content-range"] ?? "") ?? [];
    const isLast = Number(last) + 1 === upload.size;
    if (last !== undefined && !isLast && (Number(last) + 1 - Number(first)) % unit !== 0) {
      refuse(response, 400, "invalidChunkSize");
      return;
    }
    if (first !== undefined && Number(first) !== upload.bytes) {
      refuse(response, 400, "invalidRange");
      return;
    }
    upload.bytes += body.length;
    if (upload.bytes < upload.size)
      return void response.writeHead(308, upload.bytes > 0 ? { Range: `bytes=0-${upload.bytes - 1}` } : {}).end();
    const videoId = `video-${++this.#count}`;
    upload.videoId = videoId;
    const { description, privacy, size } = upload;
    this.made.push(description);
    this.videos.set(videoId, {
      publishedAt: new Date().toISOString(),
      description,
      privacy,
      size,
      polls: 0,
      thumbnail: false,
      captions: [],
      ...this.#made,
    });
    send(response, 200, { id: videoId });
  }
}

function kindOf({ method, headers }: IncomingMessage, { pathname, searchParams }: URL): Kind | undefined {
  if (pathname === "/token") return "token";
  if (pathname === "/device/code") return "device";
  if (method === "DELETE") return "delete";
  if (pathname.startsWith("/session/")) return headers["content-range"]?.startsWith("bytes */") ? "query" : "part";
  if (pathname.startsWith("/upload/youtube/v3/thumbnails")) return "thumbnail";
  if (pathname === "/upload/youtube/v3/captions") return "captions";
  if (pathname === "/upload/youtube/v3/videos") return "start";
  if (pathname === "/youtube/v3/channels") return "channel";
  if (pathname === "/youtube/v3/videos") return "status";
  if (pathname === "/youtube/v3/playlistItems" && method === "GET" && searchParams.has("playlistId")) return "list";
  return pathname.startsWith("/youtube/v3/playlist") ? "playlist" : undefined;
}

const refuse = (response: ServerResponse, status: number, reason: string, headers?: Record<string, string>) =>
  send(
    response,
    status,
    { error: { code: status, message: reason, errors: [{ reason, domain: "youtube", message: reason }] } },
    headers,
  );

/** Starts one that ends with the tests of this file. */
export const startYoutube = (): Promise<Youtube> => startPlatform(new Youtube());
