import type { Context, ListRange } from "../../cli/context.ts";
import type { ItemOf } from "../../cli/view.ts";

export type Message = ItemOf<"listMessages">;

/** The newest messages of a conversation, sorted oldest first. */
export async function newestMessages(ctx: Context, conversationId: string, range: ListRange) {
  const messages: Message[] = [];
  let isBlocked = false;
  let lastMeta: { cursor?: string | null; hasMore?: boolean } = {};
  for await (const page of ctx.pages("listMessages", { params: { id: conversationId }, query: { order: "desc" } }, range)) {
    messages.push(...(page.items as Message[]));
    isBlocked = page.data.isBlocked;
    lastMeta = page.meta;
  }
  messages.sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.id < b.id ? -1 : 1));
  return { messages, isBlocked, meta: lastMeta };
}
