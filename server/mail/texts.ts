import type { InvitedRole } from "../../src/contract/admin/invitations.ts";
import { defaultName } from "../../src/contract/pages/site-name.ts";
import { shortened } from "../../src/contract/text/one-line.ts";
import { zonedText } from "../../src/contract/time/zones.ts";
import type { Look } from "./style.ts";
import * as style from "./style.ts";

/** Subject and body of an email, as plain text and as HTML. What users wrote is escaped in the HTML. */
export interface MailContent {
  subject: string;
  text: string;
  html: string;
  /** Both with the look of this server's site. */
  bodiesWith?: (look: Look) => Pick<MailContent, "text" | "html">;
  /** A one-time token that the text contains. It is stored encrypted, and only until the email is sent. */
  secret?: string;
  /** A calendar file to attach. */
  calendar?: string;
  /** The id of an invoice to attach. */
  documentId?: string;
  /** How long (ms) the link with the token works. */
  validMs?: number;
}

/** A link that an email asks the reader to open. */
export interface Action {
  label: string;
  url: string;
}

/** An email about an event: who, what, until when, and the page where to do something about it. */
export interface Letter {
  subject: string;
  /** What mail programs show beside the subject: the deadline, the amount or the first words. By default the first paragraph. */
  preview?: string;
  paragraphs: string[];
  action: Action;
  /** A calendar file to attach. A paragraph is added that says so. A summary has neither. */
  calendar?: string;
  /** An invoice to attach, and the paragraph that says so. A summary has neither. */
  document?: { id: string; note: string };
  /** Until when (ms) its reader can act on it. No summary that would come too late for that collects it. */
  usefulUntil?: number | undefined;
  /** It only asks for something: a summary that comes too late leaves it out. */
  onlyAsks?: true;
}

/** An email that is told in its reader's time zone; null for UTC. */
export type ZonedLetter = Letter | ((zone: string | null) => Letter);

export const builtInColor = "#1d4ed8";
const plainLook: Look = { name: defaultName, logoUrl: null, color: builtInColor, ink: "#ffffff" };

interface Parts {
  subject: string;
  /** The recipient's name; null for an account whose address is not verified. */
  to: string | null;
  preview?: string;
  paragraphs: string[];
  action?: Action;
  /** Other emails that this one lists. */
  entries?: readonly Letter[];
  calendar?: string;
  documentId?: string;
  /** Why the reader gets this email, and where to turn such emails off. */
  footer?: { why: string; off: Action; all: Action | null };
  secret?: string;
  validMs?: number;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

export const escapeHtml = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

/**
 * Replaces line breaks and control characters, which a name in a subject may contain, and removes those that turn the direction of the
 * text around them: with these, a name could make the words of an email read as something else.
 */
const oneLine = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/\p{Bidi_Control}/gu, "")
    .trim();

/**
 * A name as emails show it: one line, without anything that a mail program would turn into a link. Otherwise anybody could use a name to
 * send links to their own site in this server's emails.
 */
export const nameInMail = (name: string): string =>
  oneLine(name)
    .replace(/[a-z][a-z0-9+.-]*:\/\/|\bmailto:/giu, " ")
    .replace(/(?<=[\p{L}\p{N}-])[.@\u3002\uff0e\uff20\uff61](?=[\p{L}\p{N}-]*\p{L}{2})/gu, " ")
    .replace(/\s+/gu, " ")
    .trim();

const link = ({ url, label }: Action, look: string, name = "") =>
  `<a href="${escapeHtml(url)}"${name && ` class="${name}"`} style="${look}">${escapeHtml(label)}</a>`;

function brandHtml({ name, logoUrl }: Look): string {
  const logo = logoUrl === null ? "" : `<img src="${escapeHtml(logoUrl)}" alt="" height="28" style="vertical-align:middle"> `;
  return `<p style="font-weight:700">${logo}${escapeHtml(name)}</p>`;
}

const previewLength = 140;

/** The line that mail programs show beside the subject. Blanks keep them from adding the words of the body to a short one. */
function previewHtml({ preview, paragraphs }: Pick<Parts, "preview" | "paragraphs">): string {
  const line = oneLine(preview ?? "") || oneLine(paragraphs[0] ?? "");
  return `<div class="preview" style="${style.hidden}">${escapeHtml(shortened(line, previewLength))}${"&#847;&zwnj;&nbsp;".repeat(40)}</div>`;
}

const paragraphHtml = (paragraph: string) => `<p>${escapeHtml(paragraph).replaceAll("\n", "<br>")}</p>`;
const actionText = ({ label, url }: Action) => `${label}:\n${url}`;

function entryText({ subject, paragraphs, action }: Letter): string {
  const lines = [...paragraphs, actionText(action)].join("\n").replaceAll("\n", "\n  ");
  return `* ${oneLine(subject)}\n  ${lines}`;
}

const entryHtml = ({ subject, paragraphs, action }: Letter) =>
  `<div class="entry" style="${style.entry}"><p style="margin:0 0 4px"><strong>${escapeHtml(oneLine(subject))}</strong></p>${paragraphs
    .map(paragraphHtml)
    .join("")}<p>${link(action, style.entryLink, "link")}</p></div>`;

const footerText = ({ why, off, all }: NonNullable<Parts["footer"]>) =>
  `-- \n${[why, ...[off, ...(all ? [all] : [])].map(actionText)].join("\n")}`;
const footerHtml = ({ why, off, all }: NonNullable<Parts["footer"]>) =>
  `<p class="small entry" style="${style.small};${style.entry}">${[escapeHtml(why), ...[off, ...(all ? [all] : [])].map((action) => link(action, "color:inherit"))].join("<br>")}</p>`;

export function compose(parts: Parts): MailContent {
  const { subject, secret, validMs, calendar, documentId } = parts;
  const bodiesWith = (look: Look) => ({ text: textOf(parts, look), html: htmlOf(parts, look) });
  return {
    subject: oneLine(subject),
    ...bodiesWith(plainLook),
    bodiesWith,
    ...(secret !== undefined && { secret }),
    ...(validMs !== undefined && { validMs }),
    ...(calendar !== undefined && { calendar }),
    ...(documentId !== undefined && { documentId }),
  };
}

const greetingOf = ({ to }: Parts) => (to === null ? "Hello," : `Hello ${nameInMail(to)},`);

function textOf(parts: Parts, { name }: Look): string {
  const { paragraphs, action, entries = [], footer } = parts;
  const text = [
    greetingOf(parts),
    ...paragraphs,
    ...(action ? [actionText(action)] : []),
    ...entries.map(entryText),
    name,
    ...(footer ? [footerText(footer)] : []),
  ];
  return `${text.join("\n\n")}\n`;
}

function htmlOf(parts: Parts, look: Look): string {
  const { subject, paragraphs, action, entries = [], footer } = parts;
  const body = [previewHtml(parts), brandHtml(look), ...[greetingOf(parts), ...paragraphs].map(paragraphHtml)];
  if (action)
    body.push(
      `<p style="margin:24px 0">${link(action, style.button(look))}</p>`,
      `<p class="small" style="${style.small}">${link({ ...action, label: action.url }, "color:inherit")}</p>`,
    );
  body.push(...entries.map(entryHtml));
  if (footer) body.push(footerHtml(footer));
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width">${style.colorSchemes}<title>${escapeHtml(oneLine(subject))}</title>`;
  return `<!doctype html><html lang="en"><head>${head}</head><body style="${style.page}"><div class="card" style="${style.card}">${body.join("\n")}</div></body></html>\n`;
}

export const composeVerification = (to: { token: string; url: string }) =>
  compose({
    subject: "Verify your email address",
    to: null,
    paragraphs: [
      "Open this link within 24 hours to verify your email address. It can be used once.",
      "If you did not create an account, open it too: the page shows from where it was created and lets you delete it. An account that is not verified is deleted after 7 days.",
    ],
    action: { label: "Verify email address", url: to.url },
    secret: to.token,
    validMs: day,
  });

export const composeReset = (to: { name: string | null; token: string; url: string }) =>
  compose({
    subject: "Reset your password",
    to: to.name,
    paragraphs: [
      "We received a request to reset your password. Open this link within one hour. It can be used once.",
      `On the command line, use this token: ${to.token}`,
      "If you did not request this, ignore this email. Your password was not changed.",
    ],
    action: { label: "Reset your password", url: to.url },
    secret: to.token,
    validMs: hour,
  });

/** The same to both addresses; `name` is null for the new one, which nobody verified. */
export const composeEmailChange = (about: { name: string | null; token: string; url: string; to: string }) =>
  compose({
    subject: "Confirm the change of your email address",
    to: about.name,
    paragraphs: [
      `The email address of your account is to be changed to ${about.to}.`,
      "Both addresses get a link. The address changes when both were opened, each once, within 24 hours.",
      "If you did not request this, do not open the link: then nothing changes.",
    ],
    action: { label: "Confirm the change", url: about.url },
    secret: about.token,
    validMs: day,
  });

/** To the address that an administrator named for another one, who has not confirmed it. */
export const composeAdminAddress = (to: { brand: string; token: string; url: string }) =>
  compose({
    subject: `Confirm your address as an operator of ${to.brand}`,
    to: null,
    paragraphs: [
      `An administrator of ${to.brand} named this address for your operator account there. Emails about what waits for you come here after you open this link, within 24 hours. It can be used once.`,
      "If you do not expect this, ignore this email: then nothing else is sent here.",
    ],
    action: { label: "Confirm the address", url: to.url },
    secret: to.token,
    validMs: day,
  });

export const composeSignIn = (to: { name: string | null; token: string; url: string }) =>
  compose({
    subject: "Your sign-in link",
    to: to.name,
    paragraphs: [
      "Open this link within 15 minutes to sign in. It can be used once.",
      "If you did not request this, ignore this email.",
    ],
    action: { label: "Sign in", url: to.url },
    secret: to.token,
    validMs: 15 * minute,
  });

export const composeInvitation = (to: {
  brand: string;
  role: InvitedRole;
  isPaid: boolean;
  days: number;
  token: string;
  url: string;
}) =>
  compose({
    subject: `You are invited to ${to.brand}`,
    to: null,
    paragraphs: [
      to.role === "playtester"
        ? `You are invited to test games on ${to.brand}: play them before their release${to.isPaid ? ", record a video, and be paid for it" : " and record a video"}.`
        : `You are invited to ${to.brand}, where playtests of your games are ordered and reviewed on video.`,
      `Open this link within ${to.days === 1 ? "a day" : `${to.days} days`} to join. ${to.role === "playtester" ? "It creates your account and signs you in, once." : "It creates your account, once, and you then set a password."}`,
      "If you do not want to join, ignore this email: without you, no account is created.",
    ],
    action: { label: "Join", url: to.url },
    secret: to.token,
    validMs: to.days * day,
  });

/** Something that only the owner of an account should do, and who did it. */
export interface Happened {
  name: string;
  /** Milliseconds. */
  at: number;
  /** The reader's time zone; null for UTC. */
  zone: string | null;
  address: string;
  agent: string | null;
  /** Where a new password can be requested. */
  resetUrl: string;
  /** The page of the account's API keys; null for operators, who have none. */
  keysUrl: string | null;
}

export const whoDid = ({ at, zone, address, agent }: Happened) =>
  [`Time: ${zonedText(at, zone)}`, `Address: ${address}`, ...(agent === null ? [] : [`With: ${nameInMail(agent)}`])].join("\n");

export const resetAction = ({ resetUrl: url }: Happened) => ({ label: "Reset your password", url });

export const composePasswordChanged = (about: Happened) =>
  compose({
    subject: "Your password was changed",
    to: about.name,
    paragraphs: [
      "The password of your account was changed, and every browser was signed out.",
      whoDid(about),
      "If this was you, you do not need to do anything. If not, reset your password now and revoke your API keys.",
    ],
    action: resetAction(about),
  });

interface NamedKey {
  id: string;
  name: string;
  prefix: string;
}

export const composeNewKey = (about: Happened & { key: NamedKey; replaced?: NamedKey | undefined }) =>
  compose({
    subject: "A new API key was created",
    to: about.name,
    paragraphs: [
      `The API key ${nameInMail(about.key.name)} (${about.key.prefix}…) was created for your account.${about.replaced ? ` It replaces the API key ${nameInMail(about.replaced.name)} (${about.replaced.prefix}…).` : ""}`,
      whoDid(about),
      `If this was not you, revoke ${about.replaced ? "both" : "it"}, then reset your password.`,
    ],
    action: about.keysUrl === null ? resetAction(about) : { label: "See your API keys", url: about.keysUrl },
  });

export const composeConnectionEnded = (about: Happened & { key: NamedKey }) =>
  compose({
    subject: "A connected program was disconnected",
    to: about.name,
    paragraphs: [
      `The program ${nameInMail(about.key.name)} was disconnected from your account: a code or token of it that works only once was used twice. This happens if somebody copied it, and also if the program lost an answer and tried again.`,
      whoDid(about),
      "None of its tokens works any more, and it cannot order. If you trust the program, connect it again. If you do not know why this happened, look at its orders first, and reset your password.",
    ],
    action: resetAction(about),
  });

export const composeExported = (about: Happened) =>
  compose({
    subject: "Everything about your account was exported",
    to: about.name,
    paragraphs: [
      "Everything that is kept about your account was exported, with your payout details in full.",
      whoDid(about),
      "If this was not you, somebody knows your password: reset it now, and revoke your API keys.",
    ],
    action: resetAction(about),
  });

export const composeNewSignIn = (about: Happened) =>
  compose({
    subject: "New sign-in to your account",
    to: about.name,
    paragraphs: [
      "Somebody signed in to your account in a browser that was not signed in before.",
      whoDid(about),
      "If this was you, you do not need to do anything. If not, reset your password now: that signs out every browser.",
    ],
    action: resetAction(about),
  });
