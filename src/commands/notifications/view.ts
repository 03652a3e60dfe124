import { col, detail, prose, type View } from "../../cli/define.ts";

export const notificationView: View = {
  columns: [
    col("when", "createdAt", "ago"),
    col("kind", "type"),
    col("title", "title"),
    prose("text", "body"),
    col("read", "readAt", "ago"),
    detail("id", "id"),
  ],
  empty: "No notifications.",
};
