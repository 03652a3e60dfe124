/** Additional style of the portal. */
export const portalStyle = `
:root { --good: #14713d; --wash: #eef3fc; }
@media (prefers-color-scheme: dark) { :root { --good: #7ddc9f; --wash: #222c3b; } }
body { min-height: 100vh; }
.skip { position: absolute; left: -100rem; } .skip:focus { left: 1rem; top: .5rem; z-index: 1; padding: .4rem .8rem; background: var(--paper); }
.bar { background: var(--paper); border-bottom: 1px solid var(--line); }
.bar > div { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.25rem; max-width: 60rem; margin: 0 auto; padding: .5rem 2rem; }
.brand { margin-right: auto; font-weight: 700; font-size: 1.1rem; color: inherit; text-decoration: none; }
.brand img { height: 1.75rem; max-width: 10rem; vertical-align: middle; object-fit: contain; }
.who { display: flex; align-items: center; gap: .75rem; } .who span { overflow-wrap: anywhere; } .who button { white-space: nowrap; }
nav { flex-basis: 100%; }
nav ul { display: flex; gap: .25rem; margin: 0 -.6rem; padding: 0; list-style: none; flex-wrap: wrap; }
nav a { display: block; padding: .45rem .6rem; border-radius: .4rem; color: inherit; text-decoration: none; white-space: nowrap; }
nav a:hover { background: var(--ground); }
nav a[aria-current] { background: var(--wash); color: var(--accent); font-weight: 600; }
.count { display: inline-block; min-width: 1.4em; padding: 0 .4em; border-radius: 1em; background: var(--accent); color: var(--accent-ink); font-size: .8rem; font-weight: 700; text-align: center; }
h2 { font-size: 1.1rem; } h2:first-child { margin-top: 0; }
h3 { margin: 1.25rem 0 .25rem; font-size: 1rem; }
p { margin: .5rem 0; }
.note { position: relative; margin: 0 0 1.25rem; padding: .75rem 1rem .75rem 3rem; border-radius: .5rem; border-left: .3rem solid var(--good); background: var(--wash); overflow-wrap: anywhere; }
.note::before { content: "✓" / ""; position: absolute; left: .9rem; width: 1.4rem; height: 1.4rem; border-radius: 50%; background: var(--good); color: var(--paper); font-size: .9rem; font-weight: 700; line-height: 1.4rem; text-align: center; }
.note.bad { border-color: var(--bad); } .note.bad::before { content: "!" / ""; background: var(--bad); }
.note p { margin: 0 0 .25rem; } .note p:last-child { margin: 0; } .note.bad a { color: inherit; font-weight: 600; }
[aria-invalid] { border: 2px solid var(--bad); } .fault { margin: .25rem 0 0; font-weight: 600; }
.why { margin: .4rem 0 0; color: var(--soft); }
.needs { margin: .75rem 0; } .needs div { display: grid; grid-template-columns: 5rem 1fr; gap: 0 .75rem; } .needs dt { color: var(--soft); } .needs dd { margin: 0; }
.terms div { grid-template-columns: 8rem 1fr; padding: .3rem 0; }
.given p { white-space: pre-line; } .given > :first-child { margin-top: 0; } .given { overflow-wrap: anywhere; }
.links { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0; list-style: none; } .links a { display: inline-block; padding: .35rem 0; }
kbd { padding: .1rem .4rem; border: 1px solid var(--soft); border-radius: .3rem; font: .85em ui-monospace, monospace; white-space: nowrap; }
main li { margin: .25rem 0; }
.list { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; margin: 0; padding: 0; list-style: none; }
.card { padding: 1.1rem 1.25rem; border: 1px solid var(--line); border-radius: .6rem; }
.card h2, .card h3 { margin: 0; } .card > :last-child { margin-bottom: 0; }
.game { display: grid; grid-template-columns: 10rem minmax(0, 1fr); gap: 0 1.25rem; align-items: start; }
.cover { display: grid; place-items: center; font-size: 2rem; font-weight: 700; color: var(--soft); width: 10rem; height: 5.625rem; border-radius: .5rem; object-fit: cover; background: linear-gradient(135deg, var(--wash), var(--line)); }
.offers { margin: .75rem 0 0; padding: 0; list-style: none; } .offers > li { margin: 0; padding: .75rem 0; border-top: 1px solid var(--line); } .offers > li:last-child { padding-bottom: 0; }
.filter { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem .75rem; margin-bottom: 1.25rem; } .filter label { margin: 0; } .filter select { width: auto; } .filter button { margin: 0; }
.head { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: .25rem 1rem; }
.facts { display: flex; flex-wrap: wrap; gap: .15rem 1.25rem; margin: .4rem 0; padding: 0; list-style: none; color: var(--soft); }
.pay { font-weight: 700; font-size: 1.1rem; }
.badge { padding: .1rem .6rem; border: 1px solid currentColor; border-radius: 1em; font-size: .85rem; font-weight: 600; white-space: nowrap; }
.badge.good { color: var(--good); } .badge.wait { color: var(--accent); }
.prose { white-space: pre-wrap; overflow-wrap: anywhere; }
/* Arabic and Hebrew start at the right. */
.prose, textarea { unicode-bidi: plaintext; }
.more { margin-top: 1.25rem; }
.buttons { display: flex; flex-wrap: wrap; gap: .5rem; } .buttons form { display: flex; } .buttons button { margin-top: .5rem; padding: .45rem .9rem; } .card h3 { margin: 0; }
.aside { margin-top: 1.75rem; padding-top: .75rem; border-top: 1px solid var(--line); }
section { margin-top: 1.75rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
section > h2:first-child { margin-top: 0; }
section > form:first-of-type label { margin-top: .5rem; }
.button.quiet { color: inherit; background: transparent; border: 1px solid var(--soft); }
button.danger { color: var(--bad); background: transparent; border: 1px solid var(--bad); }
button:disabled { opacity: .55; cursor: not-allowed; }
details { margin-top: .75rem; } summary { padding: .35rem 0; color: var(--accent); cursor: pointer; }
code { padding: .15rem .4rem; border-radius: .3rem; background: var(--ground); font-size: .95em; overflow-wrap: anywhere; user-select: all; }
.keys { padding-left: 1.25rem; } .keys li { margin: .3rem 0; }
textarea { min-height: 7rem; resize: vertical; } textarea.short { min-height: 4rem; }
main.wide > form:not(.filter), main.wide > section > form, main.wide .drop { max-width: 42rem; }
fieldset { margin: 1rem 0; padding: .25rem 1rem 1rem; border: 1px solid var(--line); border-radius: .5rem; } legend { padding: 0 .35rem; font-weight: 600; } fieldset label.check { margin: .5rem 0 0; }
hr { margin: 1.5rem 0 .5rem; border: 0; border-top: 1px solid var(--line); }
.command { display: flex; gap: .5rem; align-items: stretch; margin: .4rem 0 1rem; } .command pre { flex: 1; margin: 0; padding: .55rem .8rem; min-width: 0; } .command code { padding: 0; background: none; }
.command button { margin: 0; padding: .3rem .8rem; font-weight: 400; white-space: nowrap; }
input[type=file] { padding: .6rem; border-style: dashed; }
progress { width: 100%; height: .9rem; appearance: none; border: 1px solid var(--soft); border-radius: .45rem; overflow: hidden; background: var(--ground); }
progress::-webkit-progress-bar { background: var(--ground); } progress::-webkit-progress-value { background: var(--accent); } progress::-moz-progress-bar { background: var(--accent); }
.thread { display: grid; grid-template-columns: minmax(0, 1fr); gap: .75rem; margin: 1rem 0; padding: 0; list-style: none; }
.thread li { max-width: 85%; padding: .6rem .9rem; border-radius: .75rem; background: var(--ground); justify-self: start; }
.thread li.mine { justify-self: end; background: var(--wash); }
.thread p { margin: 0; } .thread .soft { font-size: .85rem; }
.new { border-left: .3rem solid var(--accent); }
td.money, th.money { text-align: right; padding-right: 0; font-variant-numeric: tabular-nums; }
.choice { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0 0 1rem; padding: 0; list-style: none; }
.choice a { display: block; padding: .35rem .8rem; border: 1px solid var(--line); border-radius: .4rem; text-decoration: none; }
.choice a[aria-current] { border-color: currentColor; background: var(--wash); font-weight: 600; }
.totals { display: flex; flex-wrap: wrap; gap: .5rem 3rem; margin-bottom: 1rem; } .totals p { margin: 0; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
[hidden], label.check[hidden] { display: none; }
main.wide { margin: 1.5rem auto; }
.qr svg { display: block; width: 14rem; max-width: 100%; height: auto; margin: .75rem 0; border-radius: .5rem; }
.steps { padding-left: 1.25rem; } .steps > li { margin: 0 0 1.5rem; } .steps label { margin-top: 0; }
.recovery { display: grid; grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); gap: .4rem 1rem; padding: 0; list-style: none; }
@media (max-width: 40rem) {
  .game { grid-template-columns: minmax(0, 1fr); gap: .75rem; } .game .cover { width: 100%; height: auto; aspect-ratio: 16 / 9; } .game span.cover { display: none; } .terms div { grid-template-columns: minmax(0, 1fr); }
  .bar > div { padding: .5rem 1.25rem 0; }
  nav ul { gap: 0; margin: 0 -.45rem; padding-bottom: .5rem; } nav a { padding: .45rem; font-size: .95rem; }
  main, main.wide { min-height: 0; margin: 0; background: var(--paper); } body { background: var(--paper); }
  .command { flex-direction: column; } .command button { align-self: flex-start; width: auto; }
  form > button:not(.link), #submit button, .button { width: 100%; text-align: center; } .filter > button { width: auto; }
}
`;
