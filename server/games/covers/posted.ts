import type { Deps } from "../../app/deps.ts";
import type { Caller } from "../../http/call.ts";
import { ApiError, badRequest, notFound } from "../../lib/api-error.ts";
import { sha256 } from "../../lib/secrets.ts";
import * as games from "../store.ts";
import { coverPath, imageType, maxCoverBytes } from "./rules.ts";
import * as covers from "./store.ts";

const noPicture = "Nothing was stored. Choose a PNG, JPEG, WebP or GIF of at most 1 MiB.";

async function read(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of bytes) {
    size += part.length;
    if (size > maxCoverBytes) throw new ApiError("PAYLOAD_TOO_LARGE", `The picture has more than 1 MiB. ${noPicture}`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Stores a posted picture as the cover of a game of this owner. Its address is one of this server. Throws 404, 413 or 400. */
export async function storePostedCover(
  deps: Deps,
  { userId }: Caller,
  gameId: string,
  file: { bytes: AsyncIterable<Buffer>; filename: string; skip(): Promise<void> },
): Promise<void> {
  try {
    if (file.filename === "") throw badRequest(`No picture was chosen. ${noPicture}`);
    const bytes = await read(file.bytes);
    const type = imageType(bytes);
    if (type === undefined) throw badRequest(`${file.filename} is not a picture. ${noPicture}`);
    const hash = sha256(bytes).slice(0, 32);
    const url = deps.config.baseUrl + coverPath(gameId, hash);
    await deps.store.write(async (tx) => {
      if (!(await games.findForOwner(tx, gameId, userId))) throw notFound();
      await games.update(tx, gameId, { cover_image_url: url, updated_at: tx.now });
      await covers.replace(tx, { game_id: gameId, url, content_type: type, hash, bytes, fetched_at: tx.now });
    });
  } catch (error) {
    // The rest of a refused file is read as well: only then does the browser show the reason.
    await file.skip();
    throw error;
  }
}
