import type { ServerResponse } from "node:http";
import { escapeHtml } from "../mail/texts.ts";
import { noSite, type SiteFrame } from "./site.ts";

/** HTML that is safe to send. Create it with `html` only, which escapes every value that is not Markup. */
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
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --paper: #fff; --ground: #f2f4f7; --line: #d5dbe3; --accent: #1d5fd1; --accent-ink: #fff; --bad: #b3261e; --code: #eef1f5; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf2; --soft: #a3adba; --paper: #1b212a; --ground: #12161c; --line: #343d49; --accent: #7aa8ff; --accent-ink: #0c1420; --bad: #ff8a80; --code: #262e39; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 34rem; margin: 8vh auto; padding: 2rem; background: var(--paper); border: 1px solid var(--line); border-radius: .75rem; }
main.wide { max-width: 60rem; margin: 2rem auto; }
h1, h2, h3, li, label, summary { overflow-wrap: anywhere; }
/* A name that is written from right to left does not reorder what stands beside it. */
a, b, strong, code, time, .soft, .badge { unicode-bidi: isolate; }
h1 { margin: 0 0 1rem; font-size: 1.4rem; line-height: 1.25; }
a { color: var(--accent); }
label { display: block; margin: 1rem 0 .25rem; font-weight: 600; }
input, select, textarea { width: 100%; padding: .6rem .7rem; font: inherit; color: inherit; background: transparent; border: 1px solid var(--soft); border-radius: .4rem; }
button { max-width: 100%; overflow-wrap: anywhere; margin-top: 1.25rem; padding: .65rem 1.2rem; font: inherit; font-weight: 600; color: var(--accent-ink); background: var(--accent); border: 0; border-radius: .4rem; cursor: pointer; }
button.link { margin: 0; padding: .4rem 0; color: var(--accent); background: none; text-decoration: underline; font-weight: 400; }
h2 { margin: 2rem 0 .5rem; font-size: 1rem; }
table { width: 100%; border-collapse: collapse; } th, td { padding: .4rem .5rem .4rem 0; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
th { font-weight: 600; white-space: nowrap; }
label.check { display: flex; gap: .6rem; align-items: baseline; font-weight: 400; } label.check input { width: auto; flex: none; }
button.wide { width: 100%; } .facts td { overflow-wrap: anywhere; } p { overflow-wrap: break-word; }
@media (max-width: 22rem) { th { white-space: normal; } }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 11rem), 1fr)); gap: 1rem; }
button.quiet { color: inherit; background: transparent; border: 1px solid var(--soft); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
video { display: block; width: 100%; max-height: 75vh; background: #000; border-radius: .5rem; }
code { font: .9em/1.5 ui-monospace, monospace; padding: .1rem .3rem; border-radius: .3rem; background: var(--code); overflow-wrap: break-word; }
pre { margin: 1rem 0; padding: .8rem 1rem; overflow-x: auto; border-radius: .5rem; background: var(--code); }
pre code { padding: 0; background: none; white-space: pre; } pre.wrap code { white-space: pre-wrap; overflow-wrap: anywhere; }
.button { display: inline-block; margin: .5rem 0; padding: .65rem 1.2rem; font-weight: 600; color: var(--accent-ink); background: var(--accent); border-radius: .4rem; text-decoration: none; }
.amount { font-size: 2rem; font-weight: 700; margin: 0; }
.alert { padding: .75rem 1rem; border-left: .3rem solid var(--bad); border-radius: .5rem; background: var(--code); } .alert::before { content: "! " / ""; color: var(--bad); font-weight: 700; }
footer { max-width: 34rem; margin: 0 auto 2rem; padding: 1rem; text-align: center; font-size: .9rem; }
.logo { margin: 0 0 1rem; } .logo img { display: block; height: 2.5rem; max-width: 100%; object-fit: contain; } footer a { color: var(--soft); }
.soft { color: var(--soft); } .bad { color: var(--bad); } input + .bad { margin: .25rem 0 0; }
@media (max-width: 40rem) { main, main.wide { margin: 0; border: 0; border-radius: 0; min-height: 100vh; padding: 1.25rem; } }
`;

export interface PageContent {
  title: string;
  /** The HTTP status of the reply; 200 by default. */
  status?: number;
  /** The heading, if it differs from the title. */
  heading?: string;
  body: Markup;
  /** The path of the page, where the browser shows another: after a form was refused, that of what the form was posted to. */
  path?: string;
  /** Use a wider page, for tables and videos. */
  wide?: boolean;
  /** Another origin, besides this server, to which a form on the page may lead: that of a return URL. */
  formAction?: string;
  /** Where the browser goes by itself. The page has a link there too. */
  leadsTo?: string;
  /** Placed above the main part. */
  header?: Markup;
  /** Open Graph properties, for previews of a link to the page. */
  preview?: Readonly<Record<string, string>>;
  /** Search engines may list it. */
  isIndexable?: boolean;
  /** Other sites may show it in a frame. */
  isEmbeddable?: boolean;
  /** The path of a feed of what it lists. */
  feed?: string;
  /** The page that is probably opened after this one: browsers that can fetch it ahead, and show it at once. */
  nextPage?: string;
  /** Additional files from `/assets` to load. */
  assets?: { style?: string | readonly string[]; scripts?: readonly string[] };
}

/** For browsers that know speculation rules. What is fetched ahead is kept in memory, so that pages need not be stored. */
const speculation = (path: string) =>
  new Markup(
    `<script type="speculationrules">${JSON.stringify({ prefetch: [{ urls: [path], eagerness: "immediate" }] }).replaceAll("<", "\\u003c")}</script>`,
  );

/** What other sites and search engines show of a link to the page: with a picture, that is drawn large. */
const previewTags = (preview: Readonly<Record<string, string>>): Markup =>
  html`${preview.description !== undefined && html`<meta name="description" content="${preview.description}">`}${preview.image !== undefined && html`<meta name="twitter:card" content="summary_large_image">`}${Object.entries(preview).map(([name, value]) => html`<meta property="og:${name}" content="${value}">`)}`;

const sites = new WeakMap<ServerResponse, SiteFrame>();

/** Gives the page that is sent as this response the name, colors and links of a site. */
export const setSite = (response: ServerResponse, site: SiteFrame): void => void sites.set(response, site);

function footer({ termsUrl, privacyUrl }: Pick<SiteFrame, "termsUrl" | "privacyUrl">): Markup | null {
  const links = [
    ...(termsUrl === null ? [] : [html`<a href="${termsUrl}">Terms</a>`]),
    ...(privacyUrl === null ? [] : [html`<a href="${privacyUrl}">Privacy</a>`]),
  ];
  if (links.length === 0) return null;
  return html`<footer>${links.map((link, index) => html`${index > 0 && " · "}${link}`)}</footer>`;
}

/** An address of this host in a tag. Values are escaped, so none of them can look like one. */
const address = / (href|src|action|formaction|poster|data-cues)="(?=\/(?!\/))/g;

/** Sends a page with a Content-Security-Policy that allows no resources of other sites, and only those scripts that the page lists. */
export function sendPage(response: ServerResponse, status: number, page: PageContent): void {
  const { style = [], scripts = [] } = page.assets ?? {};
  const site = sites.get(response) ?? noSite;
  const { assetAddress } = site;
  const styles = ["style.css", ...[style].flat(), ...(site.hasColor ? ["brand.css"] : [])];
  const written = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${!page.isIndexable && html`<meta name="robots" content="noindex">`}${page.leadsTo !== undefined && html`<meta http-equiv="refresh" content="0;url=${page.leadsTo}">`}
<title>${page.title === site.name ? page.title : html`${page.title} · ${site.name}`}</title><link rel="icon" href="${assetAddress("icon.svg")}" type="image/svg+xml">${page.path !== undefined && html`<link rel="canonical" href="${page.path}">`}${styles.map((name) => html`<link rel="stylesheet" href="${assetAddress(name)}">`)}${page.feed !== undefined && html`<link rel="alternate" type="application/rss+xml" href="${page.feed}">`}${page.preview && previewTags(page.preview)}${scripts.map((script) => html`<script src="${assetAddress(script)}" type="module"></script>`)}${page.nextPage !== undefined && speculation((site.root ?? "") + page.nextPage)}</head>
<body>${page.header}<main id="main"${page.wide ? html` class="wide"` : ""}>${!page.header && site.hasLogo && html`<p class="logo"><img src="${assetAddress("logo")}" alt=""></p>`}<h1>${page.heading ?? page.title}</h1>${page.body}</main>${footer(site)}</body>
</html>
`.text;
  const { root } = site;
  const text = root === undefined ? written : written.replace(address, (tag) => tag + root);
  const scriptSources = `'self'${page.nextPage === undefined ? "" : " 'inline-speculation-rules'"}`;
  response.writeHead(status, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": `default-src 'none'; ${scripts.length > 0 ? `script-src ${scriptSources}; connect-src 'self'; ` : ""}style-src 'self'; img-src 'self'; media-src 'self'; form-action 'self'${page.formAction ? ` ${page.formAction}` : ""}; base-uri 'none'; frame-ancestors ${page.isEmbeddable ? "*" : "'none'"}`,
    "Referrer-Policy": "no-referrer",
    "Content-Length": Buffer.byteLength(text),
  });
  response.end(text);
}

/** Redirects with 303 See Other, so that going back or reloading does not post again. Encodes an absolute URL so that it fits into a header. */
export function redirect(response: ServerResponse, location: string): void {
  const { root = "" } = sites.get(response) ?? noSite;
  const encoded = URL.canParse(location) ? new URL(location).href : location;
  response.writeHead(303, { Location: encoded.startsWith("/") ? root + encoded : encoded, "Content-Length": 0 });
  response.end();
}
