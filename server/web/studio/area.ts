import { studio } from "../../../src/contract/pages/addresses.ts";
import { opaqueIds } from "../../http/router.ts";
import { accountPages } from "../account/index.ts";
import { invoiceDetails } from "../account/invoices.ts";
import type { Part, Place } from "../account/place.ts";
import { ownerProfile } from "../account/profile.ts";
import { html } from "../html.ts";
import { type Area, SignedInPages } from "../shared/pages.ts";
import { approval, approvals } from "./approvals/page.ts";
import { billing } from "./billing/page.ts";
import { payment } from "./billing/payments.ts";
import { connectProgram } from "./connect/page.ts";
import { findings } from "./findings/list.ts";
import { finding } from "./findings/page.ts";
import { builds } from "./games/builds.ts";
import { editGame, newGame } from "./games/form.ts";
import { game, games } from "./games/pages.ts";
import { gameHighlights, highlights } from "./highlights/page.ts";
import { inbox } from "./inbox/page.ts";
import { studioLayout } from "./layout.ts";
import { chat } from "./messages.ts";
import { bulkOrder } from "./orders/bulk/page.ts";
import { order } from "./orders/page.ts";
import { applications } from "./playtests/applications.ts";
import { playtest } from "./playtests/page.ts";
import { compare } from "./review/compare.ts";
import { slot } from "./review/page.ts";
import { search } from "./search/page.ts";
import { problem } from "./slots/problem.ts";
import { stats } from "./stats/page.ts";
import type { StudioContext, StudioHost } from "./types.ts";
import { webhook, webhooks } from "./webhooks/page.ts";

type Given = Pick<Area<StudioContext>, "site" | "readForm" | "countPassword" | "newFormKey" | "now">;

const layout: Area<StudioContext>["layout"] = (context, page) => studioLayout(context, undefined, page);
const back = html`<a href="${studio.inbox()}">Back to the inbox</a>`;

/** Leads to the webhooks. */
const webhooksPart: Part<StudioContext> = {
  section: () => html`<section><h2>Webhooks</h2>
<p><a href="${studio.webhooks()}">Send events to your own program, or to a channel of your team</a></p></section>`,
};

const ownAccount: Place<StudioContext> = {
  to: studio,
  layout: (context, page) => studioLayout(context, undefined, page),
  profile: ownerProfile,
  parts: [invoiceDetails, webhooksPart],
  deletion: ({ payments }) =>
    `Your name, email address, company, API keys, webhooks and builds are removed at once, and your games are suspended. The videos of your orders are removed after 30 days, so that their playtesters can save what they made.${payments ? " Invoices and the ledger stay, as tax law demands." : ""}`,
};

/** The pages of Studio, for any host. */
export function studioPages(given: Given, host: StudioHost): SignedInPages<StudioContext> {
  const { cli, account, offers, keepsMoments, readCaptions } = host;
  const pages = [
    inbox,
    games,
    newGame,
    game,
    editGame(host),
    builds(host),
    order,
    bulkOrder,
    billing,
    payment,
    webhooks,
    webhook,
    findings,
    finding,
    highlights,
    gameHighlights,
    playtest,
    applications,
    approvals,
    approval,
    compare,
    slot(host),
    problem,
    ...chat.pages,
    search,
    stats,
  ];
  // Who signs in with an API key in `playtest studio` finds the account at its server.
  const own = account.instance === null ? accountPages(ownAccount) : [];
  const connecting = host.connections === null ? [] : [connectProgram(host.connections)];
  return new SignedInPages({
    ...given,
    base: studio.inbox(),
    pages: [...pages, ...own, ...connecting],
    // `playtest studio` may show a server whose ids are no UUIDs.
    ids: opaqueIds,
    contextOf: (page) => ({
      ...page,
      cli,
      account,
      offers,
      keepsMoments,
      takesFiles: host.files !== null,
      captions: (slotId) => readCaptions(page, slotId),
    }),
    layout,
    back,
  });
}
