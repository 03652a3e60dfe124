import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import { notFound } from "../../lib/api-error.ts";
import type { Download } from "../../lib/signed-links.ts";
import { posterOf } from "../../playtests/moments/stills-store.ts";
import { stillFile } from "../../playtests/moments/views.ts";
import { findPublished } from "../../playtests/slots/store.ts";
import { sendFile } from "../../uploads/downloads.ts";
import type { Page } from "../types.ts";

async function fileOf(q: Query, slotId: string, part: string | undefined): Promise<Download | undefined> {
  const video = await findPublished(q, slotId);
  if (!video) return undefined;
  if (part === "poster") {
    const poster = await posterOf(q, slotId);
    return poster && stillFile(poster, "inline");
  }
  const { blob_key: blobKey, filename, content_type: contentType } = video;
  return { blobKey, filename, contentType, disposition: "inline" };
}

/** `/watch/<slotId>/video` and `/watch/<slotId>/poster`: the file of a published video, which supports `Range`, and an image of it. */
export const publishedVideo =
  (deps: Deps): Page =>
  async (request, response, url) => {
    const [, , slotId = "", part] = url.pathname.split("/");
    const file = await deps.store.read((q) => fileOf(q, slotId, part));
    if (!file) throw notFound();
    await sendFile(deps, request, response, file);
  };
