import type { Data } from "../../../../src/contract/index.ts";
import { pages, studio } from "../../../../src/contract/pages/addresses.ts";
import { firstCharacters } from "../../../../src/contract/text/one-line.ts";
import { positionInLink, positionText } from "../../../../src/contract/text/position.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { type KeyRow, player, playerScript, playerStyle } from "../../player/markup.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { studioLayout } from "../layout.ts";
import { commands, plural, trail } from "../parts.ts";
import { testerName } from "../review/decide.ts";
import { slotFiles } from "../review/files.ts";
import { cutReel, reelSection } from "../sharing/reels.ts";
import { action, type StudioContext, type StudioPage } from "../types.ts";

type Highlight = Data<"listGameHighlights">["highlights"][number];
type Slot = Data<"getSlot">["slot"];

interface Shown {
  title: string;
  /** The breadcrumb. */
  above: Markup;
  /** Where the form of a reel posts to, and what its command is of; null for a game, of whose playtests each has its own. */
  reel: string | null;
  /** Best first; undefined where the server finds none. */
  highlights: readonly Highlight[] | undefined;
}

const keys: readonly KeyRow[] = [
  [["N", "P"], "Next or previous highlight"],
  [["V"], "The whole video, at this second"],
];

/** `/studio/playtests/ID/highlights`. */
async function ofPlaytest(context: StudioContext): Promise<PageContent> {
  const { call, id } = context;
  const { playtest } = (await call("getPlaytest", { params: { id } })).data;
  const found = await ifOffered(call("listPlaytestHighlights", { params: { id } }));
  const above = trail({ id: playtest.gameId, name: playtest.gameName }, id);
  return highlightsPage(context, { title: playtest.gameName, above, reel: reel.at(id), highlights: found?.data.highlights });
}

/** `/studio/games/ID/highlights`. */
async function ofGame(context: StudioContext): Promise<PageContent> {
  const { call, id } = context;
  const { game } = (await call("getGame", { params: { id } })).data;
  const found = await ifOffered(call("listGameHighlights", { params: { id } }));
  return highlightsPage(context, { title: game.name, above: trail(game), reel: null, highlights: found?.data.highlights });
}

const reel = action({ at: studio.highlights.below("reel") }, async (context) => {
  const { call, id } = context;
  const { playtest } = (await call("getPlaytest", { params: { id } })).data;
  const { highlights: found } = (await call("listPlaytestHighlights", { params: { id } })).data;
  const places = found.map((one) => ({ ...one, title: firstCharacters(reasonsText(one), 200) }));
  return cutReel(context, { gameId: playtest.gameId, name: `${playtest.gameName}: highlights`, places });
});

export const highlights: StudioPage = { at: studio.highlights, view: ofPlaytest, actions: [reel] };
export const gameHighlights: StudioPage = { at: studio.gameHighlights, view: ofGame };

/** The best parts of videos, which its script plays one after the other. Without it, each leads to its place in the video. */
async function highlightsPage(
  context: StudioContext,
  { title, above, reel: address, highlights: found }: Shown,
): Promise<PageContent> {
  const { call, id } = context;
  const ids = [...new Set(found?.map(({ slotId }) => slotId))];
  const slots = await Promise.all(ids.map(async (slotId) => (await call("getSlot", { params: { id: slotId } })).data.slot));
  const of = new Map(slots.map((slot) => [slot.id, slot]));
  const [first] = found ?? [];
  const body = html`${above}
${first ? stage(found!, of) : html`<p class="calm">${found ? nothing : "This server finds no highlights."}</p>`}
${first && address !== null && (await reelSection(context, address, `playtest review reel ${id}`))}
${commands(context, "From the command line", [["List them", `playtest review highlights ${id}`]])}`;
  const scripts = first ? [playerScript, "highlights.js"] : [];
  return studioLayout(context, "games", {
    title: `Highlights: ${title}`,
    body,
    assets: { style: [playerStyle, "review.css"], scripts },
  });
}

const nothing = html`Nothing stands out yet. Notes and transcripts help. <a href="${pages.topic("reviewing")}">How highlights are counted</a>`;

const stage = (found: readonly Highlight[], of: ReadonlyMap<string, Slot>): Markup =>
  html`<p class="soft">${plural(found.length, "highlight")}, ${positionText(lengthOf(found))} together, the best first. <a href="${pages.topic("reviewing")}">How they are counted</a></p>
<div class="review highlights"><div class="review-stage"><div class="review-video">${playerOf(found[0]!, of)}
<p class="highlight-bar" hidden><button type="button" class="quiet" data-go="-1">Previous <kbd>P</kbd></button> <button type="button" class="quiet" data-go="1">Next <kbd>N</kbd></button> <span role="status"></span></p></div></div>
<ol class="highlight-list">${found.map((one, index) => row(one, index, of.get(one.slotId)!))}</ol></div>`;

const reasonsText = ({ reasons }: Pick<Highlight, "reasons">) => reasons.map(({ text }) => text).join(" · ");

const lengthOf = (found: readonly Highlight[]) => found.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);

const lengthMs = ({ submission }: Slot) => {
  const seconds = submission?.videoDurationSeconds;
  return typeof seconds === "number" ? seconds * 1000 : undefined;
};

const hasCaptions = ({ transcription }: Slot) => transcription?.status === "approved";

function playerOf({ slotId, fromMs }: Highlight, of: ReadonlyMap<string, Slot>): Markup {
  const slot = of.get(slotId)!;
  const length = lengthMs(slot);
  return player({
    src: slotFiles.video(slotId),
    label: "The video of the highlight",
    startMs: fromMs,
    ...(length !== undefined && { lengthMs: length }),
    ...(hasCaptions(slot) && { captions: slotFiles.captions(slotId) }),
    pageKeys: keys,
  });
}

/** What the script needs to play it, and for people who it shows, where and why. */
function row({ slotId, fromMs, toMs, reasons }: Highlight, index: number, slot: Slot): Markup {
  const length = lengthMs(slot);
  const name = testerName(slot);
  return html`<li data-video="${slotFiles.video(slotId)}" data-from="${fromMs}" data-to="${toMs}"${length !== undefined && html` data-length="${length}"`}${hasCaptions(slot) && html` data-captions="${slotFiles.captions(slotId)}"`}>
<a href="${studio.slot(slotId)}#t=${positionInLink(fromMs)}"><span class="hidden">Highlight ${index + 1}: </span>${name}, ${positionText(fromMs)}-${positionText(toMs)}</a>
<p class="soft">${reasonsText({ reasons })}</p></li>`;
}
