import type { BucketAddress } from "../../config/blobs-address.ts";
import { ApiError } from "../../lib/api-error.ts";
import { tracedFetch } from "../../outbound/traced-fetch.ts";
import { type Credentials, hexSha256, queryOf, signed } from "./signature.ts";
import { textOf } from "./xml.ts";

/** The bucket answered with an error. */
export class S3Error extends Error {
  override name = "S3Error";
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(`the bucket answered ${status} ${code}: ${message}`);
    this.status = status;
    this.code = code;
  }
}

/** The bucket cannot be reached, or does not do what it should, also after several attempts. Nothing is known to be lost. */
export class BucketAway extends ApiError {
  constructor(cause: unknown) {
    super("SERVICE_UNAVAILABLE", "The storage of files does not answer right now. Nothing was changed. Try again later.", {
      headers: { "Retry-After": "30" },
      cause,
    });
  }
}

export interface ClientOptions {
  address: BucketAddress;
  region: string;
  credentials(): Promise<Credentials>;
  /** In ms. */
  now(): number;
  wait(ms: number): Promise<void>;
  /** How long (ms) the bucket may be silent. */
  silenceMs?: number;
  /** How long (ms) a request may take with its reply. */
  limitMs?: number;
  attempts?: number;
}

export interface S3Request {
  method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Below the prefix; empty for the bucket itself. */
  key?: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array | string;
}

/** A reply whose bytes have not been read. */
export interface S3Reply {
  status: number;
  headers: Headers;
  /** Rejects when the bucket is silent, or the connection ends early. To be read to its end, or cancelled by `return`. */
  bytes: AsyncIterable<Uint8Array>;
  text(): Promise<string>;
}

export interface Client {
  address: BucketAddress;
  /** Sends a request until it is answered, and throws S3Error for a refusal, or BucketAway. */
  send(request: S3Request): Promise<S3Reply>;
  /** The same for a reply with text, all of which arrived. */
  text(request: S3Request): Promise<string>;
  /** Sends a request once. */
  once(request: S3Request): Promise<S3Reply>;
  /** Does something that calls `once` again while it fails for a reason that may pass. */
  retried<T>(work: () => Promise<T>): Promise<T>;
  /** A client for what somebody waits for: it tries once, and a request with its reply takes at most `limitMs`, or 15 seconds. */
  impatient(limitMs?: number): Client;
  /** How far (ms) the clock of the service is ahead, once it refused a request for that, else 0. */
  readonly skewMs: number;
}

/** Whether the bucket says that there is no such object. */
export const isMissing = (error: unknown) => error instanceof S3Error && error.status === 404 && error.code !== "NoSuchBucket";

const emptySha256 = hexSha256("");
const lastWaitMs = 3_000;
/** A slower connection than that is as good as none: 50 kB/s. */
const leastBytesPerMs = 50;

/** Errors that say nothing about the request. */
const isPassing = (error: unknown) =>
  !(error instanceof S3Error) ||
  error.status >= 500 ||
  error.status === 429 ||
  ["RequestTimeout", "SlowDown"].includes(error.code);

export function createClient(options: ClientOptions): Client {
  const { address, region, now, wait, silenceMs = 30_000, limitMs = Number.POSITIVE_INFINITY, attempts = 5 } = options;
  const { origin, path } = baseOf(address, region);
  let skewMs = 0;

  async function retried<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++)
      try {
        return await work();
      } catch (error) {
        if (!isPassing(error)) throw error;
        if (attempt >= attempts) throw new BucketAway(error);
        await wait(Math.min(lastWaitMs, 50 * 3 ** attempt));
      }
  }

  async function once(request: S3Request, isSecond = false): Promise<S3Reply> {
    const { method, key = "", query = {}, body } = request;
    const url = new URL(`${origin}${path}${key === "" ? "" : `/${address.prefix}${key}`}`);
    url.search = queryOf(query);
    const bodySha256 = body === undefined ? emptySha256 : hexSha256(body);
    const signer = { region, credentials: await options.credentials(), now: now() + skewMs };
    const headers = signed({ method, url, headers: request.headers ?? {}, bodySha256 }, signer);
    // Nothing says how much of a body has arrived yet.
    const silence = new Silence(silenceMs, silenceMs + (body?.length ?? 0) / leastBytesPerMs, limitMs);
    const reply = await tracedFetch(url, {
      method,
      headers: { ...headers, "accept-encoding": "identity" },
      ...(body !== undefined && { body }),
      redirect: "manual",
      signal: silence.signal,
    }).finally(() => silence.end());
    const bytes = silence.watch(reply.body);
    const text = () => textFrom(bytes);
    if (reply.ok) return { status: reply.status, headers: reply.headers, bytes, text };
    const error = errorOf(reply, method === "HEAD" ? "" : await text());
    if (error.code !== "RequestTimeTooSkewed" || isSecond) throw error;
    skewMs = Date.parse(reply.headers.get("date") ?? "") - now() || 0;
    return once(request, true);
  }

  return {
    address,
    impatient: (ms = 15_000) => createClient({ ...options, silenceMs: Math.min(silenceMs, 5_000), limitMs: ms, attempts: 1 }),
    retried,
    once,
    send: (request) => retried(() => once(request)),
    text: (request) => retried(async () => (await once(request)).text()),
    get skewMs() {
      return skewMs;
    },
  };
}

function baseOf({ endpoint, bucket, pathStyle }: BucketAddress, region: string): { origin: string; path: string } {
  const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  // The certificate of a service does not fit a bucket whose name has dots.
  if (pathStyle || bucket.includes(".")) return { origin: url.origin, path: `/${bucket}` };
  return { origin: `${url.protocol}//${bucket}.${url.host}`, path: "" };
}

function errorOf({ status, headers }: Response, xml: string): S3Error {
  // HEAD has no body, and where a bucket is elsewhere the reply says only where.
  const code = textOf(xml, "Code") ?? (status === 404 ? "NotFound" : status === 301 ? "PermanentRedirect" : "Error");
  const place = headers.get("x-amz-bucket-region");
  const message = textOf(xml, "Message") ?? (place && status < 400 ? `the bucket is in the region ${place}` : "no reason given");
  return new S3Error(status, code, message);
}

async function textFrom(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

/** Ends a request when the other side was silent for too long, or took too long altogether. */
class Silence {
  readonly #controller = new AbortController();
  readonly #ms: number;
  readonly #endsAt: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, firstMs: number, limitMs: number) {
    this.#ms = ms;
    this.#endsAt = performance.now() + limitMs;
    this.#begin(firstMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  #begin(silentMs: number): void {
    const leftMs = Math.max(0, this.#endsAt - performance.now());
    const reason = leftMs < silentMs ? "the bucket took too long" : `the bucket was silent for ${silentMs} ms`;
    this.#timer = setTimeout(() => this.#controller.abort(new Error(reason)), Math.min(leftMs, silentMs));
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  /** The bytes of a body. While nobody asks for more, the other side may be silent. */
  async *watch(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
    if (!body) return;
    const reader = body.getReader();
    try {
      for (;;) {
        this.#begin(this.#ms);
        const { done, value } = await reader.read();
        this.end();
        if (done) return;
        yield value;
      }
    } finally {
      this.end();
      await reader.cancel().catch(() => {});
    }
  }
}
