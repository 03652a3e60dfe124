import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { CliError, exitCodes } from "../errors.ts";
import { proxyFor } from "./proxy.ts";

export interface HttpRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body?: string | Uint8Array | Readable | undefined;
  /** Milliseconds for the whole exchange; when the body is streamed, until the headers came. */
  timeout: number;
  signal?: AbortSignal | undefined;
  /** Hand out the body as it comes instead of reading it. */
  stream?: boolean;
}

export interface HttpReply {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** Set instead of `body` when streaming was asked for. */
  stream?: Readable;
}

/** The network side of the client: one exchange, no retries, redirects never followed. */
export interface Transport {
  send(request: HttpRequest): Promise<HttpReply>;
  close(): Promise<void>;
}

/** No usable reply came. `sent` says whether the request may have reached the server. */
export class NetworkError extends CliError {
  readonly sent: boolean;
  constructor(message: string, sent: boolean, cause?: unknown, hint?: string) {
    super("UNREACHABLE", exitCodes.unreachable, message, { cause, hint, retryable: true });
    this.sent = sent;
  }
}

const neverSent: Record<string, string> = {
  ECONNREFUSED: "nothing answers there",
  ENOTFOUND: "its name is not known",
  EAI_AGAIN: "its name could not be looked up",
  EHOSTUNREACH: "no route leads there",
  ENETUNREACH: "the network is unreachable",
  UND_ERR_CONNECT_TIMEOUT: "it did not accept a connection in time",
};
const tls = /^(CERT_|ERR_TLS|ERR_SSL|EPROTO|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/;
const startHint = "Start an instance with `playtest serve`, or name another with --base-url.";
const tlsHint = "For a private certificate authority set NODE_EXTRA_CA_CERTS to its file.";

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const { code, errors } = error as Error & { code?: string; errors?: unknown[] };
  if (code) return code;
  return errors?.length ? codeOf(errors[0]) : codeOf(error.cause);
}

function explain(error: unknown, url: URL, proxied: boolean): NetworkError {
  const code = codeOf(error);
  const where = proxied ? `${url.origin} (through a proxy)` : url.origin;
  const known = neverSent[code];
  if (known) return new NetworkError(`Cannot reach ${where}: ${known}.`, false, error, startHint);
  const reason = error instanceof Error ? error.message : String(error);
  if (tls.test(code)) return new NetworkError(`No secure connection to ${where}: ${reason}.`, false, error, tlsHint);
  if (proxied && /proxy/i.test(reason))
    return new NetworkError(`The proxy did not connect to ${url.origin}: ${reason}.`, false, error);
  return new NetworkError(`The connection to ${where} was lost: ${reason}.`, true, error);
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const pairs = Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]);
  return Object.fromEntries(pairs);
}

async function readAll(stream: Readable) {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

type Env = Readonly<Record<string, string | undefined>>;

/** HTTP by undici, through the proxies the environment names. */
export function createTransport(env: Env): Transport {
  const agents = new Map<string, Promise<Dispatcher>>();
  const make = async (proxy: string): Promise<Dispatcher> => {
    if (proxy === "") return new (await import("undici/lib/dispatcher/agent.js")).default();
    return new (await import("undici/lib/dispatcher/proxy-agent.js")).default(proxy);
  };
  const agentFor = (proxy: string) => {
    const known = agents.get(proxy) ?? make(proxy);
    agents.set(proxy, known);
    return known;
  };

  async function exchange(request: HttpRequest, proxy: string, signal: AbortSignal, timer: NodeJS.Timeout): Promise<HttpReply> {
    const agent = await agentFor(proxy);
    const { default: send } = await import("undici/lib/api/api-request.js");
    const { method, url, headers, body } = request;
    const reply = await send.call(agent, {
      origin: url.origin,
      path: url.pathname + url.search,
      method: method as Dispatcher.HttpMethod,
      headers,
      body: body ?? null,
      signal,
      headersTimeout: 0,
      bodyTimeout: request.stream ? request.timeout : 0,
    });
    const head = { status: reply.statusCode, headers: flatten(reply.headers) };
    if (request.stream && reply.statusCode < 300) {
      clearTimeout(timer);
      return { ...head, body: Buffer.alloc(0), stream: reply.body };
    }
    return { ...head, body: await readAll(reply.body) };
  }

  async function send(request: HttpRequest): Promise<HttpReply> {
    const { url, timeout, signal } = request;
    const proxy = proxyFor(url, env) ?? "";
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeout);
    const either = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
    try {
      return await exchange(request, proxy, either, timer);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (late.signal.aborted) throw new NetworkError(`No reply from ${url.origin} within ${timeout / 1000} s.`, true, error);
      throw explain(error, url, proxy !== "");
    } finally {
      clearTimeout(timer);
    }
  }

  async function close() {
    for (const agent of agents.values()) await (await agent).destroy();
  }

  return { send, close };
}
