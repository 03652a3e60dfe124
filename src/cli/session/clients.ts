import { type ClientCore, createClientCore, type Reply } from "../../api/client.ts";
import { methodsOf } from "../../api/methods.ts";
import { createTransport } from "../../api/transport.ts";
import type { ClientOptions, HttpReply, ServerMemory } from "../../api/types.ts";
import type { Uploaded, UploadRequest } from "../../api/upload.ts";
import { instanceUrl } from "../../api/url.ts";
import { openServerMemory } from "../../config/servers.ts";
import type { Settings } from "../../config/settings.ts";
import { paymentsHeader } from "../../contract/text/payments-header.ts";
import { CliError, DryRun } from "../../errors.ts";
import type { Io } from "../../io/io.ts";
import type { Prompt } from "../../io/prompt.ts";
import type { Api, Outside, PlainRequest } from "../context.ts";
import type { GlobalValues } from "../globals.ts";
import { version } from "../version.ts";
import { askCode } from "./codes.ts";
import { once } from "./once.ts";

interface Options {
  io: Io;
  flags: GlobalValues;
  outside: Outside;
  /** The folder of caches, if there is one. */
  cache: string | undefined;
  settings: () => Settings;
  /** The idempotency key of the next change. */
  nextKey: () => string;
  trace: ClientOptions["trace"];
  prompt: Prompt;
}

const notableMs = 60_000;
const userAgent = `playtest/${version}`;

/** The connections of a command, which are opened when it first uses one. */
export class Clients {
  readonly #options: Options;
  readonly #insecure: boolean;
  readonly #transport: () => ReturnType<typeof createTransport>;
  /** By the address of the server: clients with and without a key ask it only once what it has. */
  readonly #memories = new Map<string, ServerMemory>();
  #opened = false;
  #aheadMs = 0;
  #withoutPayments = false;

  /** The client for the configured instance and key. */
  readonly api = once(() => {
    const { settings } = this.#options;
    return this.at(settings().get("baseUrl")!.value, settings().apiKey()?.value, () => this.#refuseUntrusted());
  });

  constructor(options: Options) {
    this.#options = options;
    this.#insecure = options.flags.insecure === true || Boolean(options.io.env.PLAYTEST_INSECURE);
    this.#transport = once(() => {
      this.#opened = true;
      return createTransport(options.io.env);
    });
  }

  /** A client for any instance and key. */
  at(baseUrl: string, apiKey: string | undefined, beforeChange?: () => void): Api {
    const { io, flags, outside, settings, nextKey, trace } = this.#options;
    const core: ClientCore = createClientCore({
      baseUrl,
      apiKey,
      transport: this.#transport(),
      timeout: this.#timeout(),
      retries: settings().get("retries")!.value,
      maxWait: settings().get("maxWait")!.value * 1000,
      userAgent,
      now: outside.now,
      random: outside.random,
      sleep: outside.sleep,
      newId: nextKey,
      signal: io.signal,
      insecure: this.#insecure,
      beforeChange,
      memory: this.#memoryOf(instanceUrl(baseUrl)),
      onRefused: (error) =>
        this.#confirmIfAsked(error, (code) => core.call("confirmKey", { body: { code }, idempotencyKey: outside.newId() })),
      trace,
      ...(flags.dryRun && { plan }),
    });
    const noted = <R extends Reply<unknown> | undefined>(reply: R): R => {
      if (reply) this.#note(reply);
      return reply;
    };
    const call: typeof core.call = async (operation, input) => noted(await core.call(operation, input));
    const offered: typeof core.offered = async (operation, input) => noted(await core.offered(operation, input));
    return Object.assign(methodsOf(call), core, { call, offered });
  }

  #memoryOf(baseUrl: string): ServerMemory {
    const { cache, outside } = this.#options;
    const memory = this.#memories.get(baseUrl) ?? openServerMemory(cache, baseUrl, outside.now);
    this.#memories.set(baseUrl, memory);
    return memory;
  }

  /** Keeps what a reply tells about the server. */
  #note({ meta, headers }: Reply<unknown>) {
    this.#noteTime(meta?.timestamp);
    this.#withoutPayments = headers[paymentsHeader.toLowerCase()] === "off";
  }

  /** Keeps how far the clock of the server is ahead. A sandbox's can be moved forward by days; seconds say nothing. */
  #noteTime(timestamp: unknown) {
    const ahead = typeof timestamp === "string" ? Date.parse(timestamp) - this.#options.outside.now() : Number.NaN;
    this.#aheadMs = ahead > notableMs ? ahead : 0;
  }

  /** The time in milliseconds on the server, as its last reply told it, to compare its times with. */
  serverNow(): number {
    return this.#options.outside.now() + this.#aheadMs;
  }

  /** Whether the server, as its last reply told it, runs without payments. */
  withoutPayments(): boolean {
    return this.#withoutPayments;
  }

  /** Confirms the API key with a code of the second factor where the server wants that before it moves money. */
  async #confirmIfAsked(error: unknown, confirm: (code: string) => Promise<unknown>): Promise<boolean> {
    const { prompt, io } = this.#options;
    if (!(error instanceof CliError && error.code === "CONFIRMATION_REQUIRED")) return false;
    const given = io.env.PLAYTEST_CODE;
    if (given === undefined && !prompt.possible) return false;
    const question = "To move money, enter a code from your authenticator app, or a recovery code:";
    const say = (text: string) => io.err(`${text}\n`);
    await (given === undefined ? askCode({ prompt, question, say }, confirm) : confirm(given));
    return true;
  }

  /** In ms for one request. */
  #timeout(): number {
    return this.#options.settings().get("timeout")!.value * 1000;
  }

  send(request: PlainRequest): Promise<HttpReply> {
    const base = this.#options.settings().get("baseUrl")!.value;
    return this.#transport().send({
      timeout: this.#timeout(),
      ...request,
      isInstance: request.url.origin === new URL(base).origin,
    });
  }

  async upload(request: UploadRequest): Promise<Uploaded> {
    const { io, flags, cache, settings } = this.#options;
    const { base, exchange, explain } = this.api();
    this.#refuseUntrusted();
    // With --dry-run this throws the planned request instead of sending it.
    if (flags.dryRun) await exchange({ method: "POST", path: request.path, headers: { "tus-resumable": "1.0.0" } });
    const [{ upload }, { uploadOperation }] = await Promise.all([import("../../api/upload.ts"), import("../../api/offers.ts")]);
    const sent = upload(
      {
        base,
        apiKey: settings().apiKey()?.value,
        transport: this.#transport(),
        userAgent,
        directory: cache,
        timeout: this.#timeout(),
        retries: settings().get("retries")!.value,
        maxWait: settings().get("maxWait")!.value * 1000,
        signal: io.signal,
        insecure: this.#insecure,
      },
      request,
    );
    const operation = uploadOperation(request.path);
    return operation ? sent.catch((error: unknown) => explain(operation, error)) : sent;
  }

  /** Throws where a change would go to an address that the user did not choose. */
  #refuseUntrusted(): void {
    this.#options.settings().refuseUntrusted("The request");
  }

  async close(): Promise<void> {
    if (this.#opened) await this.#transport().close();
  }
}

const plan: NonNullable<ClientOptions["plan"]> = (request) => {
  throw new DryRun([request]);
};
