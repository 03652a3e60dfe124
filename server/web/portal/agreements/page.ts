import { portal } from "../../../../src/contract/pages/addresses.ts";
import { badRequest, notFound } from "../../../lib/api-error.ts";
import { html, type PageContent } from "../../html.ts";
import { prose, tokens } from "../../shared/parts.ts";
import { time } from "../../shared/text.ts";
import { signedInLayout } from "../layout.ts";
import { action, type PageContext, type PortalPage } from "../types.ts";

/** `/play/offers/<id>/agreement`: the agreement of a playtest, with the form that accepts it. */
async function agreementPage(context: PageContext): Promise<PageContent> {
  const { agreement } = (await context.call("getPlaytestAgreement", { params: { id: context.id } })).data;
  if (agreement === null) throw notFound();
  const accepted = html`<p>You accepted this version on ${agreement.acceptedAt && time(agreement.acceptedAt)}. <a href="${portal.offers()}">Back to the playtests</a></p>`;
  const form = html`<form method="post" action="${accept.at(context.id)}">${tokens(context)}
<input type="hidden" name="version" value="${agreement.version}">
<label class="check"><input type="checkbox" name="accepted" required> I have read this agreement and accept it.</label>
<button>Accept</button></form>`;
  const body = html`<p>Before you can playtest this game, please read and accept this agreement.</p>
<div class="card">${prose(agreement.text)}</div>
<p class="soft">Version ${agreement.version}, published ${time(agreement.publishedAt)}. When you accept, the time and your network address are recorded with it.</p>
${agreement.acceptedAt === null ? form : accepted}`;
  return signedInLayout(context, "offers", { title: "Agreement", body });
}

const accept = action({ at: portal.agreement }, async ({ call, id, form }) => {
  if (form.accepted !== "on") throw badRequest("Tick the box to accept the agreement. Nothing was changed.");
  await call("acceptAgreement", { params: { id }, idempotencyKey: form.formKey, body: { version: form.version ?? "" } });
  return `${portal.offers()}?done=accepted`;
});

export const agreement: PortalPage = { at: portal.agreement, view: agreementPage, actions: [accept] };
