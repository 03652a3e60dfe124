import type { CallOperation, Data } from "../../../src/contract/index.ts";
import { pages } from "../../../src/contract/pages/addresses.ts";
import { zonedText } from "../../../src/contract/time/zones.ts";
import type { Config } from "../../config/schema.ts";
import type { CallAs } from "../../http/call-operation.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import { notFound } from "../../lib/api-error.ts";
import { html, type Markup, type PageContent, sendPage } from "../html.ts";
import type { Page } from "../types.ts";

type Mail = Data<"listOutbox">["messages"][number];

/**
 * `/sandbox/mails`: the emails that a sandbox would have sent, newest first; `/sandbox/mails/<id>` is one as text, `…/html` as a mail program
 * shows it. On a live server nothing is here: emails are for their readers alone.
 */
export function sandboxMails({ config, callAs }: { config: Pick<Config, "sandbox">; callAs: CallAs }): Page {
  return async (request, response, url, origin) => {
    const [, , area, id, part, ...more] = url.pathname.split("/");
    if (!config.sandbox || area !== "mails" || more.length > 0) throw notFound();
    if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed(["GET"], "page");
    const call = callAs(undefined, origin);
    if (id === undefined) return sendPage(response, 200, await listPage(call, url.searchParams.get("cursor") ?? undefined));
    const mail = await find(call, id);
    if (part === undefined) return sendPage(response, 200, mailPage(mail));
    if (part !== "html" || mail.html === null) throw notFound();
    response.writeHead(200, {
      "Content-Type": "text/html; charset=utf-8",
      // What mail programs allow: styles and pictures, and no script. Pictures of this server are for pages of its own origin only.
      "Content-Security-Policy":
        "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'; sandbox allow-same-origin allow-popups allow-top-navigation-by-user-activation",
      "Referrer-Policy": "no-referrer",
    });
    response.end(mail.html);
  };
}

async function listPage(call: CallOperation, cursor: string | undefined): Promise<PageContent> {
  const { data, meta } = await call("listOutbox", { query: { limit: 50, cursor } });
  const next = meta.cursor;
  const body = html`<p>A sandbox sends no email. These are the emails that it would have sent, newest first.</p>
${data.messages.length === 0 ? html`<p>No email yet. Register, or order a playtest: what people would get is shown here.</p>` : html`<ul>${data.messages.map(item)}</ul>`}
${next && html`<p><a href="${pages.sandboxMails()}?cursor=${encodeURIComponent(String(next))}">Older emails</a></p>`}`;
  return { title: "Emails of this sandbox", body };
}

const item = ({ id, subject, to, createdAt }: Mail): Markup =>
  html`<li><a href="${pages.sandboxMail(id)}">${subject}</a><br><span class="soft">To ${to} · ${timeOf(createdAt)}</span></li>`;

const timeOf = (createdAt: string) => html`<time datetime="${createdAt}">${zonedText(Date.parse(createdAt), null)}</time>`;

/** The email with this id among all that were written: a sandbox keeps few. */
async function find(call: CallOperation, id: string): Promise<Mail> {
  for (let cursor: string | undefined; ; ) {
    const { data, meta } = await call("listOutbox", { query: { limit: 100, cursor } });
    const found = data.messages.find((mail) => mail.id === id);
    if (found) return found;
    if (!meta.cursor) throw notFound();
    cursor = meta.cursor;
  }
}

const link = /(https?:\/\/\S+)/;

/** The text of an email, with links that can be followed. */
const linked = (text: string): Markup[] =>
  text.split(link).map((part) => (link.test(part) ? html`<a href="${part}">${part}</a>` : html`${part}`));

const mailPage = ({ id, subject, to, text, html: body, createdAt }: Mail): PageContent => ({
  title: subject,
  body: html`<p class="soft">To ${to} · ${timeOf(createdAt)}</p>
${body !== null && html`<p><a class="button" href="${pages.sandboxMail.below("html")(id)}">Show it as a mail program does</a></p>`}
<h2>Plain text</h2>
<pre class="wrap"><code>${linked(text)}</code></pre>
<p><a href="${pages.sandboxMails()}">All emails of this sandbox</a></p>`,
});
