import type { IncomingMessage } from "node:http";
import { portal as to } from "../../../src/contract/pages/addresses.ts";
import type { Caller } from "../../http/call.ts";
import type { PostedFile } from "../../uploads/posted.ts";
import { staleForm } from "../form.ts";
import { html } from "../html.ts";
import { type Area, isFormTokenOf, runAction, SignedInPages } from "../shared/pages.ts";
import type { Exchange } from "../shared/types.ts";
import { type AreaParts, givenOf, mediaOf, signedInArea } from "../sign-in/area.ts";
import { playDoor } from "../sign-in/doors.ts";
import { passkeyPages } from "../sign-in/passkeys.ts";
import type { Page } from "../types.ts";
import { account } from "./account.ts";
import { agreement } from "./agreements/page.ts";
import { applications } from "./applications.ts";
import { chat } from "./chat.ts";
import { payoutDetails } from "./earnings/details.ts";
import { earnings } from "./earnings/page.ts";
import { statement } from "./earnings/statements.ts";
import { emails } from "./emails.ts";
import { factor } from "./factors/authenticator-app.ts";
import { withFilters } from "./filters.ts";
import { friends } from "./friends.ts";
import { signedInLayout } from "./layout.ts";
import { notifications } from "./notifications.ts";
import { offer } from "./offers/page.ts";
import { offers } from "./offers.ts";
import { howToRecord } from "./slots/recording.ts";
import { slot, slots } from "./slots.ts";
import type { PageContext, PortalHost, PortalPage, View } from "./types.ts";

export interface PortalParts extends AreaParts, Pick<PortalHost, "printStatement"> {
  /** Reads the fields of a form up to its file. The file itself is not read yet. */
  readFileForm(request: IncomingMessage): Promise<PostedFile>;
  /** Stores the file as the video of a slot that this account holds. */
  storeVideo(caller: Caller, slotId: string, file: PostedFile): Promise<void>;
}

const layout: Area<PageContext>["layout"] = (context, page) => signedInLayout(context, undefined, page);

const pagesOf = (host: PortalHost): PortalPage[] => [
  offers,
  offer,
  agreement,
  slots,
  slot(host),
  howToRecord,
  friends,
  applications,
  ...chat.pages,
  earnings,
  payoutDetails,
  statement(host),
  notifications,
  account,
  emails,
  factor,
  ...passkeyPages({ at: to.passkeys, back: html`<a href="${to.account()}">Back to your account</a>`, layout }),
];

/** `/play`: the web portal for playtesters. */
export function portal(parts: PortalParts): Page {
  const { printStatement } = parts;
  const pages = new SignedInPages<PageContext>({
    ...givenOf(parts),
    base: to.offers(),
    pages: pagesOf({ sendMedia: mediaOf(parts), storeVideo: (view) => storeVideo(parts, view), printStatement }),
    contextOf: (page) => page,
    layout,
    back: html`<a href="${to.offers()}">Back to playtests</a>`,
  });
  return withFilters(parts.accounts.filters, signedInArea(playDoor, parts, pages));
}

/** Handles the video form of browsers without scripts. No operation of the API accepts a posted file, so it is stored here. */
const storeVideo = (parts: PortalParts, view: View) => async (exchange: Exchange, context: PageContext) => {
  const { request, response, session } = exchange;
  const file = await parts.readFileForm(request);
  if (!isFormTokenOf(exchange, file.fields.csrf)) {
    void file.skip();
    throw staleForm();
  }
  const store = async () => {
    await parts.storeVideo(session.caller!, context.id, file);
    return `${to.slot(context.id)}?done=uploaded`;
  };
  await runAction(response, store, { view }, context);
};
