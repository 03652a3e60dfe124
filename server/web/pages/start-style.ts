/** Additional style of the front page. */
export const startStyle = `
main.wide { max-width: 60rem; }
.hero { display: block; width: 100%; height: auto; margin: 0 0 1.25rem; border-radius: .75rem; }
.lead { font-size: 1.15rem; }
.sides { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1.25rem; margin: 1.5rem 0; }
.side { padding: 1.25rem; border: 1px solid var(--line); border-radius: .75rem; } .side h2 { margin: 0 0 .5rem; font-size: 1.2rem; }
.flow { margin: 1rem 0; padding-left: 1.4rem; } .flow li { margin: .3rem 0; }
details { margin-top: 1rem; } summary { padding: .35rem 0; color: var(--accent); cursor: pointer; }
@media (max-width: 40rem) { .sides { grid-template-columns: minmax(0, 1fr); } .side .button { display: block; text-align: center; } }
`;
