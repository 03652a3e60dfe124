import { chatRows } from "../files.ts";
import type { Mutant } from "../mutant.ts";

export const paginationRules: readonly Mutant[] = [
  {
    rule: "limit 101 is refused",
    test: "api/http",
    edits: [["src/contract/fields.ts", "queryInteger(1, 100)\n    .default", "queryInteger(1, 101)\n    .default"]],
  },
  { rule: "no limit means 20", test: "api/http", edits: [["src/contract/fields.ts", 'limit(20, "20")', 'limit(21, "20")']] },
  {
    rule: "an exactly full last page is the last",
    test: "api/http",
    edits: [["server/http/call.ts", "rows.length > page.limit ?", "rows.length >= page.limit ?"]],
  },
  {
    rule: "lists are newest first",
    test: "api/http",
    edits: [["server/database/keyset.ts", '["<", "DESC"] : [">", "ASC"]', '[">", "ASC"] : ["<", "DESC"]']],
  },
  {
    rule: "chat is oldest first",
    test: "api/chat",
    edits: [[chatRows, 'order === "asc" ? "oldest" : "newest"', '"newest"']],
  },
  {
    rule: "the hours history is newest first",
    test: "api/billing-subscriptions",
    edits: [["server/billing/hours-store.ts", 'keyset(page, "p")', 'keyset(page, "p", "oldest")']],
  },
  {
    rule: "unread=true filters",
    test: "api/notifications",
    edits: [["server/events/notifications-store.ts", 'unread ? "AND n.read_at IS NULL " : ""', '""']],
  },
  {
    rule: "unreadCount is the total",
    test: "api/notifications",
    edits: [
      [
        "server/events/notifications-handlers.ts",
        "await notificationStore.countUnread(q, userId)",
        "(await notificationStore.list(q, userId, true, page)).slice(0, page.limit).length",
      ],
    ],
  },
];
