import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { defaultName } from "../../src/contract/pages/site-name.ts";
import { ConfigError } from "./read.ts";
import type { Config } from "./schema.ts";

/** A picture that this server serves. */
export interface Logo {
  type: string;
  bytes: Buffer;
}

/** How the server presents itself. */
export interface Brand {
  name: string;
  logo: Logo | null;
  /** `#rrggbb`; null for the built-in color. */
  color: string | null;
  termsUrl: string | null;
  privacyUrl: string | null;
}

export const readBrand = ({ brand }: Pick<Config, "brand">, dataDir: string): Brand => ({
  name: brand.name ?? defaultName,
  logo: brand.logo === null ? null : readLogo(resolve(dataDir, brand.logo)),
  color: brand.color,
  termsUrl: brand.termsUrl,
  privacyUrl: brand.privacyUrl,
});

/** The sender of emails: the configured address, with the brand's name for the sender if it has one. */
export function senderOf({ brand, mail }: Pick<Config, "brand" | "mail">): string {
  if (brand.sender === null) return mail.from;
  const address = /<([^>]+)>$/.exec(mail.from)?.[1] ?? mail.from;
  return `"${brand.sender}" <${address}>`;
}

const maxBytes = 256 * 1024;

const starts = (bytes: Buffer, ...values: number[]) => values.every((value, index) => bytes[index] === value);
/** Recognized by content, because a name says nothing about what browsers will make of the bytes. */
const types: readonly (readonly [type: string, is: (bytes: Buffer) => boolean])[] = [
  ["image/png", (bytes) => starts(bytes, 0x89, 0x50, 0x4e, 0x47)],
  ["image/jpeg", (bytes) => starts(bytes, 0xff, 0xd8, 0xff)],
  ["image/webp", (bytes) => bytes.subarray(0, 4).toString() === "RIFF" && bytes.subarray(8, 12).toString() === "WEBP"],
  ["image/svg+xml", (bytes) => /^\uFEFF?\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*<svg[\s>]/.test(bytes.toString("utf8"))],
];

function readLogo(path: string): Logo {
  const bytes = readBytes(path);
  if (bytes.length > maxBytes)
    throw new ConfigError(
      `brand.logo: ${path} has ${bytes.length} bytes. A logo has at most ${maxBytes}. The server was not started. Make the picture smaller.`,
    );
  const type = types.find(([, is]) => is(bytes))?.[0];
  if (type === undefined)
    throw new ConfigError(
      `brand.logo: ${path} is not a PNG, JPEG, WebP or SVG picture. The server was not started. Convert it to one of these.`,
    );
  return { type, bytes };
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConfigError(
      `brand.logo: ${path} cannot be read: ${(error as Error).message}. The server was not started. Correct the path, or remove the setting.`,
    );
  }
}
