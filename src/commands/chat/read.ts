import { type Context, define, flag } from "../../cli/define.ts";
import { ago } from "../../io/text.ts";
import { contactArg, findContact } from "./contacts.ts";
import { type Message, newestMessages } from "./messages.ts";
import { messageView } from "./view.ts";

export const read = define({
  name: "read",
  summary: "Read the newest messages of a conversation and mark them as read",
  operation: ["listMessages", "listContacts"],
  args: { contact: contactArg() },
  flags: {
    follow: flag.toggle("Keep printing new messages as they arrive", { short: "F" }),
    interval: flag.duration("With --follow: how often to check for messages (default 3s)"),
  },
  list: true,
  examples: ["playtest chat read Ada", "playtest chat read Ada --follow", "playtest chat read Ada --all --ndjson"],
  async run({ args, flags, range }, ctx) {
    const contact = await findContact(ctx, args.contact);
    const id = contact.conversationId;
    const found = id ? await newestMessages(ctx, id, range) : { messages: [], isBlocked: false, meta: {} };
    if (found.isBlocked) ctx.out.note(`You have blocked ${contact.displayName}.`);
    if (flags.follow && id) return follow(ctx, id, found.messages, (flags.interval ?? 3) * 1000);
    const { messages, isBlocked, meta } = found;
    const page = { key: "messages", items: messages, data: { messages, isBlocked }, meta };
    return { kind: "list", pages: single(page), view: messageView };
  },
});

async function* single<T>(page: T) {
  yield page;
}

async function follow(ctx: Context, id: string, first: readonly Message[], pauseMs: number): Promise<undefined> {
  const seen = new Set<string>();
  const show = async (messages: readonly Message[]) => {
    for (const message of messages.filter(({ id }) => !seen.has(id))) {
      seen.add(message.id);
      const from = message.senderType === "game_owner" ? "owner" : message.senderType;
      await ctx.out.each(
        { type: "message", ...message },
        `${ago(message.createdAt ?? "", ctx.serverNow())}  ${from ?? ""}  ${message.content ?? ""}`,
      );
    }
  };
  await show(first);
  for (;;) {
    await ctx.sleep(pauseMs, ctx.signal);
    await show((await newestMessages(ctx, id, { limit: 50 })).messages);
  }
}
