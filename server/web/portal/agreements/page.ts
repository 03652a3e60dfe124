import { portal } from "../../../../src/contract/pages/addresses.ts";
import { badRequest, notFound } from "../../../lib/api-error.ts";
import { givenText } from "../../docs/given-text.ts";
import { html, type PageContent } from "../../html.ts";
import { prose, tokens } from "../../shared/parts.ts";
import { time } from "../../shared/text.ts";
import { signedInLayout } from "../layout.ts";
import { type Offer, offerOf } from "../offers/page.ts";
import { action, type PageContext, type PortalPage } from "../types.ts";

/** `/play/offers/<id>/agreement`: the agreement of a playtest, with the form that accepts it. */
async function agreementPage(context: PageContext): Promise<PageContent> {
  const { call, id } = context;
  const offer = await offerOf(context);
  const agreement = offer && (await call("getPlaytestAgreement", { params: { id } })).data.agreement;
  if (!agreement) throw notFound();
  const name = offer.game.name;
  const back = backTo(offer);
  const accepted = html`<p>You accepted this version on ${agreement.acceptedAt && time(agreement.acceptedAt)}. <a href="${back}">Back to the playtest of ${name}</a></p>`;
  const form = html`<form method="post" action="${accept.at(id)}">${tokens(context)}
<input type="hidden" name="version" value="${agreement.version}">
<label class="check"><input type="checkbox" name="accepted" required> I have read this agreement and accept it.</label>
<button>Accept</button></form>
<p><a href="${back}">Back to the playtest of ${name}, without accepting</a></p>`;
  const body = html`${offer.qualifications && html`<h2>Requirements</h2><p class="soft">Check first whether you meet them.</p>${prose(offer.qualifications)}`}
<h2>What you accept</h2><p>Before you can playtest ${name}, please read and accept this agreement.</p>
${await givenText(agreement.text)}
<p class="soft">Version ${agreement.version}, published ${time(agreement.publishedAt)}. When you accept, the time and your network address are recorded with it.</p>
${agreement.acceptedAt === null ? form : accepted}`;
  return signedInLayout(context, "offers", { title: `Agreement for ${name}`, body });
}

/** Where it was to be accepted: on the page of a slot, by whoever was asked to play it, or on that of the offer. */
const backTo = ({ id, slotId }: Offer): string => (slotId === null ? portal.offer(id) : portal.slot(slotId));

const accept = action({ at: portal.agreement }, async ({ call, id, form }) => {
  if (form.accepted !== "on") throw badRequest("Tick the box to accept the agreement. Nothing was changed.");
  await call("acceptAgreement", { params: { id }, idempotencyKey: form.formKey, body: { version: form.version ?? "" } });
  const { playtest } = (await call("getOffer", { params: { id } })).data;
  return `${backTo(playtest)}?done=accepted`;
});

export const agreement: PortalPage = { at: portal.agreement, view: agreementPage, actions: [accept] };
