import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Exchange, LoopbackPlatform, send, startPlatform, type Upload } from "./loopback-platform.ts";

/**
 * A PeerTube instance on this machine, as the public reference of its REST API (docs.joinpeertube.org) and the protocol of its uploads
 * (`proto.md` of node-uploadx) describe it: client and tokens, channels, resumable uploads, videos, captions.
 */

/** The kinds of requests. `query` asks an upload how far it is, `part` sends a part of it. */
export type PeertubeKind =
  | ("client" | "token" | "me" | "list" | "description" | "start" | "query" | "part" | "cancel")
  | ("status" | "image" | "captions" | "delete");

interface PeertubeUpload extends Upload {
  video: Pick<PeertubeVideo, "name" | "description" | "privacy" | "channelId">;
  user: string;
  /** All of it has arrived, and it is made into a video. */
  busy: number;
}

export interface PeertubeVideo {
  name: string;
  description: string;
  privacy: number;
  channelId: number;
  size: number;
  createdAt: string;
  /** How often it is still said to be in transcoding. */
  polls: number;
  /** 7: it could not be transcoded. */
  state: number;
  blacklisted: boolean;
  image: boolean;
  captions: Map<string, string>;
}

type Made = Partial<Pick<PeertubeVideo, "polls" | "state" | "privacy" | "blacklisted">>;

/** What a description in a list has at most. */
const listedDescription = 250;

/** Refusals whose code is not what their name says. */
const details: Readonly<Record<string, string>> = {
  invalid_grant: "Invalid grant: user credentials are invalid",
  missing_two_factor: "Missing two factor header",
  invalid_two_factor: "Invalid two factor header",
};

export class Peertube extends LoopbackPlatform<PeertubeKind, PeertubeUpload> {
  readonly videos = new Map<string, PeertubeVideo>();
  /** Whose each access token is. */
  readonly #users = new Map<string, string>();
  /** Refresh tokens that are still good, and the access tokens that came with them. */
  readonly refreshTokens = new Map<string, string>();
  readonly passwords: Record<string, string> = { moon: "correct horse", sun: "battery staple" };
  channels: { id: number; name: string }[] = [
    { id: 11, name: "moon_channel" },
    { id: 12, name: "playtests" },
  ];
  /** What an account with two-factor authentication has to send. */
  oneTimeCode: string | undefined;
  /** How long (s) access tokens are good, as they say. */
  expiresIn = 14_399;
  maxFileSize = Number.POSITIVE_INFINITY;
  /** How often an upload that has arrived is still being processed. */
  busy = 0;
  /** What is refused when the last part arrived: 403 by a filter, 422 unreadable. */
  refused: 403 | 422 | undefined;
  #made: Made = {};
  #count = 0;

  /** What becomes of the videos from now on. */
  make(made: Made): void {
    this.#made = made;
  }

  /** Ends every token, as a person does who signs out everywhere. */
  revoke(): void {
    this.accepted.clear();
    this.refreshTokens.clear();
  }

  protected isOpen = (kind: PeertubeKind) => kind === "client" || kind === "token";
  protected uploadOf = ({ searchParams }: URL) => searchParams.get("upload_id") ?? "";
  protected refuse = refuse;
  protected answer = (kind: PeertubeKind, exchange: Exchange) => this.#answers[kind](exchange);

  protected kindOf({ method, headers }: IncomingMessage, { pathname }: URL): PeertubeKind | undefined {
    const path = pathname.replace(/^\/api\/v1/, "");
    if (path === "/videos/upload-resumable") {
      if (method === "POST") return "start";
      if (method === "DELETE") return "cancel";
      return headers["content-range"]?.startsWith("bytes */") ? "query" : "part";
    }
    return kinds.find(([of, pattern]) => of === method && pattern.test(path))?.[2];
  }

  readonly #answers: Record<PeertubeKind, (exchange: Exchange) => unknown> = {
    client: ({ response }) => send(response, 200, { client_id: "client", client_secret: "secret" }),
    token: ({ request, response, body }) => {
      const form = new URLSearchParams(body.toString());
      if (request.headers["content-type"] !== "application/x-www-form-urlencoded")
        return refuse(response, 400, "invalid_request");
      if (form.get("client_id") !== "client" || form.get("client_secret") !== "secret")
        return refuse(response, 400, "invalid_client");
      const user = form.get("grant_type") === "password" ? this.#signIn(form, request, response) : this.#refreshed(form);
      if (user === null) return;
      if (user === undefined) return refuse(response, 400, "invalid_grant");
      const [access_token, refresh_token] = [`access-${++this.#count}`, `refresh-${this.#count}`];
      this.accepted.add(access_token);
      this.#users.set(access_token, user);
      this.refreshTokens.set(refresh_token, access_token);
      send(response, 200, { token_type: "Bearer", access_token, refresh_token, expires_in: this.expiresIn });
    },
    me: ({ request, response }) =>
      send(response, 200, {
        username: this.#userOf(request),
        videoChannels: this.channels.map((channel) => ({ ...channel, displayName: channel.name })),
      }),
    list: ({ response, url }) => {
      const [start, count] = [Number(url.searchParams.get("start")), Number(url.searchParams.get("count") ?? 15)];
      if (!(count > 0 && count <= 100) || url.searchParams.get("sort") !== "-createdAt") return refuse(response, 400, "");
      const all = [...this.videos].reverse();
      const data = all.slice(start, start + count).map(([uuid, { name, description, createdAt }]) => ({
        uuid,
        name,
        createdAt,
        description: description.length > listedDescription ? `${description.slice(0, listedDescription - 3)}...` : description,
      }));
      send(response, 200, { total: all.length, data });
    },
    description: ({ response, url }) => {
      const video = this.#videoIn(url);
      if (video) send(response, 200, { description: video.description });
      else refuse(response, 404, "");
    },
    start: (exchange) => this.#start(exchange),
    query: (exchange) => this.#put(exchange),
    part: (exchange) => this.#put(exchange),
    cancel: ({ response, url }) => {
      if (this.uploads.delete(this.uploadOf(url))) response.writeHead(204).end();
      else refuse(response, 404, "");
    },
    status: ({ response, url }) => {
      const video = this.#videoIn(url);
      if (!video) return refuse(response, 404, "");
      const state = { id: video.polls > 0 ? 2 : video.state };
      video.polls--;
      const uuid = idIn(url);
      const { blacklisted, privacy } = video;
      send(response, 200, { uuid, shortUUID: `short-${uuid.slice(0, 8)}`, state, blacklisted, privacy: { id: privacy } });
    },
    image: ({ response, url, body }) => {
      const video = this.#videoIn(url);
      if (!video) return refuse(response, 404, "");
      video.image = /name="thumbnailfile"; filename="[^"]+"\r\nContent-Type: image\/jpeg/i.test(body.toString("latin1"));
      response.writeHead(204).end();
    },
    captions: ({ response, url, body }) => {
      const video = this.#videoIn(url);
      const text = body.toString();
      if (!video) return refuse(response, 404, "");
      if (!/name="captionfile"; filename="[^"]+\.vtt"\r\nContent-Type: text\/vtt/i.test(text)) return refuse(response, 400, "");
      video.captions.set(url.pathname.split("/").at(-1)!, text.slice(text.indexOf("WEBVTT"), text.lastIndexOf("\r\n--")));
      response.writeHead(204).end();
    },
    delete: ({ response, url }) => {
      if (this.videos.delete(idIn(url))) response.writeHead(204).end();
      else refuse(response, 404, "");
    },
  };

  #userOf = ({ headers }: IncomingMessage) => this.#users.get(headers.authorization?.replace("Bearer ", "") ?? "") ?? "";
  #videoIn = (url: URL) => this.videos.get(idIn(url));

  /** The user of a password grant; null where it was refused. */
  #signIn(form: URLSearchParams, { headers }: IncomingMessage, response: ServerResponse): string | undefined | null {
    const user = form.get("username") ?? "";
    if (this.passwords[user] === undefined || this.passwords[user] !== form.get("password")) return undefined;
    if (this.oneTimeCode === undefined || headers["x-peertube-otp"] === this.oneTimeCode) return user;
    if (headers["x-peertube-otp"] === undefined) refuse(response, 401, "missing_two_factor");
    else refuse(response, 400, "invalid_two_factor");
    return null;
  }

  /** A refresh token is good once, and ends the access token that it came with. */
  #refreshed(form: URLSearchParams): string | undefined {
    const token = form.get("refresh_token") ?? "";
    const access = this.refreshTokens.get(token);
    if (access === undefined) return undefined;
    this.refreshTokens.delete(token);
    this.accepted.delete(access);
    return this.#users.get(access);
  }

  #start({ request, response, body }: Exchange): unknown {
    const given = JSON.parse(body.toString());
    const size = Number(request.headers["x-upload-content-length"]);
    if (!(given.name?.length >= 3 && given.name.length <= 120)) return refuse(response, 400, "");
    if (!(given.description?.length >= 3 && given.description.length <= 10_000)) return refuse(response, 400, "");
    if (!given.filename || !(size > 0)) return refuse(response, 400, "");
    if (given.language !== undefined && !/^[a-z]{2,3}$/.test(given.language)) return refuse(response, 400, "");
    if (!this.channels.some(({ id }) => id === given.channelId)) return refuse(response, 400, "");
    if (!request.headers["x-upload-content-type"]?.includes("video/")) return refuse(response, 415, "");
    if (size > this.maxFileSize) return refuse(response, 413, "max_file_size_reached");
    const user = this.#userOf(request);
    const id = Buffer.from(`${user}-${given.name}-${size}-${given.lastModified ?? ++this.#count}`).toString("hex");
    const known = this.uploads.get(id);
    const { name, description, privacy, channelId } = given;
    if (!known) this.uploads.set(id, { size, bytes: 0, user, busy: this.busy, video: { name, description, privacy, channelId } });
    // Without the scheme, as the protocol has it.
    const location = `${this.url.replace(/^http:/, "")}/api/v1/videos/upload-resumable?upload_id=${id}`;
    response.writeHead(known && known.bytes > 0 ? 200 : 201, { Location: location, "Content-Length": 0 }).end();
  }

  #put({ request, response, url, body }: Exchange): unknown {
    const id = this.uploadOf(url);
    const upload = this.uploads.get(id);
    if (!upload) return refuse(response, 404, "");
    if (upload.user !== this.#userOf(request)) return send(response, 403, { error: { code: "Forbidden", message: "Forbidden" } });
    const [, first] = /^bytes (\d+)-/.exec(request.headers["content-range"] ?? "") ?? [];
    if (first !== undefined && Number(first) !== upload.bytes)
      return send(response, 409, { error: { code: "FileConflict", message: "File conflict" } });
    upload.bytes += body.length;
    // Without a byte it says `bytes=0--1`.
    if (upload.bytes < upload.size)
      return void response.writeHead(308, { Range: `bytes=0-${upload.bytes - 1}`, "Content-Length": 0 }).end();
    if (upload.busy-- > 0) return refuse(response, 503, "", { "Retry-After": "300" });
    this.uploads.delete(id);
    if (this.refused !== undefined) return refuse(response, this.refused, "");
    const uuid = randomUUID();
    const { video, size } = upload;
    const fresh = { size, createdAt: new Date().toISOString(), polls: 0, state: 1, blacklisted: false, image: false };
    this.made.push(video.description);
    this.videos.set(uuid, { ...video, ...fresh, captions: new Map(), ...this.#made });
    send(response, 200, { video: { id: this.videos.size, uuid, shortUUID: `short-${uuid.slice(0, 8)}` } });
  }
}

const idIn = ({ pathname }: URL) => pathname.split("/")[4]!;

const kinds: readonly [method: string, path: RegExp, kind: PeertubeKind][] = [
  ["GET", /^\/oauth-clients\/local$/, "client"],
  ["POST", /^\/users\/token$/, "token"],
  ["GET", /^\/users\/me$/, "me"],
  ["GET", /^\/users\/me\/videos$/, "list"],
  ["GET", /^\/videos\/[^/]+\/description$/, "description"],
  ["PUT", /^\/videos\/[^/]+\/captions\/[^/]+$/, "captions"],
  ["PUT", /^\/videos\/[^/]+$/, "image"],
  ["GET", /^\/videos\/[^/]+$/, "status"],
  ["DELETE", /^\/videos\/[^/]+$/, "delete"],
];

/** A problem as RFC 9457 has it, with the code where PeerTube has one. */
function refuse(response: ServerResponse, status: number, code: string, headers: Record<string, string> = {}): void {
  const detail = details[code] ?? `It was refused (${status}).`;
  send(
    response,
    status,
    { type: "about:blank", title: "Refused", status, detail, error: detail, ...(code !== "" && { code }) },
    { "Content-Type": "application/problem+json", ...headers },
  );
}

/** Starts one that ends with the tests of this file. */
export const startPeertube = (): Promise<Peertube> => startPlatform(new Peertube());
