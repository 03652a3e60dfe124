import { arg, define } from "../../cli/define.ts";
import { contacts, findContact } from "./contacts.ts";
import { newestMessages } from "./messages.ts";
import { type ExportedMessage, exportView } from "./view.ts";

export const exportChat = define({
  name: "export",
  summary: "Export all messages, oldest first",
  description:
    "Exports the messages with one contact, or with all. Exported messages are marked as read, unless the API key is read-only.",
  operation: ["listMessages", "listContacts"],
  args: { contact: arg.optional("Contact: id or name (default: all contacts)") },
  examples: ["playtest chat export --csv -o chat.csv", "playtest chat export Ada --ndjson"],
  async run({ args }, ctx) {
    const chosen = args.contact === undefined ? await contacts(ctx) : [await findContact(ctx, ctx.resolveId(args.contact))];
    const rows: ExportedMessage[] = [];
    for (const { displayName, conversationId } of chosen) {
      if (!conversationId) continue;
      const { messages } = await newestMessages(ctx, conversationId, { all: true });
      rows.push(...messages.map((message) => ({ contact: displayName, conversationId, ...message })));
    }
    return ctx.rows("messages", rows, exportView);
  },
});
