import type { ClientRequest } from "node:http";
import type { Socket } from "node:net";

type Env = Readonly<Record<string, string | undefined>>;

const pick = (env: Env, name: string) => env[name.toLowerCase()] || env[name] || undefined;
const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;
const portOf = (url: URL) => url.port || (url.protocol === "https:" ? "443" : "80");

function listed(url: URL, noProxy: string) {
  return noProxy.split(/[\s,]+/).some((entry) => {
    if (entry === "*") return true;
    const [, host = "", wantedPort] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (host === "" || (wantedPort !== undefined && wantedPort !== portOf(url))) return false;
    const suffix = host.replace(/^\*?\./, "");
    return url.hostname === suffix || url.hostname.endsWith(`.${suffix}`);
  });
}

/** The proxy for a URL from HTTPS_PROXY, HTTP_PROXY and NO_PROXY in either case; this machine is never reached through one. */
export function proxyFor(url: URL, env: Env): URL | undefined {
  const proxy = pick(env, url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY");
  if (!proxy || loopback.test(url.hostname) || listed(url, pick(env, "NO_PROXY") ?? "")) return undefined;
  return new URL(proxy.includes("://") ? proxy : `http://${proxy}`);
}

/** Where a proxy listens, without the user and password in its address: node would send them to the target as well. */
export const proxyAddress = ({ protocol, hostname, port }: URL) => ({
  protocol,
  hostname: hostname.replace(/^\[|\]$/g, ""),
  port: port || (protocol === "https:" ? 443 : 80),
});

/** The header that tells a proxy who asks, from the user and password in its address. */
export function proxyHeaders({ username, password }: URL): Record<string, string> {
  if (username === "") return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` };
}

/** Opens a TLS connection to `target` through a proxy (CONNECT). Rejects when the proxy refuses. */
export async function tunnel(proxy: URL, target: URL, signal: AbortSignal): Promise<Socket> {
  const [{ request }, { connect }] = await Promise.all([
    proxy.protocol === "https:" ? import("node:https") : import("node:http"),
    import("node:tls"),
  ]);
  const authority = `${target.hostname}:${portOf(target)}`;
  const headers = { host: authority, ...proxyHeaders(proxy) };
  const asked: ClientRequest = request({
    ...proxyAddress(proxy),
    method: "CONNECT",
    path: authority,
    headers,
    agent: false,
    signal,
  });
  const socket = await new Promise<Socket>((resolve, reject) => {
    asked.once("error", reject);
    asked.once("connect", (reply, open: Socket) => {
      if (reply.statusCode === 200) return resolve(open);
      open.destroy();
      reject(new Error(`the proxy answered ${reply.statusCode}`));
    });
    asked.end();
  });
  const secure = connect({ socket, servername: target.hostname });
  return new Promise<Socket>((resolve, reject) => {
    secure.once("error", reject);
    secure.once("secureConnect", () => resolve(secure));
  });
}
