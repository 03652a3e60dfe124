import type { Config } from "../config/schema.ts";
import { portalLinks, taskLink } from "../mail/links.ts";
import { type Letter, nameInMail } from "../mail/texts.ts";

interface Unread {
  config: Pick<Config, "baseUrl">;
  conversationId: string;
  isForOwner: boolean;
  from: string;
  /** The oldest of them. */
  firstMessage: string;
  unreadCount: number;
}

export function messageLetter({ config, conversationId, isForOwner, from, firstMessage, unreadCount }: Unread): Letter {
  const who = nameInMail(from);
  const isOne = unreadCount === 1;
  const url = isForOwner ? taskLink(config, "chat", conversationId) : portalLinks(config).conversation(conversationId);
  return {
    preview: firstMessage,
    subject: `${who} sent you ${isOne ? "a message" : `${unreadCount} messages`}`,
    paragraphs: [
      isOne ? `${who} wrote:` : `${who} sent you ${unreadCount} messages that you have not read. The first:`,
      firstMessage,
    ],
    action: { label: "Read the conversation", url },
  };
}
