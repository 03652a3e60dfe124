import { col, detail, type ItemOf, prose, shorter, viewOf } from "../../cli/define.ts";
import type { Message } from "./messages.ts";

/** Only playtesters have contacts with a company name. */
function preview(contact: ItemOf<"listContacts">) {
  const own = "companyName" in contact ? "playtester" : "game_owner";
  return `${contact.lastMessageSenderType === own ? "You: " : ""}${contact.lastMessagePreview ?? ""}`;
}

export const contactView = viewOf<ItemOf<"listContacts">>(
  [
    "id",
    "name:displayName",
    "unread:unreadCount",
    "unlocked:isUnlocked",
    "last message:lastMessageAt",
    shorter(col("preview:lastMessagePreview"), preview),
  ],
  { empty: "No contacts yet." },
);

const sender = ({ senderType }: Message) => (senderType === "game_owner" ? "owner" : senderType);

export const messageView = viewOf<Message>(
  ["sent:createdAt", col("from", sender), prose("message:content"), detail("id", "text")],
  { empty: "No messages yet." },
);

/** A message with the name of the contact that it was exchanged with. */
export type ExportedMessage = Message & { contact: string };

export const exportView = viewOf<ExportedMessage>(
  [col("sent:createdAt", "text"), "contact", col("from", sender), "message:content", col("read:readAt", "text")],
  { empty: "No messages." },
);
