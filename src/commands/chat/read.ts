import type { ListRange } from "../../cli/context.ts";
import { type Context, define, flag } from "../../cli/define.ts";
import { ago } from "../../io/text.ts";
import { withReconnect } from "../shared/reconnect.ts";
import { type Contact, contactArg, findContact } from "./contacts.ts";
import { type Message, newestMessages } from "./messages.ts";
import { messageView } from "./view.ts";

export const read = define({
  name: "read",
  summary: "Read the newest messages of a conversation and mark them as read",
  operation: ["listMessages", "listContacts"],
  args: { contact: contactArg() },
  flags: {
    follow: flag.toggle("Keep printing new messages as they arrive", { short: "F" }),
    interval: flag.duration("With --follow: how often to check for messages (default 3s)", { min: 1 }),
  },
  list: true,
  examples: ["playtest chat read Ada", "playtest chat read Ada --follow", "playtest chat read Ada --all --ndjson"],
  async run({ args, flags, range }, ctx) {
    const conversation = reader(ctx, args.contact);
    if (flags.follow) return follow(ctx, conversation, range, (flags.interval ?? 3) * 1000);
    const { messages, isBlocked, meta } = await conversation(range);
    const page = { key: "messages", items: messages, data: { messages, isBlocked }, meta };
    return { kind: "list", pages: single(page), view: messageView };
  },
});

async function* single<T>(page: T) {
  yield page;
}

/** Reads the conversation with a contact, which has no messages until somebody opens it. The first time, says if it is blocked. */
function reader(ctx: Context, name: string) {
  let contact: Contact | undefined;
  let isFirst = true;
  return async (range: ListRange, after?: number) => {
    if (!contact?.conversationId) contact = await findContact(ctx, name);
    const { conversationId: id, displayName } = contact;
    const found = id ? await newestMessages(ctx, id, range, after) : { messages: [], isBlocked: false, meta: {} };
    if (isFirst && found.isBlocked) ctx.out.note(`You have blocked ${displayName}.`);
    isFirst = false;
    return found;
  };
}

/** How much later (ms) than its time a message may appear: the clocks of two servers differ. */
const lateMs = 5 * 60_000;

async function follow(ctx: Context, conversation: ReturnType<typeof reader>, first: ListRange, pauseMs: number): Promise<never> {
  const seen = new Set<string>();
  let range = first;
  let [oldest, after]: [number | undefined, number | undefined] = [undefined, undefined];
  const check = withReconnect(ctx, () => conversation(range, after));
  for (;;) {
    const { messages } = (await check()) ?? { messages: [] };
    for (const message of messages.filter(({ id }) => !seen.has(id))) {
      seen.add(message.id);
      const sentAt = Date.parse(message.createdAt);
      oldest ??= sentAt;
      after = Math.max(oldest, sentAt - lateMs);
      await show(ctx, message);
    }
    range = { all: true };
    await ctx.sleep(pauseMs, ctx.signal);
  }
}

function show(ctx: Context, message: Message) {
  const from = message.senderType === "game_owner" ? "owner" : message.senderType;
  return ctx.out.each(
    { type: "message", ...message },
    `${ago(message.createdAt ?? "", ctx.serverNow())}  ${from ?? ""}  ${message.content ?? ""}`,
  );
}
