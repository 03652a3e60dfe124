import { ended } from "../../../src/contract/text/one-line.ts";
import { isWebAddress } from "../../../src/contract/text/web-address.ts";
import { html, type Markup } from "../html.ts";
import type { Site } from "../site.ts";
import type { PageContext } from "./types.ts";

/** Fields that a form sends back as they are, by their names. */
export const hiddenFields = (fields: Record<string, string>): Markup[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" autocomplete="off">`);

/** The hidden fields of every form: the CSRF token, and the idempotency key, with which a form sent twice takes effect once. */
export const tokens = (context: Pick<PageContext, "session" | "formKey">): Markup[] =>
  hiddenFields({ csrf: context.session.csrf, formKey: context.formKey });

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

/** The link to more of a list that is not the only one of its page: its cursor has its name. */
export const moreOf = (list: string, path: string, cursor: string | null | undefined, label: string) =>
  typeof cursor === "string" && html`<p class="more"><a href="${path}?${list}=${cursor}#${list}">${label}</a></p>`;

/** What went wrong. It gets the focus, so that a reader hears it first. In a text, as the API gives it, names stand between backquotes. */
export const alert = (message: string | Markup): Markup =>
  html`<div class="note bad" role="alert" tabindex="-1" autofocus>${typeof message === "string" ? withCode(message) : message}</div>`;

/** What was done. It gets the focus for the same reason. */
export const notice = (message: string | Markup): Markup =>
  html`<div class="note" role="status" tabindex="-1" autofocus>${message}</div>`;

/** The attributes of a field that the last form filled in wrongly. What is wrong with it comes from `fault`. */
export const marked = ({ faults }: PageContext, id: string) =>
  faults[id] !== undefined && html` aria-invalid="true" aria-describedby="${id}-fault"`;

/** What is wrong with a field. Place it below the field. */
export const fault = ({ faults }: PageContext, id: string) =>
  faults[id] !== undefined && html`<p class="bad fault" id="${id}-fault">${withCode(sentence(faults[id]))}</p>`;

/** What was entered in this field, if the last form was posted to an action whose last id is this one: of a form that a page has several times. */
export const enteredFor = ({ ids, form }: PageContext, id: string, field: string): string | undefined =>
  ids.at(-1) === id ? form[field] : undefined;

/** A message or reason that has neither a capital letter nor a full stop, as a sentence. */
export const sentence = (text: string) => ended(`${text.charAt(0).toUpperCase()}${text.slice(1)}`);

/** A button that cannot be pressed now, with the reason beside it. */
export const disabledButton = (label: string, id: string, why: string | Markup): Markup =>
  html`<button disabled aria-describedby="${id}">${label}</button><p class="why" id="${id}">${why}</p>`;

/** What stands between backquotes, as code. */
export const withCode = (text: string) =>
  text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part));

/** A button that copies a text. It appears with a script that offers copies. `what` names the text for those who do not see it. */
export const copyButton = (text: string, what: string): Markup =>
  html`<button type="button" class="quiet copy" data-copy="${text}" hidden>Copy<span class="hidden"> ${what}</span></button>`;

/** A text to copy, such as a command. */
export const copied = (text: string, what: string): Markup =>
  html`<div class="command"><pre class="wrap"><code>${text}</code></pre>${copyButton(text, what)}</div>`;

/** The cover image of a game, or the first letter of its name. */
export const cover = ({ name, coverPath }: { name: string; coverPath: string | null }): Markup =>
  coverPath === null
    ? html`<span class="cover" aria-hidden="true">${[...name.trim()][0]?.toUpperCase()}</span>`
    : html`<img class="cover" src="${coverPath}" alt="" width="160" height="90" loading="lazy">`;

/** A link to another site, whose address a user wrote. It opens in a new tab: the page may have a form that is half filled in. */
export const outsideLink = (href: string, label: string | Markup | Markup[]): Markup =>
  html`<a href="${href}" target="_blank" rel="noopener nofollow">${label}<span class="hidden"> (opens in a new tab)</span></a>`;

/** An address in a text, without what ends the sentence around it. */
const addressInText = /https?:\/\/[^\s<>"'`]*[^\s<>"'`.,:;!?…)\]}»”’]/gi;

/** A text whose web addresses are links. Everything else of it stays text. */
export function linked(text: string): Markup {
  const parts: (Markup | string)[] = [];
  let end = 0;
  for (const { 0: address, index } of text.matchAll(addressInText)) {
    parts.push(text.slice(end, index), isWebAddress(address) ? outsideLink(address, address) : address);
    end = index + address.length;
  }
  return html`${parts}${text.slice(end)}`;
}

/** Text that a user wrote, with its line breaks; its web addresses are links. */
export const prose = (text: string): Markup => html`<p class="prose">${linked(text)}</p>`;

export const cursorOf = (context: PageContext) => context.query.get("cursor") ?? undefined;

/** Whoever creates an account accepts these. */
export function acceptTerms({ termsUrl, privacyUrl }: Site): Markup | null {
  const terms = termsUrl !== null && html`By creating an account you accept the <a href="${termsUrl}">terms</a>. `;
  const privacy = privacyUrl !== null && html`How your data is used: <a href="${privacyUrl}">privacy policy</a>.`;
  return terms || privacy ? html`<p class="soft">${terms}${privacy}</p>` : null;
}
