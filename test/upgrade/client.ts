import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

/** A request that got another reply than it should, or none. */
export interface Failure {
  /** The phase of the upgrade in which it was sent. */
  phase: string;
  what: string;
  outcome: string;
}

export interface Reply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: replies of every shape
  data: any;
}

interface Sent {
  key?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** The status of a reply that says that the change was made before: the reply to it was cut off. */
  madeBefore?: number;
}

const retryMs = 200;
const deadlineMs = 30_000;
/** How long (ms) a change is sent again and again. */
const patienceMs = 120_000;

/** Sends requests and remembers each that failed. */
export class Client {
  readonly baseUrl: string;
  readonly failures: Failure[] = [];
  /** What goes on besides. */
  phase = "before";
  sent = 0;

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl;
  }

  failed(what: string, outcome: string, phase: string): void {
    this.failures.push({ phase, what, outcome });
  }

  /** Undefined where the request failed. `at`: one process, past the proxy. */
  async ask(line: string, { key, body, headers, madeBefore }: Sent = {}, at = this.baseUrl): Promise<Reply | undefined> {
    const [method, path] = line.split(" ") as [string, string];
    const isJson = body !== undefined && !(body instanceof Uint8Array);
    const { phase } = this;
    this.sent++;
    try {
      const reply = await fetch(path.startsWith("http") ? path : `${at}/api/v1${path}`, {
        method,
        headers: {
          ...(key && { authorization: `Bearer ${key}` }),
          ...(isJson && { "content-type": "application/json" }),
          ...headers,
        },
        signal: AbortSignal.timeout(deadlineMs),
        ...(body !== undefined && { body: isJson ? JSON.stringify(body) : (body as Uint8Array<ArrayBuffer>) }),
      });
      const text = await reply.text();
      if (reply.status === madeBefore) return { status: reply.status, headers: reply.headers, data: undefined };
      if (reply.status >= 400) this.failed(line, `${reply.status} ${text.slice(0, 300)}`, phase);
      if (reply.status >= 400) return undefined;
      const isObject = reply.headers.get("content-type")?.startsWith("application/json");
      return { status: reply.status, headers: reply.headers, data: isObject ? JSON.parse(text).data : text };
    } catch (error) {
      this.failed(line, (error as Error).name === "TimeoutError" ? "too late" : `no reply: ${inWords(error)}`, phase);
      return undefined;
    }
  }

  /** Sends a change until it is acknowledged, with one idempotency key, as clients do. */
  async insist(line: string, sent: Sent = {}, at?: string): Promise<Reply> {
    const headers = { "idempotency-key": randomUUID(), ...sent.headers };
    const latest = Date.now() + patienceMs;
    while (Date.now() < latest) {
      const reply = await this.ask(line, { ...sent, headers }, at);
      if (reply) return reply;
      await sleep(retryMs);
    }
    throw new Error(`${line} failed for ${patienceMs / 1000} s`);
  }

  /** Everything of a list. */
  async list<Item = { id: string }>(path: string, name: string, key: string): Promise<Item[]> {
    const found: Item[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const address: string = `${this.baseUrl}/api/v1${path}${path.includes("?") ? "&" : "?"}limit=100${cursor && `&cursor=${cursor}`}`;
      const reply = await fetch(address, { headers: { authorization: `Bearer ${key}` } });
      const page = (await reply.json()) as { data: Record<string, Item[]>; meta: { cursor: string | null } };
      if (!reply.ok) throw new Error(`${path}: ${JSON.stringify(page)}`);
      found.push(...page.data[name]!);
      cursor = page.meta.cursor;
    }
    return found;
  }
}

/** An error with its cause. */
export const inWords = (error: unknown): string =>
  error instanceof Error ? `${error.message}${error.cause ? ` (${inWords(error.cause)})` : ""}` : String(error);
