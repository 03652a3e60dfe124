import { col, detail, prose, type View } from "../../cli/define.ts";

export const notificationView: View = {
  columns: [
    col("created", "createdAt", "ago"),
    col("kind", "type"),
    col("title", "title"),
    prose("text", "body"),
    col("read", "readAt", "ago"),
    detail("id", "id"),
  ],
  empty: "No notifications.",
};
