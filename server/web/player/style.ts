/** The style of the player and the transcript. */
export const playerCss = `
:root { --bug: #b3261e; --confusion: #9a5b00; --delight: #14713d; --idea: #1d5fd1; --note: #5b6675; --bar: #e6eaf0; }
@media (prefers-color-scheme: dark) { :root { --bug: #ff8a80; --confusion: #ffb95c; --delight: #7ddc9f; --idea: #7aa8ff; --note: #a3adba; --bar: #2b3440; } }
[hidden] { display: none !important; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
kbd { padding: .1rem .4rem; border: 1px solid currentColor; border-radius: .3rem; font: .8em ui-monospace, monospace; white-space: nowrap; }
.player { scroll-margin-top: 1rem; }
.player video { aspect-ratio: 16 / 9; max-height: 70vh; }
.timeline { display: block; width: 100%; height: 1.75rem; margin: .5rem 0 0; border-radius: .35rem; background: var(--bar); cursor: pointer; }
.track { display: grid; gap: 2px; margin-top: .5rem; cursor: pointer; touch-action: pan-y; border-radius: .35rem; } .track .timeline { margin: 0; }
.strip { display: block; width: 100%; height: 1.5rem; border-radius: .35rem; background: var(--bar); }
.loudness { fill: var(--note); opacity: .55; } .wrong { fill: var(--bug); opacity: .35; } .wrong-black, .wrong-no_picture { opacity: .6; } .wrong-frozen { fill: var(--confusion); opacity: .5; }
.chosen { fill: var(--idea); opacity: .3; pointer-events: none; }
.icon { display: block; fill: currentColor; }
.player[data-state="playing"] .if-paused, .player:not([data-state="playing"]) .if-playing, .player[data-muted] .if-loud, .player:not([data-muted]) .if-muted { display: none; }
.player:fullscreen { display: grid; grid-template-rows: minmax(0, 1fr) auto auto; padding: .5rem; background: var(--paper); } .player:fullscreen video { max-height: none; height: 100%; border-radius: 0; }
.timeline line { vector-effect: non-scaling-stroke; }
.mark { stroke: var(--note); stroke-width: 5px; stroke-linecap: round; }
.mark.span { stroke-width: 12px; stroke-linecap: butt; }
.mark-bug { stroke: var(--bug); } .mark-confusion { stroke: var(--confusion); } .mark-delight { stroke: var(--delight); } .mark-idea { stroke: var(--idea); }
.playhead { stroke: var(--ink); stroke-width: 2px; pointer-events: none; }
.player-bar { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .35rem .25rem; margin-top: .4rem; font-size: .9rem; }
.player-bar .position { margin: 0; font-variant-numeric: tabular-nums; white-space: nowrap; } .position .at { font-weight: 700; }
.player-bar .buttons { display: flex; flex-wrap: wrap; align-items: stretch; gap: .25rem; } .player-bar select { height: 100%; } .player-bar .sign { padding: .3rem .4rem; } .player-bar .speed { width: 3.9rem; padding-inline: .3rem 0; } .player-bar .volume { width: 2.5rem; height: 100%; padding: 0; accent-color: var(--accent); }
.player-bar .position { align-self: center; margin: 0 .25rem; }
.part { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem .6rem; margin: .5rem 0 0; padding-block: .4rem; } .part button { margin: 0; padding: .2rem .7rem; font-weight: 400; }
@media (hover: none) and (pointer: coarse) { kbd, .keys-button { display: none; } }
.player-bar button, .player-bar select { width: auto; margin: 0; padding: .3rem .4rem; font-weight: 400; white-space: nowrap; }
.player-bar label { margin: 0; } .player-bar select { background: var(--paper); }
@media (max-width: 40rem) {
  .player-bar .fine, .of-length { display: none; } .player-bar { gap: .25rem; } .player-bar .position { margin: 0 .2rem; }
  .player-bar button { min-height: 2.4rem; padding-inline: .4rem; } .player-bar .speed { width: 3.8rem; padding-inline: .2rem 0; }
}
.player-problem { margin-top: .75rem; }
.keys-dialog { width: min(30rem, calc(100vw - 2rem)); padding: 1.25rem 1.5rem; color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: .75rem; }
.keys-dialog::backdrop { background: rgb(0 0 0 / .5); }
.keys-dialog h2 { margin: 0 0 .75rem; }
.keys-dialog dl { margin: 0; } .keys-dialog dl div { display: grid; grid-template-columns: 8rem 1fr; gap: .75rem; padding: .3rem 0; border-top: 1px solid var(--line); } .keys-dialog dd { margin: 0; }
.transcript .head { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: 0 1rem; } .transcript .head h2, .transcript .head label { margin: 0; }
.cues { position: relative; max-height: 28rem; margin-top: .5rem; overflow-y: auto; overscroll-behavior: contain; border: 1px solid var(--line); border-radius: .5rem; }
.cues ol { margin: 0; padding: 0; list-style: none; }
.cues ol:not(:only-child), .cues ol:has(> :nth-child(201)) { content-visibility: auto; contain-intrinsic-size: auto none auto 30rem; }
.cues li { margin: 0; }
.cues a { user-select: text; -webkit-user-drag: none; display: grid; grid-template-columns: 3.75rem minmax(0, 1fr); gap: .25rem; padding: .35rem .75rem; color: inherit; text-decoration: none; overflow-wrap: anywhere; }
.cues a:hover { background: var(--ground); } .cues a:hover time { text-decoration: underline; }
.cues a:focus-visible { outline-offset: -3px; }
.cues a[aria-current] { background: var(--wash, var(--ground)); box-shadow: inset .25rem 0 var(--accent); }
.cues time { color: var(--accent); font-variant-numeric: tabular-nums; }
.still { margin: .5rem 0 0; } .still img { display: block; width: min(100%, 16rem); aspect-ratio: 16 / 9; object-fit: contain; border-radius: .4rem; background: #000; }
.cues-more a { margin-right: .75rem; }
`;
