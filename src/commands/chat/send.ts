import { arg, define, flag } from "../../cli/define.ts";
import { usage } from "../../errors.ts";
import { contactArg, conversationWith, findContact } from "./contacts.ts";
import { messageView } from "./view.ts";

export const send = define({
  name: "send",
  summary: "Send a message",
  operation: ["sendMessage", "openConversation", "listContacts"],
  body: "sendMessage",
  partialBody: true,
  flags: { content: flag.text("Same as the message", { hidden: true }) },
  args: { contact: contactArg(), message: arg.optional("Message text; - reads standard input") },
  examples: ["playtest chat send Ada 'The new build is up'", "git log -1 --format=%B | playtest chat send Ada -"],
  async run({ args, body }, ctx) {
    const argument = args.message === "-" ? (await ctx.io.readText("-", "message")).trimEnd() : args.message;
    const content = argument ?? body.content;
    if (!content) throw usage("The message is empty.", "Pass the text after the contact, or pass - to read standard input.");
    const contact = await findContact(ctx, args.contact);
    const id = await conversationWith(ctx, contact);
    const data = await ctx.api().sendMessage({ params: { id }, body: { content } });
    ctx.out.note(`Sent to ${contact.displayName}.`);
    return ctx.item(data, messageView);
  },
});
