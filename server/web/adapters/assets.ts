import { gzipSync } from "node:zlib";
import type { Brand } from "../../config/brand.ts";
import { notFound } from "../../lib/api-error.ts";
import { docsStyle } from "../docs/style.ts";
import { style } from "../html.ts";
import { shareStyle } from "../pages/share-views.ts";
import { startStyle } from "../pages/start-style.ts";
import { watchStyle } from "../pages/watch-list.ts";
import { playerCss } from "../player/style.ts";
import { portalStyle } from "../portal/style.ts";
import { scripts } from "../scripts.ts";
import { brandStyle } from "../site.ts";
import { reviewCss } from "../studio/review/style.ts";
import { studioStyle } from "../studio/style.ts";
import type { Page } from "../types.ts";
import { hero } from "./hero.ts";
import { icon } from "./icon.ts";

interface Asset {
  type: string;
  text: string | Buffer;
}

const files: Readonly<Record<string, Asset>> = {
  "style.css": { type: "text/css", text: style },
  "portal.css": { type: "text/css", text: portalStyle },
  "studio.css": { type: "text/css", text: studioStyle },
  "docs.css": { type: "text/css", text: docsStyle },
  "watch.css": { type: "text/css", text: watchStyle },
  "share.css": { type: "text/css", text: shareStyle },
  "review.css": { type: "text/css", text: reviewCss },
  "player.css": { type: "text/css", text: playerCss },
  "start.css": { type: "text/css", text: startStyle },
  "hero.svg": { type: "image/svg+xml", text: hero },
  "icon.svg": { type: "image/svg+xml", text: icon },
};

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
  const served: Readonly<Record<string, Asset>> = {
    ...files,
    ...(color !== null && { "brand.css": { type: "text/css", text: brandStyle(color) } }),
    ...(logo !== null && { logo: { type: logo.type, text: logo.bytes } }),
  };
  const assetOf = (name: string): Asset | undefined => {
    if (Object.hasOwn(scripts, name)) return { type: "text/javascript", text: scripts[name]! };
    return Object.hasOwn(served, name) ? served[name] : undefined;
  };
  return async ({ headers }, response, url) => {
    const name = url.pathname.slice("/assets/".length);
    const file = assetOf(name);
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
