import { plural } from "../../../src/contract/text/plural.ts";
import { positionText } from "../../../src/contract/text/position.ts";
import { html, type Markup } from "../html.ts";
import { icons } from "./icons.ts";
import { type Strip, strip } from "./strip.ts";

/** A marked position or part of a video, for its timeline. */
export interface Mark {
  startMs: number;
  /** Null for a single point. */
  endMs: number | null;
  /** A name of the style, such as the kind of a moment. */
  kind: string;
  label: string;
}

export interface PlayerVideo {
  /** The id of the player, for pages with several. */
  id?: string;
  /** Path of the file. Its server supports `Range`. */
  src: string;
  /** What the video shows, for those who do not see it. */
  label: string;
  /** Path of the captions as WebVTT. */
  captions?: string;
  /** Path of the image to show before the video is played. */
  poster?: string;
  /** Where it starts when the page is opened. */
  startMs?: number;
  /** Length, if it is known before the file is read. */
  lengthMs?: number;
  marks?: readonly Mark[];
  /** What was measured of the video. */
  strip?: Strip | undefined;
  /** The page can note a moment, by its script on the event `playtest:mark`. */
  takesMarks?: boolean;
  /** The page can also cut a part out of the video. */
  cutsClips?: boolean;
  /** Further keys of the page, for the list of keys. */
  pageKeys?: readonly KeyRow[];
}

export type KeyRow = readonly [keys: readonly string[], what: string];

/** What a page with a player loads. */
export const playerStyle = "player.css";
export const playerScript = "player.js";

/** A path with a position, for a page whose script seeks by `data-at` and whose server reads `t`. */
export const atSeconds = (ms: number) => `${Number((ms / 1000).toFixed(3))}`;

const playerKeys: readonly KeyRow[] = [
  [["Space", "K"], "Play or pause"],
  [["J", "L"], "10 seconds back or forward"],
  [["←", "→"], "5 seconds back or forward"],
  [[",", "."], "One frame back or forward"],
  [["<", ">"], "Slower or faster"],
  [["Home"], "To the start"],
  [["C"], "Captions on or off"],
];

/** The keys of a page that can note moments and cut clips. */
const markKeys: readonly KeyRow[] = [
  [["M"], "Note a moment"],
  [["I", "O"], "Choose a part: it starts or ends here"],
  [["X"], "Choose no part"],
];

const keyRow = ([keys, what]: KeyRow) => html`<div><dt>${keys.map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${what}</dd></div>`;

const speeds = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 3];

const act = (name: string, label: Markup | string, look = "", key?: string) =>
  html`<button type="button" class="quiet ${look}" data-act="${name}"${key !== undefined && html` title="Key ${key}"`}>${label}</button>`;

/** A button with a sign and, for those who do not see it, what it does. */
const signed = (name: string, sign: Markup, what: string, look = "") =>
  act(name, html`${sign}<span class="hidden">${what}</span>`, `sign ${look}`);

/** A shape on the timeline, whose unit is a millisecond. */
const shape = ({ startMs, endMs, kind, label }: Mark) => {
  const title = html`<title>${positionText(startMs)} ${label}</title>`;
  return endMs === null
    ? html`<line class="mark mark-${kind}" data-at="${startMs}" x1="${startMs}" x2="${startMs}" y1="12" y2="88">${title}</line>`
    : html`<line class="mark span mark-${kind}" data-at="${startMs}" x1="${startMs}" x2="${endMs}" y1="50" y2="50">${title}</line>`;
};

/** The marks of a video beside each other. The page has them as a list too. */
export const timeline = (marks: readonly Mark[], lengthMs: number | undefined): Markup =>
  html`<svg class="timeline" role="img" aria-label="Timeline of the video: ${plural(marks.length, "moment")}" preserveAspectRatio="none"${lengthMs === undefined ? html` hidden` : html` viewBox="0 0 ${Math.max(1, lengthMs)} 100"`}><g class="marks">${marks.map(shape)}</g><rect class="chosen" x="0" width="0" y="0" height="100"/><line class="playhead" x1="0" x2="0" y1="0" y2="100"/></svg>`;

/** A video with keys, speed, single frames and a timeline. Without scripts it has the browser's own controls. */
export function player(video: PlayerVideo): Markup {
  const {
    id = "player",
    src,
    label,
    captions,
    poster,
    startMs = 0,
    lengthMs,
    marks = [],
    strip: measured,
    takesMarks = false,
    cutsClips = false,
    pageKeys = [],
  } = video;
  const keys = [...playerKeys, ...(takesMarks ? markKeys : []), ...pageKeys, [["?"], "This list"] as const];
  return html`<div class="player" id="${id}" data-player${lengthMs !== undefined && html` data-length="${lengthMs}"`}${takesMarks && html` data-marks`}>
<video controls playsinline preload="metadata" src="${src}${startMs > 0 && html`#t=${atSeconds(startMs)}`}"${poster !== undefined && html` poster="${poster}"`} aria-label="${label}">${captions !== undefined && html`<track kind="captions" src="${captions}" label="Captions">`}</video>
<div class="player-problem note bad" role="alert" hidden data-broken="This video cannot be played here: the file is damaged or missing, or your browser does not support its format." data-blind="Your browser cannot show the picture of this video, only play its sound: it does not support the format, or the file has no picture." data-away="The server cannot send this video right now: it is still being stored, or the storage of files does not answer. Try again in a minute." data-connection="The connection was lost while the video was loading." data-stale="This page is out of date. Reload it to see the video."><span></span> <button type="button" class="link retry" hidden>Try again</button><a class="download" href="${src}" download hidden>Download it to open it in another player</a></div>
<div class="track">${timeline(marks, lengthMs)}${measured && strip(measured, lengthMs)}</div>
<div class="player-bar" hidden>
<div class="buttons">${signed("toggle", icons.play, "Play or pause")}${act("back", html`<span aria-hidden="true">−10</span><span class="hidden">10 seconds back</span>`, "", "J")}${act("forward", html`<span aria-hidden="true">+10</span><span class="hidden">10 seconds forward</span>`, "", "L")}
<p class="position"><span class="at">${positionText(startMs)}</span><span class="soft of-length"> / <span class="length">${lengthMs === undefined ? "–" : positionText(lengthMs)}</span></span></p></div>
<div class="buttons">${signed("mute", icons.sound, "Sound on or off", "fine")}<label class="fine"><span class="hidden">Volume</span><input type="range" class="volume" min="0" max="1" step="0.05" value="1"></label>
${signed("frame-back", html`<span aria-hidden="true">◂│</span>`, "One frame back", "fine")}${signed("frame-forward", html`<span aria-hidden="true">│▸</span>`, "One frame forward", "fine")}
<label><span class="hidden">Speed</span><select class="speed">${speeds.map((speed) => html`<option value="${speed}"${speed === 1 && html` selected`}>${speed}×</option>`)}</select></label>
${captions !== undefined && signed("captions", icons.captions, "Captions on or off", "fine")}${takesMarks && act("mark", "Note", "", "M")}${takesMarks && act("in", html`In<span class="hidden">: the part starts here</span>`, "fine", "I")}${takesMarks && act("out", html`Out<span class="hidden">: the part ends here</span>`, "fine", "O")}${signed("full", icons.full, "Full screen")}${act("keys", html`<span class="hidden">Keys </span><kbd>?</kbd>`, "keys-button")}</div></div>
${takesMarks && html`<div class="part note" hidden><span role="status"></span> ${act("note-part", "Note this part")}${cutsClips && act("clip-part", "Cut a clip")}${act("no-part", html`Clear <kbd>X</kbd>`)}</div>`}
<dialog class="keys-dialog" aria-label="Keys"><h2>Keys</h2><dl>${keys.map(keyRow)}</dl><form method="dialog"><button>Close</button></form></dialog>
</div>`;
}
