import type { Context, ListRange } from "../../cli/context.ts";
import type { ItemOf } from "../../cli/view.ts";

export type Message = ItemOf<"listMessages">;

const sentAt = ({ createdAt }: Message) => Date.parse(createdAt);

/** The newest messages of a conversation, sorted oldest first. With `after`, only those of that time (ms) or later. */
export async function newestMessages(ctx: Context, conversationId: string, range: ListRange, after = 0) {
  const messages: Message[] = [];
  let isBlocked = false;
  let lastMeta: { cursor?: string | null; hasMore?: boolean } = {};
  for await (const page of ctx.pages("listMessages", { params: { id: conversationId }, query: { order: "desc" } }, range)) {
    const items = page.items as Message[];
    messages.push(...items.filter((message) => sentAt(message) >= after));
    isBlocked = page.data.isBlocked;
    lastMeta = page.meta;
    // Servers without the parameter `order` send the oldest first: there, only the last page ends the search.
    const [first, last] = [items[0], items.at(-1)];
    if (first && last && sentAt(last) < after && sentAt(last) <= sentAt(first)) break;
  }
  messages.sort((a, b) => sentAt(a) - sentAt(b) || (a.id < b.id ? -1 : 1));
  return { messages, isBlocked, meta: lastMeta };
}
