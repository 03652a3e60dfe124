import type { Deps } from "../../app/deps.ts";
import { notFound } from "../../lib/problem.ts";
import { findPublished } from "../../playtests/slots/store.ts";
import { sendFile } from "../../uploads/downloads.ts";
import type { Page } from "../types.ts";

/** `/watch/<slotId>/video`: the file of a published video. Supports `Range`. */
export const publishedVideo =
  (deps: Deps): Page =>
  async (request, response, url) => {
    const slotId = url.pathname.split("/")[2] ?? "";
    const video = await deps.store.read((q) => findPublished(q, slotId));
    if (!video) throw notFound();
    const { blob_key: blobKey, filename, content_type: contentType } = video;
    await sendFile(deps, request, response, { blobKey, filename, contentType, disposition: "inline" });
  };
