import { portal } from "../../../../src/contract/pages/addresses.ts";
import { missingRemedy, whyTeamIsShort } from "../../../../src/contract/teams/full.ts";
import type { MemberStatus } from "../../../../src/contract/teams/statuses.ts";
import { invalid } from "../../../lib/api-error.ts";
import { usd } from "../../../lib/money.ts";
import { html, type Markup } from "../../html.ts";
import { button, fault, marked, tokens } from "../../shared/parts.ts";
import { time, until } from "../../shared/text.ts";
import { confirmation, confirmedTime } from "../offers/facts.ts";
import { action, type HeldSlot, type PageContext } from "../types.ts";

/** The team of a slot on its page: who plays, who is missing, and what the reader can do about it. */
type Team = NonNullable<HeldSlot["team"]>;
type Member = Team["members"][number];

const labels: Record<MemberStatus, string> = {
  asked: "asked",
  confirmed: "confirmed",
  declined: "declined",
  left: "left",
  expired: "did not answer",
  replaced: "somebody else was asked",
};

const isSeated = ({ status }: Member) => status === "asked" || status === "confirmed";
const canChange = ({ status, team }: HeldSlot) =>
  team?.status === "asking" ? status === "open" : status === "reserved" || status === "blocked";

export function teamSection(context: PageContext, slot: HeldSlot, zone: string | null): Markup | false {
  const { team } = slot;
  if (team === null) return false;
  const me = team.members.find(({ isYou }) => isYou);
  return html`<section><h2>Your team</h2>
<ul class="list">${team.members.map((member) => item(member, slot.playtest.payoutCents > 0))}</ul>
${waiting(team, context.now)}
${me && notFull(slot, me)}
${me && canChange(slot) && html`${toAccept(slot, team, me)}${choices(context, slot, { team, me, zone })}`}</section>`;
}

const item = ({ displayName, isYou, isClaimant, status, shareCents }: Member, isPaid: boolean): Markup =>
  html`<li class="card"><div class="head"><h3>${displayName}${isYou && html` <span class="soft">(you)</span>`}</h3><span class="badge${status === "confirmed" ? " good" : status === "asked" ? " wait" : ""}">${labels[status]}</span></div>
<ul class="facts">${isPaid && (status === "asked" || status === "confirmed") && html`<li>share: ${usd(shareCents)}</li>`}${isClaimant && html`<li>claimed the slot and submits the video</li>`}</ul></li>`;

const waiting = ({ confirmBy, status }: Team, now: number): Markup | false =>
  status === "asking" &&
  confirmBy !== null &&
  html`<p><strong>Everybody must confirm by ${time(confirmBy)}</strong> <span class="soft">(${until(confirmBy, now)})</span>. Then the slot is reserved for all of you. Otherwise it is open again.</p>`;

/** That the team lost a member, and who does what about it. */
function notFull(slot: HeldSlot, me: Member): Markup | false {
  const short = whyTeamIsShort(slot);
  if (!short) return false;
  const claimant = slot.team?.members.find(({ isClaimant }) => isClaimant)?.displayName;
  return html`<p class="note bad"><strong>${short.what}.${me.isClaimant && ` ${short.remedy}`}</strong> ${me.isClaimant ? "You can upload and submit the video when all have confirmed." : `The video can be submitted when ${claimant} has found another friend, and all have confirmed.`}</p>`;
}

const toAccept = ({ requestId }: HeldSlot, { mustAccept }: Team, { status }: Member): Markup | false =>
  mustAccept &&
  html`<p>${status === "asked" ? "You must accept an agreement before you can confirm." : "The agreement was changed. You must accept it before the slot can be reserved for your team."} <a href="${portal.agreement(requestId)}">Read the agreement</a></p>`;

/** The team as one of its members reads it, and the zone in which they are told times; null for UTC. */
interface Reading {
  team: Team;
  me: Member;
  zone: string | null;
}

function choices(context: PageContext, slot: HeldSlot, reading: Reading): Markup {
  const { team, me } = reading;
  if (me.isClaimant) return html`${replaceForm(context, slot, team)}${team.status === "asking" && withdrawForm(context, slot)}`;
  if (me.status === "asked") return answerForms(context, slot, reading);
  if (team.status === "asking") return button(context, decline.at(slot.id), "Withdraw my confirmation", "danger");
  return html`<details><summary>Leave the team</summary>
<p>You get no share then, and you cannot play this playtest again. ${team.members.find(({ isClaimant }) => isClaimant)?.displayName} can ask another friend.</p>
${button(context, leave.at(slot.id), "Leave the team", "danger")}</details>`;
}

const answerForms = (context: PageContext, slot: HeldSlot, { team, me, zone }: Reading): Markup =>
  html`${me.answerBy !== null && team.status === "complete" && html`<p>Confirm by ${time(me.answerBy)} (${until(me.answerBy, context.now)}).</p>`}
${team.publicationConsent && html`<p>${team.publicationConsent.text} By confirming you consent to that.</p>`}
<div${slot.scheduledAt === null && html` class="buttons"`}><form method="post" action="${confirm.at(slot.id)}">${tokens(context)}<input type="hidden" name="share" value="${String(me.shareCents)}" autocomplete="off">${slot.scheduledAt !== null && confirmation(slot.scheduledAt, zone)}<button>Confirm${slot.playtest.payoutCents > 0 && ` for ${usd(me.shareCents)}`}</button></form>
${button(context, decline.at(slot.id), "Decline", "quiet")}</div>`;

/** Why another friend can be asked in the place of this member: only a suspended one has confirmed. */
const missing = ({ status }: Member) => (status === "confirmed" ? "cannot play any more" : labels[status]);

/** The form to ask another friend, where somebody is missing or has not confirmed. */
function replaceForm(context: PageContext, slot: HeldSlot, { members }: Team): Markup | false {
  const replaceable = members.filter(({ canBeReplaced }) => canBeReplaced);
  if (replaceable.length === 0 && members.filter(isSeated).length === slot.playtest.playerCount) return false;
  return html`<h3>Ask another friend</h3><form method="post" action="${replace.at(slot.id)}">${tokens(context)}
${replaceable.length > 0 && missingField(context, replaceable)}
<label for="with">Handle of the friend</label>
<input id="with" name="with" autocomplete="off" autocapitalize="none" maxlength="30" value="${context.form.with}" required${marked(context, "with")}>
${fault(context, "with")}
<button class="quiet">Ask</button></form>`;
}

/** Where there are several, the form is not sent before one is chosen: the wrong one would be replaced. */
const missingField = (context: PageContext, replaceable: readonly Member[]): Markup =>
  html`<label for="missing">In the place of</label><select id="missing" name="missing"${replaceable.length > 1 && html` required`}${marked(context, "missing")}>${replaceable.length > 1 && html`<option value="">Choose somebody</option>`}${replaceable.map((member) => html`<option value="${member.handle}"${member.handle === context.form.missing && html` selected`}>${member.displayName} (${missing(member)})</option>`)}</select>${fault(context, "missing")}`;

const withdrawForm = (context: PageContext, slot: HeldSlot): Markup =>
  html`<details><summary>Give up this claim</summary><p>The slot is open again. You and your friends can claim it again.</p>
${button(context, portal.slot.below("release")(slot.id), "Give up", "danger")}</details>`;

/** What a confirmation came to: the team waits for others before or after it had the slot, or is complete. */
const confirmedInto = ({ team, playtest }: HeldSlot) => {
  if (team?.status !== "complete") return "confirmed";
  return missingRemedy(playtest.playerCount, team.members) === undefined ? "complete" : "joined";
};

const confirm = action({ at: portal.slot.below("team/confirm") }, async ({ call, id, form }) => {
  const body = { shareCents: Number(form.share), ...confirmedTime(form) };
  const { slot } = (await call("confirmTeam", { params: { id }, idempotencyKey: form.formKey, body })).data;
  return `${portal.slot(id)}?done=${confirmedInto(slot)}`;
});

const decline = action({ at: portal.slot.below("team/decline") }, async ({ call, id, form }) => {
  await call("declineTeam", { params: { id }, idempotencyKey: form.formKey });
  return `${portal.slots()}?done=declined`;
});

const leave = action({ at: portal.slot.below("team/leave") }, async ({ call, id, form }) => {
  await call("leaveTeam", { params: { id }, idempotencyKey: form.formKey });
  return `${portal.slots()}?done=left`;
});

const replaceFields = {
  missing: { label: "In the place of", id: "missing" },
  with: { label: "Handle of the friend", id: "with" },
};

const replace = action({ at: portal.slot.below("team/replace"), fields: replaceFields }, async ({ call, id, form }) => {
  if (form.missing === "") throw invalid("missing", "must be chosen, because several members can be replaced");
  const body = { with: form.with?.trim().toLowerCase() ?? "", ...(form.missing && { missing: form.missing }) };
  const { slot } = (await call("replaceTeamMember", { params: { id }, idempotencyKey: form.formKey, body })).data;
  return `${portal.slot(id)}?done=${slot.team?.status === "complete" ? "asked-one" : "asked"}`;
});

export const teamActions = [confirm, decline, leave, replace];
