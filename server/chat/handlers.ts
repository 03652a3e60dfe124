import * as users from "../accounts/users-store.ts";
import type { Deps } from "../app/deps.ts";
import type { Tx } from "../app/tx.ts";
import type { Query } from "../database/port.ts";
import { emit } from "../events/emit.ts";
import { Existing, type Handlers, type Principal } from "../http/call.ts";
import { forbidden, notFound } from "../lib/api-error.ts";
import { iso, isoOrNull } from "../lib/time.ts";
import { previewOf } from "./rules.ts";
import * as chatStore from "./store.ts";
import { watchUnread } from "./unread.ts";

const sideOf = (principal: Principal): chatStore.Side => (principal.role === "playtester" ? "playtester" : "game_owner");

const contactView = (row: chatStore.ContactRow) => ({
  id: row.id,
  displayName: row.display_name,
  isUnlocked: row.unlocked === 1,
  unreadCount: row.unread_count,
  lastMessageAt: isoOrNull(row.last_message_at),
  lastMessagePreview: row.last_message_preview,
  lastMessageSenderType: row.last_sender_type,
  conversationId: row.conversation_id,
});

const playtesterContactView = (row: chatStore.ContactRow) => ({
  ...contactView(row),
  chatMode: row.blocked_by_contact === 1 || row.suspended_at !== null ? ("closed" as const) : ("free" as const),
});

const ownerContactView = (row: chatStore.ContactRow) => ({ ...contactView(row), companyName: row.company_name });

const messageView = (row: chatStore.MessageRow) => ({
  id: row.id,
  senderType: row.sender_type,
  senderId: row.sender_id,
  content: row.content,
  readAt: isoOrNull(row.read_at),
  createdAt: iso(row.created_at),
});

const blockedBy = (conversation: chatStore.ConversationRow, side: chatStore.Side) =>
  (side === "game_owner" ? conversation.blocked_by_owner : conversation.blocked_by_playtester) === 1;

const recipientOf = ({ owner_id, playtester_id }: chatStore.ConversationRow, sender: chatStore.Side): string =>
  sender === "game_owner" ? playtester_id : owner_id;

async function conversationOf(q: Query, principal: Principal, id: string) {
  const found = await chatStore.find(q, sideOf(principal), principal.userId, id);
  if (!found) throw notFound();
  return found;
}

/**
 * Marks the messages that the contact sent as read, and returns the rows with the new `read_at`. A read-only key marks none: no person may
 * have seen what a program reads with it.
 */
async function markPageRead(deps: Deps, principal: Principal, rows: chatStore.MessageRow[]): Promise<chatStore.MessageRow[]> {
  if (principal.readOnly) return rows;
  const now = deps.clock.now();
  const isNew = (row: chatStore.MessageRow) => row.read_at === null && row.sender_id !== principal.userId;
  const unread = rows.filter(isNew).map((row) => row.id);
  if (unread.length > 0) await deps.store.write((tx) => chatStore.markRead(tx, unread, now));
  return rows.map((row) => (isNew(row) ? { ...row, read_at: now } : row));
}

async function setBlocked(tx: Query, principal: Principal, id: string, blocked: boolean): Promise<void> {
  const changed = await chatStore.setBlocked(tx, sideOf(principal), principal.userId, id, blocked);
  if (changed === 0) throw notFound();
}

async function add(tx: Tx, sender: users.UserRow, conversation: chatStore.ConversationRow, content: string) {
  const side: chatStore.Side = sender.id === conversation.owner_id ? "game_owner" : "playtester";
  const added = {
    id: tx.newId(),
    conversation_id: conversation.id,
    sender_type: side,
    sender_id: sender.id,
    content,
    created_at: tx.now,
  };
  const message = await chatStore.addMessage(tx, added, previewOf(content));
  const role = chatStore.otherSide(side);
  const recipient = { id: recipientOf(conversation, side), role };
  const data = { messageId: message.id, conversationId: conversation.id, senderType: side, senderId: sender.id };
  await watchUnread(tx, message);
  await emit(tx, [recipient], { kind: "chat.message", data, notice: { senderName: sender.display_name } });
  return message;
}

/** Chat between owners and the playtesters who hold or held one of their slots. */
export const chat = {
  async listContacts(call) {
    const page = call.page();
    const { userId } = call.principal;
    const side = sideOf(call.principal);
    const { rows, unlocked } = await call.read(async (q) => ({
      rows: await chatStore.listContacts(q, side, userId, call.query, page),
      unlocked: side === "game_owner" || (await chatStore.hasAcceptedSlot(q, userId)),
    }));
    return call.listed(page, rows, (items) =>
      side === "game_owner"
        ? { contacts: items.map(playtesterContactView) }
        : { contacts: items.map(ownerContactView), chatDisabled: !unlocked },
    );
  },

  async listMessages(call) {
    const page = call.page();
    const { conversation, rows } = await call.read(async (q) => ({
      conversation: await conversationOf(q, call.principal, call.params.id),
      rows: await chatStore.listMessages(q, call.params.id, call.query.order, page),
    }));
    const shown = await markPageRead(call.deps, call.principal, rows.slice(0, page.limit));
    const isBlocked = blockedBy(conversation, sideOf(call.principal));
    const beyond = rows.slice(page.limit);
    return call.listed(page, [...shown, ...beyond], (items) => ({ messages: items.map(messageView), isBlocked }));
  },

  sendMessage: (call) =>
    call.commit(async (tx) => {
      const side = sideOf(call.principal);
      const conversation = await conversationOf(tx, call.principal, call.params.id);
      const recipient = (await users.find(tx, recipientOf(conversation, side)))!;
      if (blockedBy(conversation, chatStore.otherSide(side)) || recipient.suspended_at !== null)
        throw forbidden("This contact blocked you, or the account is suspended or deleted. Nothing was sent.");
      if (blockedBy(conversation, side))
        throw forbidden("You blocked this contact. Nothing was sent. Unblock the conversation first.");
      const sender = await users.find(tx, call.principal.userId);
      if (!sender) throw notFound();
      const message = await add(tx, sender, conversation, call.body.content);
      return { message: { ...messageView(message), conversationId: conversation.id } };
    }),

  async getUnreadCount(call) {
    const { principal } = call;
    return { unreadCount: await call.read((q) => chatStore.countUnread(q, sideOf(principal), principal.userId)) };
  },

  openConversation: (call) =>
    call.commit(async (tx) => {
      const { userId } = call.principal;
      const { contactId } = call.body;
      const side = sideOf(call.principal);
      const pair =
        side === "game_owner" ? { ownerId: userId, playtesterId: contactId } : { ownerId: contactId, playtesterId: userId };
      const access = await chatStore.findChatAccess(tx, pair.ownerId, pair.playtesterId);
      if (!access) throw notFound();
      if (access.unlocked === 0)
        throw forbidden("Chat with this contact is available after the first accepted slot. Nothing was created.");
      const id = tx.newId();
      const conversation = await chatStore.open(tx, { id, ...pair, now: tx.now });
      const shown = { conversation: { id: conversation.id, contactId, isBlocked: blockedBy(conversation, side) } };
      return conversation.id === id ? shown : new Existing(shown);
    }),

  blockConversation: (call) =>
    call.commit(async (tx) => {
      await setBlocked(tx, call.principal, call.params.id, true);
      return { message: "The contact was blocked and can no longer send you messages." };
    }),

  unblockConversation: (call) =>
    call.commit(async (tx) => {
      await setBlocked(tx, call.principal, call.params.id, false);
      return { message: "You no longer block this contact." };
    }),
} satisfies Partial<Handlers>;
