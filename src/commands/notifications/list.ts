import { define, flag } from "../../cli/define.ts";
import { notificationView } from "./view.ts";

export const list = define({
  name: "list",
  aliases: ["ls"],
  summary: "List notifications",
  operation: "listNotifications",
  flags: { unread: flag.toggle("Only unread notifications") },
  list: true,
  examples: ["playtest notifications list --unread", "playtest notifications list --all --ndjson"],
  run: async ({ flags, range }, ctx) =>
    ctx.list("listNotifications", { query: flags.unread ? { unread: "true" } : {} }, range, notificationView),
});
