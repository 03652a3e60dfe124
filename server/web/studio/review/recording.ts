import { positionInLink, positionText } from "../../../../src/contract/text/position.ts";
import { html, type Markup } from "../../html.ts";
import type { Strip } from "../../player/strip.ts";
import type { Measured, Review } from "./data.ts";

/** What is short is so as a whole: there is no part to draw. */
const isPart = ({ kind }: Measured["facts"][number]) => kind !== "short" && kind !== "no_sound";

/** For the strip under the player. */
export const stripOf = ({ signals, facts }: Measured): Strip => ({ loudnessDb: signals.loudnessDb, parts: facts.filter(isPart) });

const fact = ({ fromMs, text }: Measured["facts"][number]): Markup =>
  html`<li><a class="at" href="?t=${positionInLink(fromMs)}#player" data-at="${fromMs}">${positionText(fromMs)}</a> ${text}</li>`;

/** What the recording check found, with the way to each place. */
export function recordingSection({ slot, measured }: Review): Markup | false {
  if (!slot.submission) return false;
  const found =
    measured === undefined
      ? unmeasured
      : measured.facts.length === 0
        ? nothingWrong
        : html`<ul class="facts-list">${measured.facts.map(fact)}</ul>`;
  return html`<section class="review-card"><h2>Recording check</h2>${found}</section>`;
}

const unmeasured = html`<p class="soft">This video is not measured. If it was sent just now, reload this page in some minutes.</p>`;
const nothingWrong = html`<p class="soft">Nothing looks wrong: no long silence, no black or frozen picture, and it is as long as booked.</p>`;
