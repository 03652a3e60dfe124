import { isIP } from "node:net";
import { ConfigError, readConfig } from "../config/read.ts";
import { checkOptions } from "../config/serve-options.ts";

/** What a configuration for a proxy depends on. */
export interface ProxyOptions {
  /** Address of the server for its clients: http or https, with a port unless it is the usual one. */
  publicUrl: string;
  /** The processes of the server, each a host name or address with a port. */
  upstreams: readonly string[];
  /** Files of the certificate with its chain and of its key. Undefined: where certbot puts them, or for the proxy to get one itself. */
  certificate: string | undefined;
  certificateKey: string | undefined;
  data: string;
  config: string | undefined;
}

interface Facts {
  url: URL;
  /** The port that clients connect to. */
  port: string;
  tls: boolean;
  upstreams: readonly string[];
  certificate: string;
  certificateKey: string;
  ownCertificate: boolean;
  /** How long (in seconds) nothing may be sent or received: a little longer than the server waits, so that it is the server that decides. */
  idle: number;
}

/** The proxies for which a configuration can be printed. */
export const proxies = { nginx, caddy, traefik, apache } satisfies Record<string, (facts: Facts) => string>;
export type ProxyKind = keyof typeof proxies;

/** How much longer than the server the proxy waits. */
const marginSeconds = 30;
/** When a client is told to try again (in seconds) while no process answers. One that is told keeps trying for as long as a failover takes. */
const retrySeconds = 2;

/**
 * The configuration of a proxy in front of the server: uploads of any size that are passed on while they arrive, event streams that are
 * not held back, the client's address, one request id for both logs. Throws ConfigError for options that `serve run` would refuse.
 */
export async function proxyConfiguration(proxy: ProxyKind, options: ProxyOptions): Promise<string> {
  checkOptions({ publicUrl: options.publicUrl, version: "" });
  for (const upstream of options.upstreams) checkUpstream(upstream);
  if ((options.certificate === undefined) !== (options.certificateKey === undefined))
    throw new ConfigError(
      "A certificate and its key belong together: pass both --certificate and --certificate-key, or neither.",
    );
  const url = new URL(options.publicUrl);
  checkHostname(url.hostname);
  const tls = url.protocol === "https:";
  const { idleTimeoutMs } = (await readConfig({}, options.data, options.config)).http;
  const certbot = `/etc/letsencrypt/live/${addressIn(url) ?? url.hostname}`;
  return proxies[proxy]({
    url,
    port: url.port || (tls ? "443" : "80"),
    tls,
    upstreams: options.upstreams,
    certificate: path(options.certificate ?? `${certbot}/fullchain.pem`),
    certificateKey: path(options.certificateKey ?? `${certbot}/privkey.pem`),
    ownCertificate: options.certificate !== undefined,
    idle: Math.ceil(idleTimeoutMs / 1000) + marginSeconds,
  });
}

function nginx({ url, port, tls, upstreams, certificate, certificateKey, idle }: Facts): string {
  const listen = (more: string) => `  listen ${port}${more};\n  listen [::]:${port}${more};`;
  const toHttps = `server {
  listen 80;
  listen [::]:80;
  server_name ${url.hostname};
  return 301 https://$host$request_uri;
}

`;
  const servers = (more: string) => upstreams.map((upstream) => `  server ${upstream}${more};`).join("\n");
  const whenAllFailed = `  # After a failure nginx sends a process nothing for 10 seconds. When that leaves no process, all are tried again.
${servers(" max_fails=0 backup")}
`;
  return `# /etc/nginx/conf.d/playtest.conf
upstream playtest {
${servers("")}
${upstreams.length > 1 ? whenAllFailed : ""}  keepalive 32;
}

${tls && port === "443" ? toHttps : ""}server {
${listen(tls ? " ssl http2" : "")}
  server_name ${url.hostname};
${tls ? `  ssl_certificate ${certificate};\n  ssl_certificate_key ${certificateKey};\n` : ""}
  # The server has limits of its own. Builds and videos are larger than nginx's default of 1 MiB.
  client_max_body_size 0;

  location / {
    proxy_pass http://playtest;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header X-Request-Id $request_id;
    # Uploads and downloads go straight through. An upload that is interrupted resumes where the server has it.
    proxy_request_buffering off;
    proxy_buffering off;
${upstreams.length > 1 ? "    # A machine that is gone does not refuse connections.\n    proxy_connect_timeout 2s;\n" : ""}    # The server closes connections without traffic after ${idle - marginSeconds} seconds.
    client_body_timeout ${idle}s;
    send_timeout ${idle}s;
    proxy_read_timeout ${idle}s;
    proxy_send_timeout ${idle}s;
  }

  # No process answers. A client that is told when to try again waits for longer than a restart takes.
  error_page 502 504 @unavailable;
  location @unavailable {
    add_header Retry-After ${retrySeconds} always;
    return 503;
  }
}
`;
}

function caddy({ url, tls, upstreams, certificate, certificateKey, ownCertificate }: Facts): string {
  const several =
    upstreams.length > 1
      ? "\n    health_uri /readyz\n    health_interval 2s\n    # Another process is tried instead of one that refuses the connection. A request with a body may get 502 instead.\n    lb_try_duration 10s"
      : "";
  return `# /etc/caddy/Caddyfile
# Caddy gets the certificate itself unless one is named, speaks HTTP/2, and has no limit for bodies.
${tls ? url.host : url.origin} {
${tls && ownCertificate ? `  tls ${certificate} ${certificateKey}\n` : ""}  reverse_proxy ${upstreams.join(" ")} {
    # Event streams, and the first bytes of downloads, are passed on at once.
    flush_interval -1
    header_up X-Request-Id {http.request.uuid}${several}
  }
  # No process answers, or none is ready. A client that is told when to try again waits for longer than a restart takes.
  handle_errors {
    header Retry-After ${retrySeconds}
    respond "{err.status_code} {err.status_text}" {err.status_code}
  }
}
`;
}

function traefik({ url, port, tls, upstreams, certificate, certificateKey, ownCertificate }: Facts): string {
  const servers = upstreams.map((upstream) => `          - url: http://${upstream}`).join("\n");
  const entry = tls ? "websecure" : "web";
  const certificates = `
tls:
  certificates:
    - certFile: ${certificate}
      keyFile: ${certificateKey}
`;
  // A client names the port with the address unless it is the usual one, and without a port Traefik keeps the brackets.
  const hosts = [url.hostname, addressIn(url) ?? url.hostname];
  const rule = [...new Set(hosts)].map((host) => `Host(\`${host}\`)`).join(" || ");
  return `# Of the static configuration (traefik.yml). Without readTimeout 0, uploads that take longer than a minute are cut off:
#   entryPoints:
#     ${entry}:
#       address: ":${port}"
#       transport:
#         respondingTimeouts:
#           readTimeout: 0s
# The rest is a file of the dynamic configuration, such as /etc/traefik/dynamic/playtest.yml:
http:
  routers:
    playtest:
      rule: ${rule}
      entryPoints: [${entry}]
      service: playtest
${tls ? `      tls: ${ownCertificate ? "{}" : "{ certResolver: letsencrypt }"}\n` : ""}  services:
    # When no process is ready, all are asked all the same: only they know when a client should try again.
    playtest:
      failover:
        service: playtest-ready
        fallback: playtest-all
    playtest-ready:
      loadBalancer:
        servers:
${servers}
        healthCheck:
          path: /readyz
          interval: 2s
        responseForwarding:
          # Event streams are passed on at once.
          flushInterval: 10ms
    playtest-all:
      loadBalancer:
        servers:
${servers}
        responseForwarding:
          flushInterval: 10ms
${tls && ownCertificate ? certificates : ""}`;
}

function apache({ url, port, tls, upstreams, certificate, certificateKey, idle }: Facts): string {
  const [only, ...others] = upstreams;
  const balancer = `  # retry=0: a process that was away is tried again with the next request.
  <Proxy "balancer://playtest">
${upstreams.map((upstream) => `    BalancerMember "http://${upstream}" flushpackets=on connectiontimeout=2 retry=0`).join("\n")}
  </Proxy>
`;
  // Apache takes an IPv6 address in ServerName for a name with a port.
  const nameDirective = url.hostname.startsWith("[") ? "ServerAlias" : "ServerName";
  return `# /etc/apache2/sites-available/playtest.conf
# a2enmod proxy proxy_http headers${tls ? " ssl http2" : ""}${others.length > 0 ? " proxy_balancer lbmethod_byrequests" : ""}
${["80", "443"].includes(port) ? "" : `Listen ${port}\n`}<VirtualHost *:${port}>
  ${nameDirective} ${url.hostname}
${tls ? `  Protocols h2 http/1.1\n  SSLEngine on\n  SSLCertificateFile ${certificate}\n  SSLCertificateKeyFile ${certificateKey}\n` : ""}  ProxyRequests Off
  ProxyPreserveHost On
  # The server has limits of its own, and closes connections without traffic after ${idle - marginSeconds} seconds.
  LimitRequestBody 0
  TimeOut ${idle}
  ProxyTimeout ${idle}
  <IfModule reqtimeout_module>
    RequestReadTimeout body=0
  </IfModule>
  # The server makes the id of a request and returns it; a log format has it as %{X-Request-Id}o.
  RequestHeader unset X-Request-Id
  RequestHeader set X-Forwarded-Proto ${tls ? "https" : "http"}
  AllowEncodedSlashes NoDecode
  # No process answers: every reply of the server has an id. A client that is told when to try again waits for longer than a restart takes.
  Header always set Retry-After ${retrySeconds} "expr=%{REQUEST_STATUS} =~ /^50[234]$/ && -z %{resp:Retry-After} && -z %{resp:X-Request-Id}"
  # flushpackets: event streams are passed on at once.
${others.length > 0 ? balancer : ""}  ProxyPass "/" ${others.length > 0 ? `"balancer://playtest/" nocanon` : `"http://${only}/" nocanon flushpackets=on`}
</VirtualHost>
`;
}

/** The IP address in a URL, without the brackets of IPv6; undefined for a name. */
export function addressIn({ hostname }: URL): string | undefined {
  const address = hostname.replace(/^\[(.*)\]$/, "$1");
  return isIP(address) === 0 ? undefined : address;
}

/** URLs allow names that would end a line of a configuration. */
function checkHostname(hostname: string): void {
  if (!/^([\w.-]+|\[[\da-f:.]+\])$/i.test(hostname))
    throw new ConfigError(
      `The host name ${hostname} in --public-url has characters that mean something else in the configuration of a proxy. Pass a name of letters, digits, dots and dashes.`,
    );
}

/** A host name or address with a port. Nothing else can stand in a configuration without changing what it means. */
function checkUpstream(upstream: string): void {
  const [, host, port] = /^(?:\[([\da-f:.]+)\]|[\w.-]+):(\d{1,5})$/i.exec(upstream) ?? [];
  if (port === undefined || Number(port) > 65_535 || Number(port) === 0 || (host !== undefined && isIP(host) !== 6))
    throw new ConfigError(
      `--upstream ${upstream} is not a host and port. Pass the address of a process of the server, such as 127.0.0.1:4747.`,
    );
}

function path(text: string): string {
  if (!/^[\w@%+=:,./-]+$/.test(text))
    throw new ConfigError(
      `The path ${JSON.stringify(text)} has characters that mean something else in the configuration of a proxy. Pass a path of letters, digits, dots, dashes and slashes.`,
    );
  return text;
}
