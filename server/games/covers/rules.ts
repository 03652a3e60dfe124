/** What a cover image can be, and where this server shows it. */

export const coverPath = (gameId: string, hash: string) => `/covers/${gameId}/${hash}`;

export const maxCoverBytes = 1024 * 1024;

/** The first bytes of each type, and for WebP those after the length of the file. */
const signatures: readonly (readonly [type: string, start: string, after?: string])[] = [
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
  ["image/webp", "RIFF", "WEBP"],
];

/** The media type by the first bytes (PNG, JPEG, GIF, WebP), whatever the other server says. Undefined for anything else, such as SVG. */
export function imageType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 16)).toString("latin1");
  return signatures.find(([, start, after = ""]) => head.startsWith(start) && head.startsWith(after, 8))?.[0];
}

const maxTries = 5;

/** How long to wait after a number of failed attempts (ms); undefined after the last. */
export const retryAfterMs = (attempts: number) => (attempts >= maxTries ? undefined : 60_000 * 4 ** (attempts - 1));
