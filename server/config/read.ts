import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseBlock } from "../lib/addresses.ts";
import { type Config, defaults } from "./defaults.ts";

/** A setting or flag that cannot be right: the server does not start. `exitCode` 2, as for a wrong flag. */
export class ConfigError extends Error {
  override name = "ConfigError";
  readonly exitCode = 2;
}

type Env = Record<string, string | undefined>;

/** The defaults, overlaid by the configuration file and then by the environment. Flags come on top, in main.ts. */
export function readConfig(env: Env, dataDir: string, configFile: string | undefined): Config {
  const config = structuredClone(defaults);
  const file = configFile ?? join(dataDir, "config.json");
  const overlay = readOverlay(file, configFile !== undefined);
  if (overlay) merge(config as unknown as Tree, overlay, file, "");
  checkReceivers(config.crypto, file);
  if (env.PLAYTEST_SMTP_URL) config.mail.smtpUrl = env.PLAYTEST_SMTP_URL;
  if (env.PLAYTEST_STRIPE_SECRET_KEY) config.stripe.secretKey = env.PLAYTEST_STRIPE_SECRET_KEY;
  if (env.PLAYTEST_STRIPE_WEBHOOK_SECRET) config.stripe.webhookSecret = env.PLAYTEST_STRIPE_WEBHOOK_SECRET;
  if (env.PLAYTEST_MAIL_FROM) config.mail.from = env.PLAYTEST_MAIL_FROM;
  if (env.PLAYTEST_TRUSTED_PROXIES)
    config.http.trustedProxies = env.PLAYTEST_TRUSTED_PROXIES.split(",").map((cidr) => cidr.trim());
  checkPlaces(config);
  return config;
}

/** What only shows later that it is wrong, and may hold a password: it is named, not shown. */
function checkPlaces({ http, mail, crypto, stripe }: Config): void {
  const web = ["http:", "https:"];
  const urls: [string, string | null, string[]][] = [
    ["mail.smtpUrl (PLAYTEST_SMTP_URL)", mail.smtpUrl, ["smtp:", "smtps:"]],
    ["stripe.apiUrl", stripe.apiUrl, web],
    ["crypto.base.rpcUrl", crypto.base.rpcUrl, web],
    ["crypto.ethereum.rpcUrl", crypto.ethereum.rpcUrl, web],
    ["crypto.solana.rpcUrl", crypto.solana.rpcUrl, web],
    ["crypto.rates.feedUrl", crypto.rates.feedUrl, web],
  ];
  for (const [name, url, protocols] of urls)
    if (url !== null && !(URL.canParse(url) && protocols.includes(new URL(url).protocol)))
      throw new ConfigError(`The setting ${name} is not an address that begins with ${protocols.join("// or ")}//.`);
  if (http.trustedProxies.every((block) => parseBlock(block))) return;
  throw new ConfigError(
    "The setting http.trustedProxies (PLAYTEST_TRUSTED_PROXIES) takes addresses and blocks of them, such as 10.0.0.0/8.",
  );
}

/** Money sent to a mistyped address is gone, so one that cannot be right is not shown to anybody. */
function checkReceivers({ base, ethereum, solana }: Config["crypto"], file: string): void {
  const evm = /^0x[0-9a-fA-F]{40}$/;
  const rows: [string, string | null, RegExp][] = [
    ["base.receiver", base.receiver, evm],
    ["base.usdc", base.usdc, evm],
    ["ethereum.receiver", ethereum.receiver, evm],
    ["ethereum.usdc", ethereum.usdc, evm],
    ["solana.receiver", solana.receiver, /^[1-9A-HJ-NP-Za-km-z]{32,44}$/],
    ["solana.usdc", solana.usdc, /^[1-9A-HJ-NP-Za-km-z]{32,44}$/],
  ];
  for (const [name, address, pattern] of rows)
    if (address !== null && !pattern.test(address))
      throw new ConfigError(`${file}: crypto.${name} is not an address of that chain.`);
}

type Tree = { [name: string]: unknown };

function readOverlay(file: string, required: boolean): Tree | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (!required && (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new ConfigError(`The configuration file ${file} cannot be read: ${(error as Error).message}`);
  }
  try {
    return JSON.parse(text) as Tree;
  } catch (error) {
    throw new ConfigError(`The configuration file ${file} is not valid JSON: ${(error as Error).message}`);
  }
}

/** A setting that does not exist, or is of another type, is refused by name: a typo must not go unnoticed. */
function merge(target: Tree, overlay: Tree, file: string, path: string): void {
  for (const [name, value] of Object.entries(overlay)) {
    const at = path + name;
    if (!(name in target)) throw new ConfigError(`${file}: there is no setting ${at}.`);
    const known = target[name];
    if (isTree(known) && isTree(value)) merge(known, value, file, `${at}.`);
    else if (known === null || sameKind(known, value)) target[name] = value;
    else throw new ConfigError(`${file}: the setting ${at} must be ${Array.isArray(known) ? "a list" : `a ${typeof known}`}.`);
  }
}

const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null && !Array.isArray(value);
const sameKind = (a: unknown, b: unknown) => typeof a === typeof b && Array.isArray(a) === Array.isArray(b) && b !== null;
