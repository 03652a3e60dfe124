import { define, type ItemOf, viewOf } from "../../cli/define.ts";

export const unread = define({
  name: "unread",
  operation: "getUnreadCount",
  examples: ["playtest chat unread --jq .unreadCount"],
  view: viewOf<ItemOf<"getUnreadCount">>(["unread:unreadCount"]),
});
