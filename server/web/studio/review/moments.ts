import { kindTitles, type MomentKind, momentKinds } from "../../../../src/contract/moments/kinds.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import { firstCharacters } from "../../../../src/contract/text/one-line.ts";
import { exactPosition, positionInLink, positionText } from "../../../../src/contract/text/position.ts";
import { html, type Markup } from "../../html.ts";
import type { Mark } from "../../player/markup.ts";
import { fault, marked, tokens } from "../../shared/parts.ts";
import type { FormField } from "../../shared/types.ts";
import { commandButton } from "../parts.ts";
import { action, type StudioContext } from "../types.ts";
import { cursorOfMoment, type Moment, type Review } from "./data.ts";
import { span } from "./span.ts";
import { stillButton, stillForm, stillImage, stillOfNew } from "./stills.ts";

const severities = ["Minor", "Moderate", "Severe", "Blocks the player"];

export const markOf = ({ atMs, endMs, kind, text }: Moment): Mark => ({
  startMs: atMs,
  endMs: endMs ?? null,
  kind,
  label: `${kindTitles[kind] ?? kind}: ${firstCharacters(text, 200)}`,
});

/** The fields of a moment as a form has them. */
type Values = Partial<Record<"position" | "text" | "kind" | "severity" | "tags", string | undefined>>;

const valuesOf = ({ atMs, endMs, text, kind, severity, tags }: Moment): Values => ({
  position: endMs === null || endMs === undefined ? exactPosition(atMs) : `${exactPosition(atMs)}-${exactPosition(endMs)}`,
  text,
  kind,
  severity: severity === null ? "" : String(severity),
  tags: tags.join(", "),
});

const options = (rows: readonly (readonly [value: string, label: string])[], chosen = "") =>
  rows.map(([value, label]) => html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`);

const kindRows = momentKinds.map((kind) => [kind, kindTitles[kind]] as const);
export const severityRows = [["", "–"] as const, ...severities.map((name, at) => [String(at + 1), `${at + 1} ${name}`] as const)];

/** The fields of a form for a moment. `prefix` keeps the ids of two forms on one page apart. */
function fieldsOf(context: StudioContext, prefix: string, { position, text, kind = "note", severity, tags }: Values): Markup {
  const id = (name: string) => `${prefix}${name}`;
  return html`<div class="moment-fields">
<div class="field-position"><label for="${id("position")}">Position</label><input id="${id("position")}" name="position" value="${position}" required autocomplete="off" placeholder="12:41"${marked(context, id("position"))}>${fault(context, id("position"))}</div>
<div><label for="${id("kind")}">Kind</label><select id="${id("kind")}" name="kind"${marked(context, id("kind"))}>${options(kindRows, kind)}</select></div>
<div><label for="${id("severity")}">Severity</label><select id="${id("severity")}" name="severity">${options(severityRows, severity)}</select></div>
<div class="field-tags"><label for="${id("tags")}">Tags</label><input id="${id("tags")}" name="tags" value="${tags}" autocomplete="off" placeholder="onboarding, map"${marked(context, id("tags"))}>${fault(context, id("tags"))}</div>
<div class="field-text"><label for="${id("text")}">What happens</label><textarea id="${id("text")}" name="text" class="short" maxlength="2000" required${marked(context, id("text"))}>${text}</textarea>${fault(context, id("text"))}</div></div>`;
}

const cursorField = ({ query, form }: StudioContext) => {
  const cursor = query.get("cursor") ?? form.cursor;
  return cursor ? html`<input type="hidden" name="cursor" value="${cursor}">` : false;
};

function noteForm(context: StudioContext, startMs: number | undefined, cuts: boolean): Markup {
  const { form, id } = context;
  const values: Values = form.moment === undefined ? { ...form } : {};
  const position = values.position ?? (startMs === undefined ? "" : exactPosition(startMs));
  return html`<form method="post" action="${note.at(id)}" id="note" data-command="note">${tokens(context)}${cursorField(context)}
${fieldsOf(context, "", { ...values, position })}
${cuts && !context.keepsMoments() && html`<label class="check"><input type="checkbox" name="still" value="yes"${form.moment === undefined && form.still === "yes" && html` checked`}> Take an image of the video there</label>`}
<div class="note-end"><button>Save <kbd class="hint">Ctrl + Enter</kbd></button><p class="soft">Playtesters do not see moments.</p></div></form>
${commandButton(context, `playtest review note ${id}`)}
<p class="note-status soft" role="status"></p>
<ul class="waiting" aria-label="Not saved yet" hidden></ul>`;
}

const openAt = ({ query }: StudioContext, moment: Moment) => {
  const cursor = query.get("cursor");
  return `?${new URLSearchParams({ ...(cursor && { cursor }), edit: moment.id })}#moment-${moment.id}`;
};

const sameAt = ({ query }: StudioContext, { id }: Moment) => {
  const cursor = query.get("cursor");
  return `?${new URLSearchParams({ ...(cursor && { cursor }), same: id })}#findings`;
};

function shown(context: StudioContext, moment: Moment, { cuts, findings }: Pick<Review, "cuts" | "findings">): Markup {
  const { atMs, endMs, kind, severity, text, tags } = moment;
  const at = endMs === null || endMs === undefined ? positionText(atMs) : `${positionText(atMs)}–${positionText(endMs)}`;
  return html`<div class="moment-head"><a class="at" href="?t=${positionInLink(atMs)}#player" data-at="${atMs}">${at}</a> <span class="kind kind-${kind}">${kindTitles[kind] ?? kind}</span>${severity !== null && severity !== undefined && html` <span class="severity">${severities[severity - 1] ?? severity}</span>`}${tags.map((tag) => html` <span class="tag">${tag}</span>`)}<a class="edit" href="${openAt(context, moment)}" data-edit="moment-${moment.id}">Edit<span class="hidden"> the moment at ${at}</span></a>${findings !== undefined && html`<a class="same" href="${sameAt(context, moment)}" data-same="${moment.id}">Same as…<span class="hidden"> a finding: the moment at ${at}</span></a>`}${stillButton(context, moment, cuts)}</div>
<p class="prose">${text}</p>${stillImage(context, moment)}`;
}

function editing(context: StudioContext, moment: Moment): Markup {
  const { form, id } = context;
  const values: Values = form.moment === moment.id && form.text !== undefined ? { ...form } : valuesOf(moment);
  const hidden = html`${tokens(context)}${cursorField(context)}<input type="hidden" name="moment" value="${moment.id}">`;
  return html`<form method="post" action="${change.at(id)}" data-swap>${hidden}
${fieldsOf(context, "edit-", values)}
<p class="bad swap-problem" role="alert" hidden></p>
<div class="note-end"><button>Save</button> <a href="${studio.slot(id)}#moment-${moment.id}" data-edit="moment-${moment.id}">Keep as it was</a></div></form>
<details><summary>Delete this moment</summary><form method="post" action="${remove.at(id)}" data-swap>${hidden}
<p>It is gone for good.</p><p class="bad swap-problem" role="alert" hidden></p><button class="danger">Delete</button></form></details>`;
}

const pages = ({ id }: StudioContext, { next, first }: Review["moments"]) =>
  (next !== null || !first) &&
  html`<p class="more">${!first && html`<a href="${studio.slot(id)}#moments">First moments</a> `}${next !== null && html`<a href="${studio.slot(id)}?cursor=${next}#moments">Later moments</a> `}<span class="soft">The timeline shows the moments of this list.</span></p>`;

/** The moments of a video and the form that adds one. */
export function momentsSection(context: StudioContext, review: Review, startMs: number | undefined): Markup | false {
  const { moments, slot, cuts } = review;
  const title = html`<h2 id="moments-title">Moments</h2>`;
  const here = html`<p class="soft">This server stores no moments. They are saved on this computer, together with the notes of <code>playtest review note</code>. When the server can store them, upload them:</p>${commandButton(context, "playtest review notes push")}`;
  if (!slot.submission && moments.page.length === 0) return false;
  const open = context.form.moment ?? context.query.get("edit");
  const items = moments.page.map(
    (moment) =>
      html`<li id="moment-${moment.id}">${open === moment.id ? editing(context, moment) : shown(context, moment, review)}</li>`,
  );
  return html`<section class="moments" aria-labelledby="moments-title">${title}
${slot.submission && noteForm(context, startMs, cuts)}${context.keepsMoments() && here}
<div id="moments">${moments.page.some(({ still }) => still !== undefined) && stillForm(context)}${items.length > 0 ? html`<ol class="moment-list">${items}</ol>` : html`<p class="soft">No moments yet.</p>`}${pages(context, moments)}</div></section>`;
}

const bodyOf = ({ form }: StudioContext) => ({
  ...span(form.position),
  text: form.text?.trim() ?? "",
  kind: (form.kind ?? "note") as MomentKind,
  severity: form.severity ? Number(form.severity) : null,
  tags: [
    ...new Set(
      (form.tags ?? "")
        .toLowerCase()
        .split(/[\s,]+/)
        .filter((tag) => tag !== ""),
    ),
  ],
});

const pageAfter = ({ id }: StudioContext, cursor: string | undefined, done: string, hash = "moments") =>
  `${studio.slot(id)}?${new URLSearchParams({ ...(cursor && { cursor }), done })}#${hash}`;

/** The page of the list that shows a moment which was saved just now. */
const pageOf = async (context: StudioContext, moment: Moment, done: string) =>
  pageAfter(context, await cursorOfMoment(context, moment), done, `moment-${moment.id}`);

/** What the fields of a form are called where the operation refuses them. */
const momentFields = (prefix: string): Record<string, FormField> => ({
  atMs: { label: "Position", id: `${prefix}position` },
  endMs: { label: "Position", id: `${prefix}position` },
  text: { label: "What happens", id: `${prefix}text` },
  kind: { label: "Kind", id: `${prefix}kind` },
  severity: { label: "Severity", id: `${prefix}severity` },
  ...Object.fromEntries(
    ["tags", ...Array.from({ length: 20 }, (_, at) => `tags.${at}`)].map((field) => [
      field,
      { label: "Tags", id: `${prefix}tags` },
    ]),
  ),
});

const note = action({ at: studio.slot.below("moments"), fields: momentFields("") }, async (context) => {
  const { call, id, form } = context;
  const { moment } = (await call("createMoment", { params: { id }, idempotencyKey: form.formKey, body: bodyOf(context) })).data;
  return pageOf(context, moment, form.still === "yes" ? await stillOfNew(context, moment.id) : "noted");
});

const change = action({ at: studio.slot.below("moments/change"), fields: momentFields("edit-") }, async (context) => {
  const { call, form } = context;
  const params = { id: form.moment ?? "" };
  const { moment } = (await call("updateMoment", { params, idempotencyKey: form.formKey, body: bodyOf(context) })).data;
  return pageOf(context, moment, "changed");
});

const remove = action({ at: studio.slot.below("moments/delete") }, async (context) => {
  const { call, form } = context;
  await call("deleteMoment", { params: { id: form.moment ?? "" }, idempotencyKey: form.formKey });
  return pageAfter(context, form.cursor, "deleted");
});

export const momentActions = [note, change, remove];
