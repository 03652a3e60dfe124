import type { Readable } from "node:stream";
import type { Data, Meta, Operation, Input as OperationInput, Reply as OperationReply } from "../contract/index.ts";
import { operations } from "../contract/static.ts";
import { CliError, exitCodes, Interrupted } from "../errors.ts";
import { explainAbsence } from "./offers.ts";
import { notTheApi, parseJson, replyError, withRequestedWait } from "./replies.ts";
import { decide } from "./retry.ts";
import { type HttpReply, NetworkError, type Transport } from "./transport.ts";
import { fillPath, instanceUrl, queryString } from "./url.ts";

export type { Data, Meta } from "../contract/index.ts";

/** The input of an operation as the contract describes it, and how to send it. */
export type Input<O extends Operation> = OperationInput<O> & CallOptions;

export interface CallOptions {
  headers?: Record<string, string>;
  /** A request repeated with the same key never takes effect twice. Default: a new key for every mutation. */
  idempotencyKey?: string;
  signal?: AbortSignal | undefined;
  /** Milliseconds for one attempt; default: the client's. */
  timeout?: number;
}

export interface Reply<T> extends OperationReply<T> {
  status: number;
  headers: Record<string, string>;
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
  /** Called instead of sending a mutation; what it throws ends the command. */
  plan?: (request: PlannedRequest) => never;
  /** Called for every attempt, with secrets not yet redacted. */
  trace?: (event: TraceEvent) => void;
}

export type TraceEvent =
  | { kind: "request"; method: string; url: string; headers: Record<string, string>; body?: unknown }
  | { kind: "reply"; status: number; ms: number; requestId?: string | undefined; headers: Record<string, string>; body: Buffer }
  | { kind: "failed"; error: Error; ms: number }
  | { kind: "retry"; wait: number; tries: number };

/** The last attempt of a mutation was sent but got no response: it may or may not have taken effect (exit 12). */
export class OutcomeUnknown extends CliError {
  readonly idempotencyKey: string;
  constructor(request: string, idempotencyKey: string, cause: Error) {
    const message = `${request} was sent, but its response was lost: it may or may not have taken effect. ${cause.message}`;
    super("OUTCOME_UNKNOWN", exitCodes.unknownOutcome, message, { cause, retryable: true });
    this.idempotencyKey = idempotencyKey;
  }
}

export function createClientCore(options: ClientOptions) {
  const { transport, now, random, sleep, trace } = options;
  const base = `${instanceUrl(options.baseUrl)}/api/v1`;

  function headersOf(request: RawRequest, mutation: boolean, key: string) {
    const binary = request.body instanceof Uint8Array || isStream(request.body);
    return {
      accept: "application/json",
      "user-agent": options.userAgent,
      ...(options.apiKey && { authorization: `Bearer ${options.apiKey}` }),
      ...(request.body !== undefined && !binary && { "content-type": "application/json" }),
      ...(mutation && { "idempotency-key": key }),
      ...request.headers,
    };
  }

  async function attempt(request: RawRequest, url: URL, headers: Record<string, string>): Promise<HttpReply> {
    const started = now();
    trace?.({ kind: "request", method: request.method, url: url.href, headers, body: request.body });
    try {
      const reply = await transport.send({
        method: request.method,
        url,
        headers,
        body: encodeBody(request.body),
        timeout: request.timeout ?? options.timeout,
        signal: request.signal ?? options.signal,
        stream: request.stream ?? false,
      });
      const requestId = reply.headers["x-request-id"];
      trace?.({ kind: "reply", status: reply.status, ms: now() - started, requestId, headers: reply.headers, body: reply.body });
      return reply;
    } catch (error) {
      if (error instanceof Error) trace?.({ kind: "failed", error, ms: now() - started });
      throw error;
    }
  }

  /**
   * One request with its retries. Returns every response, failed ones too; throws network errors, or `Interrupted` with the
   * idempotency key of a change that was in progress.
   */
  async function exchange(request: RawRequest): Promise<HttpReply> {
    const url = new URL(base + request.path);
    const mutation = request.mutation ?? request.method !== "GET";
    const key = request.idempotencyKey ?? (mutation ? options.newId() : "");
    try {
      return await attemptWithRetries(request, url, mutation, key);
    } catch (error) {
      if (!mutation || !(error instanceof Interrupted)) throw error;
      throw new Interrupted(error.signal, { request: `${request.method} ${url.pathname}`, idempotencyKey: key });
    }
  }

  async function attemptWithRetries(request: RawRequest, url: URL, mutation: boolean, key: string): Promise<HttpReply> {
    const headers = headersOf(request, mutation, key);
    if (mutation && options.plan)
      options.plan({ method: request.method, path: url.pathname + url.search, headers, body: request.body });
    let waited = 0;
    let reached = false;
    for (let tries = 1; ; tries++) {
      const outcome = await attempt(request, url, headers).catch((error: unknown) => {
        if (error instanceof NetworkError) return error;
        throw error;
      });
      const lost = outcome instanceof NetworkError;
      reached ||= lost && outcome.sent;
      if (!lost && outcome.status < 400) return outcome;
      const failure = lost ? {} : { status: outcome.status, retryAfter: outcome.headers["retry-after"] };
      const retries = isStream(request.body) ? 0 : options.retries;
      const next = decide(failure, { tries, retries, waited, maxWait: options.maxWait, now: now(), random: random() });
      if (next.retry) {
        trace?.({ kind: "retry", wait: next.wait, tries });
        waited += next.wait;
        await sleep(next.wait, request.signal ?? options.signal);
        continue;
      }
      if (!lost)
        return next.requestedWait === undefined
          ? outcome
          : { ...outcome, headers: { ...outcome.headers, "x-requested-wait": `${next.requestedWait}` } };
      throw mutation && reached ? new OutcomeUnknown(`${request.method} ${url.pathname}`, key, outcome) : outcome;
    }
  }

  /** As `exchange`, but throws the error of a failed response. */
  async function checked(request: RawRequest): Promise<HttpReply> {
    const reply = await exchange(request);
    if (reply.status < 300) return reply;
    const wait = reply.headers["x-requested-wait"];
    throw withRequestedWait(replyError(reply, new URL(base + request.path)), wait === undefined ? undefined : Number(wait));
  }

  /** Throws the error of a failed call, or one that says that this server does not support the operation. */
  async function explain(operation: Operation, error: unknown): Promise<never> {
    throw await explainAbsence(operation, error, () => exchange({ method: "GET", path: "/info/server" }));
  }

  /** Calls one operation of the contract. Throws a `CliError` with the exit code for the response. */
  async function call<O extends Operation>(operation: O, input?: Input<O>): Promise<Reply<Data<O>>> {
    const { params, query, body, ...rest } = (input ?? {}) as CallOptions & { params?: object; query?: object; body?: unknown };
    const { method, path, risk, media } = operations[operation];
    const target = fillPath(path, (params ?? {}) as Record<string, string>) + queryString(query ?? {});
    const request = { ...rest, method, path: target, body, mutation: method !== "GET" && risk !== "read" };
    const reply = await checked(request).catch((error: unknown) => explain(operation, error));
    const parsed = parseJson(reply.body);
    const { status, headers } = reply;
    if (media === "document") return { data: parsed as Data<O>, meta: {}, status, headers };
    if (typeof parsed !== "object" || parsed === null || !("data" in parsed)) throw notTheApi(reply, new URL(base));
    const { data, meta } = parsed as { data: Data<O>; meta?: Meta };
    return { data, meta: meta ?? {}, status, headers };
  }

  return { base, call, exchange, checked, explain };
}

const isStream = (body: unknown): body is Readable => typeof body === "object" && body !== null && "pipe" in body;
const encodeBody = (body: unknown) =>
  body === undefined || body instanceof Uint8Array || typeof body === "string" || isStream(body) ? body : JSON.stringify(body);

export type ClientCore = ReturnType<typeof createClientCore>;
/** One method per operation of the API; each returns the `data` of the response. */
export type Methods = { [O in Operation]: (...given: Given<O>) => Promise<Data<O>> };
/** An operation without required input may be called without arguments. */
export type Given<O extends Operation> = Record<never, never> extends Input<O> ? [input?: Input<O>] : [input: Input<O>];
