import {
  Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
} from "node:http";
import type { Socket } from "node:net";
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
import type { HttpReply, HttpRequest, Transport } from "./types.ts";
import { isLoopback, webUrl } from "./url.ts";

/** A response is kept in memory whole: a hostile or broken server must not fill it. */
const maxReplyBytes = 64 * 2 ** 20;

/** There was no usable response. `sent`: whether the request may have reached the server. */
export class NetworkError extends CliError {
  readonly sent: boolean;
  constructor(message: string, sent: boolean, cause?: unknown, hint?: string) {
    super("UNREACHABLE", exitCodes.unreachable, message, { cause, hint, retryable: true });
    this.sent = sent;
  }
}

/** A response that is too large: trying again would bring as large a one. */
export class ReplyTooLarge extends NetworkError {
  constructor(origin: string) {
    super(`${origin} sent a response of more than ${maxReplyBytes / 2 ** 20} MiB. The rest was not read.`, true);
  }
}

const reasons: Record<string, string> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "host name not found",
  EAI_AGAIN: "the DNS lookup failed",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "the network is unreachable",
  ETIMEDOUT: "the connection timed out",
};
/** A server can be started from here only on this machine, and no setting has an address that is not the instance's. */
function unreachableHint({ hostname }: URL, isInstance: boolean): string | undefined {
  if (!isInstance) return undefined;
  return isLoopback(hostname)
    ? "Start a server with `playtest serve`, or choose another with --base-url."
    : "To see where this address is set: `playtest config explain`. To use another: --base-url URL.";
}
const tlsCodes = /^(CERT_|ERR_TLS|ERR_SSL|EPROTO|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/;
const tlsHints: Record<string, string> = {
  ERR_TLS_CERT_ALTNAME_INVALID:
    "Use the name that the certificate is for. To see where this address is set: `playtest config explain`.",
  CERT_HAS_EXPIRED: "The operator of the server must renew its certificate.",
  CERT_NOT_YET_VALID: "Correct this machine's clock.",
};

/** What to do after a TLS connection failed with this code of Node.js. */
export function tlsHint(code: string): string {
  if (/^(EPROTO|ERR_SSL)/.test(code))
    return "Check that a server with TLS listens at this address. To see where it is set: `playtest config explain`.";
  return tlsHints[code] ?? "For a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate file.";
}

/**
 * The error for a failed exchange; `sent`: the connection was established before it failed; `isInstance`: the address is that of the
 * instance.
 */
export function explain(error: unknown, url: URL, proxy: NamedProxy | undefined, sent: boolean, isInstance = true): Error {
  if (error instanceof CliError) return error;
  const where = proxy ? `${url.origin} through the proxy ${proxy.url.host}` : url.origin;
  if (error instanceof ProxyBusy) return new NetworkError(error.message, false, error, directHint(proxy!, url));
  const inner = error instanceof ProxyUnreachable ? (error.cause as Error) : (error as Error);
  const { code = "", message } = inner as NodeJS.ErrnoException;
  if (sent) return new NetworkError(`The connection to ${where} was lost: ${message}.`, true, error);
  if (tlsCodes.test(code))
    return new NetworkError(
      `Cannot connect securely to ${where}: ${message}.`,
      false,
      error,
      isInstance ? tlsHint(code) : undefined,
    );
  const reason = reasons[code] ?? message;
  if (!proxy) return new NetworkError(`Cannot reach ${where}: ${reason}.`, false, error, unreachableHint(url, isInstance));
  const atProxy = error instanceof ProxyUnreachable || url.protocol === "http:";
  const failedAt = atProxy ? `the proxy ${proxy.url.host} (${proxy.from})` : where;
  return new NetworkError(`Cannot reach ${failedAt}: ${reason}.`, false, error, directHint(proxy, url));
}

function flatten(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
}

async function readAll(reply: IncomingMessage, { origin }: URL) {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of reply) {
    size += (chunk as Buffer).length;
    if (size > maxReplyBytes) {
      reply.destroy();
      throw new ReplyTooLarge(origin);
    }
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** Sends the body and waits for the headers of the response. */
async function exchange(request: ClientRequest, body: HttpRequest["body"]): Promise<IncomingMessage> {
  const reply = new Promise<IncomingMessage>((resolve, reject) => {
    request.once("response", resolve);
    request.once("error", reject);
  });
  if (body !== undefined && typeof body === "object" && "pipe" in body) {
    body.once("error", (error) => request.destroy(error));
    body.pipe(request);
  } else request.end(body);
  return reply;
}

/** Returns a function that says whether the connection of a request was established. */
function watchConnection(request: ClientRequest) {
  let connected = false;
  request.once("socket", (socket: Socket & { encrypted?: boolean; secureConnecting?: boolean }) => {
    connected = !socket.connecting && !socket.secureConnecting;
    // A reused connection emits no further connect event: listeners would only accumulate.
    if (connected) return;
    socket.once(socket.encrypted ? "secureConnect" : "connect", () => {
      connected = true;
    });
  });
  return () => connected;
}

type Env = Readonly<Record<string, string | undefined>>;

/** HTTP/1.1 with keep-alive, through the proxies set in the environment. */
export function createTransport(env: Env): Transport {
  const plain = new Agent({ keepAlive: true });
  const closing = new AbortController();
  let secure: Agent | undefined;
  let tunnels: Agent | undefined;

  /** Uses Node's own client: undici would compile its parser at every start. */
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
    webUrl(url.href);
    const { proxy } = routeTo(url, env);
    const timedOut = new AbortController();
    const timer = setTimeout(() => timedOut.abort(), timeout);
    let connected = () => false;
    try {
      const sending = await open(request, proxy, signal ? AbortSignal.any([signal, timedOut.signal]) : timedOut.signal);
      connected = watchConnection(sending);
      const reply = await exchange(sending, request.body);
      const head = { status: reply.statusCode ?? 0, headers: flatten(reply.headers) };
      if (proxy && head.status === 407) throw proxyRefusal(proxy, url, 407);
      if (!request.stream || head.status >= 300) return { ...head, body: await readAll(reply, url) };
      reply.setTimeout(timeout, () => reply.destroy(new Error(`no data for ${timeout / 1000} s`)));
      return { ...head, body: Buffer.alloc(0), stream: reply };
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (timedOut.signal.aborted)
        throw new NetworkError(`No response from ${url.origin} within ${timeout / 1000} s.`, connected(), error);
      throw explain(error, url, proxy, connected(), request.isInstance);
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
