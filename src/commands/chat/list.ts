import { define } from "../../cli/define.ts";
import { contactView } from "./view.ts";

export const list = define({
  name: "list",
  aliases: ["ls", "contacts"],
  summary: "List the people you can chat with, most recent message first",
  operation: "listContacts",
  list: true,
  examples: ["playtest chat list", "playtest chat list --json=id,displayName,unreadCount"],
  view: contactView,
});
