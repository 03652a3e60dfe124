import { isIP } from "node:net";
import { ConfigError } from "./read.ts";

/** What `playtest serve run` was given. Absent: the default of the option. */
export interface ServeOptions {
  port?: number;
  host?: string;
  data?: string;
  databaseUrl?: string;
  config?: string;
  publicUrl?: string;
  behindProxy?: boolean;
  ephemeral?: boolean;
  sandbox?: boolean;
  autoVerify?: boolean;
  seed?: "demo";
  readyFile?: string;
  exec?: string;
  rateLimit?: number | "off";
  log?: "text" | "json";
  logLevel?: string;
  version: string;
}

/** Throws ConfigError for flags that do not go together. */
export function checkOptions(options: ServeOptions): void {
  const sandbox = options.sandbox || options.seed !== undefined;
  const host = options.host ?? "127.0.0.1";
  if (options.ephemeral && options.databaseUrl !== undefined)
    throw new ConfigError("--ephemeral is SQLite in a temporary folder; it does not go with --database-url.");
  if (options.ephemeral && options.data !== undefined)
    throw new ConfigError("--ephemeral uses a temporary folder; it does not go with --data.");
  if (isLoopback(host)) return;
  if (sandbox) throw new ConfigError(`A sandbox has routes without a key, so it listens on this machine only, not on ${host}.`);
  if (!options.behindProxy)
    throw new ConfigError(
      `Keys and videos must not cross a network in the clear. Put a TLS proxy before the server and say --behind-proxy, or leave out --host ${host}.`,
    );
}

const isLoopback = (host: string) => host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
