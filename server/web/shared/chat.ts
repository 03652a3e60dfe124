import type { SenderType } from "../../../src/contract/chat.ts";
import type { Data, Operation } from "../../../src/contract/index.ts";
import type { portal, studio } from "../../../src/contract/pages/addresses.ts";
import { notFound } from "../../lib/api-error.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import { button, cursorOf, fault, marked, more, prose, tokens } from "./parts.ts";
import { time } from "./text.ts";
import type { AreaPage, PageContext } from "./types.ts";

type Message = Data<"listMessages">["messages"][number];

/** Somebody to chat with, whether a playtester or an owner. */
export interface Contact {
  id: string;
  name: string;
  isUnlocked: boolean;
  /** Blocked the reader, or is suspended or deleted. Undefined where the reader is not told. */
  isClosed?: boolean;
  unreadCount: number;
  lastMessageAt: string | null;
  lastMessagePreview: string | null;
  lastMessageSenderType?: SenderType | null | undefined;
  conversationId: string | null;
}

export interface Contacts {
  contacts: Contact[];
  cursor: string | null | undefined;
}

/** The same conversations as one of its two sides sees them. */
interface Side<C extends PageContext> {
  area: Pick<typeof portal | typeof studio, "messages" | "conversation">;
  own: SenderType;
  /** A page of the contacts, with the cursor of the next. With `conversationId` only the one of that conversation, if the server can. */
  contactsOf(context: C, query: { cursor?: string | undefined; conversationId?: string }): Promise<Contacts>;
  layout(context: C, page: PageContent): Promise<PageContent>;
  none: Markup;
  /** Why somebody cannot be written to yet. */
  locked: string;
  /** Whether the server has an operation that is an extension. */
  offers(context: C, operation: Operation): Promise<boolean>;
}

/** The pages of a side's conversations, and what their forms do. */
export class ChatPages<C extends PageContext> {
  readonly #side: Side<C>;
  readonly #to;

  constructor(side: Side<C>) {
    this.#side = side;
    const { messages, conversation } = side.area;
    const [block, unblock] = [conversation.below("block"), conversation.below("unblock")];
    this.#to = { messages, begin: messages.below("with/:id"), conversation, block, unblock };
  }

  get pages(): AreaPage<C>[] {
    const { messages, begin, conversation, block, unblock } = this.#to;
    const fields = { content: { label: "Your message", id: "content" } };
    const actions = [
      { at: conversation, run: this.#send, fields },
      { at: block, run: this.#setBlocked(true) },
      { at: unblock, run: this.#setBlocked(false) },
    ];
    return [
      { at: messages, view: this.#list, actions: [{ at: begin, run: this.#open }] },
      { at: conversation, view: this.#conversation, actions },
    ];
  }

  /** The people to chat with. */
  #list = async (context: C): Promise<PageContent> => {
    const { contacts, cursor } = await this.#side.contactsOf(context, { cursor: cursorOf(context) });
    const canBegin = await this.#side.offers(context, "openConversation");
    const cards = html`<ul class="list">${contacts.map((contact) => this.#card(context, contact, canBegin))}</ul>
${more(this.#to.messages(), cursor, "Show more")}`;
    return this.#side.layout(context, { title: "Messages", body: contacts.length > 0 ? cards : this.#side.none });
  };

  /** The latest messages of a conversation, oldest first. Opening the page marks them as read. */
  #conversation = async (context: C): Promise<PageContent> => {
    const { call, id } = context;
    const { contacts } = await this.#side.contactsOf(context, { conversationId: id });
    const contact = contacts.find((one) => one.conversationId === id);
    if (!contact) throw notFound();
    const { data, meta } = await call("listMessages", { params: { id }, query: { order: "desc", cursor: cursorOf(context) } });
    const canBlock = await this.#side.offers(context, data.isBlocked ? "unblockConversation" : "blockConversation");
    const path = this.#to.conversation(id);
    // A server that knows no order sends the oldest message first, and later ones after it.
    const [first, last] = [data.messages.at(0), data.messages.at(-1)];
    const label = first && last && first.createdAt < last.createdAt ? "Show later messages" : "Show earlier messages";
    const messages = data.messages
      .toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.id < b.id ? -1 : 1))
      .map((message) => bubble(message, contact.name, this.#side.own));
    const body = html`<div data-live="messages">${more(path, meta.cursor, label)}
${messages.length > 0 ? html`<ol class="thread">${messages}</ol>` : html`<p class="soft">No messages yet. Say hello!</p>`}</div>
<p><a href="${path}">Check for new messages</a></p>
${data.isBlocked ? html`<p>You blocked ${contact.name}.</p>` : contact.isClosed ? closedTo(contact.name) : writeForm(context, path)}
<div class="aside">${canBlock && (data.isBlocked ? button(context, this.#to.unblock(id), "Unblock", "quiet") : button(context, this.#to.block(id), `Block ${contact.name}`, "link"))}</div>`;
    return this.#side.layout(context, { title: contact.name, body });
  };

  #open = async ({ call, id, form }: C): Promise<string> => {
    const { conversation } = (await call("openConversation", { idempotencyKey: form.formKey, body: { contactId: id } })).data;
    return this.#to.conversation(conversation.id);
  };

  #send = async ({ call, id, form }: C): Promise<string> => {
    await call("sendMessage", { params: { id }, idempotencyKey: form.formKey, body: { content: form.content?.trim() ?? "" } });
    return this.#to.conversation(id);
  };

  #setBlocked =
    (blocked: boolean) =>
    async ({ call, id, form }: C): Promise<string> => {
      await call(blocked ? "blockConversation" : "unblockConversation", { params: { id }, idempotencyKey: form.formKey });
      return this.#to.conversation(id);
    };

  #card(context: C, contact: Contact, canBegin: boolean): Markup {
    const { conversationId, isUnlocked, name, lastMessageAt, lastMessagePreview } = contact;
    const { locked, own } = this.#side;
    const title = conversationId === null ? html`${name}` : html`<a href="${this.#to.conversation(conversationId)}">${name}</a>`;
    const begin = canBegin
      ? button(context, this.#to.begin(contact.id), "Send a message", "quiet")
      : html`<p class="soft">This server lets nobody begin a conversation from here. You can write after they have written to you.</p>`;
    return html`<li class="card"><div class="head"><h2>${title}</h2>${unread(contact.unreadCount)}</div>
${lastMessagePreview !== null && html`<p class="prose">${yours(contact, own)}${lastMessagePreview}</p>`}${lastMessageAt !== null && html`<p class="soft">${time(lastMessageAt)}</p>`}
${!isUnlocked && html`<p class="soft">${locked}</p>`}${conversationId === null && isUnlocked && !contact.isClosed && begin}</li>`;
  }
}

/** Says that the reader wrote the last message, which servers that do not report its sender leave open. */
const yours = ({ lastMessageSenderType: sender }: Pick<Contact, "lastMessageSenderType">, own: SenderType) =>
  sender === own && "You: ";

/** Why there is no form to write with. */
export const closedTo = (name: string) =>
  html`<p class="soft">${name} cannot get messages from you: you were blocked, or the account is suspended or deleted.</p>`;

const unread = (count: number) => count > 0 && html`<span class="count">${count}<span class="hidden"> unread</span></span>`;

function bubble({ senderType, createdAt, content }: Message, name: string, own: SenderType): Markup {
  const isMine = senderType === own;
  return html`<li${isMine && html` class="mine"`}><p class="soft">${isMine ? "You" : name} · ${time(createdAt)}</p>${prose(content)}</li>`;
}

const writeForm = (context: PageContext, path: string) => html`<form method="post" action="${path}">${tokens(context)}
<label for="content">Your message</label>
<textarea id="content" name="content" maxlength="5000" required${marked(context, "content")}>${context.form.content}</textarea>
${fault(context, "content")}
<button>Send</button></form>`;
