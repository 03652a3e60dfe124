import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { playtest, testFolder } from "../helpers/cli.ts";
import { installedProxies, refusalOf } from "../helpers/proxies.ts";
import { certificatesFor } from "../helpers/tls.ts";

const at = ["--public-url", "https://play.example.com"];
const printed = async (kind: string, ...flags: string[]) => {
  const { code, stdout, stderr } = await playtest(["serve", "proxy", kind, ...flags]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
};

describe("serve proxy", () => {
  it.each<[string, string, string[], (string | RegExp)[]]>([
    [
      "nginx: the certificate where certbot puts it, no limit for bodies, nothing held back",
      "nginx",
      at,
      [
        "server 127.0.0.1:4747;",
        "return 301 https://$host$request_uri;",
        "ssl_certificate /etc/letsencrypt/live/play.example.com/fullchain.pem;",
        "client_max_body_size 0;",
        "proxy_request_buffering off;",
        "proxy_buffering off;",
        "proxy_read_timeout 330s;",
      ],
    ],
    ["nginx: a port of its own", "nginx", ["--public-url", "http://play.lan:8080"], ["listen 8080;", /^(?!.*(ssl|301))/s]],
    [
      "nginx: several processes",
      "nginx",
      [...at, "--upstream", "10.0.0.2:4747", "--upstream", "[fd00::2]:4747"],
      [
        "  server 10.0.0.2:4747;\n  server [fd00::2]:4747;\n",
        "  server 10.0.0.2:4747 max_fails=0 backup;\n  server [fd00::2]:4747 max_fails=0 backup;\n",
        "proxy_connect_timeout 2s;",
      ],
    ],
    [
      "caddy: gets the certificate itself",
      "caddy",
      [...at, "--port", "8080"],
      ["play.example.com {\n  reverse_proxy 127.0.0.1:8080 {"],
    ],
    [
      "caddy: several processes are asked whether they are ready",
      "caddy",
      [...at, "--upstream", "10.0.0.2:4747", "--upstream", "10.0.0.3:4747"],
      ["reverse_proxy 10.0.0.2:4747 10.0.0.3:4747 {", "health_uri /readyz", "lb_try_duration 10s"],
    ],
    [
      "apache: several processes",
      "apache",
      [...at, "--upstream", "10.0.0.2:4747", "--upstream", "10.0.0.3:4747"],
      ['BalancerMember "http://10.0.0.3:4747" flushpackets=on', 'ProxyPass "/" "balancer://playtest/" nocanon\n'],
    ],
    ["apache: the usual port, on which it listens already", "apache", at, [/^(?!.*Listen)/s, "<VirtualHost *:443>"]],
    ["apache: a port of its own", "apache", ["--public-url", "http://play.lan:8080"], ["\nListen 8080\n<VirtualHost *:8080>\n"]],
    [
      "nginx: an IPv6 address",
      "nginx",
      ["--public-url", "https://[2001:db8::1]"],
      ["server_name [2001:db8::1];", "ssl_certificate /etc/letsencrypt/live/2001:db8::1/fullchain.pem;"],
    ],
    [
      "traefik: an IPv6 address",
      "traefik",
      ["--public-url", "http://[2001:db8::1]"],
      ["rule: Host(`[2001:db8::1]`) || Host(`2001:db8::1`)\n"],
    ],
  ])("%s", async (_, kind, flags, wanted) => {
    const text = await printed(kind, ...flags);
    for (const part of wanted) expect(text).toMatch(part);
  });

  const urls = ["http://[2001:db8::1]", "http://[2001:db8::1]:8080", "https://[2001:db8::1]:8443", "https://192.0.2.1:8443"];
  it.each(installedProxies().flatMap((kind) => urls.map((url) => [kind, url] as const)))(
    "%s takes what is printed for %s",
    async (kind, url) => {
      const folder = testFolder();
      mkdirSync(folder, { recursive: true });
      const { cert, key } = certificatesFor(["localhost"]);
      const files = { "--certificate": join(folder, "cert.pem"), "--certificate-key": join(folder, "key.pem") };
      writeFileSync(files["--certificate"], cert);
      writeFileSync(files["--certificate-key"], key);
      const text = await printed(kind, "--public-url", url, ...Object.entries(files).flat());
      expect(refusalOf(kind, text)).toBeUndefined();
    },
  );

  it("traefik: YAML with the router, the processes and the certificate", async () => {
    const flags = ["--upstream", "10.0.0.2:4747", "--certificate", "/etc/tls/cert.pem", "--certificate-key", "/etc/tls/key.pem"];
    const all = { servers: [{ url: "http://10.0.0.2:4747" }], responseForwarding: { flushInterval: "10ms" } };
    expect(parse(await printed("traefik", ...at, ...flags))).toEqual({
      http: {
        routers: {
          playtest: { rule: "Host(`play.example.com`)", entryPoints: ["websecure"], service: "playtest", tls: {} },
        },
        services: {
          playtest: { failover: { service: "playtest-ready", fallback: "playtest-all" } },
          "playtest-ready": { loadBalancer: { ...all, healthCheck: { path: "/readyz", interval: "2s" } } },
          "playtest-all": { loadBalancer: all },
        },
      },
      tls: { certificates: [{ certFile: "/etc/tls/cert.pem", keyFile: "/etc/tls/key.pem" }] },
    });
  });

  it.each<[string, string[], string]>([
    ["an unknown proxy", ["squid", ...at], "Supported: nginx, caddy, traefik, apache."],
    ["no public URL", ["nginx"], "Missing --public-url."],
    ["a public URL with a path", ["nginx", "--public-url", "https://example.com/play"], "has a path"],
    ["a host name that would end the line", ["caddy", "--public-url", "http://a;b"], "The host name a;b in --public-url has"],
    ["an upstream that would end the line", ["nginx", ...at, "--upstream", "127.0.0.1:4747; }"], "is not a host and port"],
    ["an upstream without a port", ["caddy", ...at, "--upstream", "10.0.0.2"], "is not a host and port"],
    ["a certificate without its key", ["nginx", ...at, "--certificate", "/etc/c.pem"], "belong together"],
    [
      "a path that would end the line",
      ["apache", ...at, "--certificate", "/a b", "--certificate-key", "/k"],
      "characters that mean",
    ],
  ])("refuses %s", async (_, words, text) => {
    const { code, stdout, stderr } = await playtest(["serve", "proxy", ...words]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(text);
  });
});
