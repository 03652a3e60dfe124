import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A YouTube on this machine, as its public documentation describes it: sign-in, resumable uploads, videos, playlists, thumbnails and
 * captions. Faults are given one after the other, and each happens to the next request of its kind.
 */

/** The kinds of requests. `query` asks an upload how far it is, `part` sends a part of it. */
export type Kind =
  | ("token" | "device" | "channel" | "start" | "query" | "part" | "status" | "delete" | "list")
  | ("thumbnail" | "captions" | "playlist");

/**
 * - a refusal: nothing is done, and this is the answer
 * - `cut`: the connection ends after so many bytes of the request were kept
 * - `lost`: it is done, and the connection ends before the answer
 * - `keep`: only so many bytes of a part are kept, and 308 says so
 * - `without-range`: nothing of a part is kept, and 308 has no `Range`
 * - `forget`: the upload is forgotten, 404
 */
export type Fault =
  | { status: number; reason?: string }
  | { cut: number }
  | { keep: number }
  | "lost"
  | "without-range"
  | "forget";

interface Upload {
  size: number;
  description: string;
  privacy: string;
  bytes: number;
}

export interface YoutubeVideo {
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

export class Youtube {
  url = "";
  readonly videos = new Map<string, YoutubeVideo>();
  readonly uploads = new Map<string, Upload>();
  readonly playlists = new Map<string, { description: string; videos: string[] }>();
  readonly requests: Kind[] = [];
  readonly faults: { kind: Kind; fault: Fault }[] = [];
  #made: Partial<Pick<YoutubeVideo, "polls" | "rejected" | "failed" | "privacy">> = {};
  /** Tokens that are not given any more. */
  revoked = false;
  /** Access tokens that are still good. */
  readonly accepted = new Set<string>();
  /** How often a device asks before somebody has entered the code. */
  pending = 0;
  hasChannel = true;
  #count = 0;

  fail(kind: Kind, ...faults: Fault[]): void {
    for (const fault of faults) this.faults.push({ kind, fault });
  }

  /** What becomes of the videos from now on. */
  make(made: Partial<Pick<YoutubeVideo, "polls" | "rejected" | "failed" | "privacy">>): void {
    this.#made = made;
  }

  /** Everybody has to get a new access token. */
  expireTokens = () => this.accepted.clear();

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.url);
    const kind = kindOf(request, url);
    if (!kind) return send(response, 404, {});
    this.requests.push(kind);
    const at = this.faults.findIndex((one) => one.kind === kind);
    const fault = at < 0 ? undefined : this.faults.splice(at, 1)[0]!.fault;
    if (typeof fault === "object" && "cut" in fault) return this.#cut(request, url, fault.cut);
    const body = await bodyOf(request);
    if (typeof fault === "object" && "status" in fault) return refuse(response, fault.status, fault.reason ?? "backendError");
    if (kind !== "token" && kind !== "device" && !this.#knows(request)) return refuse(response, 401, "authError");
    if (fault === "forget") this.uploads.delete(url.pathname.split("/").at(-1)!);
    if (fault === "without-range") return void response.writeHead(308).end();
    const taken = typeof fault === "object" ? body.subarray(0, fault.keep) : body;
    if (fault !== "lost") return this.#answer(kind, { request, response, url, body: taken });
    await this.#answer(kind, { request, response: quiet(response), url, body });
    request.socket.destroy();
  }

  #knows = ({ headers }: IncomingMessage) => this.accepted.has(headers.authorization?.replace("Bearer ", "") ?? "");

  /** Keeps the first bytes of a part, and ends the connection. */
  async #cut(request: IncomingMessage, url: URL, bytes: number): Promise<void> {
    const upload = this.uploads.get(url.pathname.split("/").at(-1)!);
    const { socket } = request;
    let kept = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      kept += chunk.length;
      if (kept >= bytes) break;
    }
    if (upload) upload.bytes += Math.min(bytes, kept);
    socket.destroy();
  }

  async #answer(kind: Kind, exchange: Exchange): Promise<void> {
    await this.#answers[kind](exchange);
  }

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
      const items = [...this.videos].map(([id, { description }]) => ({ snippet: { description, resourceId: { videoId: id } } }));
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
    const [, first] = /^bytes (\d+)-/.exec(request.headers["content-range"] ?? "") ?? [];
    if (first !== undefined && Number(first) !== upload.bytes) {
      refuse(response, 400, "invalidRange");
      return;
    }
    upload.bytes += body.length;
    if (upload.bytes < upload.size)
      return void response.writeHead(308, upload.bytes > 0 ? { Range: `bytes=0-${upload.bytes - 1}` } : {}).end();
    this.uploads.delete(id);
    const videoId = `video-${++this.#count}`;
    const { description, privacy, size } = upload;
    this.videos.set(videoId, { description, privacy, size, polls: 0, thumbnail: false, captions: [], ...this.#made });
    send(response, 200, { id: videoId });
  }
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  body: Buffer;
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

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function send(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
}

const refuse = (response: ServerResponse, status: number, reason: string) =>
  send(response, status, { error: { code: status, message: reason, errors: [{ reason, domain: "youtube", message: reason }] } });

/** A response of which nothing is sent. */
const quiet = (response: ServerResponse): ServerResponse =>
  Object.assign(Object.create(response) as ServerResponse, {
    writeHead: () => ({ end: () => {} }),
    end: () => {},
  });

/** Starts one that ends with the tests of this file. */
export async function startYoutube(): Promise<Youtube> {
  const youtube = new Youtube();
  const server = createServer(
    (request, response) => void youtube.handle(request, response).catch(() => request.socket?.destroy()),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  youtube.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // Nothing keeps the process of the tests running.
  server.unref();
  return youtube;
}
