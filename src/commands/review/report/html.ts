import type { Report, ReportedFinding, Seen } from "./data.ts";
import { factRows, metBy, place } from "./markdown.ts";

/** A report as one HTML file without scripts and without anything from elsewhere. Everything in it is escaped here. */

const escaped: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const text = (given: string) => given.replace(/[&<>"']/g, (character) => escaped[character]!);

const style = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem}dd{margin:0}dt,.soft{opacity:.75}
section{border-top:1px solid #8886;margin-top:1.5rem}meter{width:100%;height:1rem}blockquote{margin:0;display:inline}
@media print{body{margin:0;max-width:none}section{break-inside:avoid}}`;

function seenItem({ tester, quote, text: note, url, ...at }: Seen): string {
  const where = url === null ? place(at) : `<a href="${text(url)}">${place(at)}</a>`;
  const said = quote === null ? text(note ?? "") : `<blockquote>“${text(quote)}”</blockquote>`;
  return `<li>${where}, ${text(tester)}${said === "" ? "" : `: ${said}`}</li>`;
}

function section(finding: ReportedFinding): string {
  const { number, title, text: more, kind, severity, status, seen, testers } = finding;
  const about = [kind, severity === null ? "no severity" : `severity ${severity}`, status].join(", ");
  return `<section><h3>${number}. ${text(title)}</h3>
<meter min="0" max="${Math.max(testers.of, 1)}" value="${testers.seen}">${testers.seen} of ${testers.of}</meter>
<p>${metBy(finding)}. <span class="soft">${about}.</span></p>${more.trim() === "" ? "" : `\n<p>${text(more)}</p>`}
<ul>${seen.map(seenItem).join("\n")}</ul></section>`;
}

export function htmlOf(report: Report): string {
  const { playtest, findings, notCovered } = report;
  const name = text(`Playtest of ${playtest.gameName ?? "a game"}`);
  const facts = factRows(report).map(([what, value]) => `<dt>${what}</dt><dd>${text(value)}</dd>`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${name}</title><style>${style}</style></head>
<body><h1>${name}</h1>
<dl>${facts.join("\n")}</dl>
<h2>Findings</h2>
${findings.length === 0 ? "<p>None.</p>" : findings.map(section).join("\n")}
<h2>Not covered</h2>
${notCovered.length === 0 ? "<p>Nothing was left out.</p>" : `<ul>${notCovered.map((sentence) => `<li>${text(sentence)}</li>`).join("\n")}</ul>`}
</body></html>`;
}
