import { studio } from "../../../../src/contract/pages/addresses.ts";
import { firstCharacters } from "../../../../src/contract/text/one-line.ts";
import { badRequest } from "../../../lib/api-error.ts";
import { html, type Markup } from "../../html.ts";
import { fault, marked, tokens } from "../../shared/parts.ts";
import { findingByNumber, isNumber } from "../findings/by-number.ts";
import { metBy } from "../findings/list.ts";
import { commandButton } from "../parts.ts";
import { action, type StudioContext } from "../types.ts";
import type { Finding, Moment, Review } from "./data.ts";

const titleLength = 200;

const row = ({ id, number, title, testers, status }: Finding): Markup =>
  html`<li><a href="${studio.finding(id)}">#${number} ${title}</a> <span class="soft">${metBy({ testers })} · ${status}</span></li>`;

/** The moments to choose from: a form for each of them would make the page several times as long. */
const choice = ({ atMs, id, text }: Moment, chosen: string | undefined) =>
  html`<option value="${id}" data-at="${atMs}"${id === chosen && html` selected`}>${firstCharacters(text, 60)}</option>`;

/** The findings of the game, and the form that says that a moment is the same as one of them. */
export function findingsSection(context: StudioContext, { slot, findings, moments }: Review): Markup | false {
  if (!findings) return false;
  const { form, query } = context;
  const chosen = form.evidence ?? query.get("same") ?? undefined;
  return html`<section class="review-card" id="findings"><h2>Findings <a class="all" href="${studio.findings(slot.game.id)}">All of the game</a></h2>
${findings.length > 0 ? html`<ul class="facts-list">${findings.map(row)}</ul>` : html`<p class="soft">No findings yet. A finding is what several videos show.</p>`}
${moments.page.length > 0 && sameForm(context, moments.page, chosen)}</section>`;
}

const sameForm = (context: StudioContext, moments: readonly Moment[], chosen: string | undefined) =>
  html`<form method="post" action="${same.at(context.id)}" id="same">${tokens(context)}
<label for="same-moment">The moment</label>
<select id="same-moment" name="evidence"${marked(context, "same-moment")}>${moments.map((moment) => choice(moment, chosen))}</select>${fault(context, "same-moment")}
<label for="same-number">is the same as finding number <kbd class="hint">S</kbd></label>
<input id="same-number" name="number" required maxlength="${titleLength}" autocomplete="off" placeholder="7, or the title of a new finding" value="${context.form.number}"${marked(context, "same-number")}>${fault(context, "same-number")}
<button class="quiet">Add to the finding</button></form>
${commandButton(context, "playtest findings add 7 NOTE")}`;

const fields = {
  number: { label: "The number", id: "same-number" },
  title: { label: "The title", id: "same-number" },
  momentId: { label: "The moment", id: "same-moment" },
  "evidence.0.momentId": { label: "The moment", id: "same-moment" },
};

/** A number adds the moment to that finding; any other text is the title of a new one. */
async function addMoment(context: StudioContext, momentId: string, text: string): Promise<void> {
  const { call, id, form } = context;
  const idempotencyKey = form.formKey;
  const { game } = (await call("getSlot", { params: { id } })).data.slot;
  if (isNumber(text)) {
    const finding = await findingByNumber(context, game.id, text);
    await call("addEvidence", { params: { id: finding.id }, idempotencyKey, body: { momentId } });
  } else {
    await call("createFinding", { params: { id: game.id }, idempotencyKey, body: { title: text, evidence: [{ momentId }] } });
  }
}

const same = action({ at: studio.slot.below("findings"), fields }, async (context) => {
  const { id, form } = context;
  if (!form.evidence) throw badRequest("Choose a moment. Nothing was changed.");
  await addMoment(context, form.evidence, form.number?.trim() ?? "");
  return `${studio.slot(id)}?done=same#findings`;
});

export const findingActions = [same];

export const findingNotices: readonly (readonly [string, string])[] = [["same", "The moment was added to the finding."]];
