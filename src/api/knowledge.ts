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

/** Undefined for a reply that says nothing, such as that of a proxy before a server that starts. */
function read(reply: HttpReply): Capabilities | undefined {
  if (absent.includes(reply.status)) return plain;
  if (reply.status !== 200) return undefined;
  const { data } = (parseJson(reply.body) ?? {}) as { data?: { extensions?: unknown; features?: { idempotency?: unknown } } };
  if (!Array.isArray(data?.extensions)) return plain;
  return { extensions: data.extensions, honorsKeys: data.features?.idempotency === true };
}

/** What is known about a server. It is asked once, and only when that matters. */
export class Knowledge {
  readonly #ask: (signal?: AbortSignal) => Promise<HttpReply>;
  readonly #memory: ServerMemory | undefined;
  #known: Capabilities | undefined;

  constructor(ask: (signal?: AbortSignal) => Promise<HttpReply>, memory?: ServerMemory) {
    this.#ask = ask;
    this.#memory = memory;
  }

  /** Undefined if the server cannot be asked. */
  async capabilities(signal?: AbortSignal): Promise<Capabilities | undefined> {
    if (this.#known) return this.#known;
    const reply = await this.#ask(signal).catch(() => undefined);
    if (reply === undefined) return undefined;
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
