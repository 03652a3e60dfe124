import { arg, define } from "../../cli/define.ts";
import { contactOf, contacts } from "./contacts.ts";
import { newest } from "./messages.ts";
import { exportView } from "./view.ts";

export const exportChat = define({
  name: "export",
  summary: "Print every message, of one contact or of all, oldest first",
  description: "Messages that are printed become read, as with `chat read`.",
  operation: ["listMessages", "listContacts"],
  args: { contact: arg.optional("Contact: id or name; default all") },
  examples: ["playtest chat export --csv -o chat.csv", "playtest chat export Ada --ndjson"],
  async run({ args }, ctx) {
    const chosen = args.contact === undefined ? await contacts(ctx) : [await contactOf(ctx, ctx.resolveId(args.contact))];
    const rows: object[] = [];
    for (const { displayName, conversationId } of chosen) {
      if (!conversationId) continue;
      const { messages } = await newest(ctx, conversationId, { all: true });
      rows.push(...messages.map((message) => ({ contact: displayName, conversationId, ...message })));
    }
    return ctx.rows("messages", rows, exportView);
  },
});
