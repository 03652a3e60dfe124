import { gzipSync } from "node:zlib";
import type { Brand } from "../../config/brand.ts";
import { notFound } from "../../lib/api-error.ts";
import { sha256 } from "../../lib/secrets.ts";
import { docsStyle } from "../docs/style.ts";
import { style } from "../html.ts";
import { shareStyle } from "../pages/share-views.ts";
import { startStyle } from "../pages/start-style.ts";
import { watchStyle } from "../pages/watch-list.ts";
import { playerCss } from "../player/style.ts";
import { portalStyle } from "../portal/style.ts";
import { scripts } from "../scripts.ts";
import { brandStyle, plainAssetAddress, type Site } from "../site.ts";
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

/** Makes something of the content of each file, once. */
function madeOnce<Content, Made>(make: (content: Content) => Made): (content: Content) => Made {
  const known = new Map<Content, Made>();
  return (content) => {
    const made = known.get(content) ?? make(content);
    known.set(content, made);
    return made;
  };
}

/** Compressed files. They hold no secrets, which compression could betray. */
const gzipped = madeOnce((text: string) => gzipSync(text));
const versionOf = madeOnce((content: Asset["text"]) => sha256(content).slice(0, 16));

const takesGzip = (accepted: string | undefined) => /(^|[\s,])gzip(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(accepted ?? "");

export interface Assets {
  page: Page;
  /** The address of a file with its version, so that browsers keep it, and load another after an upgrade. */
  addressOf: Site["assetAddress"];
}

/**
 * `/assets/<name>?v=<version>`: styles and scripts as files, so that the Content-Security-Policy needs no exception for inline ones, and the operator's
 * logo, which may do nothing but be shown: an SVG that is opened as a page could hold scripts.
 */
export function assets({ logo, color }: Pick<Brand, "logo" | "color">): Assets {
  const served: Readonly<Record<string, Asset>> = {
    ...files,
    ...(color !== null && { "brand.css": { type: "text/css", text: brandStyle(color) } }),
    ...(logo !== null && { logo: { type: logo.type, text: logo.bytes } }),
  };
  const assetOf = (name: string): Asset | undefined => {
    if (Object.hasOwn(scripts, name)) return { type: "text/javascript", text: scripts[name]! };
    return Object.hasOwn(served, name) ? served[name] : undefined;
  };
  const addressOf = (name: string) => {
    const file = assetOf(name);
    return plainAssetAddress(file ? `${name}?v=${versionOf(file.text)}` : name);
  };
  const page: Page = async ({ headers }, response, url) => {
    const name = url.pathname.slice("/assets/".length);
    const file = assetOf(name);
    if (!file) throw notFound();
    const version = versionOf(file.text);
    // During an upgrade, the process of another version may be asked for this one's file: what it sends must not be kept.
    const isKept = url.searchParams.get("v") === version;
    response.setHeader("Cache-Control", isKept ? "max-age=31536000, immutable" : "no-cache");
    response.setHeader("ETag", `W/"${version}"`);
    if (headers["if-none-match"]?.includes(version)) return void response.writeHead(304).end();
    const isText = typeof file.text === "string";
    const body = typeof file.text === "string" && takesGzip(headers["accept-encoding"]) ? gzipped(file.text) : file.text;
    response.writeHead(200, {
      "Content-Type": isText ? `${file.type}; charset=utf-8` : file.type,
      "Content-Length": Buffer.byteLength(body),
      ...(isText && { Vary: "Accept-Encoding" }),
      ...(body !== file.text && { "Content-Encoding": "gzip" }),
      ...(name === "logo" && { "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox" }),
    });
    response.end(body);
  };
  return { page, addressOf };
}
