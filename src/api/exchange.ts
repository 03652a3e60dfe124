import type { Readable } from "node:stream";
import { CliError, exitCodes, Interrupted } from "../errors.ts";
import { decide } from "./retry.ts";
import { NetworkError, ReplyTooLarge } from "./transport.ts";
import type { ClientOptions, HttpReply, RawRequest } from "./types.ts";
import { requireEncryption } from "./url.ts";

/** The last attempt of a mutation was sent but got no response: it may or may not have taken effect (exit 12). */
export class OutcomeUnknown extends CliError {
  readonly idempotencyKey: string;
  constructor(request: string, idempotencyKey: string, cause: Error, response = "was lost") {
    const message = `${request} was sent, but its response ${response}: it may or may not have taken effect. ${cause.message}`;
    super("OUTCOME_UNKNOWN", exitCodes.unknownOutcome, message, { cause, retryable: true });
    this.idempotencyKey = idempotencyKey;
  }
}

/** Requests with their retries. */
export class Exchanges {
  readonly #options: ClientOptions;
  /** Of the API, with `/api/v1`. */
  readonly #base: string;

  constructor(options: ClientOptions, base: string) {
    this.#options = options;
    this.#base = base;
  }

  #headersOf(request: RawRequest, mutation: boolean, key: string) {
    const binary = request.body instanceof Uint8Array || isStream(request.body);
    return {
      accept: "application/json",
      "user-agent": this.#options.userAgent,
      ...(this.#options.apiKey && { authorization: `Bearer ${this.#options.apiKey}` }),
      ...(request.body !== undefined && !binary && { "content-type": "application/json" }),
      ...(mutation && { "idempotency-key": key }),
      ...request.headers,
    };
  }

  async #attempt(request: RawRequest, url: URL, headers: Record<string, string>): Promise<HttpReply> {
    const { transport, now, trace } = this.#options;
    const started = now();
    trace?.({ kind: "request", method: request.method, url: url.href, headers, body: request.body });
    try {
      const reply = await transport.send({
        method: request.method,
        url,
        headers,
        body: encodeBody(request.body),
        timeout: request.timeout ?? this.#options.timeout,
        signal: request.signal ?? this.#options.signal,
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
  async exchange(request: RawRequest): Promise<HttpReply> {
    const url = new URL(this.#base + request.path);
    const mutation = request.mutation ?? request.method !== "GET";
    const key = request.idempotencyKey ?? (mutation ? this.#options.newId() : "");
    try {
      return await this.#attemptWithRetries(request, url, mutation, key);
    } catch (error) {
      if (!mutation || !(error instanceof Interrupted)) throw error;
      throw new Interrupted(error.signal, { request: `${request.method} ${url.pathname}`, idempotencyKey: key });
    }
  }

  async #attemptWithRetries(request: RawRequest, url: URL, mutation: boolean, key: string): Promise<HttpReply> {
    const options = this.#options;
    const { now, random, sleep, trace } = options;
    if (mutation) options.beforeChange?.();
    if (!options.insecure && (mutation || options.apiKey)) requireEncryption(url, options.apiKey ? "The API key" : "The request");
    const headers = this.#headersOf(request, mutation, key);
    if (mutation && options.plan)
      options.plan({ method: request.method, path: url.pathname + url.search, headers, body: request.body });
    let waited = 0;
    let reached = false;
    for (let tries = 1; ; tries++) {
      const outcome = await this.#attempt(request, url, headers).catch((error: unknown) => {
        if (error instanceof NetworkError) return error;
        throw error;
      });
      const lost = outcome instanceof NetworkError;
      reached ||= lost && outcome.sent;
      if (!lost && outcome.status < 400) return outcome;
      const failure = lost ? {} : { status: outcome.status, retryAfter: outcome.headers["retry-after"] };
      const retries = isStream(request.body) || outcome instanceof ReplyTooLarge ? 0 : (request.retries ?? options.retries);
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
}

const isStream = (body: unknown): body is Readable => typeof body === "object" && body !== null && "pipe" in body;
const encodeBody = (body: unknown) =>
  body === undefined || body instanceof Uint8Array || typeof body === "string" || isStream(body) ? body : JSON.stringify(body);
