import type { Cue } from "../../../src/contract/text/cues.ts";
import { positionInLink, positionText } from "../../../src/contract/text/position.ts";
import { html, type Markup } from "../html.ts";

export const transcriptScript = "transcript.js";

/** How many cues a page has before its script loads the others. */
export const cuesPerPage = 200;

interface Shown {
  cues: readonly Cue[];
  /** Path of all cues, as `cuesAsJson` writes them. */
  cuesPath: string;
  /** Where the video starts; the part of the transcript around it is shown. */
  startMs?: number | undefined;
  /** The first cue to show, if the reader chose it. */
  from?: number | undefined;
}

const cueItem = ({ startMs, endMs, text }: Cue) =>
  html`<li><a href="?t=${positionInLink(startMs)}#player" data-at="${startMs}" data-end="${endMs}"><time>${positionText(startMs)}</time> ${text}</a></li>`;

/** The index of the first cue to show. */
function firstOf({ cues, startMs = 0, from }: Shown): number {
  if (from !== undefined && from >= 0 && from < cues.length) return from;
  const current = cues.findLastIndex((cue) => cue.startMs <= startMs);
  return Math.max(0, current - (current % cuesPerPage));
}

const neighbor = (at: number, label: string) => html`<a href="?cue=${at}#transcript">${label}</a> `;

/** The transcript beside a video. Each cue is a link to its position. */
export function transcript(shown: Shown): Markup {
  const { cues, cuesPath } = shown;
  const first = firstOf(shown);
  const part = cues.slice(first, first + cuesPerPage);
  const isWhole = part.length === cues.length;
  const more = html`<p class="cues-more">${first > 0 && neighbor(Math.max(0, first - cuesPerPage), "Earlier")}${first + part.length < cues.length && neighbor(first + part.length, "Later")}<span class="soft">${first + 1}–${first + part.length} of ${cues.length}</span></p>`;
  return html`<section class="transcript" id="transcript" data-transcript${!isWhole && html` data-cues="${cuesPath}"`} aria-labelledby="transcript-title">
<div class="head"><h2 id="transcript-title">Transcript</h2><label class="check follow" hidden><input type="checkbox" checked autocomplete="off"> Follow the video</label></div>
<p class="cues-problem note bad" role="alert" hidden>The rest of the transcript could not be loaded. Reload the page to try again.</p>
<div class="cues"><ol start="${first + 1}">${part.map(cueItem)}</ol></div>${!isWhole && more}</section>`;
}

/** All cues for the script: a list of `[start in ms, end in ms, text]`. */
export const cuesAsJson = (cues: readonly Cue[]): string =>
  JSON.stringify(cues.map(({ startMs, endMs, text }) => [startMs, endMs, text]));
