import { isIP } from "node:net";
import { addressForm, parseBucketAddress } from "./blobs-address.ts";
import { keepForm, parseKeep } from "./keep-rule.ts";
import { ConfigError } from "./read.ts";

/** The options of `playtest serve run`. Undefined means the default. */
export interface ServeOptions {
  port?: number;
  host?: string;
  data?: string;
  databaseUrl?: string;
  config?: string;
  /** The address of the bucket, instead of `blobs.address`. */
  blobs?: string;
  /** Where, how often (ms) and which backups the server makes, instead of the settings in `backup`. */
  backupTo?: string;
  backupEvery?: number;
  backupKeep?: string;
  publicUrl?: string;
  behindProxy?: boolean;
  ephemeral?: boolean;
  sandbox?: boolean;
  autoVerify?: boolean;
  seed?: "demo" | "minimal";
  /** Files of the certificate with its chain and of its key, for a server that speaks TLS itself. */
  tlsCert?: string;
  tlsKey?: string;
  readyFile?: string;
  exec?: string;
  /** How long (ms) the server still answers after SIGTERM. */
  drain?: number;
  /** How long (ms) to wait for a database that does not answer at the start. */
  waitForDatabase?: number;
  rateLimit?: number | "off";
  /** False: no copy of the database is kept when it is brought up to date. */
  backup?: boolean;
  log?: "text" | "json";
  logLevel?: string;
  version: string;
}

/** Throws ConfigError for flags that cannot be used together. */
export function checkOptions(options: ServeOptions): void {
  if (options.publicUrl !== undefined) checkPublicUrl(options.publicUrl);
  if (options.ephemeral && options.databaseUrl !== undefined)
    throw new ConfigError(
      "--ephemeral and --database-url cannot be used together: --ephemeral uses SQLite in a temporary directory. The server was not started.",
    );
  if (options.ephemeral && options.data !== undefined)
    throw new ConfigError(
      "--ephemeral and --data cannot be used together: --ephemeral uses a temporary directory. The server was not started.",
    );
  checkTls(options);
  if (options.blobs !== undefined) requireBucketAddress(options.blobs, "The server was not started.");
  if (options.backupKeep !== undefined && !parseKeep(options.backupKeep))
    throw new ConfigError(
      `--backup-keep ${options.backupKeep} is not a rule. The server was not started. Pass one such as ${keepForm}.`,
    );
  checkHost(options.host ?? "127.0.0.1", options);
}

/** Throws ConfigError where the server may not listen on this address. */
export function checkHost(host: string, options: ServeOptions): void {
  if (isLoopback(host)) return;
  if (options.sandbox || options.seed !== undefined)
    throw new ConfigError(
      `A sandbox has routes without an API key, so it can listen only on this machine, not on ${host}. The server was not started. Leave out --host.`,
    );
  if (!options.behindProxy && options.tlsCert === undefined)
    throw new ConfigError(
      `API keys and videos must not cross a network unencrypted. The server was not started. Put a TLS proxy in front of the server and pass --behind-proxy, pass --tls-cert and --tls-key, or leave out --host ${host}.`,
    );
}

/** Throws ConfigError for a text that is no address of a bucket. */
export function requireBucketAddress(text: string, undone: string): void {
  if (parseBucketAddress(text) === undefined)
    throw new ConfigError(`--blobs ${text} is not the address of a bucket. ${undone} Pass one such as ${addressForm}.`);
}

function checkTls({ tlsCert, tlsKey, publicUrl }: ServeOptions): void {
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new ConfigError("--tls-cert and --tls-key belong together. The server was not started. Pass both, or neither.");
  if (tlsCert !== undefined && publicUrl?.startsWith("http:"))
    throw new ConfigError(
      `With --tls-cert, clients reach the server by https, and --public-url ${publicUrl} is an http address. The server was not started. Pass an https address.`,
    );
}

const isLoopback = (host: string) => host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

/** All addresses of pages, links and uploads begin with it. */
function checkPublicUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "" || url.hash !== "")
    throw new ConfigError(
      `--public-url ${text} is not the address of a server. The server was not started. Pass an address such as https://playtest.example.com.`,
    );
  if (url.pathname !== "/")
    throw new ConfigError(
      `--public-url ${text} has a path, and links of this server do not work below ${url.pathname}. The server was not started. Give it a host name or port of its own, such as https://playtest.example.com, without a path.`,
    );
}
