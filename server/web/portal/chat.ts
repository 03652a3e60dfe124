import type { Data } from "../../../src/contract/index.ts";
import { notFound } from "../../lib/problem.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import { button, cursorOf, fault, marked, more, prose, tokens } from "../shared/parts.ts";
import { time } from "../shared/text.ts";
import { signedInLayout } from "./layout.ts";
import type { PageContext } from "./types.ts";

type Contact = Extract<Data<"listContacts">, { chatDisabled: boolean }>["contacts"][number];
type Message = Data<"listMessages">["messages"][number];

async function contactsOf({ call }: PageContext): Promise<Contact[]> {
  return (await call("listContacts")).data.contacts as Contact[];
}

/** `/play/messages`: the owners whose games the playtester has tested. */
export async function messagesPage(context: PageContext): Promise<PageContent> {
  const contacts = await contactsOf(context);
  const list = html`<ul class="list">${contacts.map((contact) => card(context, contact))}</ul>`;
  const none = html`<p>No contacts yet. When an owner accepts one of your playtests, you can message each other here.</p>`;
  return signedInLayout(context, "messages", { title: "Messages", body: contacts.length > 0 ? list : none });
}

const unread = (count: number) => count > 0 && html`<span class="count">${count}<span class="hidden"> unread</span></span>`;

function card(context: PageContext, contact: Contact): Markup {
  const { conversationId, isUnlocked, companyName, lastMessageAt, lastMessagePreview } = contact;
  const name =
    conversationId === null ? html`${companyName}` : html`<a href="/play/messages/${conversationId}">${companyName}</a>`;
  const start =
    conversationId === null && isUnlocked && button(context, `/play/messages/with/${contact.id}`, "Send a message", "quiet");
  return html`<li class="card"><div class="head"><h2>${name}</h2>${unread(contact.unreadCount)}</div>
${lastMessagePreview !== null && html`<p class="prose">${lastMessagePreview}</p>`}${lastMessageAt !== null && html`<p class="soft">${time(lastMessageAt)}</p>`}
${!isUnlocked && html`<p class="soft">You can message this owner after they accept one of your playtests.</p>`}${start}</li>`;
}

/** `/play/messages/<conversation>`: the latest messages, oldest first. Opening the page marks them as read. */
export async function conversationPage(context: PageContext): Promise<PageContent> {
  const { call, session, id } = context;
  const { data, meta } = await call("listMessages", { params: { id }, query: { order: "desc", cursor: cursorOf(context) } });
  const contact = (await contactsOf(context)).find((one) => one.conversationId === id);
  if (!contact) throw notFound();
  const path = `/play/messages/${id}`;
  const messages = data.messages.toReversed().map((message) => bubble(message, contact, session.userId));
  const body = html`${more(path, meta.cursor, "Show earlier messages")}
${messages.length > 0 ? html`<ol class="thread">${messages}</ol>` : html`<p class="soft">No messages yet. Say hello!</p>`}
<p><a href="${path}">Check for new messages</a></p>
${data.isBlocked ? html`<p>You blocked ${contact.companyName}.</p>` : writeForm(context)}
<div class="aside">${data.isBlocked ? button(context, `${path}/unblock`, "Unblock", "quiet") : button(context, `${path}/block`, `Block ${contact.companyName}`, "link")}</div>`;
  return signedInLayout(context, "messages", { title: contact.companyName, body });
}

const bubble = (message: Message, contact: Contact, me: string) =>
  html`<li${message.senderId === me && html` class="mine"`}><p class="soft">${message.senderId === me ? "You" : contact.companyName} · ${time(message.createdAt)}</p>${prose(message.content)}</li>`;

const writeForm = (context: PageContext) => html`<form method="post" action="/play/messages/${context.id}">${tokens(context)}
<label for="content">Your message</label>
<textarea id="content" name="content" maxlength="5000" required${marked(context, "content")}>${context.form.content}</textarea>
${fault(context, "content")}
<button>Send</button></form>`;

export async function openConversation({ call, id, form }: PageContext): Promise<string> {
  const { conversation } = (await call("openConversation", { idempotencyKey: form.formKey, body: { contactId: id } })).data;
  return `/play/messages/${conversation.id}`;
}

export async function send({ call, id, form }: PageContext): Promise<string> {
  await call("sendMessage", { params: { id }, idempotencyKey: form.formKey, body: { content: form.content?.trim() ?? "" } });
  return `/play/messages/${id}`;
}

export async function setBlocked({ call, id, form }: PageContext, blocked: boolean): Promise<string> {
  await call(blocked ? "blockConversation" : "unblockConversation", { params: { id }, idempotencyKey: form.formKey });
  return `/play/messages/${id}`;
}
