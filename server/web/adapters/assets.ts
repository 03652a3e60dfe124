import { notFound } from "../../lib/problem.ts";
import { icon } from "../assets/icon.ts";
import { timesScript } from "../assets/times.ts";
import { uploadScript } from "../assets/upload.ts";
import { docsStyle } from "../docs/style.ts";
import { style } from "../html.ts";
import { portalStyle } from "../portal/style.ts";
import type { Page } from "../types.ts";

const files: Record<string, { type: string; text: string }> = {
  "style.css": { type: "text/css", text: style },
  "portal.css": { type: "text/css", text: portalStyle },
  "docs.css": { type: "text/css", text: docsStyle },
  "icon.svg": { type: "image/svg+xml", text: icon },
  "times.js": { type: "text/javascript", text: timesScript },
  "upload.js": { type: "text/javascript", text: uploadScript },
};

/** `/assets/<name>`: styles and scripts as files, so that the Content-Security-Policy needs no exception for inline ones. */
export const assets: Page = async (_request, response, url) => {
  const name = url.pathname.slice("/assets/".length);
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  if (!file) throw notFound();
  response.writeHead(200, {
    "Content-Type": `${file.type}; charset=utf-8`,
    "Cache-Control": "max-age=3600",
    "Content-Length": Buffer.byteLength(file.text),
  });
  response.end(file.text);
};
