import { define } from "../../cli/define.ts";
import { contactArg, conversationWith, findContact } from "./contacts.ts";

const block = define({
  name: "block",
  summary: "Block messages from a contact",
  operation: ["blockConversation", "openConversation", "listContacts"],
  args: { contact: contactArg() },
  examples: ["playtest chat block Ada"],
  async run({ args }, ctx) {
    const id = await conversationWith(ctx, await findContact(ctx, args.contact));
    const data = await ctx.api().blockConversation({ params: { id } });
    return ctx.message(data);
  },
});

const unblock = define({
  name: "unblock",
  summary: "Unblock messages from a contact",
  operation: ["unblockConversation", "openConversation", "listContacts"],
  args: { contact: contactArg() },
  examples: ["playtest chat unblock Ada"],
  async run({ args }, ctx) {
    const id = await conversationWith(ctx, await findContact(ctx, args.contact));
    const data = await ctx.api().unblockConversation({ params: { id } });
    return ctx.message(data);
  },
});

export const blockCommands = [block, unblock];
