import { portalStyle } from "../portal/style.ts";
import { chartStyle } from "./stats/style.ts";

/** The style of Studio, in one file with that of the portal. */
export const studioStyle = `${portalStyle}
.bar > div, main.wide { max-width: 76rem; }
.trail ol { display: flex; flex-wrap: wrap; gap: .25rem .5rem; margin: -.5rem 0 .75rem; padding: 0; list-style: none; font-size: .95rem; }
.trail li { margin: 0; } .trail li:not(:last-child)::after { content: "›" / ""; margin-left: .5rem; color: var(--soft); } .trail a { display: inline; padding: 0; color: var(--accent); text-decoration: underline; white-space: normal; } .trail a:hover { background: none; }
.calm { color: var(--soft); padding: 1.5rem; text-align: center; border: 1px dashed var(--line); border-radius: .6rem; }
.rows { margin: 0; padding: 0; list-style: none; border: 1px solid var(--line); border-radius: .6rem; overflow: hidden; }
.row { display: grid; grid-template-columns: 7.5rem minmax(0, 1fr) auto; gap: .25rem 1rem; align-items: baseline; margin: 0; padding: .8rem 1.1rem; } .row + .row { border-top: 1px solid var(--line); }
.row .badge { justify-self: start; } .row p { margin: 0; } .what { font-weight: 600; } .what code { font-weight: 400; user-select: auto; }
.when { white-space: nowrap; font-size: .9rem; }
.clip { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; margin: .15rem 0 0; overflow-wrap: anywhere; } .clip:has(.command) { display: block; }
.badge.act { color: var(--accent-ink); background: var(--accent); border-color: var(--accent); } li.act { color: var(--accent); font-weight: 600; }
.cli p { margin: .75rem 0 0; color: var(--soft); }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 1rem; margin: 0; padding: 0; list-style: none; } .tiles > li { margin: 0; }
.cover-link { display: flex; gap: .9rem; align-items: center; color: inherit; text-decoration: none; font-weight: 700; font-size: 1.1rem; overflow-wrap: anywhere; } .cover-link:hover span:last-child { text-decoration: underline; }
.tile { flex: none; display: grid; place-items: center; width: 3rem; height: 3rem; border-radius: .6rem; font-size: 1.4rem; font-weight: 700; color: #fff; }
.tint-0 { background: #1d5fd1; } .tint-1 { background: #7a3fb5; } .tint-2 { background: #0f766e; } .tint-3 { background: #a63d40; } .tint-4 { background: #8a5a00; } .tint-5 { background: #3d5a80; }
.done { display: flex; align-items: center; gap: .75rem; } .done progress { flex: 1; max-width: 20rem; } .done span { white-space: nowrap; }
.board { display: grid; grid-template-columns: repeat(var(--columns, 6), minmax(0, 1fr)); gap: .75rem; margin-top: 1.25rem; }
.column { margin: 0; padding: .75rem; border: 0; border-radius: .6rem; background: var(--ground); } .column h2 { font-size: .95rem; margin: 0 0 .5rem; } .column.turn:not(.empty) { background: var(--wash); box-shadow: inset 0 .2rem var(--accent); } .column ul { display: grid; gap: .5rem; margin: 0; padding: 0; list-style: none; }
.slot { margin: 0; min-width: 0; overflow-wrap: anywhere; padding: .6rem .7rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--paper); font-size: .9rem; } .slot p { margin: .15rem 0; } .slot .what a { display: block; } .slot code { color: var(--soft); background: none; padding: 0; }
.decide { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: flex-start; margin-top: .75rem; } .decide > form button { margin: 0; } .decide details { flex: 1 1 16rem; margin: 0; }
.live { font-size: .9rem; color: var(--soft); }
@media (min-width: 60rem) { .board.by-status { --columns: 5; } }
.by-status progress { display: block; width: 100%; } .move { display: flex; gap: .4rem; margin: .4rem 0 0; } .move select { flex: 1; min-width: 0; width: auto; margin: 0; padding: .2rem .3rem; font-size: .9rem; } .slot .move button { flex: none; width: auto; margin: 0; padding: .2rem .6rem; font-size: .9rem; }
@media (max-width: 60rem) { .board { --columns: 3; } }
@media (max-width: 40rem) {
  .row { grid-template-columns: minmax(0, 1fr) auto; padding: .8rem .9rem; } .row > div { grid-column: 1 / -1; grid-row: 2; }
  .board { --columns: 1; } .column.empty { display: none; } .column.turn { order: -1; }
  .tiles { grid-template-columns: minmax(0, 1fr); }
}
.list.steps { padding: 0; counter-reset: step; } .steps > .card { margin: 0; } .steps > .card h2::before { counter-increment: step; content: counter(step) ". " / ""; }
.drop { padding: 1rem 1.25rem 1.25rem; border: 2px dashed var(--line); border-radius: .6rem; } .drop.over { border-color: var(--accent); background: var(--wash); } .drop > label:first-child { margin-top: 0; }
.find input { width: 14rem; max-width: 100%; margin: 0; padding: .35rem .6rem; }
.filter input[type="search"] { flex: 1 1 14rem; width: auto; margin: 0; } .filter span input { width: 9rem; margin: 0; }
.card blockquote { margin: .5rem 0 0; padding-left: .9rem; border-left: .2rem solid var(--line); overflow-wrap: anywhere; } .card blockquote p { margin: .15rem 0; unicode-bidi: plaintext; }
.rows-text { min-height: 12rem; font-family: ui-monospace, monospace; font-size: .9rem; white-space: pre; overflow-x: auto; }
mark { padding: 0 .1em; border-radius: .2em; background: var(--wash); color: var(--accent); font-weight: 700; }
.review-card ul.shared { margin: 0 0 .75rem; padding: 0; list-style: none; } .shared li { margin: 0; padding: .5rem 0; } .shared li + li { border-top: 1px solid var(--line); } .shared a { overflow-wrap: anywhere; } .shared p { margin: .15rem 0; } .shared button { margin: 0; } .shared form { display: inline-block; margin-right: 1rem; } .shared .copy { padding: .1rem .6rem; font-weight: 400; font-size: .9rem; }
${chartStyle}`;
