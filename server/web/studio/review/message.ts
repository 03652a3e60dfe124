import { studio } from "../../../../src/contract/pages/addresses.ts";
import { conflict } from "../../../lib/api-error.ts";
import { html, type Markup } from "../../html.ts";
import { closedTo } from "../../shared/chat.ts";
import { fault, marked, tokens } from "../../shared/parts.ts";
import { action, type StudioContext } from "../types.ts";
import type { Review } from "./data.ts";

export function messageForm(context: StudioContext, { slot: { playtester }, writing }: Review): Markup | false {
  if (playtester === null) return false;
  const name = playtester.displayName;
  if (writing === "locked") return html`<p class="soft">You can write to ${name} when you have accepted one of their videos.</p>`;
  if (writing === "closed") return closedTo(name);
  if (writing === "unbegun")
    return html`<p class="soft">This server lets nobody begin a conversation from here. You can write to ${name} after they have written to you.</p>`;
  return html`<section class="review-card"><details${context.form.content !== undefined && html` open`}><summary>Message to ${name}</summary>
<form method="post" action="${sendMessage.at(context.id)}">${tokens(context)}
<label for="content">Your message</label>
<textarea id="content" name="content" class="short" maxlength="5000" required${marked(context, "content")}>${context.form.content}</textarea>${fault(context, "content")}
<button class="quiet">Send</button></form></details></section>`;
}

async function conversationWith({ call, form }: StudioContext, playtesterId: string): Promise<string> {
  const { contacts } = (await call("listContacts", { query: { contactId: playtesterId } })).data;
  const known = (contacts as { id: string; conversationId: string | null }[]).find(({ id }) => id === playtesterId);
  if (known?.conversationId) return known.conversationId;
  const body = { contactId: playtesterId };
  return (await call("openConversation", { idempotencyKey: form.formKey, body })).data.conversation.id;
}

const fields = { content: { label: "Your message", id: "content" } };

export const sendMessage = action({ at: studio.slot.below("message"), fields }, async (context) => {
  const { call, id, form } = context;
  const { slot } = (await call("getSlot", { params: { id } })).data;
  if (!slot.playtester) throw conflict("This slot has no playtester. Nothing was sent.");
  const conversation = await conversationWith(context, slot.playtester.id);
  const body = { content: form.content?.trim() ?? "" };
  await call("sendMessage", { params: { id: conversation }, idempotencyKey: form.formKey, body });
  return `${studio.slot(id)}?done=sent`;
});
