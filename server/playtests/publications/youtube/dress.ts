import * as z from "zod";
import { firstCharacters } from "../../../../src/contract/text/one-line.ts";
import type { Log } from "../../../lib/log.ts";
import type { PublicVideo } from "../publisher.ts";
import { shownGame } from "../words.ts";
import { addressesOf, type YoutubeApi, type YoutubeSettings } from "./api.ts";

interface Parts {
  api: YoutubeApi;
  settings: YoutubeSettings;
  log: Pick<Log, "warn">;
}

const playlistsReply = z.object({
  items: z.array(z.object({ id: z.string(), snippet: z.object({ description: z.string().optional() }) })),
  nextPageToken: z.string().optional(),
});
const madeReply = z.object({ id: z.string() });
const itemsReply = z.object({ items: z.array(z.unknown()) });

/** Gives a video its thumbnail, captions and place in the playlist of its game. What of it fails is left out: the video counts. */
export async function dress(parts: Parts, videoId: string, video: PublicVideo): Promise<void> {
  for (const [what, add] of [
    ["thumbnail", addThumbnail],
    ["captions", addCaptions],
    ["playlist", addToPlaylist],
  ] as const)
    await add(parts, videoId, video).catch((error: unknown) =>
      parts.log.warn({ err: error, slot: video.slotId, what }, "YouTube did not take what belongs to a video"),
    );
}

async function addThumbnail({ api, settings }: Parts, videoId: string, video: PublicVideo): Promise<void> {
  const image = await video.poster();
  if (!image) return;
  const url = `${addressesOf(settings).upload}/thumbnails/set?uploadType=media&videoId=${encodeURIComponent(videoId)}`;
  await api.send({ method: "POST", url, headers: { "content-type": "image/jpeg" }, body: image, expects: [200] });
}

async function addCaptions({ api, settings }: Parts, videoId: string, video: PublicVideo): Promise<void> {
  const text = await video.captions();
  if (text === undefined) return;
  const boundary = `playtest-${video.slotId}`;
  const snippet = { videoId, language: video.language, name: "", isDraft: false };
  const body = [
    `--${boundary}\r\ncontent-type: application/json; charset=UTF-8\r\n\r\n${JSON.stringify({ snippet })}\r\n`,
    `--${boundary}\r\ncontent-type: text/vtt\r\n\r\n${text}\r\n--${boundary}--\r\n`,
  ].join("");
  const url = `${addressesOf(settings).upload}/captions?uploadType=multipart&part=snippet`;
  // 409: an earlier attempt added them.
  await api.send({
    method: "POST",
    url,
    headers: { "content-type": `multipart/related; boundary=${boundary}` },
    body,
    expects: [200, 409],
  });
}

/** A playlist for each game, found again by the id of the game in its description. */
async function addToPlaylist({ api, settings }: Parts, videoId: string, { gameId, gameName }: PublicVideo): Promise<void> {
  const { api: base } = addressesOf(settings);
  const marker = `playtest-game:${gameId}`;
  let known: string | undefined;
  for (let token: string | undefined = ""; token !== undefined && known === undefined; ) {
    const query = new URLSearchParams({ part: "snippet", mine: "true", maxResults: "50", ...(token && { pageToken: token }) });
    const reply: z.output<typeof playlistsReply> = await api.ask(playlistsReply, {
      method: "GET",
      url: `${base}/playlists?${query}`,
    });
    known = reply.items.find(({ snippet }) => snippet.description?.includes(marker))?.id;
    token = reply.nextPageToken;
  }
  const headers = { "content-type": "application/json" };
  const make = () =>
    api.ask(madeReply, {
      method: "POST",
      url: `${base}/playlists?part=snippet,status`,
      headers,
      body: JSON.stringify({
        snippet: { title: firstCharacters(shownGame(gameName), 150), description: marker },
        status: { privacyStatus: settings.privacy },
      }),
    });
  const playlistId = known ?? (await make()).id;
  const query = new URLSearchParams({ part: "id", playlistId, videoId });
  const there = await api.ask(itemsReply, { method: "GET", url: `${base}/playlistItems?${query}` });
  if (there.items.length > 0) return;
  const resourceId = { kind: "youtube#video", videoId };
  const body = JSON.stringify({ snippet: { playlistId, resourceId } });
  await api.send({ method: "POST", url: `${base}/playlistItems?part=snippet`, headers, body, expects: [200] });
}
