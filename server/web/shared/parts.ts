import { html, type Markup } from "../html.ts";
import type { Site } from "../site.ts";
import type { PageContext } from "./types.ts";

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

/** What stands between backquotes, as code. */
export const withCode = (text: string) => text.split("`").map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part));

/** A button that copies a text. It appears with a script that offers copies. `what` names the text for those who do not see it. */
export const copyButton = (text: string, what: string): Markup =>
  html`<button type="button" class="quiet copy" data-copy="${text}" hidden>Copy<span class="hidden"> ${what}</span></button>`;

/** A text to copy, such as a command. */
export const copied = (text: string, what: string): Markup =>
  html`<div class="command"><pre class="wrap"><code>${text}</code></pre>${copyButton(text, what)}</div>`;

/** The cover image of a game, or a placeholder. */
export const cover = ({ coverPath }: { coverPath: string | null }): Markup =>
  coverPath === null
    ? html`<span class="cover" aria-hidden="true"></span>`
    : html`<img class="cover" src="${coverPath}" alt="" width="160" height="90" loading="lazy">`;

/** Text that a user wrote, with its line breaks. */
export const prose = (text: string): Markup => html`<p class="prose">${text}</p>`;

export const cursorOf = (context: PageContext) => context.query.get("cursor") ?? undefined;

/** Whoever creates an account accepts these. */
export function acceptTerms({ termsUrl, privacyUrl }: Site): Markup | null {
  const terms = termsUrl !== null && html`By creating an account you accept the <a href="${termsUrl}">terms</a>. `;
  const privacy = privacyUrl !== null && html`How your data is used: <a href="${privacyUrl}">privacy policy</a>.`;
  return terms || privacy ? html`<p class="soft">${terms}${privacy}</p>` : null;
}
