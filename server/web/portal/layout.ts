import { html, type Markup, type PageContent } from "../html.ts";
import type { Site } from "../site.ts";
import type { PageContext, Section } from "./types.ts";

const sections: [Section, string, string][] = [
  ["offers", "/play", "Playtests"],
  ["slots", "/play/slots", "My slots"],
  ["applications", "/play/applications", "Applications"],
  ["messages", "/play/messages", "Messages"],
  ["earnings", "/play/earnings", "Earnings"],
  ["notifications", "/play/notifications", "Notifications"],
];

const count = (unread: number) => unread > 0 && html` <span class="count">${unread}<span class="hidden"> unread</span></span>`;

const brandLink = ({ name, hasLogo }: Site) =>
  html`<a class="brand" href="/play">${hasLogo && html`<img src="/assets/logo" alt=""> `}${name}</a>`;

/** Whoever creates an account accepts these. */
export function acceptTerms({ termsUrl, privacyUrl }: Site): Markup | null {
  const terms = termsUrl !== null && html`By creating an account you accept the <a href="${termsUrl}">terms</a>. `;
  const privacy = privacyUrl !== null && html`How your data is used: <a href="${privacyUrl}">privacy policy</a>.`;
  return terms || privacy ? html`<p class="soft">${terms}${privacy}</p>` : null;
}
/** Without payments, only who earned something before sees the page about it. */
const hasEarnings = async ({ site, call }: PageContext): Promise<boolean> =>
  site.payments || (await call("getEarnings", { query: { limit: 1 } })).data.entries.length > 0;

/** The layout around a page for a playtester who is signed in: the navigation and the name of the account. */
export async function signedInLayout(
  context: PageContext,
  section: Section | undefined,
  page: PageContent,
): Promise<PageContent> {
  const { call, session } = context;
  const { unreadCount: messages } = (await call("getUnreadCount")).data;
  const { unreadCount: notifications } = (await call("listNotifications", { query: { limit: 1 } })).data;
  const unread: Partial<Record<Section, number>> = { messages, notifications };
  const hidden = section === "earnings" || (await hasEarnings(context)) ? undefined : "earnings";
  const links = sections
    .filter(([name]) => name !== hidden)
    .map(
      ([name, path, label]) =>
        html`<li><a href="${path}"${name === section && html` aria-current="page"`}>${label}${count(unread[name] ?? 0)}</a></li>`,
    );
  const signOut = html`<form method="post" action="/play/sign-out">${tokens(context)}<button class="link">Sign out</button></form>`;
  const header = html`<a class="skip" href="#main">Skip to content</a>
<header class="bar"><div>${brandLink(context.site)}
<div class="who"><a href="/play/account"><span class="hidden">Your account: </span>${session.displayName}</a>${signOut}</div>
<nav aria-label="Main"><ul>${links}</ul></nav></div></header>`;
  const { scripts = [] } = page.assets ?? {};
  return { wide: true, ...page, header, assets: { style: "portal.css", scripts: ["times.js", ...scripts] } };
}

/** The layout around a page for a visitor who is not signed in. */
export const signedOutLayout = (site: Site, page: PageContent): PageContent => ({
  ...page,
  assets: { style: "portal.css", ...page.assets },
  header: html`<header class="bar"><div>${brandLink(site)}</div></header>`,
});

/** The hidden fields of every form: the CSRF token, and the idempotency key, with which a form sent twice takes effect once. */
export const tokens = (context: Pick<PageContext, "session" | "formKey">): Markup =>
  html`<input type="hidden" name="csrf" value="${context.session.csrf}" autocomplete="off"><input type="hidden" name="formKey" value="${context.formKey}" autocomplete="off">`;

/** A form that consists of one button. */
export const button = (context: PageContext, action: string, label: string, look?: "link" | "quiet" | "danger"): Markup =>
  html`<form method="post" action="${action}">${tokens(context)}<button${look && html` class="${look}"`}>${label}</button></form>`;

interface Ceremony {
  /** The function of `navigator.credentials` that takes the options. */
  ceremony: "create" | "get";
  options: object;
  /** Where the browser's answer is posted. */
  action: string;
  label: string;
}

/** The form that the script passkey.js fills in with a passkey and sends. It asks the browser at once; the button asks again. */
export const passkeyForm = ({ ceremony, options, action, label }: Ceremony, fields: Markup | readonly Markup[]): Markup =>
  html`<form id="passkey" method="post" action="${action}" data-ceremony="${ceremony}" data-options="${JSON.stringify(options)}">${fields}<input type="hidden" name="response" autocomplete="off">
<p id="passkey-unavailable">Passkeys need JavaScript and a browser that supports them. Allow JavaScript for this site and reload the page, or go back and choose another way.</p>
<p id="passkey-waiting" hidden>Follow the instructions of your browser.</p>
<p id="passkey-problem" class="note bad" role="alert" hidden></p>
<button type="button" hidden>${label}</button></form>`;

export const more = (path: string, cursor: string | null | undefined, label = "Show older") =>
  typeof cursor === "string" && html`<p class="more"><a href="${path}?cursor=${cursor}">${label}</a></p>`;

/** What went wrong. It gets the focus, so that a reader hears it first. */
export const alert = (message: string | Markup): Markup =>
  html`<div class="note bad" role="alert" tabindex="-1" autofocus>${message}</div>`;

/** What was done. It gets the focus for the same reason. */
export const notice = (message: string): Markup => html`<div class="note" role="status" tabindex="-1" autofocus>${message}</div>`;

/** The attributes of a field that the last form filled in wrongly. What is wrong with it comes from `fault`. */
export const marked = ({ faults }: PageContext, id: string) =>
  faults[id] !== undefined && html` aria-invalid="true" aria-describedby="${id}-fault"`;

/** What is wrong with a field. Place it below the field. */
export const fault = ({ faults }: PageContext, id: string) =>
  faults[id] !== undefined && html`<p class="bad fault" id="${id}-fault">${sentence(faults[id])}</p>`;

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;

/** A button that cannot be pressed now, with the reason beside it. */
export const disabledButton = (label: string, id: string, why: string | Markup): Markup =>
  html`<button disabled aria-describedby="${id}">${label}</button><p class="why" id="${id}">${why}</p>`;

/** The cover image of a game, or a placeholder. */
export const cover = ({ coverPath }: { coverPath: string | null }): Markup =>
  coverPath === null
    ? html`<span class="cover" aria-hidden="true"></span>`
    : html`<img class="cover" src="${coverPath}" alt="" width="160" height="90" loading="lazy">`;

/** Text that a user wrote, with its line breaks. */
export const prose = (text: string): Markup => html`<p class="prose">${text}</p>`;

const format = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "short", hourCycle: "h23", timeZone: "UTC" });

export const time = (iso: string): Markup => html`<time datetime="${iso}">${format.format(new Date(iso))} UTC</time>`;

const units = [
  ["day", 1440],
  ["hour", 60],
  ["minute", 1],
] as const;

/** The time left until `iso`, such as "in 2 days", rounded down to a whole unit; below three hours with minutes. Empty when it has passed. */
export function until(iso: string, now: number): string {
  const minutes = Math.floor((Date.parse(iso) - now) / 60_000);
  if (minutes < 0) return "";
  if (minutes < 1) return "in less than a minute";
  const [unit, size] = units.find(([, length]) => minutes >= 2 * length) ?? ["minute", 1];
  const rest = unit === "hour" && minutes < 180 ? minutes % 60 : 0;
  return `in ${many(Math.floor(minutes / size), unit)}${rest > 0 ? ` ${many(rest, "minute")}` : ""}`;
}

const many = (number: number, unit: string) => `${number} ${unit}${number === 1 ? "" : "s"}`;

export const players = (count: number) => many(count, "player");

/** The size of a file in a readable unit. */
export function fileSize(bytes: number): string {
  if (bytes < 1024 ** 2) return `${Math.max(1, Math.round(bytes / 1024))} KiB`;
  if (bytes < 1024 ** 3) return `${Number((bytes / 1024 ** 2).toFixed(1))} MiB`;
  return `${Number((bytes / 1024 ** 3).toFixed(2))} GiB`;
}

export const cursorOf = (context: PageContext) => context.query.get("cursor") ?? undefined;
