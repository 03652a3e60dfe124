import { portal as to } from "../../../src/contract/pages/addresses.ts";
import type { Caller } from "../../http/call.ts";
import type { PostedFile } from "../../uploads/posted.ts";
import { accountPages } from "../account/index.ts";
import type { Place } from "../account/place.ts";
import { playtesterProfile } from "../account/profile.ts";
import { html } from "../html.ts";
import { type Area, SignedInPages } from "../shared/pages.ts";
import { type ReadFileForm, takesFile } from "../shared/posted-files.ts";
import { type AreaParts, givenOf, mediaOf, signedInArea } from "../sign-in/area.ts";
import { playDoor } from "../sign-in/doors.ts";
import type { Page } from "../types.ts";
import { agreement } from "./agreements/page.ts";
import { applications } from "./applications.ts";
import { chat } from "./chat.ts";
import { payoutDetails } from "./earnings/details.ts";
import { earnings } from "./earnings/page.ts";
import { statement } from "./earnings/statements.ts";
import { withFilters } from "./filters.ts";
import { friends } from "./friends.ts";
import { signedInLayout } from "./layout.ts";
import { offers } from "./offers.ts";
import { howToRecord } from "./slots/recording.ts";
import { slot, slots } from "./slots.ts";
import type { PageContext, PortalHost, PortalPage } from "./types.ts";

export interface PortalParts extends AreaParts, Pick<PortalHost, "printStatement"> {
  readFileForm: ReadFileForm;
  /** Stores the file as the video of a slot that this account holds. */
  storeVideo(caller: Caller, slotId: string, file: PostedFile): Promise<void>;
}

const layout: Area<PageContext>["layout"] = (context, page) => signedInLayout(context, undefined, page);

const ownAccount: Place<PageContext> = {
  to,
  layout: (context, page, section) => signedInLayout(context, section, page),
  profile: playtesterProfile,
  parts: [],
  deletion: ({ payments }) =>
    `Your name, email address and profile are removed, and others see “Deleted account”. Videos that were accepted and messages stay with the owners who received them; other videos are removed.${payments ? " Records of payouts stay in the ledger of this server." : ""}`,
};

const pagesOf = (host: PortalHost): PortalPage[] => [
  offers,
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
  ...accountPages(ownAccount),
];

/** `/play`: the web portal for playtesters. */
export function portal(parts: PortalParts): Page {
  const { printStatement, readFileForm, storeVideo } = parts;
  const pages = new SignedInPages<PageContext>({
    ...givenOf(parts),
    base: to.offers(),
    pages: pagesOf({
      sendMedia: mediaOf(parts),
      storeVideo: (view) => takesFile({ readFileForm, store: storeVideo, done: (id) => `${to.slot(id)}?done=uploaded`, view }),
      printStatement,
    }),
    contextOf: (page) => page,
    layout,
    back: html`<a href="${to.offers()}">Back to playtests</a>`,
  });
  return withFilters(parts.accounts.filters, signedInArea(playDoor, parts, pages));
}
