import type { ProxyKind } from "../../../server/operations/proxies.ts";
import { arg, define, flag } from "../../cli/define.ts";
import { usage } from "../../errors.ts";
import { config } from "./location-flags.ts";
import { refused } from "./refused.ts";

/** As the parser and the help want them, without loading the server. */
const kinds = ["nginx", "caddy", "traefik", "apache"] as const satisfies readonly ProxyKind[];

export const proxy = define({
  name: "proxy",
  summary: "Print the configuration of a proxy in front of the server",
  description:
    "The proxy passes uploads and downloads of any size on as they arrive, does not hold back event streams, and sends the address " +
    "of the client and a request id. Start the server with --behind-proxy and the same --public-url. With several processes of " +
    "the server, name each with --upstream.",
  risk: "local",
  args: { proxy: arg.choice(kinds) },
  flags: {
    publicUrl: flag.text("Address of the server for its clients", { value: "URL" }),
    port: flag.integer("Port that the server listens on (default 4747)", { min: 1, max: 65_535, value: "PORT" }),
    upstream: flag.list("A process of the server, instead of 127.0.0.1 and the port; can be repeated", { value: "HOST:PORT" }),
    certificate: flag.text("File of the certificate with its chain", { value: "FILE" }),
    certificateKey: flag.text("File of the certificate's private key", { value: "FILE" }),
    data: flag.text("Data directory of the server, for its config.json (default /var/lib/playtest)", { value: "DIR" }),
    config,
  },
  examples: [
    "playtest serve proxy nginx --public-url https://playtest.example.com | sudo tee /etc/nginx/conf.d/playtest.conf",
    "playtest serve proxy caddy --public-url https://playtest.example.com --upstream 10.0.0.2:4747 --upstream 10.0.0.3:4747",
  ],
  async run({ args, flags }, ctx) {
    const kind = kinds.find((name) => name === args.proxy);
    if (!kind) throw usage(`Unknown proxy ${JSON.stringify(args.proxy)}.`, `Supported: ${kinds.join(", ")}.`);
    const { publicUrl, port = 4747, upstream, data = "/var/lib/playtest", ...files } = flags;
    if (publicUrl === undefined)
      throw usage("Missing --public-url.", "Pass the address that clients use, such as https://playtest.example.com.");
    const upstreams = upstream.length > 0 ? upstream : [`127.0.0.1:${port}`];
    const { proxyConfiguration } = await import("../../../server/operations/proxies.ts");
    try {
      const configuration = await proxyConfiguration(kind, { ...files, publicUrl, data, upstreams });
      return ctx.verbatim(configuration.trimEnd(), { result: { configuration } });
    } catch (error) {
      throw refused(error);
    }
  },
});
