/** The style of charts. */
export const chartStyle = `
.filter > span { max-width: 100%; } .filter select { max-width: 100%; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 1.25rem; margin-top: 1.25rem; }
.chart { min-width: 0; margin: 0; padding: 1.1rem 1.25rem; border: 1px solid var(--line); border-radius: .6rem; }
.chart figcaption { margin-bottom: .75rem; font-weight: 600; }
.chart svg { display: block; } .chart .track { fill: var(--ground); } .chart .fill { fill: var(--accent); }
.bars > div { display: grid; grid-template-columns: minmax(8rem, 1fr) minmax(0, auto); gap: 0 .75rem; margin-bottom: .5rem; overflow-wrap: anywhere; } .bars svg { grid-column: 1 / -1; }
.bars .value { text-align: right; font-variant-numeric: tabular-nums; }
.ends { display: flex; justify-content: space-between; color: var(--soft); font-size: .85rem; }
.scroll { overflow-x: auto; } .chart td { text-align: right; font-variant-numeric: tabular-nums; } .chart thead th:not(:first-child) { text-align: right; } .chart th { white-space: normal; overflow-wrap: anywhere; }
`;
