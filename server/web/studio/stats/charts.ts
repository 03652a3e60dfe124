import { html, type Markup } from "../../html.ts";

/** Charts as inline SVG, sized by attributes, which the policy of pages allows. The same numbers are in a table below each. */

export interface Row {
  label: string;
  /** The length of the bar. */
  value: number;
  /** The value as people read it. */
  text: string;
}

interface Table {
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

const table = ({ head, rows }: Table): Markup =>
  html`<details><summary>Show as a table</summary><div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>${rows.map(
    ([first, ...rest]) => html`<tr><th scope="row">${first}</th>${rest.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  )}</tbody></table></div></details>`;

const percentOf = (value: number, max: number) => (max > 0 ? Math.round((value / max) * 1000) / 10 : 0);

const figure = (caption: string, picture: Markup, numbers: Table): Markup =>
  html`<figure class="chart"><figcaption>${caption}</figcaption>${picture}${table(numbers)}</figure>`;

/** Bars below their names and values. The longest is as long as the picture is wide, unless `max` says what would be. */
export function barFigure(
  caption: string,
  rows: readonly Row[],
  head: readonly [string, string],
  max = Math.max(0, ...rows.map(({ value }) => value)),
): Markup {
  const bars = rows.map(
    ({ label, value, text }) =>
      html`<div><span>${label}</span><span class="value">${text}</span><svg viewBox="0 0 100 10" preserveAspectRatio="none" width="100%" height="12"><rect class="track" width="100" height="10"/><rect class="fill" width="${percentOf(value, max)}" height="10"/></svg></div>`,
  );
  return figure(caption, html`<div class="bars" aria-hidden="true">${bars}</div>`, {
    head,
    rows: rows.map(({ label, text }) => [label, text]),
  });
}

/** Columns over time; null leaves a gap. `max` is the top of the picture. */
export function timeFigure(
  caption: string,
  points: readonly { label: string; value: number | null; text: string }[],
  max: number,
  head: readonly [string, string],
): Markup {
  const step = 100 / Math.max(1, points.length);
  const digits = (x: number) => Math.round(x * 100) / 100;
  const columns = points.map(({ value }, i) => {
    const height = max > 0 && value !== null ? digits((value / max) * 40) : 0;
    return html`<rect class="fill" x="${digits(i * step + step * 0.1)}" y="${digits(40 - height)}" width="${digits(step * 0.8)}" height="${height}"/>`;
  });
  const picture = html`<div aria-hidden="true"><svg viewBox="0 0 100 40" preserveAspectRatio="none" width="100%" height="120"><rect class="track" width="100" height="40"/>${columns}</svg>
<p class="ends"><span>${points[0]?.label}</span><span>${points.at(-1)?.label}</span></p></div>`;
  return figure(caption, picture, { head, rows: points.map(({ label, text }) => [label, text]) });
}
