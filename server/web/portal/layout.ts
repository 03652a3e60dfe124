import type { Session } from "../../accounts/sessions.ts";
import type { UploadedVideo } from "../../playtests/slots/store.ts";
import type { PostedFile } from "../../uploads/posted.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import type { Ask } from "./api.ts";

export type Form = Record<string, string | undefined>;

/** What a page of the portal is made from. */
export interface Visit {
  session: Session;
  ask: Ask;
  /** The id in the path, where there is one. */
  id: string;
  query: URLSearchParams;
  /** The complete video of a slot, which must be their own. */
  videoOf(slotId: string): Promise<UploadedVideo | undefined>;
  /** Takes the file of a posted form as the video of a slot of theirs. */
  keepVideo(slotId: string, file: PostedFile): Promise<void>;
  /** The file that was posted, on the page that takes one. */
  file?: PostedFile | undefined;
  /** What was posted; empty when the page is only looked at. */
  form: Form;
  /** Server time, ms. */
  now: number;
  /** One value for each page shown: makes a form that is sent twice count once. */
  once: string;
}

export type View = (visit: Visit) => Promise<PageContent>;

export type Section = "offers" | "slots" | "applications" | "messages" | "earnings" | "notifications";

const sections: [Section, string, string][] = [
  ["offers", "/play", "Playtests"],
  ["slots", "/play/slots", "My slots"],
  ["applications", "/play/applications", "Applications"],
  ["messages", "/play/messages", "Messages"],
  ["earnings", "/play/earnings", "Earnings"],
  ["notifications", "/play/notifications", "News"],
];

const count = (unread: number) => unread > 0 && html` <span class="count">${unread}<span class="hidden"> unread</span></span>`;

/** The page around a page: who is signed in, and where else one can go. */
export async function frame(visit: Visit, section: Section | undefined, page: PageContent): Promise<PageContent> {
  const { ask, session } = visit;
  const { unreadCount: messages } = (await ask(session, "getUnreadCount")).data;
  const { unreadCount: notifications } = (await ask(session, "listNotifications", { query: { limit: "1" } })).data;
  const unread: Partial<Record<Section, number>> = { messages, notifications };
  const links = sections.map(
    ([name, path, label]) =>
      html`<li><a href="${path}"${name === section && html` aria-current="page"`}>${label}${count(unread[name] ?? 0)}</a></li>`,
  );
  const signOut = html`<form method="post" action="/play/sign-out">${tokens(visit)}<button class="link">Sign out</button></form>`;
  const header = html`<a class="skip" href="#main">Skip to the content</a>
<header class="bar"><div><a class="brand" href="/play">playtest</a>
<div class="who"><a href="/play/account"><span class="hidden">Your account: </span>${session.display_name}</a>${signOut}</div>
<nav aria-label="Main"><ul>${links}</ul></nav></div></header>`;
  const { scripts = [] } = page.assets ?? {};
  return { wide: true, ...page, header, assets: { style: "portal.css", scripts: ["times.js", ...scripts] } };
}

/** The page around a page of somebody who is not signed in. */
export const doorstep = (page: PageContent): PageContent => ({
  ...page,
  assets: { style: "portal.css" },
  header: html`<header class="bar"><div><a class="brand" href="/play">playtest</a></div></header>`,
});

/** What every form carries: the session's token against other sites, and the mark that makes it count once. */
export const tokens = (visit: Pick<Visit, "session" | "once">): Markup =>
  html`<input type="hidden" name="csrf" value="${visit.session.csrf}" autocomplete="off"><input type="hidden" name="once" value="${visit.once}" autocomplete="off">`;

/** A form that is one button. */
export const button = (visit: Visit, action: string, label: string, look?: "link" | "quiet" | "danger"): Markup =>
  html`<form method="post" action="${action}">${tokens(visit)}<button${look && html` class="${look}"`}>${label}</button></form>`;

export const more = (path: string, cursor: string | undefined, label = "Show older") =>
  cursor !== undefined && html`<p class="more"><a href="${path}?cursor=${cursor}">${label}</a></p>`;

export const alert = (message: string): Markup => html`<p class="note bad" role="alert">${message}</p>`;
export const notice = (message: string): Markup => html`<p class="note" role="status">${message}</p>`;

/** People's own words, with their line breaks. */
export const prose = (text: string): Markup => html`<p class="prose">${text}</p>`;

export const usd = (cents: number) => `${cents < 0 ? "−" : ""}$${(Math.abs(cents) / 100).toFixed(2)}`;

const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });

export const time = (iso: string): Markup => html`<time datetime="${iso}">${format.format(new Date(iso))} UTC</time>`;

const units = [
  ["day", 1440],
  ["hour", 60],
  ["minute", 1],
] as const;

/** When that is, from now, rounded down to a whole unit; minutes too below three hours. Empty when it has passed. */
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

/** The length of a file as people say it. */
export function fileSize(bytes: number): string {
  if (bytes < 1024 ** 2) return `${Math.max(1, Math.round(bytes / 1024))} KiB`;
  return bytes < 1024 ** 3 ? `${(bytes / 1024 ** 2).toFixed(1)} MiB` : `${(bytes / 1024 ** 3).toFixed(2)} GiB`;
}

export const cursorOf = (visit: Visit) => visit.query.get("cursor") ?? undefined;
