import type { Data } from "../../../src/contract/index.ts";
import { portal } from "../../../src/contract/pages/addresses.ts";
import { html } from "../html.ts";
import { ChatPages } from "../shared/chat.ts";
import { signedInLayout } from "./layout.ts";
import type { PageContext } from "./types.ts";

type Owners = Extract<Data<"listContacts">, { chatDisabled: boolean }>["contacts"];

/** `/play/messages`: the owners whose games the playtester has tested, and the conversations with them. */
export const chat = new ChatPages<PageContext>({
  area: portal,
  own: "playtester",
  async contactsOf({ call }, query) {
    const { data, meta } = await call("listContacts", { query });
    const owners = data.contacts as Owners;
    return { contacts: owners.map((owner) => ({ ...owner, name: owner.companyName })), cursor: meta.cursor };
  },
  layout: (context, page) => signedInLayout(context, "messages", page),
  none: html`<p>No contacts yet. When an owner accepts one of your playtests, you can message each other here.</p>`,
  offers: async () => true,
  locked: "You can message this owner after they accept one of your playtests.",
});
