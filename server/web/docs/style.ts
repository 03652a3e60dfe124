/** Additional style of the documentation pages. */
export const docsStyle = `
body { display: grid; grid-template-columns: minmax(0, 1fr); background: var(--paper); }
.skip { position: absolute; left: -100rem; } .skip:focus { left: 1rem; top: .5rem; z-index: 1; padding: .4rem .8rem; background: var(--paper); }
header { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1rem; padding: .25rem 1.25rem; border-bottom: 1px solid var(--line); }
header a { padding: .5rem 0; } .brand { margin-right: auto; font-weight: 700; color: inherit; text-decoration: none; }
.find { display: flex; flex: 0 1 18rem; gap: .4rem; margin: .25rem 0; } .find input { min-width: 0; padding: .35rem .6rem; } .find button { width: auto; margin: 0; padding: .35rem .8rem; }
main { width: 100%; max-width: none; min-height: 0; margin: 0; padding: 1.25rem; border: 0; border-radius: 0; }
nav { display: none; }
h1 { font-size: 1.75rem; } h2 { margin: 2.25rem 0 .75rem; font-size: 1.25rem; } h3 { margin: 1.5rem 0 .5rem; font-size: 1rem; }
li { margin: .25rem 0; } ul, ol { padding-left: 1.5rem; }
/* What goes on at a side has a shadow there, which the ends of the table cover. */
.scroll { margin: 1rem 0; overflow-x: auto; background: linear-gradient(to right, var(--paper) 50%, transparent) left / 2.5rem 100% no-repeat local, linear-gradient(to left, var(--paper) 50%, transparent) right / 2.5rem 100% no-repeat local, linear-gradient(to right, var(--line), transparent) left / 1rem 100% no-repeat, linear-gradient(to left, var(--line), transparent) right / 1rem 100% no-repeat; } .scroll table { min-width: 30rem; } .scroll td:first-child code { white-space: nowrap; }
.settings { margin: 1rem 0; } .settings > div { padding: .75rem 0; border-top: 1px solid var(--line); } .settings dt { font-weight: 600; overflow-wrap: anywhere; } .settings dd { margin: .25rem 0 0; } .settings ul { display: flex; flex-wrap: wrap; gap: .1rem 1.5rem; margin: .25rem 0 0; padding: 0; list-style: none; color: var(--soft); font-size: .9rem; } .settings li { margin: 0; overflow-wrap: anywhere; }
thead th { border-top: 0; color: var(--soft); font-size: .85rem; } thead th::first-letter { text-transform: uppercase; }
section + section { margin-top: 2rem; padding-top: .25rem; border-top: 1px solid var(--line); }
.route { overflow-wrap: anywhere; } .method { font: 700 .85rem ui-monospace, monospace; color: var(--accent); }
.needed { color: var(--soft); font-size: .8rem; }
.endpoints { padding: 0; list-style: none; } .endpoints li { margin: .75rem 0; overflow-wrap: anywhere; }
.endpoints a { display: inline-block; padding: .15rem 0; }
summary { padding: .35rem 0; color: var(--accent); cursor: pointer; }
.contents { padding: 0; list-style: none; } .contents li { margin: .5rem 0; } .contents a { display: inline-block; padding: .15rem 0; font-weight: 600; } .contents span { display: block; color: var(--soft); }
.turn { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .5rem 2rem; margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); } .turn a { padding: .35rem 0; }
@media (min-width: 60rem) {
  body { grid-template: auto 1fr / 17rem minmax(0, 1fr); min-height: 100vh; }
  header { grid-column: 1 / -1; }
  nav { display: block; padding: 1rem .75rem 3rem 1.25rem; background: var(--ground); border-right: 1px solid var(--line); font-size: .95rem; }
  nav h2 { margin: 1.25rem 0 .25rem; font-size: .8rem; color: var(--soft); }
  nav ul { margin: 0; padding: 0; list-style: none; } nav li { margin: 0; }
  nav a { display: block; padding: .3rem .5rem; border-radius: .35rem; color: inherit; text-decoration: none; } nav a:hover { background: var(--paper); }
  nav a[aria-current] { background: var(--paper); color: var(--accent); font-weight: 600; }
  nav li ul { margin-left: .75rem; font-size: .9rem; } nav li ul a { color: var(--soft); }
  main { max-width: 56rem; padding: 1.5rem 2.5rem 4rem; }
}
`;
