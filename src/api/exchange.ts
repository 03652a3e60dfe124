import type { Readable } from "node:stream";
import { operations } from "../contract/static.ts";
import { Interrupted } from "../errors.ts";
import { Knowledge } from "./knowledge.ts";
import { howToCheck, OutcomeUnknown, type Unclear } from "./outcome.ts";
import { parseJson, readApiError } from "./replies.ts";
import { decide, type Failure, retryAfter } from "./retry.ts";
import { NetworkError, ReplyTooLarge } from "./transport.ts";
import type { ClientOptions, HttpReply, RawRequest } from "./types.ts";
import { isAt, requireEncryption } from "./url.ts";

/** What every server of this API repeats safely with the same idempotency key. */
const specified = /^POST \/games(\/[^/]+\/playtests)?$/;

/** What a server does each time that it is asked: without an account, no reply can be kept for who repeats the request. */
const isAnonymous = (method: string, path: string) =>
  Object.values(operations).some((one) => one.access === "none" && one.method === method && isAt(one.path, path));

/** How long an interrupted command may take to find out whether repeating it is safe. */
const lastQuestionMs = 2_000;

/** Requests with their retries. */
export class Exchanges {
  readonly #options: ClientOptions;
  /** Of the API, with `/api/v1`. */
  readonly #base: string;
  readonly knowledge: Knowledge;

  constructor(options: ClientOptions, base: string) {
    this.#options = options;
    this.#base = base;
    const ask = (signal?: AbortSignal) =>
      this.exchange({ method: "GET", path: "/info/server", ...(signal && { signal, retries: 0 }) });
    this.knowledge = new Knowledge(ask, options.memory);
  }

  /** Whether the server is known to make a change only once for each idempotency key. */
  async #honorsKey({ method, path }: Pick<RawRequest, "method" | "path">, signal?: AbortSignal): Promise<boolean> {
    if (!this.#options.apiKey) return false;
    const [pathname = ""] = path.split("?");
    if (specified.test(`${method} ${pathname}`)) return true;
    if (isAnonymous(method, pathname)) return false;
    return (await this.knowledge.capabilities(signal))?.honorsKeys === true;
  }

  async #unclear(request: Pick<RawRequest, "method" | "path">, key: string, signal?: AbortSignal): Promise<Unclear> {
    const { method, path } = request;
    const { pathname } = new URL(this.#base + path);
    return { method, path, pathname, idempotencyKey: (await this.#honorsKey(request, signal)) ? key : undefined };
  }

  /** The error of a change that may have taken effect, although its response cannot be used. */
  async unusable(request: Pick<RawRequest, "method" | "path">, key: string, cause: Error): Promise<OutcomeUnknown> {
    return new OutcomeUnknown(await this.#unclear(request, key), cause, "cannot be used");
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
      const { method, path } = request;
      const { idempotencyKey } = await this.#unclear(request, key, AbortSignal.timeout(lastQuestionMs));
      throw new Interrupted(error.signal, {
        request: `${method} ${url.pathname}`,
        idempotencyKey,
        hint: idempotencyKey === undefined ? howToCheck(method, path) : undefined,
      });
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
    let [waited, toldWhen] = [0, 0];
    let reached = false;
    let repeated = false;
    for (let tries = 1; ; tries++) {
      const outcome = await this.#attempt(request, url, headers).catch((error: unknown) => {
        if (error instanceof NetworkError) return error;
        throw error;
      });
      const lost = outcome instanceof NetworkError;
      reached ||= lost && outcome.sent;
      if (!lost && outcome.status < 400) return repeated ? { ...outcome, repeated } : outcome;
      repeated ||= mutation && !isSafeToRepeat(outcome);
      if (mutation && !isSafeToRepeat(outcome) && !(await this.#honorsKey(request))) {
        if (!lost && isFromTheApi(outcome)) return outcome;
        const cause = lost ? outcome : new Error(`${url.origin} returned ${outcome.status}.`);
        throw new OutcomeUnknown(await this.#unclear(request, key), cause, lost ? undefined : "is not from the API");
      }
      const failure: Failure = lost ? {} : failureOf(outcome);
      const retries = isStream(request.body) || outcome instanceof ReplyTooLarge ? 0 : (request.retries ?? options.retries);
      const { maxWait } = options;
      const next = decide(failure, { tries, toldWhen, retries, waited, maxWait, now: now(), random: random() });
      if (next.retry) {
        waited += next.wait;
        if (retryAfter(failure.retryAfter, now()) !== undefined) toldWhen++;
        trace?.({ kind: "retry", wait: next.wait, tries, waited, maxWait });
        await sleep(next.wait, request.signal ?? options.signal);
        continue;
      }
      const { retry: _, ...why } = next;
      if (!lost) return { ...outcome, ...why };
      throw mutation && reached ? new OutcomeUnknown(await this.#unclear(request, key), outcome) : outcome;
    }
  }
}

const failureOf = ({ status, headers, body }: HttpReply): Failure => ({
  status,
  code: readApiError(parseJson(body))?.code,
  retryAfter: headers["retry-after"],
});

const isFromTheApi = ({ body }: HttpReply) => readApiError(parseJson(body)) !== undefined;

/** Whether a failed change certainly had no effect: it was not sent, or the server says that it refused it or was not able to try. */
function isSafeToRepeat(outcome: HttpReply | NetworkError): boolean {
  if (outcome instanceof NetworkError) return !outcome.sent;
  if (outcome.status === 503) return isFromTheApi(outcome);
  return outcome.status !== 408 && (outcome.status < 500 || outcome.status === 501);
}

const isStream = (body: unknown): body is Readable => typeof body === "object" && body !== null && "pipe" in body;
const encodeBody = (body: unknown) =>
  body === undefined || body instanceof Uint8Array || typeof body === "string" || isStream(body) ? body : JSON.stringify(body);
