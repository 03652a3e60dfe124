import type { IncomingMessage } from "node:http";
import { isAskedFor, type MailMode, mailModes } from "../../../src/contract/events/mails.ts";
import { pages, portal, studio } from "../../../src/contract/pages/addresses.ts";
import type { Config } from "../../config/schema.ts";
import type { Subscription, Unsubscribing } from "../../events/unsubscribe.ts";
import { readBytes } from "../../http/body.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import { html, type Markup, sendPage } from "../html.ts";
import type { Page, ReadForm } from "../types.ts";

interface Parts {
  unsubscribing: Unsubscribing;
  readForm: ReadForm;
  config: Pick<Config, "http">;
}

const isMode = (given: string | undefined): given is MailMode => (mailModes as readonly (string | undefined)[]).includes(given);

/**
 * `/unsubscribe?token=…`: the link in the footer of emails about events, and their List-Unsubscribe header. Opening it changes nothing,
 * because mail scanners open links. A mail program posts `List-Unsubscribe=One-Click` to it (RFC 8058), also as multipart/form-data.
 */
export function unsubscribe({ unsubscribing, readForm, config }: Parts): Page {
  return async (request, response, url) => {
    const token = url.searchParams.get("token") ?? "";
    if (request.method === "GET" || request.method === "HEAD") {
      const found = await unsubscribing.find(token);
      if (!found) return sendPage(response, 410, gone);
      return sendPage(response, 200, { title: "Which emails do you want?", body: question(token, found) });
    }
    if (request.method !== "POST") throw methodNotAllowed(["GET", "POST"], "page");
    const form = await readPosted(request, readForm, config.http.requestTimeoutMs);
    const mode = form["List-Unsubscribe"] === "One-Click" ? "off" : form.mail;
    if (!isMode(mode) || !(await unsubscribing.set(token, mode))) return sendPage(response, 410, gone);
    sendPage(response, 200, done[mode]);
  };
}

/** The fields of a form. Of a multipart body only whether it is a one-click request. */
async function readPosted(request: IncomingMessage, readForm: ReadForm, withinMs: number) {
  if (!request.headers["content-type"]?.startsWith("multipart/form-data")) return readForm(request);
  const body = (await readBytes(request, { bytes: 64 * 1024, withinMs })).toString();
  // Few headers: a body of nothing but first lines of parts would be read again from each of them to its end.
  return /name="List-Unsubscribe"\r\n(?:[^\r\n]+\r\n){0,8}\r\nOne-Click\r\n/.test(body)
    ? { "List-Unsubscribe": "One-Click" }
    : {};
}

const now = { on: "each is sent", off: "none is sent", digest: "one email a day lists them" } as const;

function question(token: string, { topics, settings }: Subscription): Markup {
  const action = `${pages.unsubscribe()}?${new URLSearchParams({ token })}`;
  const button = (mail: MailMode, label: string, look: string) =>
    html`<form method="post" action="${action}"><input type="hidden" name="mail" value="${mail}"><button class="${look}">${label}</button></form>`;
  const isDaily = topics.every(({ kind }) => isAskedFor(kind));
  return html`<p>This link is about these emails:</p>
<ul>${topics.map(({ topic, mail }) => html`<li>${topic} <span class="soft">(now: ${now[mail]})</span></li>`)}</ul>
${button("off", "Turn them off", "wide")}
${button("digest", isDaily ? "Get one email a day" : "One email a day instead", "quiet wide")}
${!isDaily && button("on", "Send each of them", "quiet wide")}
<p class="soft">Emails about the security of your account are always sent. ${allSettings(settings)}</p>`;
}

const allSettings = (page: string | null) =>
  page !== null
    ? html`<a href="${page}">All email settings</a>`
    : html`All email settings: <code>playtest notifications settings</code>`;

const undo = html`<p class="soft">To change it again, open the link in the email once more.</p>`;
const done = {
  off: { title: "Turned off", body: html`<p>You will not get these emails any more.</p>${undo}` },
  digest: {
    title: "One email a day",
    body: html`<p>One email a day will list what these emails are about. What would come too late in it, such as the reminder of a deadline, is sent at once.</p>${undo}`,
  },
  on: { title: "Turned on", body: html`<p>You will get each of these emails.</p>${undo}` },
};

const gone = {
  title: "This link does not work",
  body: html`<p>This link is incomplete or no longer valid. Nothing was changed. Playtesters change their emails <a href="${portal.emails()}">in the portal</a>, game owners <a href="${studio.emails()}">in Studio</a>, and operators with <code>playtest notifications settings</code>.</p>`,
};
