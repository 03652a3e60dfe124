import { parseJson } from "./replies.ts";
import type { HttpReply, ServerMemory } from "./types.ts";

/** What a server has beyond the specification, as it says itself. */
export interface Capabilities {
  /** Its extensions, as `METHOD /path`. */
  extensions: readonly string[];
  /** Whether every change with an API key takes effect only once for each idempotency key, not only those that the specification names. */
  honorsKeys: boolean;
}

const plain: Capabilities = { extensions: [], honorsKeys: false };
const absent: readonly number[] = [404, 405, 501];

/** Whether the next reply may be another one: the server is busy, or a proxy replies because the server starts. */
const isPassing = ({ status }: HttpReply) => status === 429 || (status >= 500 && !absent.includes(status));

/** A reply with another status than 200, such as the 403 of a proxy that refuses the path, says that nothing is there for this client. */
function read(reply: HttpReply): Capabilities {
  if (reply.status !== 200) return plain;
  const { data } = (parseJson(reply.body) ?? {}) as { data?: { extensions?: unknown; features?: { idempotency?: unknown } } };
  if (!Array.isArray(data?.extensions)) return plain;
  return { extensions: data.extensions, honorsKeys: data.features?.idempotency === true };
}

/** What is known about a server. It is asked only when that matters, and until it replies with more than that it is busy. */
export class Knowledge {
  readonly #ask: (signal?: AbortSignal) => Promise<HttpReply>;
  readonly #memory: ServerMemory | undefined;
  #known: Capabilities | undefined;

  constructor(ask: (signal?: AbortSignal) => Promise<HttpReply>, memory?: ServerMemory) {
    this.#ask = ask;
    this.#memory = memory;
  }

  /** Undefined if the server cannot be asked now. */
  async capabilities(signal?: AbortSignal): Promise<Capabilities | undefined> {
    if (this.#known) return this.#known;
    const reply = await this.#ask(signal).catch(() => undefined);
    if (reply === undefined || isPassing(reply)) return undefined;
    this.#known = read(reply);
    if (absent.includes(reply.status)) this.noteAbsence();
    return this.#known;
  }

  /** The server does not have the route by which servers say what they have. */
  noteAbsence(): void {
    this.#known = plain;
    this.#memory?.rememberLack(true);
  }

  /** Whether it is known, from this command or an earlier one, that the server has no extensions. */
  lacksExtensions(): boolean {
    return this.#known ? this.#known.extensions.length === 0 : this.#memory?.lacksExtensions() === true;
  }

  /** An extension was there: what an earlier command learned is no longer true. */
  noteExtension(): void {
    if (this.#memory?.lacksExtensions()) this.#memory.rememberLack(false);
  }
}
