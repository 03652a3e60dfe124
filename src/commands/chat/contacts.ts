import { arg, type Context } from "../../cli/define.ts";
import { notFound, usage } from "../../errors.ts";

export const contactArg = () => {
  const contact = arg.id("Contact: id, name or conversation id", "listContacts", "displayName");
  return { ...contact, id: { ...contact.id, asGiven: true } };
};

export interface Contact {
  id: string;
  displayName: string;
  conversationId: string | null;
}

export async function contacts(ctx: Context): Promise<Contact[]> {
  const all: Contact[] = [];
  for await (const { items } of ctx.pages("listContacts", {}, { all: true })) all.push(...(items as Contact[]));
  return all;
}

/** Finds a contact by id, conversation id or name. Unknown: exit 3; ambiguous name: exit 2. */
export async function findContact(ctx: Context, text: string): Promise<Contact> {
  const all = await contacts(ctx);
  const byId = all.find(({ id, conversationId }) => id === text || conversationId === text);
  if (byId) return byId;
  const named = all.filter(({ displayName }) => displayName.toLowerCase() === text.toLowerCase());
  if (named.length === 1) return named[0]!;
  if (named.length > 1)
    throw usage(`${named.length} contacts are named "${text}".`, `Use an id: ${named.map(({ id }) => id).join(", ")}.`);
  throw notFound(`Contact "${text}" not found.`, "To list contacts: `playtest chat list`.");
}

/** The id of the conversation with a contact; opens one if there is none. */
export async function conversationWith(ctx: Context, contact: Contact): Promise<string> {
  if (contact.conversationId) return contact.conversationId;
  const { conversation } = await ctx.api().openConversation({ body: { contactId: contact.id } });
  return conversation.id;
}
