import type { Deps } from "../../app/deps.ts";
import type { ReadTx, Tx } from "../../app/tx.ts";
import { type Job, RetryLater } from "../../jobs/job.ts";
import { sha256 } from "../../lib/secrets.ts";
import { AddressRefused } from "../../outbound/index.ts";
import type { OutboundReply } from "../../outbound/types.ts";
import * as games from "../store.ts";
import { imageType, maxCoverBytes, retryAfterMs } from "./rules.ts";
import * as covers from "./store.ts";

const deadlineMs = 15_000;
const maxRedirects = 3;

/** How long a cover is shown before its address is asked again. */
const freshMs = 7 * 24 * 3_600_000;

/**
 * Queues the fetching of a game's cover image, now and then once a week, because the picture at an address may change. Each address has a
 * job of its own: a change while one is fetched is not lost.
 */
export const scheduleCover = (tx: Tx, gameId: string, url: string) =>
  tx.schedule({
    kind: "fetch-cover",
    key: `${gameId}:${sha256(url)}`,
    payload: { gameId, url },
    runAt: tx.now,
  });

/** The address cannot give a cover: trying again would not help. */
class NoCover extends Error {}

/** Fetches the cover image of a game. What is no small image is left out, and pages show a placeholder, or the image fetched before. */
export async function fetchCover(job: Job, deps: Deps): Promise<void> {
  const gameId = String(job.payload.gameId);
  const { url, source } = await deps.store.read(async (q) => ({
    url: (await games.find(q, gameId))?.cover_image_url ?? undefined,
    source: await covers.sourceOf(q, gameId),
  }));
  if (url === undefined || (job.payload.url !== undefined && job.payload.url !== url)) return;
  const image = await tryFetching(deps, job, { gameId, url });
  if (!image && url !== source) return;
  await deps.store.write(async (tx) => {
    const game = await games.find(tx, gameId);
    if (game?.cover_image_url !== url) return job.done(tx);
    await job.reschedule(tx, tx.now + freshMs);
    if (image) await covers.replace(tx, coverOf(tx, { gameId, url }, image));
  });
}

const coverOf = (tx: ReadTx, { gameId, url }: { gameId: string; url: string }, { type, bytes }: Image): covers.CoverRow => ({
  game_id: gameId,
  url,
  content_type: type,
  hash: sha256(bytes).slice(0, 32),
  bytes,
  fetched_at: tx.now,
});

interface Image {
  type: string;
  bytes: Buffer;
}

async function tryFetching(deps: Deps, job: Job, { gameId, url }: { gameId: string; url: string }): Promise<Image | undefined> {
  try {
    return imageOf(await get(deps, url));
  } catch (error) {
    const waitMs = error instanceof NoCover || error instanceof AddressRefused ? undefined : retryAfterMs(job.attempts);
    if (waitMs !== undefined) throw new RetryLater(deps.clock.now() + waitMs, `the cover image: ${(error as Error).message}`);
    deps.log.warn({ game: gameId, reason: (error as Error).message }, "could not fetch a cover image");
    return undefined;
  }
}

/** Follows redirects. Each address is checked like the first. */
async function get(deps: Deps, from: string): Promise<OutboundReply> {
  const headers = { Accept: "image/webp,image/png,image/jpeg,image/gif", "User-Agent": `playtest/${deps.config.version}` };
  let url = from;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const reply = await deps.outbound.request({ url, method: "GET", headers, deadlineMs, maxBytes: maxCoverBytes });
    const { location } = reply.headers;
    if (reply.status < 300 || reply.status >= 400 || location === undefined) return reply;
    if (!URL.canParse(location, url)) throw new NoCover("the redirect leads to no URL");
    url = new URL(location, url).href;
  }
  throw new NoCover(`more than ${maxRedirects} redirects`);
}

function imageOf({ status, body, complete }: OutboundReply): Image {
  if (status >= 500 || status === 429) throw new Error(`the reply has status ${status}`);
  if (status !== 200) throw new NoCover(`the reply has status ${status}`);
  if (!complete && body.length < maxCoverBytes) throw new Error("the reply was incomplete");
  if (!complete) throw new NoCover(`it has more than ${maxCoverBytes} bytes`);
  const type = imageType(body);
  if (type === undefined) throw new NoCover("it is not a PNG, JPEG, WebP or GIF image");
  return { type, bytes: body };
}
