import type { DataOf } from "../../../src/contract/endpoint.ts";
import type { Contract } from "../../../src/contract/index.ts";
import { notFound } from "../../lib/problem.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import { button, cursorOf, frame, more, prose, time, tokens, type Visit } from "./layout.ts";

type Contact = Extract<DataOf<Contract["listContacts"]>, { chatDisabled: boolean }>["contacts"][number];
type Message = DataOf<Contract["listMessages"]>["messages"][number];

async function contactsOf({ ask, session }: Visit): Promise<Contact[]> {
  return (await ask(session, "listContacts")).data.contacts as Contact[];
}

/** `/play/messages`: the owners one played for. */
export async function messagesPage(visit: Visit): Promise<PageContent> {
  const contacts = await contactsOf(visit);
  const list = html`<ul class="list">${contacts.map((contact) => card(visit, contact))}</ul>`;
  const none = html`<p>Nobody to write to yet. Once an owner accepted a playtest of yours, the two of you can talk here.</p>`;
  return frame(visit, "messages", { title: "Messages", body: contacts.length > 0 ? list : none });
}

const unread = (count: number) => count > 0 && html`<span class="count">${count}<span class="hidden"> unread</span></span>`;

function card(visit: Visit, contact: Contact): Markup {
  const { conversationId, isUnlocked, companyName, lastMessageAt, lastMessagePreview } = contact;
  const name =
    conversationId === null ? html`${companyName}` : html`<a href="/play/messages/${conversationId}">${companyName}</a>`;
  const start =
    conversationId === null && isUnlocked && button(visit, `/play/messages/with/${contact.id}`, "Write a message", "quiet");
  return html`<li class="card"><div class="head"><h2>${name}</h2>${unread(contact.unreadCount)}</div>
${lastMessagePreview !== null && html`<p class="prose">${lastMessagePreview}</p>`}${lastMessageAt !== null && html`<p class="soft">${time(lastMessageAt)}</p>`}
${!isUnlocked && html`<p class="soft">You can talk here as soon as they accepted a playtest of yours.</p>`}${start}</li>`;
}

/** `/play/messages/<conversation>`: the latest page of it, oldest message first. Looking marks what came as read. */
export async function conversationPage(visit: Visit): Promise<PageContent> {
  const { ask, session, id } = visit;
  const { data, next } = await ask(session, "listMessages", { id, query: { order: "desc" }, cursor: cursorOf(visit) });
  const contact = (await contactsOf(visit)).find((one) => one.conversationId === id);
  if (!contact) throw notFound();
  const path = `/play/messages/${id}`;
  const messages = data.messages.toReversed().map((message) => bubble(message, contact, session.user_id));
  const body = html`${more(path, next, "Show earlier messages")}
${messages.length > 0 ? html`<ol class="thread">${messages}</ol>` : html`<p class="soft">No messages yet. Say hello!</p>`}
<p><a href="${path}">Look for new messages</a></p>
${data.isBlocked ? html`<p>You blocked ${contact.companyName}.</p>` : writeForm(visit)}
<div class="aside">${data.isBlocked ? button(visit, `${path}/unblock`, "Unblock", "quiet") : button(visit, `${path}/block`, `Block ${contact.companyName}`, "link")}</div>`;
  return frame(visit, "messages", { title: contact.companyName, body });
}

const bubble = (message: Message, contact: Contact, me: string) =>
  html`<li${message.senderId === me && html` class="mine"`}><p class="soft">${message.senderId === me ? "You" : contact.companyName} · ${time(message.createdAt)}</p>${prose(message.content)}</li>`;

const writeForm = (visit: Visit) => html`<form method="post" action="/play/messages/${visit.id}">${tokens(visit)}
<label for="content">Your message</label>
<textarea id="content" name="content" maxlength="5000" required>${visit.form.content}</textarea>
<button>Send</button></form>`;

export async function openConversation({ ask, session, id, form }: Visit): Promise<string> {
  const { conversation } = (await ask(session, "openConversation", { once: form.once, body: { contactId: id } })).data;
  return `/play/messages/${conversation.id}`;
}

export async function send({ ask, session, id, form }: Visit): Promise<string> {
  await ask(session, "sendMessage", { id, once: form.once, body: { content: form.content?.trim() ?? "" } });
  return `/play/messages/${id}`;
}

export async function setBlocked({ ask, session, id, form }: Visit, blocked: boolean): Promise<string> {
  await ask(session, blocked ? "blockConversation" : "unblockConversation", { id, once: form.once });
  return `/play/messages/${id}`;
}
