import type { SenderType } from "../../src/contract/chat.ts";
import { type Page, paged } from "../database/keyset.ts";
import type { Query } from "../database/port.ts";
import { addRow, findRow, findRows, insertRow, listRows, updateRow, updateWhere } from "../database/rows.ts";
import type { New, Tables } from "../database/schema/index.ts";

/** The side of a conversation that an account is on. */
export type Side = SenderType;

export type ConversationRow = Tables["conversations"];

export type MessageRow = Tables["messages"];

export interface ContactRow
  extends Pick<Tables["users"], "id" | "display_name" | "company_name" | "suspended_at">,
    Pick<ConversationRow, "last_message_at" | "last_message_preview"> {
  unlocked: number;
  conversation_id: string | null;
  blocked_by_contact: number | null;
  last_sender_type: SenderType | null;
  unread_count: number;
  /** The sort key of the list. Not a time to show: see `listContacts`. */
  created_at: number;
}

const columns = {
  game_owner: { own: "owner_id", other: "playtester_id", blockedByOther: "blocked_by_playtester" },
  playtester: { own: "playtester_id", other: "owner_id", blockedByOther: "blocked_by_owner" },
} as const;

export const otherSide = (side: Side): Side => (side === "game_owner" ? "playtester" : "game_owner");

/** What only one contact has. */
interface Only {
  contactId?: string | undefined;
  conversationId?: string | undefined;
}

/**
 * The accounts that share a slot with this one: first those with messages, latest message first, then those without, in descending order
 * of their first shared slot.
 */
export function listContacts(q: Query, side: Side, userId: string, { contactId, conversationId }: Only, page: Page) {
  const { own, other, blockedByOther } = columns[side];
  const only = { "x.id": contactId, "x.conversation_id": conversationId };
  const chosen = Object.entries(only).flatMap(([column, value]) => (value === undefined ? [] : [{ column, value }]));
  // Contacts without a message sort after all others: subtracting a constant makes their times earlier than any message.
  return paged(q, page, "x").all<ContactRow>(
    `SELECT x.* FROM (
       SELECT u.id, u.display_name, u.company_name, u.suspended_at, k.unlocked, c.id AS conversation_id, c.${blockedByOther} AS blocked_by_contact,
              c.last_message_at, c.last_message_preview, COALESCE(c.last_message_at, k.first_at - 1000000000000000) AS created_at,
              (SELECT m.sender_type FROM messages m WHERE m.conversation_id = c.id ORDER BY m.created_at DESC, m.id DESC LIMIT 1) AS last_sender_type,
              (SELECT COUNT(*) FROM messages m WHERE m.conversation_id = c.id AND m.sender_type = ? AND m.read_at IS NULL) AS unread_count
         FROM (SELECT ${other} AS contact_id, MAX(CASE WHEN status = 'accepted' THEN 1 ELSE 0 END) AS unlocked, MIN(created_at) AS first_at
                 FROM slots WHERE ${own} = ? AND ${other} IS NOT NULL GROUP BY ${other}) k
         JOIN users u ON u.id = k.contact_id LEFT JOIN conversations c ON c.${own} = ? AND c.${other} = k.contact_id) x
      WHERE 1 = 1${chosen.map(({ column }) => ` AND ${column} = ?`).join("")}`,
    ...[otherSide(side), userId, userId],
    ...chosen.map(({ value }) => value),
  );
}

/** Whether the two accounts may chat: `unlocked` is 1 once one of their shared slots was accepted. Undefined when they share no slot. */
export async function findChatAccess(q: Query, ownerId: string, playtesterId: string): Promise<{ unlocked: number } | undefined> {
  const found = await q.one<{ unlocked: number | null }>(
    "SELECT MAX(CASE WHEN status = 'accepted' THEN 1 ELSE 0 END) AS unlocked FROM slots WHERE owner_id = ? AND playtester_id = ?",
    ownerId,
    playtesterId,
  );
  return found === undefined || found.unlocked === null ? undefined : { unlocked: found.unlocked };
}

export const hasAcceptedSlot = async (q: Query, playtesterId: string) =>
  (await q.one("SELECT id FROM slots WHERE playtester_id = ? AND status = 'accepted' LIMIT 1", playtesterId)) !== undefined;

/** The conversation with this id. Undefined when it does not exist or this account is not part of it. */
export const find = (q: Query, side: Side, userId: string, id: string) =>
  q.one<ConversationRow>(`SELECT * FROM conversations WHERE id = ? AND ${columns[side].own} = ?`, id, userId);

/** Returns the conversation of the two accounts. Creates it with `id` when they have none. */
export async function open(
  tx: Query,
  pair: { id: string; ownerId: string; playtesterId: string; now: number },
): Promise<ConversationRow> {
  const { id, ownerId, playtesterId, now } = pair;
  await addRow(tx, "conversations", { id, owner_id: ownerId, playtester_id: playtesterId, created_at: now });
  return (await findRow(tx, "conversations", { owner_id: ownerId, playtester_id: playtesterId }))!;
}

/** Blocks or unblocks the contact. Returns the number of rows changed: 0 when the account has no such conversation. */
export const setBlocked = (tx: Query, side: Side, userId: string, id: string, blocked: boolean) =>
  tx.run(
    `UPDATE conversations SET ${columns[otherSide(side)].blockedByOther} = ? WHERE id = ? AND ${columns[side].own} = ?`,
    blocked ? 1 : 0,
    id,
    userId,
  );

export async function addMessage(tx: Query, added: New<"messages">, preview: string): Promise<MessageRow> {
  const message = await insertRow(tx, "messages", added);
  const last = { last_message_at: message.created_at, last_message_preview: preview };
  await updateRow(tx, "conversations", message.conversation_id, last);
  return message;
}

export const listMessages = (q: Query, conversationId: string, order: "asc" | "desc", page: Page) =>
  listRows(q, "messages", page, { conversation_id: conversationId }, order === "asc" ? "oldest" : "newest");

export const findById = (q: Query, id: string) => findRow(q, "conversations", { id });

/** The messages of one side of a conversation that the other has not read, oldest first. */
export const listUnread = (q: Query, conversationId: string, sender: Side) =>
  findRows(q, "messages", { conversation_id: conversationId, sender_type: sender, read_at: null }, "created_at", "id");

export const markMailed = (tx: Query, conversationId: string, sender: Side, now: number) =>
  updateWhere(tx, "messages", { mailed_at: now }, { conversation_id: conversationId, sender_type: sender, read_at: null });

export async function markRead(tx: Query, messageIds: readonly string[], now: number): Promise<void> {
  for (const id of messageIds) await updateWhere(tx, "messages", { read_at: now }, { id, read_at: null });
}

/** How many messages from contacts the account has not read. */
export const countUnread = async (q: Query, side: Side, userId: string) =>
  (
    await q.one<{ count: number }>(
      `SELECT COUNT(*) AS count FROM messages m JOIN conversations c ON c.id = m.conversation_id
        WHERE c.${columns[side].own} = ? AND m.sender_type = ? AND m.read_at IS NULL`,
      userId,
      otherSide(side),
    )
  )?.count ?? 0;
