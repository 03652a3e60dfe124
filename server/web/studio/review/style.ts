/** The style of the review page and of the comparison. */
export const reviewCss = `
.bar > div { max-width: 84rem; } main.wide { max-width: 84rem; margin: .5rem auto; padding: .75rem 2rem 1.5rem; }
html:not(.scripted) .hint { display: none; }
.trail ol { margin-bottom: .25rem; } main.wide > h1 { margin-bottom: .4rem; font-size: 1.2rem; }
.review-head { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: .25rem 1.5rem; margin-bottom: .75rem; } .review-head p { margin: 0; }
.review-queue { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1rem; flex-basis: auto; } nav.review-queue a { padding: .3rem .6rem; border: 1px solid var(--line); border-radius: .4rem; }
.review { display: grid; grid-template-columns: minmax(0, 1fr) minmax(20rem, 27rem); gap: 1.25rem 2rem; align-items: start; }
.review-stage, .review-side, .panel { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; min-width: 0; } .panel:empty { display: none; }
.review-video { min-width: 0; background: var(--paper); } .review-tabs { display: none; }
.review section { margin: 0; padding: 0; border: 0; }
.review .review-card { padding: 1rem 1.25rem; border: 1px solid var(--line); border-radius: .6rem; }
.review-card > :last-child { margin-bottom: 0; } .review-card ul { margin: 0; padding-left: 1.2rem; } .review-card > details { margin: 0; }
.review h2 { margin: 0 0 .5rem; } .review h2 .all { font-size: .9rem; font-weight: 400; float: right; } .review h2.hidden { margin: 0; }
.by-command { margin: .25rem 0 0; } .by-command > summary { display: inline-block; padding: .1rem .6rem; border: 1px solid var(--line); border-radius: .4rem; font-size: .85rem; color: var(--soft); } .by-command .command { margin: .4rem 0 0; }
.review .decision { display: grid; grid-template-columns: auto auto minmax(0, 1fr); gap: .4rem 1rem; align-items: center; padding: .6rem 1rem; border: 1px solid var(--accent); border-radius: .6rem; }
.decision > .undo, .verdict, .pays, .decision > details[open] { grid-column: 1 / -1; } .decision > #accept { display: contents; } #accept > button { margin: 0; grid-row: 3; } .decision > .undo { grid-row: 1; } .verdict { grid-row: 2; } .decision > .reject { grid-row: 3; grid-column: 2; } .decision > .by-command { grid-row: 3; grid-column: 3; justify-self: end; margin: 0; } .pays { grid-row: 4; } .decision > .reject[open] { grid-row: 5; } .decision > .by-command[open] { grid-row: 6; justify-self: stretch; }
.verdict { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .4rem 1.25rem; align-items: end; } .verdict label, .verdict legend { margin: 0 0 .1rem; font-size: .9rem; } .comment textarea { display: block; min-height: 2.5rem; padding-block: .4rem; field-sizing: content; max-height: 12rem; }
.pays p { margin: 0; font-size: .9rem; } .decision .reject > summary { display: inline-block; padding: .6rem 1rem; border: 1px solid var(--bad); border-radius: .4rem; font-weight: 600; }
.rating { display: flex; gap: .3rem; margin: 0; padding: 0; border: 0; } .rating legend { padding: 0; font-weight: 600; }
.rating label { position: relative; margin: 0; font-weight: 400; } .rating input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; cursor: pointer; }
.rating label > span { display: block; min-width: 2.4rem; padding: .4rem .5rem; border: 1px solid var(--soft); border-radius: .4rem; text-align: center; }
.rating input:checked + span { color: var(--accent-ink); background: var(--accent); border-color: var(--accent); font-weight: 700; }
.rating .no-rating > span { border-color: transparent; color: var(--soft); white-space: nowrap; } .rating .no-rating input:checked + span { color: var(--ink); background: none; border-color: var(--line); font-weight: 400; }
.rating input:focus-visible + span { outline: 3px solid var(--accent); outline-offset: 2px; }
.review-card textarea.short, .moments textarea.short, .decision textarea.short { min-height: 3.5rem; }
.decision .reject { margin: 0; } .decision .reject > summary { justify-self: start; color: var(--bad); } .reject form button { margin-top: .5rem; }
.decision form[inert] > * { opacity: .55; } .undo { margin-bottom: 0; } .undo .countdown { white-space: nowrap; font-variant-numeric: tabular-nums; font-weight: 700; } .undo button { margin: .5rem 0 0; padding: .35rem .9rem; }
.facts-list { list-style: none; } .review-card .facts-list { padding: 0; } .facts-list .at { font-variant-numeric: tabular-nums; }
.same { font-size: .9rem; } .set-part button { margin: 0; padding: .2rem .7rem; font-weight: 400; }
.moment-fields { display: grid; grid-template-columns: 8rem 8rem 10rem minmax(8rem, 1fr); gap: .25rem .75rem; } .moment-fields label { margin: .25rem 0 .15rem; } .field-text { grid-column: 1 / -1; }
.moment-fields select { background: var(--paper); }
.note-end { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; margin-top: .6rem; } .note-end button { margin: 0; } .note-end p { margin: 0; }
.note-status:empty { display: none; }
.waiting { padding: .5rem 1rem; border: 1px dashed var(--line); border-radius: .5rem; list-style: none; } .waiting button { padding: 0 .25rem; }
.moment-list { margin: .75rem 0 0; padding: 0; list-style: none; border: 1px solid var(--line); border-radius: .6rem; } .moment-list > li { margin: 0; padding: .6rem .9rem; scroll-margin: 1rem; } .moment-list > li + li { border-top: 1px solid var(--line); }
.moment-list p { margin: .2rem 0 0; } .moment-list:empty { display: none; }
.moment-head { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem .6rem; } .moment-head .at { font-variant-numeric: tabular-nums; font-weight: 600; padding: .15rem 0; } .moment-head .edit { margin-left: auto; padding: .15rem 0; font-size: .9rem; }
.kind { font-weight: 600; } .kind::before { content: "●" / ""; margin-right: .3rem; } .kind-bug { color: var(--bug); } .kind-confusion { color: var(--confusion); } .kind-delight { color: var(--delight); } .kind-idea { color: var(--idea); } .kind-note { color: var(--note); }
.moment-list .still { margin-top: .5rem; } .still-button { padding: .15rem 0; font-size: .9rem; }
.severity { font-size: .9rem; } .tag { padding: 0 .5rem; border-radius: 1em; background: var(--code); font-size: .85rem; }
.highlight-list { margin: 0; padding-left: 2rem; } .highlight-list > li { padding: .4rem .6rem; border-radius: .4rem; } .highlight-list > li[aria-current] { background: var(--code); box-shadow: inset .25rem 0 var(--accent); } .highlight-list p { margin: 0; }
.highlight-bar { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem .6rem; margin: .5rem 0 0; } .highlight-bar button { margin: 0; padding: .35rem .9rem; }
.compare { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1.5rem; } .compare > section { margin: 0; padding: 0; border: 0; min-width: 0; } .compare > :only-child { grid-column: 1 / -1; } .compare h2 { margin: 0 0 .5rem; }
.together { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; margin-bottom: 1rem; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .6rem; } .together button { margin: 0; padding: .4rem .9rem; } .together label { margin: 0; flex: 1 1 14rem; display: flex; gap: .75rem; align-items: center; } .together label > span { flex: none; } .together input { min-width: 0; padding: 0; accent-color: var(--accent); }
@media (min-width: 64.01rem) { .review-stage { position: sticky; top: .75rem; } .review .player video { max-height: max(12rem, calc(100vh - 31rem)); } .review .cues { max-height: 22rem; } .moment-fields { grid-template-columns: 1fr 1fr 1fr; } .moment-fields .field-tags { grid-column: 1 / -1; } }
@media (max-width: 64rem) {
  .review { grid-template-columns: minmax(0, 1fr); } .review-stage { display: contents; } .scripted .review .cues { max-height: none; }
  .scripted .review-tabs { display: flex; gap: .25rem; overflow-x: auto; margin: 0; border-bottom: 1px solid var(--line); } .review-tabs a { padding: .5rem .45rem; font-size: .95rem; white-space: nowrap; text-decoration: none; color: inherit; border-radius: .4rem .4rem 0 0; } .review-tabs a[aria-current] { box-shadow: inset 0 -.2rem var(--accent); }
  .scripted .review [data-panel]:not(.shown) { display: none; }
}
@media (max-width: 64rem) and (min-height: 30rem) { .scripted .review-video { position: sticky; top: 0; z-index: 2; padding-block: .25rem .5rem; } .scripted .review .player video { max-height: 40vh; } }
@media (max-width: 40rem) and (min-height: 30rem) {
  .scripted .review .decision:not(.shown) { display: grid; position: sticky; bottom: 0; z-index: 1; order: 1; margin-bottom: 0; padding: .4rem .6rem; gap: .6rem; background: var(--paper); }
  .decision:not(.shown) > .by-command, .scripted .decision:not(.shown) .verdict, .scripted .decision:not(.shown) .pays { display: none; } .scripted .decision:not(.shown) :is(#accept > button, .reject) { grid-row: 1; }
  .scripted .decision.shown :is(#accept > button, .reject:not([open])) { position: sticky; bottom: .5rem; z-index: 1; align-self: stretch; background-color: var(--paper); box-shadow: 0 0 0 .5rem var(--paper); } .scripted .decision.shown #accept > button { background-color: var(--accent); } .decision.shown > .reject:not([open]) > summary { display: flex; align-items: center; gap: .35rem; height: 100%; }
  .scripted .review [data-panel] :is(input, select, textarea) { scroll-margin-bottom: 6rem; }
}
@media (max-width: 40rem) {
  .hint, .undo kbd { display: none; } .review-queue { gap: .25rem .6rem; font-size: .95rem; } nav.review-queue { flex: 1 1 100%; flex-wrap: nowrap; justify-content: space-between; white-space: nowrap; } nav.review-queue a { padding-inline: .45rem; }
  main.wide { padding: 1.25rem; } .moment-fields { grid-template-columns: 1fr 1fr; } .moment-fields .field-tags { grid-column: auto; }
  .compare { grid-template-columns: minmax(0, 1fr); } .verdict { grid-template-columns: minmax(0, 1fr); } .review .decision { grid-template-columns: minmax(0, 1fr) auto; } .decision #accept > button { padding-inline: .4rem; } .decision:has(.reject[open]) #accept > button { grid-column: 1 / -1; } .decision > .reject:not([open]) { justify-self: end; } .decision > .reject[open] { grid-column: 1 / -1; grid-row: 5; } .decision > .by-command { grid-row: 6; grid-column: 1 / -1; } .trail { display: none; } main.wide > h1 { font-size: 1.05rem; } .rating label > span { min-width: 2.6rem; padding-block: .5rem; }
}
`;
