import { define, type ItemOf, viewOf } from "../../cli/define.ts";

export const unread = define({
  name: "unread",
  summary: "Count unread messages",
  operation: "getUnreadCount",
  examples: ["playtest chat unread --jq .unreadCount"],
  run: async (_, ctx) => ctx.item(await ctx.api().getUnreadCount({}), viewOf<ItemOf<"getUnreadCount">>(["unread:unreadCount"])),
});
