import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Brand } from "../../config/brand.ts";
import { notFound } from "../../lib/api-error.ts";
import { inspectorSource } from "../../uploads/videos/inspector.ts";
import { icon } from "../assets/icon.ts";
import { passkeyScript } from "../assets/passkey.ts";
import { playerScript, positionScript, transcriptScript } from "../assets/player.ts";
import { compareScript, reviewScript } from "../assets/review.ts";
import { studioScript } from "../assets/studio.ts";
import { timesScript } from "../assets/times.ts";
import { uploadScript } from "../assets/upload.ts";
import { docsStyle } from "../docs/style.ts";
import { style } from "../html.ts";
import { shareStyle } from "../pages/share-views.ts";
import { playerCss } from "../player/style.ts";
import { portalStyle } from "../portal/style.ts";
import { brandStyle } from "../site.ts";
import { reviewCss } from "../studio/review/style.ts";
import { studioStyle } from "../studio/style.ts";
import type { Page } from "../types.ts";

const files: Record<string, { type: string; text: string }> = {
  "style.css": { type: "text/css", text: style },
  "portal.css": { type: "text/css", text: portalStyle },
  "studio.css": { type: "text/css", text: studioStyle },
  "docs.css": { type: "text/css", text: docsStyle },
  "icon.svg": { type: "image/svg+xml", text: icon },
  "times.js": { type: "text/javascript", text: timesScript },
  "studio.js": { type: "text/javascript", text: studioScript },
  "share.css": { type: "text/css", text: shareStyle },
  "passkey.js": { type: "text/javascript", text: passkeyScript },
  "position.js": { type: "text/javascript", text: positionScript },
  "player.js": { type: "text/javascript", text: playerScript },
  "transcript.js": { type: "text/javascript", text: transcriptScript },
  "review.js": { type: "text/javascript", text: reviewScript },
  "compare.js": { type: "text/javascript", text: compareScript },
  "review.css": { type: "text/css", text: reviewCss },
  "player.css": { type: "text/css", text: playerCss },
  "upload.js": { type: "text/javascript", text: uploadScript },
  "inspect-video.js": { type: "text/javascript", text: inspectorSource },
  /** The library that reads videos. It is large, and only for the page that uploads one. */
  "mediabunny.js": {
    type: "text/javascript",
    get text() {
      mediabunny ??= readFileSync(join(createRequire(import.meta.url).resolve("mediabunny"), "../mediabunny.min.mjs"), "utf8");
      return mediabunny;
    },
  },
};
let mediabunny: string | undefined;

/** Compressed files, by their text. They hold no secrets, which compression could betray. */
const compressed = new Map<string, Buffer>();

function gzipped(text: string): Buffer {
  const known = compressed.get(text);
  if (known) return known;
  const bytes = gzipSync(text);
  compressed.set(text, bytes);
  return bytes;
}

const takesGzip = (accepted: string | undefined) => /(^|[\s,])gzip(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(accepted ?? "");

/**
 * `/assets/<name>`: styles and scripts as files, so that the Content-Security-Policy needs no exception for inline ones, and the operator's
 * logo, which may do nothing but be shown: an SVG that is opened as a page could hold scripts.
 */
export function assets({ logo, color }: Brand): Page {
  const served: Record<string, { type: string; text: string | Buffer }> = {
    ...files,
    ...(color !== null && { "brand.css": { type: "text/css", text: brandStyle(color) } }),
    ...(logo !== null && { logo: { type: logo.type, text: logo.bytes } }),
  };
  return async ({ headers }, response, url) => {
    const name = url.pathname.slice("/assets/".length);
    const file = Object.hasOwn(served, name) ? served[name] : undefined;
    if (!file) throw notFound();
    const isText = typeof file.text === "string";
    const body = typeof file.text === "string" && takesGzip(headers["accept-encoding"]) ? gzipped(file.text) : file.text;
    response.writeHead(200, {
      "Content-Type": isText ? `${file.type}; charset=utf-8` : file.type,
      "Cache-Control": "max-age=3600",
      "Content-Length": Buffer.byteLength(body),
      ...(isText && { Vary: "Accept-Encoding" }),
      ...(body !== file.text && { "Content-Encoding": "gzip" }),
      ...(name === "logo" && { "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox" }),
    });
    response.end(body);
  };
}
