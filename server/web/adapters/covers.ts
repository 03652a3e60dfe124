import type { Deps } from "../../app/deps.ts";
import * as covers from "../../games/covers/store.ts";
import { filePolicy } from "../../http/file-policy.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import { notFound } from "../../lib/api-error.ts";
import type { Page } from "../types.ts";

/**
 * `/covers/<gameId>/<hash>`: a game's cover image. The hash of its content is what only those know who were shown the game, and another
 * image gets another address, so browsers may keep it for ever.
 */
export const coverImages =
  (deps: Deps): Page =>
  async (request, response, url) => {
    if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed(["GET"], "page");
    const [, , gameId = "", hash = "", ...more] = url.pathname.split("/");
    const cover = more.length === 0 ? await deps.store.read((q) => covers.find(q, gameId, hash)) : undefined;
    if (!cover) throw notFound();
    response.writeHead(200, {
      "Content-Type": cover.content_type,
      "Content-Length": cover.bytes.byteLength,
      "Cache-Control": "private, max-age=31536000, immutable",
      "Content-Security-Policy": filePolicy(cover.content_type),
      "Content-Disposition": "inline",
    });
    response.end(request.method === "HEAD" ? undefined : cover.bytes);
  };
