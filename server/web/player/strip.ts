import { html, type Markup } from "../html.ts";

/** What was measured of a video, for the strip under its timeline. */
export interface Strip {
  /** Loudness of each second in dB below full scale; null without sound. */
  loudnessDb: readonly number[] | null;
  /** Parts that look wrong: without sound, black, frozen. */
  parts: readonly { kind: string; fromMs: number; toMs: number; text: string }[];
}

/** How many steps are drawn: more than a screen has room for would only make the page longer. */
const mostSteps = 400;
/** What is not louder is drawn as silence. */
const quietestDb = -60;

const heightOf = (db: number) => Math.round(Math.max(0, Math.min(1, 1 - db / quietestDb)) * 100);

/** The loudest second of each step, so that a short scream is seen in three hours. */
export function steps(loudnessDb: readonly number[]): { seconds: number; heights: number[] } {
  const seconds = Math.max(1, Math.ceil(loudnessDb.length / mostSteps));
  const count = Math.ceil(loudnessDb.length / seconds);
  const heights = Array.from({ length: count }, (_, at) =>
    heightOf(Math.max(...loudnessDb.slice(at * seconds, (at + 1) * seconds))),
  );
  return { seconds, heights };
}

function outline(loudnessDb: readonly number[]): Markup {
  const { seconds, heights } = steps(loudnessDb);
  const path = heights.map((height, at) => `H${at * seconds * 1000}V${100 - height}`).join("");
  return html`<path class="loudness" d="M0 100${path}H${loudnessDb.length * 1000}V100Z"/>`;
}

const part = ({ kind, fromMs, toMs, text }: Strip["parts"][number]) =>
  html`<rect class="wrong wrong-${kind}" data-at="${fromMs}" x="${fromMs}" width="${Math.max(0, toMs - fromMs)}" y="0" height="100"><title>${text}</title></rect>`;

/** How loud a video is over its length, and where it is silent, black or frozen. Its unit is a millisecond, as on the timeline. */
export const strip = ({ loudnessDb, parts }: Strip, lengthMs: number | undefined): Markup =>
  html`<svg class="strip" role="img" aria-label="Loudness of the video, and where it is silent, black or frozen" preserveAspectRatio="none"${lengthMs === undefined ? html` hidden` : html` viewBox="0 0 ${Math.max(1, lengthMs)} 100"`}>${loudnessDb && loudnessDb.length > 0 && outline(loudnessDb)}${parts.map(part)}</svg>`;
