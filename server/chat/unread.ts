import * as users from "../accounts/users-store.ts";
import type { Deps } from "../app/deps.ts";
import type { Tx } from "../app/tx.ts";
import { mailAbout } from "../events/event-mails.ts";
import type { Job } from "../jobs/job.ts";
import { messageLetter } from "./letters.ts";
import * as chat from "./store.ts";

/** Emails about messages that stay unread: one per conversation until its reader reads it. */
type Waiting = Pick<chat.MessageRow, "conversation_id" | "sender_type">;

/** Schedules the look at a conversation some time after a message. A look that is scheduled already comes first and schedules the next. */
export const watchUnread = (tx: Tx, { conversation_id: conversationId, sender_type: sender }: Waiting) =>
  tx.schedule({
    kind: "mention-unread",
    key: `${conversationId}:${sender}`,
    payload: { conversationId, sender },
    runAt: tx.now + tx.config.mail.unreadAfterMs,
  });

/** Mails the reader of a conversation about messages that were unread for long enough, unless an email about some of them was sent. */
export const mentionUnread = (job: Job, deps: Deps) =>
  deps.store.write(async (tx) => {
    const { conversationId, sender } = job.payload as { conversationId: string; sender: chat.Side };
    const unread = await chat.listUnread(tx, conversationId, sender);
    const oldest = unread[0];
    if (!oldest || unread.some((message) => message.mailed_at !== null)) return job.done(tx);
    const now = tx.now;
    const dueAt = oldest.created_at + deps.config.mail.unreadAfterMs;
    if (dueAt > now) return job.reschedule(tx, dueAt);
    await job.done(tx);
    await chat.markMailed(tx, conversationId, sender, now);
    const conversation = (await chat.findById(tx, conversationId))!;
    const isForOwner = sender === "playtester";
    const isBlocked = isForOwner ? conversation.blocked_by_owner : conversation.blocked_by_playtester;
    if (isBlocked === 1) return;
    const reader = await users.find(tx, isForOwner ? conversation.owner_id : conversation.playtester_id);
    const from = await users.find(tx, oldest.sender_id);
    const letter = messageLetter({
      ...{ config: deps.config, conversationId, isForOwner, from: from?.display_name ?? "Someone" },
      firstMessage: oldest.content,
      unreadCount: unread.length,
    });
    await mailAbout(tx, reader, "chat.message", letter);
  });
