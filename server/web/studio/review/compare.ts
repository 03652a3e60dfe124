import type { Data } from "../../../../src/contract/index.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { player, playerScript, playerStyle } from "../../player/markup.ts";
import { studioLayout } from "../layout.ts";
import { slotBadge, trail } from "../parts.ts";
import type { StudioContext, StudioPage } from "../types.ts";
import { testerName } from "./decide.ts";
import { slotFiles } from "./files.ts";
import { markOf } from "./moments.ts";

type Listed = Data<"listSlots">["slots"][number];
type Slot = Data<"getSlot">["slot"];

/** The most videos beside each other. */
const most = 4;
const mostListed = 100;
const momentsPerVideo = 100;

/** `?slots=a,b`, or what the form of the page sends: `?slot=a&slot=b`. */
const chosenIn = (query: URLSearchParams): string[] => [
  ...new Set([...(query.get("slots") ?? "").split(","), ...query.getAll("slot")].filter((id) => id !== "")),
];

/** `/studio/playtests/ID/compare`: up to four videos of a playtest side by side. */
async function comparePage(context: StudioContext): Promise<PageContent> {
  const { call, id, query } = context;
  const { playtest } = (await call("getPlaytest", { params: { id } })).data;
  const { data, meta } = await call("listSlots", { params: { id }, query: { limit: mostListed } });
  const withVideo = data.slots.filter(({ submission }) => submission !== null);
  const wanted = chosenIn(query);
  const chosen = await chosenOf(context, wanted.slice(0, most));
  const videos = await Promise.all(chosen.map((slot) => videoOf(context, slot)));
  const body = html`${trail({ id: playtest.gameId, name: playtest.gameName }, id)}
${wanted.length > most && html`<p class="note bad">You chose ${wanted.length} videos. The first ${most} are shown.</p>`}
${chosen.length > 0 && html`<div class="together" hidden><button type="button">Play all</button><label><span>Position</span><input type="range" min="0" max="0" step="0.1" value="0"></label><span class="at"></span></div><div class="compare" data-together>${videos}</div>`}
${choice(context, withVideo, chosen)}${typeof meta.cursor === "string" && html`<p class="soft">The newest ${mostListed} slots of this playtest are listed.</p>`}`;
  const scripts = chosen.length > 0 ? [playerScript, "compare.js"] : [];
  const page = { title: `Compare videos of ${playtest.gameName}`, body };
  return studioLayout(context, "games", { ...page, assets: { style: [playerStyle, "review.css"], scripts } });
}

export const compare: StudioPage = { at: studio.compare, view: comparePage };

/** The chosen slots of this playtest, also those that are not listed. */
async function chosenOf({ call, id }: StudioContext, wanted: readonly string[]): Promise<Slot[]> {
  const found = await Promise.all(wanted.map(async (slotId) => (await call("getSlot", { params: { id: slotId } })).data.slot));
  return found.filter(({ requestId, submission }) => requestId === id && submission !== null);
}

async function videoOf({ call }: StudioContext, slot: Slot): Promise<Markup> {
  const { moments } = (await call("listSlotMoments", { params: { id: slot.id }, query: { limit: momentsPerVideo } })).data;
  const seconds = slot.submission?.videoDurationSeconds;
  return html`<section aria-label="${testerName(slot)}" data-scope><h2><a href="${studio.slot(slot.id)}">${testerName(slot)}</a> ${slotBadge(slot.status)}</h2>${player(
    {
      src: slotFiles.video(slot.id),
      label: `Video of ${testerName(slot)}`,
      id: `player-${slot.id}`,
      ...(slot.transcription?.status === "approved" && { captions: slotFiles.captions(slot.id) }),
      ...(slot.posterUrl && { poster: slotFiles.poster(slot.id) }),
      ...(typeof seconds === "number" && { lengthMs: seconds * 1000 }),
      marks: moments.map(markOf),
    },
  )}</section>`;
}

function choice({ id }: StudioContext, slots: readonly Listed[], chosen: readonly Slot[]): Markup {
  if (slots.length === 0) return html`<p class="calm">No video was submitted for this playtest yet.</p>`;
  const rows = slots.map(
    (slot) =>
      html`<label class="check"><input type="checkbox" name="slot" value="${slot.id}"${chosen.some(({ id: chosenId }) => chosenId === slot.id) && html` checked`}> ${testerName(slot)} ${slotBadge(slot.status)}</label>`,
  );
  return html`<section><h2>Choose up to ${most} videos</h2><form method="get" action="${studio.compare(id)}">${rows}<button class="quiet">Show side by side</button></form></section>`;
}
