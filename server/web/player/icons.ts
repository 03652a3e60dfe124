import { html, type Markup } from "../html.ts";

/** The signs on the player's buttons, in a square of 24 units. Their buttons have the words. */
const icon = (paths: Markup): Markup =>
  html`<svg class="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">${paths}</svg>`;

const speaker = html`<path d="M4 9v6h4l5 4V5L8 9z"/>`;

export const icons = {
  play: icon(html`<path class="if-paused" d="M7 4l13 8-13 8z"/><path class="if-playing" d="M6 4h4v16H6zM14 4h4v16h-4z"/>`),
  sound: icon(
    html`${speaker}<path class="if-loud" fill="none" stroke="currentColor" stroke-width="2" d="M16 8.5a5 5 0 0 1 0 7M18.5 6a8.5 8.5 0 0 1 0 12"/><path class="if-muted" fill="none" stroke="currentColor" stroke-width="2" d="M16 9l6 6M22 9l-6 6"/>`,
  ),
  full: icon(html`<path fill="none" stroke="currentColor" stroke-width="2" d="M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5"/>`),
  captions: icon(
    html`<path fill="none" stroke="currentColor" stroke-width="2" d="M3 5h18v14H3zM6 11h5M13 11h5M6 15h8M16 15h2"/>`,
  ),
};
