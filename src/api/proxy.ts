type Env = Readonly<Record<string, string | undefined>>;

const pick = (env: Env, name: string) => env[name.toLowerCase()] || env[name] || undefined;
const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

function listed(url: URL, noProxy: string) {
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return noProxy.split(/[\s,]+/).some((entry) => {
    if (entry === "*") return true;
    const [, host = "", wantedPort] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (host === "" || (wantedPort !== undefined && wantedPort !== port)) return false;
    const suffix = host.replace(/^\*?\./, "");
    return url.hostname === suffix || url.hostname.endsWith(`.${suffix}`);
  });
}

/** The proxy for a URL from HTTPS_PROXY, HTTP_PROXY and NO_PROXY in either case; this machine is never reached through one. */
export function proxyFor(url: URL, env: Env): string | undefined {
  const proxy = pick(env, url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY");
  if (!proxy || loopback.test(url.hostname) || listed(url, pick(env, "NO_PROXY") ?? "")) return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}
