import type { Data } from "../../../../src/contract/index.ts";
import { portal } from "../../../../src/contract/pages/addresses.ts";
import { ApiError, badRequest } from "../../../lib/api-error.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { cover, disabledButton, fault, marked, notice, prose, tokens } from "../../shared/parts.ts";
import { zoneFor } from "../../shared/zone.ts";
import { signedInLayout } from "../layout.ts";
import { action, type PageContext, type PortalPage } from "../types.ts";
import { aboutGame, confirmation, confirmedTime, fixedTime, forWhom, terms } from "./facts.ts";
import { namedFriends, shareFields, teamFields } from "./team.ts";

export type Offer = Data<"getOffer">["playtest"];

/** A playtest that is offered, or that the playtester took part in. Undefined for any other. */
export async function offerOf({ call, id }: PageContext): Promise<Offer | undefined> {
  try {
    return (await call("getOffer", { params: { id } })).data.playtest;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** `/play/offers/ID`: one playtest, with all that a playtester should know before taking part. Mails and notifications can link it. */
async function offerPage(context: PageContext): Promise<PageContent> {
  const offer = await offerOf(context);
  if (!offer) return signedInLayout(context, "offers", notOpen);
  const { game, qualifications } = offer;
  const done = context.query.get("done") === "accepted" && notice("You accepted the agreement. You can now take part.");
  const zone = await zoneFor(context, [offer.scheduledAt]);
  const body = html`${done}<p><a href="${portal.offers()}">All playtests</a></p>
<div class="game">${cover(game)}<div>${aboutGame(game)}</div></div>
${forWhom(offer)}
${fixedTime(context, offer, zone)}
${qualifications && html`<section><h2>Requirements</h2>${prose(qualifications)}</section>`}
<section><h2>What you agree to</h2>${terms(context, offer)}</section>
<section><h2>Take part</h2>${takePart(context, offer, zone)}</section>`;
  return signedInLayout(context, "offers", { title: game.name, body });
}

/** It does not say whether there is such a playtest: unreleased games are shown only to those whom they are offered to. */
const notOpen: PageContent = {
  title: "This playtest is not open to you",
  status: 404,
  body: html`<p>All its slots may be taken, it may have ended, or it may be for other playtesters.</p>
<p><a class="button" href="${portal.offers()}">See the open playtests</a></p>`,
};

function takePart(context: PageContext, offer: Offer, zone: string | null): Markup {
  const { slotId, applicationId, mustAccept, selectionMode } = offer;
  if (slotId !== null)
    return html`<p>You have or had a slot of this playtest, or a friend asks you to join theirs.</p><p><a class="button" href="${portal.slot(slotId)}">View slot</a></p>`;
  if (applicationId !== null)
    return html`<p>You applied to this playtest.</p><p><a class="button" href="${portal.applications()}">See your application</a></p>`;
  if (mustAccept) return agreementLink(offer);
  return html`${consent(offer)}${selectionMode === "manual" ? applyForm(context, offer, zone) : claimForm(context, offer, zone)}`;
}

const agreementLink = ({ id, game, selectionMode }: Offer) =>
  html`<p>You must accept an agreement before you can ${selectionMode === "manual" ? "apply" : "claim a slot"}.</p>
<p><a class="button" href="${portal.agreement(id)}">Read the agreement<span class="hidden"> of ${game.name}</span></a></p>`;

/** The sentence to which a playtester consents by taking part. */
const consent = ({ publicationConsent, selectionMode }: Offer) =>
  publicationConsent &&
  html`<p>${publicationConsent.text} By ${selectionMode === "manual" ? "applying" : "claiming a slot"} you consent to that. <a href="${portal.account()}">Change whether your name is shown</a></p>`;

const claimLabel = "Claim a slot";

function claimForm(context: PageContext, offer: Offer, zone: string | null): Markup {
  const { id, whyNot, deadlineHours, team, scheduledAt } = offer;
  if (whyNot !== null) return disabledButton(claimLabel, "why", html`${whyNot} <a href="${portal.slots()}">My slots</a>`);
  const claimed = team ? "from when my team is complete" : "from now";
  const from = scheduledAt === null ? claimed : "from that time";
  return html`<form method="post" action="${claim.at(id)}">${tokens(context)}${team && teamFields(context, offer, team)}
${scheduledAt !== null && confirmation(scheduledAt, zone)}
<label class="check"><input type="checkbox" name="sure" value="yes" required> I have the time to play and to submit a video within ${deadlineHours} hours ${from}.</label>
<button>${team ? "Claim a slot together" : claimLabel}</button></form>`;
}

const applyForm = (context: PageContext, { id, whyNot, scheduledAt }: Offer, zone: string | null): Markup =>
  whyNot !== null
    ? disabledButton("Apply", "why", whyNot)
    : html`<p class="soft">The owner chooses who plays. You can apply once.</p>
<form method="post" action="${apply.at(id)}">${tokens(context)}
<label for="answer">Why are you a good fit? <span class="soft">(optional)</span></label>
<textarea id="answer" name="answer" maxlength="5000"${marked(context, "answer")}>${context.form.answer}</textarea>
${fault(context, "answer")}
${scheduledAt !== null && confirmation(scheduledAt, zone)}
<button>Apply</button></form>`;

const claim = action({ at: portal.offer.below("claim"), fields: shareFields }, async ({ call, id, form }) => {
  if (form.sure !== "yes") throw badRequest("Confirm that you have the time to submit a video. Nothing was claimed.");
  const named = namedFriends(form);
  const body = { ...confirmedTime(form), ...(named && { with: named }) };
  const { slot } = (await call("claimPlaytest", { params: { id }, idempotencyKey: form.formKey, body })).data;
  return `${portal.slot(slot.id)}?done=${slot.status === "open" ? "asked" : "claimed"}`;
});

const applyFields = { qualificationsResponse: { label: "Why are you a good fit?", id: "answer" } };

const apply = action({ at: portal.offer.below("apply"), fields: applyFields }, async ({ call, id, form }) => {
  const answer = form.answer?.trim();
  await call("applyToPlaytest", {
    params: { id },
    idempotencyKey: form.formKey,
    body: { ...confirmedTime(form), ...(answer && { qualificationsResponse: answer }) },
  });
  return `${portal.applications()}?done=applied`;
});

export const offer: PortalPage = { at: portal.offer, view: offerPage, actions: [claim, apply] };
