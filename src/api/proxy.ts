import type { Agent, RequestOptions } from "node:https";
import { isIP, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { isIn, listOf, parseRange } from "../contract/text/addresses.ts";
import { badConfig, CliError, exitCodes } from "../errors.ts";
import { isLoopback } from "./url.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** A proxy, and the environment variable that sets it. */
export interface NamedProxy {
  url: URL;
  from: string;
}

/** How a URL is reached: through a proxy, or directly although a proxy is set, and why. */
export interface Route {
  proxy?: NamedProxy;
  /** Why a configured proxy is bypassed: the matching entry of NO_PROXY, or "this machine". */
  direct?: string;
}

const variable = (env: Env, name: string) => [name.toLowerCase(), name].find((one) => env[one]);
export const portOf = (url: URL) => url.port || (url.protocol === "https:" ? "443" : "80");
export const withoutBrackets = (hostname: string) => hostname.replace(/^\[|\]$/g, "");

function inRange(address: string, text: string): boolean {
  const range = parseRange(text);
  return range !== undefined && isIn(listOf([range]), address);
}

/** Whether an entry of NO_PROXY matches a URL: `*`, a name with its subdomains, an address or a range; a port is optional. */
function matches(entry: string, url: URL): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return inRange(withoutBrackets(url.hostname), entry);
  const spelled = isIP(entry) === 6 ? `[${entry}]` : entry.toLowerCase();
  const [, host = "", wantedPort] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(spelled) ?? [];
  if (host === "" || (wantedPort !== undefined && wantedPort !== portOf(url))) return false;
  const suffix = host.replace(/^\*?\./, "");
  return url.hostname === suffix || url.hostname.endsWith(`.${suffix}`);
}

function parseProxy(text: string, from: string): URL {
  const address = text.includes("://") ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && url.hostname !== "" && /^https?:$/.test(url.protocol)) return url;
  // The text is left out of the error: it may contain a password.
  throw badConfig(`${from} is not a valid http or https proxy address.`, "Set it to http://host:port, or unset it.");
}

/** How a URL is reached by HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in upper or lower case. Loopback addresses never use a proxy. */
export function routeTo(url: URL, env: Env): Route {
  const from = variable(env, url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY");
  if (from === undefined) return {};
  if (isLoopback(url.hostname)) return { direct: "this machine" };
  const exceptions = (env[variable(env, "NO_PROXY") ?? ""] ?? "").split(/[\s,]+/);
  const direct = exceptions.find((entry) => matches(entry, url));
  return direct === undefined ? { proxy: { url: parseProxy(env[from]!, from), from } } : { direct };
}

/** Where a proxy listens, without the user and password in its address: Node would also send them to the target. */
export const proxyAddress = ({ protocol, hostname, port }: URL) => ({
  protocol,
  hostname: withoutBrackets(hostname),
  port: port || (protocol === "https:" ? 443 : 80),
});

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The header that authenticates to a proxy, from the user and password in its address. */
export function proxyHeaders({ username, password }: URL): Record<string, string> {
  if (username === "") return {};
  const credentials = `${decoded(username)}:${decoded(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` };
}

/** The proxy itself could not be reached; `cause` is the reason. */
export class ProxyUnreachable extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** The proxy is busy or cannot reach the target: a retry may help. */
export class ProxyBusy extends Error {}

/** The error for a failed response of a proxy: retryable if the proxy is busy, else exit 10. */
export function proxyRefusal({ url, from }: NamedProxy, target: URL, status: number): Error {
  const message = `The proxy ${url.host} (${from}) returned ${status} for ${target.host}.`;
  if (status >= 500 || status === 408 || status === 429) return new ProxyBusy(message);
  const problem = url.username === "" ? "The proxy requires a user and password" : "The proxy rejected the user and password";
  const hint = status === 407 ? `${problem}: set ${from} to http://user:password@host:port.` : directHint({ url, from }, target);
  return new CliError("PROXY", exitCodes.unreachable, message, { hint });
}

export const directHint = ({ from }: NamedProxy, target: URL) =>
  `Check ${from}, or bypass the proxy with NO_PROXY=${target.hostname}.`;

/** Opens a connection to `target` through a proxy (CONNECT), without TLS yet. */
export async function connectThrough(proxy: NamedProxy, target: URL, signal: AbortSignal): Promise<Socket> {
  const { request } = proxy.url.protocol === "https:" ? await import("node:https") : await import("node:http");
  const authority = `${target.hostname}:${portOf(target)}`;
  const headers = { host: authority, ...proxyHeaders(proxy.url) };
  const connecting = request({ ...proxyAddress(proxy.url), method: "CONNECT", path: authority, headers, agent: false, signal });
  return new Promise<Socket>((resolve, reject) => {
    connecting.once("error", (error) => reject(new ProxyUnreachable(error)));
    connecting.once("connect", (reply, open: Socket) => {
      if (reply.statusCode === 200) return resolve(open);
      open.destroy();
      reject(proxyRefusal(proxy, target, reply.statusCode ?? 0));
    });
    connecting.end();
  });
}

/** Opens a TLS connection to `target` through a proxy. Rejects when the proxy refuses or the certificate is not trusted. */
export async function tunnel(proxy: NamedProxy, target: URL, signal: AbortSignal): Promise<Socket> {
  const socket = await connectThrough(proxy, target, signal);
  return startTls(socket, target, signal, true);
}

/** Starts TLS on a connection. `strict` false accepts untrusted certificates too, for inspection only. */
export async function startTls(socket: Socket, target: URL, signal: AbortSignal, strict: boolean): Promise<TLSSocket> {
  const { connect } = await import("node:tls");
  const host = withoutBrackets(target.hostname);
  const secure = connect({ socket, host, rejectUnauthorized: strict, ...(isIP(host) === 0 && { servername: host }) });
  const stop = () => secure.destroy(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  return new Promise<TLSSocket>((resolve, reject) => {
    secure.once("error", reject);
    secure.once("secureConnect", () => resolve(secure));
  }).finally(() => signal.removeEventListener("abort", stop));
}

/** An agent that keeps tunnels through a proxy open for further requests to the same target. */
export async function tunnelAgent(proxy: NamedProxy, signal: AbortSignal): Promise<Agent> {
  const https = await import("node:https");
  const agent = new https.Agent({ keepAlive: true });
  const createConnection = ({ host, port }: RequestOptions, done: (error: Error | null, socket?: Socket) => void) => {
    const target = new URL(`https://${isIP(host ?? "") === 6 ? `[${host}]` : host}:${port ?? 443}`);
    tunnel(proxy, target, signal).then((socket) => done(null, socket), done);
  };
  return Object.assign(agent, { createConnection });
}
