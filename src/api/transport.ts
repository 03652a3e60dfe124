import {
  Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
} from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { CliError, exitCodes } from "../errors.ts";
import {
  directHint,
  type NamedProxy,
  ProxyBusy,
  ProxyUnreachable,
  proxyAddress,
  proxyHeaders,
  proxyRefusal,
  routeTo,
  tunnelAgent,
} from "./proxy.ts";

export interface HttpRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body?: string | Uint8Array | Readable | undefined;
  /** Milliseconds for the whole exchange; with `stream`, until the headers came and then between parts of the body. */
  timeout: number;
  signal?: AbortSignal | undefined;
  /** Hand out the body as it comes instead of reading it. */
  stream?: boolean;
}

export interface HttpReply {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** Set instead of `body` when streaming was asked for and the reply is a success. */
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

const reasons: Record<string, string> = {
  ECONNREFUSED: "nothing answers there",
  ENOTFOUND: "its name is not known",
  EAI_AGAIN: "its name could not be looked up",
  EHOSTUNREACH: "no route leads there",
  ENETUNREACH: "the network is unreachable",
  ETIMEDOUT: "it did not accept a connection in time",
};
/** Only this machine's own instance can be started from here. */
const startHint = ({ hostname }: URL) =>
  /^(localhost|127\.|\[::1\])/.test(hostname)
    ? "Start an instance with `playtest serve`, or name another with --base-url."
    : "See where the address comes from with `playtest config explain`; name another with --base-url.";
const tls = /^(CERT_|ERR_TLS|ERR_SSL|EPROTO|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/;
const tlsHint = "For a private certificate authority set NODE_EXTRA_CA_CERTS to its file.";

/** What went wrong on the way, in words; `sent` when the connection stood before it broke. */
export function explain(error: unknown, url: URL, proxy: NamedProxy | undefined, sent: boolean): Error {
  if (error instanceof CliError) return error;
  const where = proxy ? `${url.origin} through the proxy ${proxy.url.host}` : url.origin;
  if (error instanceof ProxyBusy) return new NetworkError(error.message, false, error, directHint(proxy!, url));
  const inner = error instanceof ProxyUnreachable ? (error.cause as Error) : (error as Error);
  const { code = "", message } = inner as NodeJS.ErrnoException;
  if (sent) return new NetworkError(`The connection to ${where} was lost: ${message}.`, true, error);
  if (tls.test(code)) return new NetworkError(`No secure connection to ${where}: ${message}.`, false, error, tlsHint);
  const why = reasons[code] ?? message;
  if (!proxy) return new NetworkError(`Cannot reach ${where}: ${why}.`, false, error, startHint(url));
  const atProxy = error instanceof ProxyUnreachable || url.protocol === "http:";
  const place = atProxy ? `the proxy ${proxy.url.host} (${proxy.from})` : where;
  return new NetworkError(`Cannot reach ${place}: ${why}.`, false, error, directHint(proxy, url));
}

function flatten(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
}

async function readAll(reply: IncomingMessage) {
  const chunks: Buffer[] = [];
  for await (const chunk of reply) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Sends the body and waits for the head of the reply. */
async function exchange(asked: ClientRequest, body: HttpRequest["body"]): Promise<IncomingMessage> {
  const reply = new Promise<IncomingMessage>((resolve, reject) => {
    asked.once("response", resolve);
    asked.once("error", reject);
  });
  if (body !== undefined && typeof body === "object" && "pipe" in body) {
    body.once("error", (error) => asked.destroy(error));
    body.pipe(asked);
  } else asked.end(body);
  return reply;
}

/** Tells, once a request has failed, whether its connection had stood. */
function watchConnection(asked: ClientRequest) {
  let connected = false;
  asked.once("socket", (socket: Socket & { encrypted?: boolean; secureConnecting?: boolean }) => {
    connected = !socket.connecting && !socket.secureConnecting;
    // A kept connection has no such event to come: its listeners would only pile up.
    if (connected) return;
    socket.once(socket.encrypted ? "secureConnect" : "connect", () => {
      connected = true;
    });
  });
  return () => connected;
}

type Env = Readonly<Record<string, string | undefined>>;

/** HTTP/1.1 with kept connections, through the proxies the environment names. */
export function createTransport(env: Env): Transport {
  const plain = new Agent({ keepAlive: true });
  const closing = new AbortController();
  let secure: Agent | undefined;
  let tunnels: Agent | undefined;

  /** Node's own client: undici's would compile its parser at every start. */
  async function open(request: HttpRequest, proxy: NamedProxy | undefined, signal: AbortSignal): Promise<ClientRequest> {
    const { method, url, headers } = request;
    const options: RequestOptions = { method, headers, signal };
    const overTls = (proxy && url.protocol === "http:" ? proxy.url : url).protocol === "https:";
    const https = overTls ? await import("node:https") : undefined;
    if (https && !(proxy && url.protocol === "https:")) secure ??= new https.Agent({ keepAlive: true });
    if (url.protocol === "http:" && proxy)
      return (https?.request ?? httpRequest)({
        ...proxyAddress(proxy.url),
        ...options,
        path: url.href,
        headers: { host: url.host, ...headers, ...proxyHeaders(proxy.url) },
        agent: https ? secure : plain,
      });
    if (!https) return httpRequest(url, { ...options, agent: plain });
    if (proxy) tunnels ??= await tunnelAgent(proxy, closing.signal);
    return https.request(url, { ...options, agent: proxy ? tunnels : secure });
  }

  async function send(request: HttpRequest): Promise<HttpReply> {
    const { url, timeout, signal } = request;
    const { proxy } = routeTo(url, env);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeout);
    let connected = () => false;
    try {
      const asked = await open(request, proxy, signal ? AbortSignal.any([signal, late.signal]) : late.signal);
      connected = watchConnection(asked);
      const reply = await exchange(asked, request.body);
      const head = { status: reply.statusCode ?? 0, headers: flatten(reply.headers) };
      if (proxy && head.status === 407) throw proxyRefusal(proxy, url, 407);
      if (!request.stream || head.status >= 300) return { ...head, body: await readAll(reply) };
      reply.setTimeout(timeout, () => reply.destroy(new Error(`nothing came for ${timeout / 1000} s`)));
      return { ...head, body: Buffer.alloc(0), stream: reply };
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (late.signal.aborted)
        throw new NetworkError(`No reply from ${url.origin} within ${timeout / 1000} s.`, connected(), error);
      throw explain(error, url, proxy, connected());
    } finally {
      clearTimeout(timer);
    }
  }

  async function close() {
    closing.abort();
    for (const agent of [plain, secure, tunnels]) agent?.destroy();
  }

  return { send, close };
}
