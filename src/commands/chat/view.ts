import { col, detail, prose, type View } from "../../cli/define.ts";

/** Only playtesters have contacts with a company name. */
function preview(contact: Record<string, unknown>) {
  const own = "companyName" in contact ? "playtester" : "game_owner";
  return `${contact.lastMessageSenderType === own ? "You: " : ""}${contact.lastMessagePreview ?? ""}`;
}

export const contactView: View = {
  columns: [
    col("id", "id", "id"),
    col("name", "displayName"),
    col("unread", "unreadCount"),
    col("unlocked", "isUnlocked"),
    col("last message", "lastMessageAt", "ago"),
    { ...col("preview", "lastMessagePreview"), inTable: preview },
  ],
  empty: "No contacts yet.",
};

const sender = ({ senderType }: Record<string, unknown>) => (senderType === "game_owner" ? "owner" : senderType);

export const messageView: View = {
  columns: [col("sent", "createdAt", "ago"), col("from", sender), prose("message", "content"), detail("id", "id")],
  empty: "No messages yet.",
};

export const exportView: View = {
  columns: [
    col("sent", "createdAt"),
    col("contact", "contact"),
    col("from", sender),
    col("message", "content"),
    col("read", "readAt"),
  ],
  empty: "No messages.",
};
