import { define } from "../../cli/define.ts";
import { plural } from "../../io/text.ts";

export const readAll = define({
  name: "read-all",
  summary: "Mark all notifications as read",
  operation: "markAllRead",
  examples: ["playtest notifications read-all"],
  async run(_, ctx) {
    const data = await ctx.api().markAllRead({});
    return ctx.text(data.message ?? `${plural(data.updatedCount, "notification")} marked as read.`, data);
  },
});
