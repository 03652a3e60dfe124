import type { Log } from "../../../lib/log.ts";
import type { PublicVideo } from "../publisher.ts";
import type { PeertubeApi } from "./api.ts";

/** A form with files, as its type and its bytes. */
async function formOf(files: Record<string, File>): Promise<{ headers: Record<string, string>; body: Buffer }> {
  const form = new FormData();
  for (const [name, file] of Object.entries(files)) form.append(name, file);
  const encoded = new Response(form);
  return {
    headers: { "content-type": encoded.headers.get("content-type")! },
    body: Buffer.from(await encoded.arrayBuffer()),
  };
}

interface Parts {
  api: PeertubeApi;
  log: Pick<Log, "warn">;
}

/** Gives a video its image and captions. What of it fails is left out: the video counts. */
export async function dress({ api, log }: Parts, videoId: string, video: PublicVideo): Promise<void> {
  for (const [what, add] of [
    ["image", addImage],
    ["captions", addCaptions],
  ] as const)
    await add(api, videoId, video).catch((error: unknown) =>
      log.warn({ err: error, slot: video.slotId, what }, "PeerTube did not take what belongs to a video"),
    );
}

async function addImage(api: PeertubeApi, videoId: string, video: PublicVideo): Promise<void> {
  const poster = await video.poster();
  if (!poster) return;
  const image = new File([new Uint8Array(poster)], "poster.jpg", { type: "image/jpeg" });
  const url = `/videos/${encodeURIComponent(videoId)}`;
  await api.send({ method: "PUT", url, ...(await formOf({ thumbnailfile: image, previewfile: image })), expects: [204] });
}

async function addCaptions(api: PeertubeApi, videoId: string, video: PublicVideo): Promise<void> {
  const text = await video.captions();
  if (text === undefined) return;
  const captionfile = new File([text], "captions.vtt", { type: "text/vtt" });
  const url = `/videos/${encodeURIComponent(videoId)}/captions/${languageOf(video)}`;
  await api.send({ method: "PUT", url, ...(await formOf({ captionfile })), expects: [204] });
}

/** PeerTube knows languages by their codes without a region. */
export const languageOf = ({ language }: Pick<PublicVideo, "language">) => language.split("-", 1)[0]!.toLowerCase();
