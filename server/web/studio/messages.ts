import type { Data } from "../../../src/contract/index.ts";
import { studio } from "../../../src/contract/pages/addresses.ts";
import { html } from "../html.ts";
import { ChatPages } from "../shared/chat.ts";
import { studioLayout } from "./layout.ts";
import type { StudioContext } from "./types.ts";

export type Playtesters = Exclude<Data<"listContacts">, { chatDisabled: boolean }>["contacts"];

/** Whether a playtester blocked the owner, or is suspended or deleted. Other modes are not known. */
export const isClosed = ({ chatMode }: Playtesters[number]): boolean => chatMode === "closed";

/** `/studio/messages`: the playtesters of accepted playtests, and the conversations with them. */
export const chat = new ChatPages<StudioContext>({
  area: studio,
  own: "game_owner",
  async contactsOf({ call }, query) {
    const { data, meta } = await call("listContacts", { query });
    const playtesters = data.contacts as Playtesters;
    const contacts = playtesters.map((one) => ({ ...one, name: one.displayName, isClosed: isClosed(one) }));
    return { contacts, cursor: meta.cursor };
  },
  layout: (context, page) => studioLayout(context, "messages", page),
  none: html`<p class="calm">No contacts yet.</p><p>When you accept a playtest, you and its playtester can message each other here.</p>`,
  offers: ({ offers }, operation) => offers(operation),
  locked: "You can message this playtester after you accept one of their playtests.",
});
