import type { Data } from "../../../../src/contract/index.ts";
import { plural } from "../../../../src/contract/text/plural.ts";
import { invalid } from "../../../lib/api-error.ts";
import { html, type Markup } from "../../html.ts";
import { fault, marked } from "../../shared/parts.ts";
import type { PageContext } from "../types.ts";

/** Claiming a slot for several players with friends, who confirm and share the payout. */
type Offer = Data<"getOffer">["playtest"];

const hours = (minutes: number) => (minutes % 60 === 0 ? plural(minutes / 60, "hour") : plural(minutes, "minute"));

/** The fields to claim a slot with friends: one for each. */
export function teamFields(context: PageContext, offer: Offer, team: NonNullable<Offer["team"]>): Markup {
  const fields = Array.from({ length: team.friendsNeeded }, (_, index) => friendFields(context, offer, team, index));
  const isPaid = offer.payoutCents > 0;
  return html`<p>Name ${plural(team.friendsNeeded, "friend")} who will play with you. ${team.friendsNeeded === 1 ? "They have" : "All of them have"} ${hours(team.confirmWithinMinutes)} to confirm; then the slot is reserved.${isPaid && " The payout is divided equally unless you enter shares."}</p>
${fields}`;
}

function friendFields(context: PageContext, offer: Offer, team: NonNullable<Offer["team"]>, index: number): Markup {
  const [friend, share] = [`friend${index}`, `share${index}`] as const;
  const chosen = context.form[friend] ?? team.friends[index]?.handle;
  const options = team.friends.map(
    ({ handle, displayName }) =>
      html`<option value="${handle}"${handle === chosen && html` selected`}>${displayName} (${handle})</option>`,
  );
  const number = ` ${index + 1}`;
  return html`<div class="pair"><div><label for="${friend}">Friend${number}</label><select id="${friend}" name="${friend}">${options}</select></div>
${offer.payoutCents > 0 && html`<div><label for="${share}">Share${number} in USD <span class="soft">(optional)</span></label><input id="${share}" name="${share}" inputmode="decimal" autocomplete="off" maxlength="12" value="${context.form[share]}"${marked(context, share)}>${fault(context, share)}</div>`}</div>`;
}

/** Most players of a slot, without the one who claims it. */
const mostFriends = 7;

/** The shares as errors name them: as the form does. */
export const shareFields = Object.fromEntries(
  Array.from({ length: mostFriends }, (_, index) => [
    `share${index}`,
    { label: `Share ${index + 1} in USD`, id: `share${index}` },
  ]),
);

/** The friends that the form of an offer names. Undefined where it names none. */
export function namedFriends(form: PageContext["form"]) {
  const named = [];
  for (let index = 0; form[`friend${index}`] !== undefined; index++) {
    const share = form[`share${index}`]?.trim();
    if (share && !/^\d{1,7}(\.\d{1,2})?$/.test(share)) throw invalid(`share${index}`, "must be an amount such as 12.50");
    const shareCents = share ? Math.round(Number(share) * 100) : undefined;
    named.push({ handle: form[`friend${index}`]!, ...(shareCents !== undefined && { shareCents }) });
  }
  return named.length > 0 ? named : undefined;
}
