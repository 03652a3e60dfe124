import type { Readable } from "node:stream";

export interface HttpRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body?: string | Uint8Array | Readable | undefined;
  /** Milliseconds for the whole exchange; with `stream`, until the headers arrive and then between chunks of the body. */
  timeout: number;
  signal?: AbortSignal | undefined;
  /** Return the body as a stream instead of reading it. */
  stream?: boolean;
  /** Whether the address is that of the instance, which can be changed in the settings. Default true. */
  isInstance?: boolean;
}

export interface HttpReply {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** Set instead of `body` when a stream was requested and the response is a success. */
  stream?: Readable;
  /** Whether an earlier attempt at the same request may have taken effect already. */
  repeated?: boolean;
  /** Milliseconds that the server asked to wait, where that is longer than allowed. */
  requestedWait?: number;
  /** Milliseconds that were waited for a server that kept asking to try again later. */
  waited?: number;
}

/** The network layer of the client: one exchange, no retries, no redirects. */
export interface Transport {
  send(request: HttpRequest): Promise<HttpReply>;
  close(): Promise<void>;
}

export interface CallOptions {
  headers?: Record<string, string>;
  /**
   * Where the server honors it, a request repeated with the same key never takes effect twice. Every server honors it for new games and
   * orders. Default: a new key for every mutation.
   */
  idempotencyKey?: string;
  signal?: AbortSignal | undefined;
  /** Milliseconds for one attempt; default: the client's. */
  timeout?: number;
  /** Retries at most; default: the client's. */
  retries?: number;
}

export interface RawRequest extends CallOptions {
  method: string;
  /** Relative to the base URL's `/api/v1`, with its query. */
  path: string;
  body?: unknown;
  /** Return the body as a stream. */
  stream?: boolean;
  /** Whether it changes something on the server; default: every method but GET does. */
  mutation?: boolean;
}

export interface PlannedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: unknown;
  /** The cost, where it is known. */
  costCents?: number;
}

/** Remembers, from one command to the next, that a server has no extensions. */
export interface ServerMemory {
  lacksExtensions(): boolean;
  rememberLack(lacks: boolean): void;
}

export interface ClientOptions {
  /** Address of the instance, with or without `/api/v1`. */
  baseUrl: string;
  apiKey?: string | undefined;
  transport: Transport;
  /** Milliseconds for one request. */
  timeout: number;
  retries: number;
  /** Milliseconds that the retries of one request may wait in total. */
  maxWait: number;
  userAgent: string;
  now(): number;
  random(): number;
  newId(): string;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  signal?: AbortSignal | undefined;
  /** Send the key and changes over plain http to other machines too. */
  insecure?: boolean;
  memory?: ServerMemory | undefined;
  /** Called before a mutation is sent; what it throws ends the command. */
  beforeChange?: (() => void) | undefined;
  /** Called with the error of a refused call. True: the reason is gone, so send the same request again. */
  onRefused?: ((error: unknown) => Promise<boolean>) | undefined;
  /** Called instead of sending a mutation; what it throws ends the command. */
  plan?: (request: PlannedRequest) => never;
  /** Called for every attempt, with secrets not yet redacted. */
  trace?: (event: TraceEvent) => void;
}

export type TraceEvent =
  | { kind: "request"; method: string; url: string; headers: Record<string, string>; body?: unknown }
  | { kind: "reply"; status: number; ms: number; requestId?: string | undefined; headers: Record<string, string>; body: Buffer }
  | { kind: "failed"; error: Error; ms: number }
  | { kind: "retry"; wait: number; tries: number; waited: number; maxWait: number };
