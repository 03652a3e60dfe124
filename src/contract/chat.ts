import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { extension, id, message, page, readableText, timestamp, wholeListQuery } from "./fields.ts";

const scope = { access: ["chat"] } as const;
const extended = { ...scope, extension: true } as const;

/** The two sides of a conversation. */
export const senderTypes = ["game_owner", "playtester"] as const;
export type SenderType = (typeof senderTypes)[number];

const contact = {
  id: id(),
  displayName: z.string(),
  isUnlocked: z.boolean(),
  unreadCount: z.int(),
  lastMessageAt: timestamp().nullable(),
  lastMessagePreview: z.string().nullable(),
  lastMessageSenderType: extension(z.enum(senderTypes).nullable().optional().meta({ description: "Who sent the last message." })),
  conversationId: id().nullable(),
};

export const playtesterContact = z
  .strictObject({
    ...contact,
    chatMode: z.enum(["free", "closed"]),
  })
  .meta({ id: "PlaytesterContact" });
export const ownerContact = z
  .strictObject({
    ...contact,
    companyName: z.string(),
  })
  .meta({ id: "OwnerContact" });

export const chatMessage = z
  .strictObject({
    id: id(),
    senderType: z.enum(senderTypes),
    senderId: id(),
    content: z.string(),
    readAt: timestamp().nullable(),
    createdAt: timestamp(),
  })
  .meta({ id: "ChatMessage" });

export const conversation = z
  .strictObject({
    id: id(),
    contactId: id(),
    isBlocked: z.boolean(),
  })
  .meta({ id: "Conversation" });

export const chat = {
  listContacts: endpoint("GET /chat/contacts", {
    ...scope,
    summary: "List the people you can chat with",
    query: wholeListQuery().extend({
      contactId: extension(id().optional().meta({ description: "Only this contact." })),
      conversationId: extension(id().optional().meta({ description: "Only the contact of this conversation." })),
    }),
    list: true,
    reply: z.union([
      z.strictObject({ contacts: z.array(playtesterContact) }),
      z.strictObject({
        contacts: z.array(ownerContact),
        chatDisabled: z.boolean(),
      }),
    ]),
  }),
  listMessages: endpoint("GET /chat/conversations/:id", {
    ...scope,
    summary: "Read a conversation, oldest message first",
    query: z.object({
      ...page,
      order: z.enum(["asc", "desc"]).default("asc").meta({
        description: "`asc`: oldest first; `desc`: newest first.",
        "x-extension": true,
      }),
    }),
    list: true,
    reply: z.strictObject({
      messages: z.array(chatMessage),
      isBlocked: z.boolean(),
    }),
  }),
  sendMessage: endpoint("POST /chat/conversations/:id/messages", {
    ...scope,
    summary: "Send a message",
    body: z.strictObject({
      content: readableText(5000).meta({ description: "The message, up to 5000 characters." }),
    }),
    status: 201,
    reply: z.strictObject({
      message: chatMessage.extend({ conversationId: id() }),
    }),
  }),
  getUnreadCount: endpoint("GET /chat/unread-count", {
    ...scope,
    summary: "Count unread messages",
    reply: z.strictObject({ unreadCount: z.int() }),
  }),
  openConversation: endpoint("POST /chat/conversations", {
    ...extended,
    summary: "Open the conversation with a contact",
    body: z.strictObject({
      contactId: id().meta({ description: "Contact to chat with." }),
    }),
    status: 201,
    existing: 200,
    reply: z.strictObject({ conversation }),
    errors: ["NOT_FOUND"],
  }),
  blockConversation: endpoint("POST /chat/conversations/:id/block", {
    ...extended,
    summary: "Block messages from a contact",
    reply: message(),
  }),
  unblockConversation: endpoint("POST /chat/conversations/:id/unblock", {
    ...extended,
    summary: "Allow messages from a contact again",
    reply: message(),
  }),
};
