import type { ServerResponse } from "node:http";
import { escapeHtml } from "../mail/texts.ts";

/** Markup that is safe to send: made only by `html`, which escapes everything put into it that is not Markup itself. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | string | number | null | undefined | false | readonly Part[];

const textOf = (part: Part): string => {
  if (part === null || part === undefined || part === false) return "";
  if (part instanceof Markup) return part.text;
  return Array.isArray(part) ? part.map(textOf).join("") : escapeHtml(String(part));
};

export const html = (strings: TemplateStringsArray, ...parts: Part[]): Markup =>
  new Markup(strings.reduce((text, string, index) => text + textOf(parts[index - 1]) + string));

/** The style every page has. */
export const style = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --paper: #fff; --ground: #f2f4f7; --line: #d5dbe3; --accent: #1d5fd1; --accent-ink: #fff; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf2; --soft: #a3adba; --paper: #1b212a; --ground: #12161c; --line: #343d49; --accent: #7aa8ff; --accent-ink: #0c1420; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 34rem; margin: 8vh auto; padding: 2rem; background: var(--paper); border: 1px solid var(--line); border-radius: .75rem; }
main.wide { max-width: 60rem; margin: 2rem auto; }
h1, h2, h3, li { overflow-wrap: anywhere; }
h1 { margin: 0 0 1rem; font-size: 1.4rem; line-height: 1.25; }
a { color: var(--accent); }
label { display: block; margin: 1rem 0 .25rem; font-weight: 600; }
input, select, textarea { width: 100%; padding: .6rem .7rem; font: inherit; color: inherit; background: transparent; border: 1px solid var(--soft); border-radius: .4rem; }
button { margin-top: 1.25rem; padding: .65rem 1.2rem; font: inherit; font-weight: 600; color: var(--accent-ink); background: var(--accent); border: 0; border-radius: .4rem; cursor: pointer; }
button.link { margin: 0; padding: .4rem 0; color: var(--accent); background: none; text-decoration: underline; font-weight: 400; }
h2 { margin: 2rem 0 .5rem; font-size: 1rem; }
table { width: 100%; border-collapse: collapse; } th, td { padding: .4rem .5rem .4rem 0; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
th { font-weight: 600; white-space: nowrap; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
button.quiet { color: inherit; background: transparent; border: 1px solid var(--soft); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
video { display: block; width: 100%; max-height: 75vh; background: #000; border-radius: .5rem; }
.amount { font-size: 2rem; font-weight: 700; margin: 0; }
.soft { color: var(--soft); } .bad { color: var(--bad); } input + .bad { margin: .25rem 0 0; }
@media (max-width: 40rem) { main, main.wide { margin: 0; border: 0; border-radius: 0; min-height: 100vh; padding: 1.25rem; } }
`;

export interface PageContent {
  title: string;
  body: Markup;
  /** For tables and videos. */
  wide?: boolean;
  /** Where a form on the page may post to besides this server (a return address). */
  formAction?: string;
  /** Stands before the main part. */
  header?: Markup;
  /** Further files of `/assets`. */
  assets?: { style?: string; scripts?: readonly string[] };
}

/** Sends a page under a policy that allows nothing from elsewhere, and no script but the files the page names. */
export function sendPage(response: ServerResponse, status: number, page: PageContent): void {
  const { style, scripts = [] } = page.assets ?? {};
  const text = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<title>${page.title} · playtest</title><link rel="stylesheet" href="/assets/style.css">${style && html`<link rel="stylesheet" href="/assets/${style}">`}${scripts.map((script) => html`<script src="/assets/${script}" defer></script>`)}</head>
<body>${page.header}<main id="main"${page.wide ? html` class="wide"` : ""}><h1>${page.title}</h1>${page.body}</main></body>
</html>
`.text;
  response.writeHead(status, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": `default-src 'none'; ${scripts.length > 0 ? "script-src 'self'; connect-src 'self'; " : ""}style-src 'self'; img-src 'self'; media-src 'self'; form-action 'self'${page.formAction ? ` ${page.formAction}` : ""}; base-uri 'none'; frame-ancestors 'none'`,
    "Referrer-Policy": "no-referrer",
    "Content-Length": Buffer.byteLength(text),
  });
  response.end(text);
}

/** See Other, so that going back or reloading does not post again. An address elsewhere is spelled as a header can carry it. */
export function redirect(response: ServerResponse, location: string): void {
  const spelled = URL.canParse(location) ? new URL(location).href : location;
  response.writeHead(303, { Location: spelled, "Content-Length": 0 });
  response.end();
}
