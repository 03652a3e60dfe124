import { html, type Markup, type PageContent } from "../html.ts";
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
  const links = sections.map(
    ([name, path, label]) =>
      html`<li><a href="${path}"${name === section && html` aria-current="page"`}>${label}${count(unread[name] ?? 0)}</a></li>`,
  );
  const signOut = html`<form method="post" action="/play/sign-out">${tokens(context)}<button class="link">Sign out</button></form>`;
  const header = html`<a class="skip" href="#main">Skip to content</a>
<header class="bar"><div><a class="brand" href="/play">playtest</a>
<div class="who"><a href="/play/account"><span class="hidden">Your account: </span>${session.displayName}</a>${signOut}</div>
<nav aria-label="Main"><ul>${links}</ul></nav></div></header>`;
  const { scripts = [] } = page.assets ?? {};
  return { wide: true, ...page, header, assets: { style: "portal.css", scripts: ["times.js", ...scripts] } };
}

/** The layout around a page for a visitor who is not signed in. */
export const signedOutLayout = (page: PageContent): PageContent => ({
  ...page,
  assets: { style: "portal.css" },
  header: html`<header class="bar"><div><a class="brand" href="/play">playtest</a></div></header>`,
});

/** The hidden fields of every form: the CSRF token, and the idempotency key, with which a form sent twice takes effect once. */
export const tokens = (context: Pick<PageContext, "session" | "formKey">): Markup =>
  html`<input type="hidden" name="csrf" value="${context.session.csrf}" autocomplete="off"><input type="hidden" name="formKey" value="${context.formKey}" autocomplete="off">`;

/** A form that consists of one button. */
export const button = (context: PageContext, action: string, label: string, look?: "link" | "quiet" | "danger"): Markup =>
  html`<form method="post" action="${action}">${tokens(context)}<button${look && html` class="${look}"`}>${label}</button></form>`;

export const more = (path: string, cursor: string | null | undefined, label = "Show older") =>
  typeof cursor === "string" && html`<p class="more"><a href="${path}?cursor=${cursor}">${label}</a></p>`;

export const alert = (message: string): Markup => html`<p class="note bad" role="alert">${message}</p>`;
export const notice = (message: string): Markup => html`<p class="note" role="status">${message}</p>`;

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
  return bytes < 1024 ** 3 ? `${(bytes / 1024 ** 2).toFixed(1)} MiB` : `${(bytes / 1024 ** 3).toFixed(2)} GiB`;
}

export const cursorOf = (context: PageContext) => context.query.get("cursor") ?? undefined;
