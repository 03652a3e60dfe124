import { findingStatuses } from "../../../../src/contract/findings/statuses.ts";
import { type TrackerName, targets, trackers, trackerTitles } from "../../../../src/contract/findings/trackers.ts";
import type { Data } from "../../../../src/contract/index.ts";
import { kindTitles, momentKinds } from "../../../../src/contract/moments/kinds.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import { inTurns } from "../../../../src/contract/sharing/reel-parts.ts";
import { positionInLink, positionText } from "../../../../src/contract/text/position.ts";
import { invalid } from "../../../lib/api-error.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { edit } from "../../shared/edit.ts";
import { button, fault, marked, notice, prose, tokens, withCode } from "../../shared/parts.ts";
import { ifAllowed } from "../allowed.ts";
import { studioLayout } from "../layout.ts";
import { command, commandButton, trail } from "../parts.ts";
import { severityRows } from "../review/moments.ts";
import { cutReel, reelSection } from "../sharing/reels.ts";
import { action, type StudioContext, type StudioPage } from "../types.ts";
import { findingByNumber } from "./by-number.ts";
import { statusTitles } from "./filter.ts";
import { metBy } from "./list.ts";

type Finding = Data<"getFinding">["finding"];

const done = new Map([
  ["saved", "The finding was changed."],
  ["filed", "The finding is being filed. Reload this page in a moment to see its issue."],
  ["merged", "The evidence was moved here. You can undo it."],
  ["removed", "The evidence was removed. Notes stay."],
  ["undone", "The last merge or split was undone."],
]);

/** `/studio/findings/ID`: a finding with its evidence, and what can be done with it. */
async function findingPage(context: StudioContext): Promise<PageContent> {
  const { call, id, query } = context;
  const { finding } = (await call("getFinding", { params: { id } })).data;
  const { game } = (await call("getGame", { params: { id: finding.gameId } })).data;
  const said = done.get(query.get("done") ?? "");
  const body = html`${said && notice(said)}${trail(game)}
<p><a href="${studio.findings(game.id)}">All findings of the game</a></p>
${finding.text.trim() !== "" && prose(finding.text)}
${finding.mergedInto === null ? await open(context, finding) : merged(context, finding.mergedInto)}`;
  const heading = `#${finding.number} ${finding.title}`;
  return studioLayout(context, "games", { title: heading, body });
}

const merged = (context: StudioContext, into: string): Markup =>
  html`<p>It was <a href="${studio.finding(into)}">merged into another finding</a>.</p>${button(context, undo.at(context.id), "Undo the merge", "quiet")}`;

async function open(context: StudioContext, finding: Finding): Promise<Markup> {
  const { evidence, firstSeenMs, testers, absence } = finding;
  return html`<ul class="facts"><li>${metBy(finding)}</li>${testers.reached < testers.of && html`<li>${testers.seen} of the ${testers.reached} who got that far</li>`}${firstSeenMs !== null && html`<li>first at ${positionText(firstSeenMs)} (median)</li>`}${finding.builds.map(({ id, version, seen, of }) => html`<li>${version ?? id.slice(-8)}: ${seen} of ${of}</li>`)}${absence !== null && html`<li>none of ${absence.of} who played a newer build met it; by chance with a probability of ${absence.p}</li>`}</ul>
${finding.issue === null ? await fileSection(context, finding) : issueText(finding.issue)}
<h2>Evidence</h2>
${evidence.length > 0 ? html`<ol class="list">${evidence.map((one) => place(context, one))}</ol>` : html`<p class="calm">None yet. On the page of a video, one of its moments can be added as the same as number ${finding.number}; with the command, by <code>playtest findings add ${finding.number} NOTE</code>.</p>`}
${evidence.length > 0 && (await reelSection(context, reel.at(context.id), `playtest review reel ${finding.id}`))}
${changeForm(context, finding)}
${mergeForm(context)}
${finding.canUndo !== false && button(context, undo.at(context.id), "Undo the last merge or split", "quiet")}`;
}

function issueText({ tracker, target, key, url, state, error }: NonNullable<Finding["issue"]>): Markup {
  const name = `${trackerTitles[tracker]} ${target}${key === null ? "" : ` ${key}`}`;
  return html`<p>Issue: ${url === null ? name : html`<a href="${url}" rel="noreferrer">${name}</a>`}, ${state}.${error !== null && html` ${withCode(error)}`}</p>`;
}

function place(
  context: StudioContext,
  { id, slotId, playtester, fromMs, toMs, quote, text }: Finding["evidence"][number],
): Markup {
  const at = toMs === null ? positionText(fromMs) : `${positionText(fromMs)}-${positionText(toMs)}`;
  return html`<li class="card"><p>${playtester && html`<strong>${playtester.displayName}</strong> at `}<a href="${studio.slot(slotId)}#t=${positionInLink(fromMs)}">${at}</a>${text !== null && html` ${text}`}</p>
${quote !== null && html`<blockquote>${quote}</blockquote>`}
<form method="post" action="${remove.at(context.id)}">${tokens(context)}<input type="hidden" name="evidence" value="${id}"><button class="link">Remove<span class="hidden"> the evidence at ${at}</span></button></form></li>`;
}

/** The form that files a finding, as the command does; how to connect a tracker where none is. */
async function fileSection(context: StudioContext, { number }: Finding): Promise<Markup> {
  const listed = await ifAllowed(context.call("listTrackers"));
  // A key that may not list them may be allowed to file.
  const names = listed ? listed.data.trackers.filter(isConnected).map(({ tracker }) => tracker) : trackers;
  if (names.length === 0) return connectFirst(context);
  return fileForm(context, number, names);
}

const isConnected = ({ state }: Data<"listTrackers">["trackers"][number]) => state === "connected";

const someTracker = new Intl.ListFormat("en", { type: "disjunction" }).format(trackers.map((name) => trackerTitles[name]));

const connectFirst = (context: StudioContext): Markup => html`<details><summary>File it as an issue</summary>
<p>No tracker is connected, so the finding cannot be filed. Connect ${someTracker} with a token of your account there:</p>
${command(context, "playtest findings connect github")}</details>`;

const fileForm = (context: StudioContext, number: number, names: readonly TrackerName[]): Markup => {
  const { form } = context;
  const id = "file-to";
  return html`<details${form.to !== undefined && html` open`}><summary>File it as an issue</summary><form method="post" action="${file.at(context.id)}">${tokens(context)}
<label for="${id}">Tracker and place in it</label>
<input id="${id}" name="to" required maxlength="220" autocomplete="off" value="${form.to}"${marked(context, id) || html` aria-describedby="${id}-hint"`}>${fault(context, id)}
<ul class="soft" id="${id}-hint">${names.map((name) => html`<li>${trackerTitles[name]}: <code>${name}:</code> and ${targets[name].what}, such as <code>${exampleOf(name)}</code></li>`)}</ul>
<label class="check"><input type="checkbox" name="share" value="yes"> Link to a public page of the first video, which needs no account until it expires</label>
<button class="quiet">File it</button></form>${commandButton(context, `playtest findings file ${number} --to ${exampleOf(names[0]!)}`)}</details>`;
};

const exampleOf = (name: TrackerName) => `${name}:${targets[name].example}`;

const option = (value: string, label: string, chosen: string) =>
  html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`;

const changeForm = (context: StudioContext, finding: Finding): Markup => {
  const { form } = context;
  const { title, kind, severity, status } = finding;
  return html`<h2>Change it</h2><form method="post" action="${change.at(context.id)}">${tokens(context)}${edited.marks(form, finding)}
<label for="finding-title">Title</label>
<input id="finding-title" name="title" maxlength="200" required value="${form.title ?? title}"${marked(context, "finding-title")}>${fault(context, "finding-title")}
<label for="finding-kind">Kind</label>
<select id="finding-kind" name="kind"${marked(context, "finding-kind")}>${momentKinds.map((one) => option(one, kindTitles[one], form.kind ?? kind))}</select>${fault(context, "finding-kind")}
<label for="finding-severity">Severity</label>
<select id="finding-severity" name="severity"${marked(context, "finding-severity")}>${severityRows.map(([value, label]) => option(value, label, form.severity ?? String(severity ?? "")))}</select>${fault(context, "finding-severity")}
<label for="finding-status">Status</label>
<select id="finding-status" name="status"${marked(context, "finding-status")}>${findingStatuses.map((one) => option(one, statusTitles[one], form.status ?? status))}</select>${fault(context, "finding-status")}
<button>Save</button></form>`;
};

const mergeForm = (context: StudioContext): Markup =>
  html`<h2>Merge another finding into it</h2><form method="post" action="${merge.at(context.id)}">${tokens(context)}
<label for="finding-number">Its number</label>
<input id="finding-number" name="number" inputmode="numeric" pattern="#?[0-9]{1,6}" required value="${context.form.number}"${marked(context, "finding-number")}>${fault(context, "finding-number")}
<button class="quiet">Merge</button></form>`;

const back = (id: string, what: string) => `${studio.finding(id)}?done=${what}`;

const edited = edit("finding", (form) => ({
  title: form.title ?? "",
  kind: form.kind as Finding["kind"],
  severity: form.severity ? Number(form.severity) : null,
  status: form.status as Finding["status"],
}));

const changeFields = {
  title: { label: "The title", id: "finding-title" },
  kind: { label: "The kind", id: "finding-kind" },
  severity: { label: "The severity", id: "finding-severity" },
  status: { label: "The status", id: "finding-status" },
};

const change = action({ at: studio.finding, fields: changeFields }, async ({ call, id, form }) => {
  const { finding: now } = (await call("getFinding", { params: { id } })).data;
  await call("updateFinding", { params: { id }, idempotencyKey: form.formKey, body: edited.changes(form, now) });
  return back(id, "saved");
});

const number = { label: "The number", id: "finding-number" };

const merge = action({ at: studio.finding.below("merge"), fields: { number, findingId: number } }, async (context) => {
  const { call, id, form } = context;
  const { gameId } = (await call("getFinding", { params: { id } })).data.finding;
  const { id: findingId } = await findingByNumber(context, gameId, form.number ?? "");
  await call("mergeFinding", { params: { id }, idempotencyKey: form.formKey, body: { findingId } });
  return back(id, "merged");
});

const remove = action({ at: studio.finding.below("evidence/remove") }, async ({ call, id, form }) => {
  await call("removeEvidence", { params: { id, evidenceId: form.evidence ?? "" }, idempotencyKey: form.formKey });
  return back(id, "removed");
});

const undo = action({ at: studio.finding.below("undo") }, async ({ call, id, form }) => {
  await call("undoFinding", { params: { id }, idempotencyKey: form.formKey });
  return back(id, "undone");
});

const to = { label: "Tracker and place", id: "file-to" };

const file = action({ at: studio.finding.below("issue"), fields: { target: to, tracker: to } }, async ({ call, id, form }) => {
  const [name = "", ...place] = (form.to ?? "").trim().split(":");
  const tracker = trackers.find((one) => one === name);
  if (!tracker || place.length === 0)
    throw invalid("tracker", `must be a tracker and a place in it, such as ${trackers.map(exampleOf).join(", ")}`);
  const body = { tracker, target: place.join(":"), share: form.share === "yes" };
  await call("fileFinding", { params: { id }, idempotencyKey: form.formKey, body });
  return back(id, "filed");
});

const reel = action({ at: studio.finding.below("reel") }, async (context) => {
  const { finding } = (await context.call("getFinding", { params: { id: context.id } })).data;
  const { gameId, number, title, evidence } = finding;
  const places = inTurns(evidence.map(({ slotId, fromMs, toMs }) => ({ slotId, fromMs, toMs, title })));
  return cutReel(context, { gameId, name: `#${number} ${title}`, places });
});

export const finding: StudioPage = { at: studio.finding, view: findingPage, actions: [change, merge, remove, undo, file, reel] };
