import { type EventKind, eventKinds } from "../../../../src/contract/events/kinds.ts";
import { isSigned, type WebhookFormat, webhookFormats } from "../../../../src/contract/events/webhook-formats.ts";
import type { Data } from "../../../../src/contract/index.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import { notFound } from "../../../lib/api-error.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { button, copied, cursorOf, fault, marked, more, notice, tokens } from "../../shared/parts.ts";
import { time } from "../../shared/text.ts";
import { studioLayout } from "../layout.ts";
import { commands, plural } from "../parts.ts";
import { action, type StudioContext, type StudioPage } from "../types.ts";

type Webhook = Data<"listWebhooks">["webhooks"][number];
type Delivery = Data<"listDeliveries">["deliveries"][number];

const formats: Record<WebhookFormat, string> = {
  standard: "The event, signed (for your own program)",
  slack: "A message for Slack",
  discord: "A message for Discord",
  teams: "A message for Microsoft Teams",
};

const said = new Map([
  ["created", "The webhook was created."],
  ["deleted", "The webhook was deleted."],
  ["enabled", "The webhook is enabled again."],
  ["sent", "The test event arrived."],
  ["not-sent", "The test event did not arrive. The list of deliveries says why."],
  ["again", "The event is sent again."],
]);

const labels = {
  url: { label: "Address", id: "url" },
  events: { label: "Events", id: "events" },
  format: { label: "What is sent", id: "format" },
};

/** `/studio/webhooks`: where events of the account are sent. */
async function webhooksPage(context: StudioContext): Promise<PageContent> {
  const { webhooks } = (await context.call("listWebhooks")).data;
  const done = said.get(context.query.get("done") ?? "");
  const list = html`<ul class="list">${webhooks.map(card)}</ul>`;
  const body = html`${done && notice(done)}
<p>A webhook tells your program, or a channel of your team, when something happens: a video to review, a problem, a payment.</p>
${webhooks.length > 0 ? list : html`<p class="calm">No webhooks yet.</p>`}
<section><h2>Create a webhook</h2>
<form method="post" action="${create.at()}">${tokens(context)}
${inputs(context)}
<button>Create the webhook</button></form></section>
${commands(context, "From the command line", [["Try it on this computer, without a public address", "playtest webhooks listen --forward-to http://localhost:3000"]])}`;
  return studioLayout(context, undefined, { title: "Webhooks", body });
}

const eventInput = (kind: EventKind) => `event-${kind}`;

function inputs(context: StudioContext): Markup {
  const { form } = context;
  const isAll = form.url === undefined || form.all === "yes";
  const box = (name: string, label: string, isChecked: boolean) =>
    html`<label class="check"><input type="checkbox" name="${name}" value="yes"${isChecked && html` checked`}> ${label}</label>`;
  return html`<label for="url">Address <span class="soft">(public, with https)</span></label>
<input id="url" name="url" type="url" maxlength="2048" placeholder="https://" value="${form.url}" required${marked(context, "url")}>
${fault(context, "url")}
<label for="format">What is sent</label>
<select id="format" name="format"${marked(context, "format")}>${webhookFormats.map((format) => html`<option value="${format}"${format === (form.format ?? "standard") && html` selected`}>${formats[format]}</option>`)}</select>
${fault(context, "format")}
<fieldset id="events" tabindex="-1"><legend>Events</legend>${box("all", "All of them", isAll)}
<details${!isAll && html` open`}><summary>Only some</summary>${eventKinds.map((kind) => box(eventInput(kind), kind, form[eventInput(kind)] === "yes"))}</details>${fault(context, "events")}</fieldset>`;
}

const card = ({ id, url, events, format, isActive }: Webhook): Markup =>
  html`<li class="card"><div class="head"><h2><a href="${studio.webhook(id)}">${new URL(url).host}</a></h2>${isActive ? html`<span class="badge good">Active</span>` : html`<span class="badge act">Disabled</span>`}</div>
<p class="soft clip">${url}</p><ul class="facts"><li>${format === undefined ? "" : formats[format]}</li><li>${events.includes("*") ? "all events" : plural(events.length, "event")}</li></ul></li>`;

const create = action({ at: studio.webhooks, fields: labels }, async (context) => {
  const { call, form } = context;
  const chosen = eventKinds.filter((kind) => form[eventInput(kind)] === "yes");
  const events = form.all === "yes" ? (["*"] as const) : chosen;
  // The operation says which formats there are.
  const body = { url: form.url?.trim() ?? "", events: [...events], format: form.format as WebhookFormat };
  const { webhook: made, secret } = (await call("createWebhook", { idempotencyKey: form.formKey, body })).data;
  return isSigned(made.format)
    ? secretPage(context, made.id, secret, "The webhook was created.")
    : `${studio.webhook(made.id)}?done=created`;
});

function secretPage(context: StudioContext, id: string, secret: string, done: string): Promise<PageContent> {
  const body = html`${notice(done)}
<p>Your program checks with this secret that an event is from this server. <strong>It is shown only now.</strong></p>
${copied(secret, "the secret")}
<p><a class="button" href="${studio.webhook(id)}">I saved it</a></p>`;
  return studioLayout(context, undefined, { title: "Signing secret", body });
}

/** `/studio/webhooks/ID`: one webhook with its deliveries, newest first. */
async function webhookPage(context: StudioContext): Promise<PageContent> {
  const { call, id, query } = context;
  const one = (await call("listWebhooks")).data.webhooks.find((webhook) => webhook.id === id);
  if (!one) throw notFound();
  const { data, meta } = await call("listDeliveries", { params: { id }, query: { cursor: cursorOf(context) } });
  const done = said.get(query.get("done") ?? "");
  const canResend = await context.offers("redeliver");
  const body = html`${done && notice(done)}
<p class="soft prose">${one.url}</p>
<ul class="facts">${one.format !== undefined && html`<li>${formats[one.format]}</li>`}<li>${one.events.includes("*") ? "all events" : one.events.join(", ")}</li></ul>
${!one.isActive && html`<p class="note bad">This webhook is disabled, because its deliveries failed. Nothing is sent to it.</p>`}
<div class="decide">${button(context, test.at(id), "Send a test event")}${!one.isActive && button(context, enable.at(id), "Enable it again", "quiet")}</div>
<section><h2>Deliveries</h2>
<div data-live="deliveries">${data.deliveries.length > 0 ? html`<ul class="rows">${data.deliveries.map((delivery) => row(context, one, delivery, canResend))}</ul>${more(studio.webhook(id), meta.cursor)}` : html`<p class="calm">Nothing was sent yet.</p>`}</div></section>
<section><h2>Change</h2>
${isSigned(one.format) && html`<details><summary>Replace the signing secret</summary><p>The present secret stops working at once.</p>${button(context, rotate.at(id), "Replace the secret", "danger")}</details>`}
<details><summary>Delete the webhook</summary><p>Its deliveries are deleted too. This cannot be undone.</p>${button(context, remove.at(id), "Delete the webhook", "danger")}</details></section>
<p class="more"><a href="${studio.webhooks()}">All webhooks</a></p>`;
  return studioLayout(context, undefined, { title: `Webhook to ${new URL(one.url).host}`, body });
}

function row(context: StudioContext, { id: webhookId }: Webhook, delivery: Delivery, canResend: boolean): Markup {
  const { id, event, statusCode, lastError, attemptCount, deliveredAt, nextRetryAt, createdAt } = delivery;
  const state =
    deliveredAt !== null
      ? html`<span class="badge good">Delivered</span>`
      : nextRetryAt !== null
        ? html`<span class="badge wait">Waiting</span>`
        : html`<span class="badge act">${attemptCount === 0 ? "Not sent" : "Failed"}</span>`;
  const answer = lastError ?? (statusCode === null ? null : `status ${statusCode}`);
  return html`<li class="row">${state}<div><p class="what">${event}</p><p class="soft">${time(createdAt)} · ${plural(attemptCount, "attempt")}${nextRetryAt !== null && deliveredAt === null && html` · next ${time(nextRetryAt)}`}${answer !== null && ` · ${answer}`}</p></div>
<div class="when">${canResend && html`<form method="post" action="${again.at(webhookId, id)}">${tokens(context)}<button class="link">Send again<span class="hidden"> ${event}</span></button></form>`}</div></li>`;
}

const test = action({ at: studio.webhook.below("test") }, async ({ call, id, form }) => {
  const { success } = (await call("testWebhook", { params: { id }, idempotencyKey: form.formKey })).data;
  return `${studio.webhook(id)}?done=${success ? "sent" : "not-sent"}`;
});

const enable = action({ at: studio.webhook.below("enable") }, async ({ call, id, form }) => {
  await call("enableWebhook", { params: { id }, idempotencyKey: form.formKey });
  return `${studio.webhook(id)}?done=enabled`;
});

const rotate = action({ at: studio.webhook.below("rotate") }, async (context) => {
  const { call, id, form } = context;
  const { secret } = (await call("rotateWebhookSecret", { params: { id }, idempotencyKey: form.formKey })).data;
  return secretPage(context, id, secret, "The secret was replaced. Give your program the new one.");
});

const remove = action({ at: studio.webhook.below("delete") }, async ({ call, id, form }) => {
  await call("deleteWebhook", { params: { id }, idempotencyKey: form.formKey });
  return `${studio.webhooks()}?done=deleted`;
});

const again = action({ at: studio.webhook.below("deliveries/:deliveryId/again") }, async ({ call, ids, form }) => {
  const [id = "", deliveryId = ""] = ids;
  await call("redeliver", { params: { id, deliveryId }, idempotencyKey: form.formKey });
  return `${studio.webhook(id)}?done=again`;
});

export const webhooks: StudioPage = { at: studio.webhooks, view: webhooksPage, actions: [create] };
export const webhook: StudioPage = { at: studio.webhook, view: webhookPage, actions: [test, enable, rotate, remove, again] };
