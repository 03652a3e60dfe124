import { col, detail, prose, type View } from "../../cli/define.ts";

export const contactView: View = {
  columns: [
    col("id", "id", "id"),
    col("name", "displayName"),
    col("unread", "unreadCount"),
    col("open", "isUnlocked"),
    col("last", "lastMessageAt", "ago"),
    col("message", "lastMessagePreview"),
  ],
  empty: "No contacts yet.",
};

const who = ({ senderType }: Record<string, unknown>) => (senderType === "game_owner" ? "owner" : senderType);

export const messageView: View = {
  columns: [col("when", "createdAt", "ago"), col("from", who), prose("message", "content"), detail("id", "id")],
  empty: "No messages yet.",
};

export const exportView: View = {
  columns: [
    col("when", "createdAt"),
    col("contact", "contact"),
    col("from", who),
    col("message", "content"),
    col("read", "readAt"),
  ],
  empty: "No messages.",
};
