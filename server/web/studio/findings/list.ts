import { findingStatuses } from "../../../../src/contract/findings/statuses.ts";
import type { Data } from "../../../../src/contract/index.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import { positionText } from "../../../../src/contract/text/position.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { cursorOf, fault, marked, notice, tokens } from "../../shared/parts.ts";
import { studioLayout } from "../layout.ts";
import { commands, trail } from "../parts.ts";
import { action, type StudioContext, type StudioPage } from "../types.ts";
import { type Filter, filterForm, filterOf, statusTitles } from "./filter.ts";

type Finding = Data<"listFindings">["findings"][number];

/** `/studio/games/ID/findings`: the findings of a game in a column for each status, the highest rank first. */
async function findingsPage(context: StudioContext): Promise<PageContent> {
  const { call, id } = context;
  const { game } = (await call("getGame", { params: { id } })).data;
  const filter = filterOf(context.query);
  const reply = await ifOffered(
    call("listFindings", { params: { id }, query: { ...filter, limit: 100, cursor: cursorOf(context) } }),
  );
  const form = reply && (reply.data.findings.length > 0 || Object.keys(filter).length > 0) && (await filterForm(context, filter));
  const body = html`${context.query.get("done") === "moved" && notice("The finding was moved.")}${trail(game)}
${form}${reply ? found(context, filter, reply.data.findings, reply.meta.cursor) : html`<p>This server does not store findings. The commands keep them on this computer.</p>`}
${commands(context, "From the command line", [
  ["List them", `playtest findings list ${id}`],
  ["Add a note to finding 7", `playtest findings add 7 NOTE --game ${id}`],
])}`;
  return studioLayout(context, "games", { title: `Findings: ${game.name}`, heading: "Findings", body });
}

function found(context: StudioContext, filter: Filter, findings: readonly Finding[], cursor: string | null | undefined): Markup {
  const isFiltered = Object.keys(filter).length > 0;
  const none = isFiltered
    ? html`<p role="status">No finding is like this. <a href="${studio.findings(context.id)}">Show all</a></p>`
    : html`<p class="calm">No findings yet. A finding is what several videos show.</p>`;
  const isWhole = typeof cursor !== "string" && cursorOf(context) === undefined;
  const next = `${studio.findings(context.id)}?${new URLSearchParams({ ...filter, cursor: cursor ?? "" })}`;
  return html`${findings.length > 0 ? board(context, filter, findings, isWhole) : none}${typeof cursor === "string" && html`<p class="more"><a href="${next}">Show more</a></p>`}
<h2>New finding</h2>
<form method="post" action="${create.at(context.id)}">${tokens(context)}
<label for="finding-title">What is wrong or good, in a few words</label>
<input id="finding-title" name="title" maxlength="200" required value="${context.form.title}"${marked(context, "finding-title")}>${fault(context, "finding-title")}
<button>Create it</button></form>`;
}

/** A column for each status, each by rank; with a status chosen, only its column. Part of a list says not how many there are. */
function board(context: StudioContext, filter: Filter, findings: readonly Finding[], isWhole: boolean): Markup {
  const columns = findingStatuses.map((status) => ({ status, cards: findings.filter((one) => one.status === status) }));
  const shown = filter.status === undefined ? columns : columns.filter(({ status }) => status === filter.status);
  return html`<div class="board by-status">${shown.map(
    ({ status, cards }) =>
      html`<section class="column${cards.length === 0 && " empty"}"><h2>${statusTitles[status]}${isWhole && html` <span class="soft">${cards.length}</span>`}</h2>
<ul>${cards.map((finding) => card(context, finding))}</ul></section>`,
  )}</div>`;
}

/** How many met it, in words. */
export const metBy = ({ testers: { seen, of } }: Pick<Finding, "testers">) => `${seen} of ${of} playtesters`;

const asFiltered = (path: string, query: URLSearchParams) => (query.size === 0 ? path : `${path}?${query}`);

function card(context: StudioContext, finding: Finding): Markup {
  const { id, number, title, kind, severity, status, tags, testers, firstSeenMs } = finding;
  const facts = [
    kind,
    severity !== null && `severity ${severity}`,
    firstSeenMs !== null && `first at ${positionText(firstSeenMs)}`,
    ...tags,
  ];
  const to = `to-${id}`;
  return html`<li class="slot"><p class="what"><a href="${studio.finding(id)}">#${number} ${title}</a></p>
<p><progress max="${Math.max(testers.of, 1)}" value="${testers.seen}" aria-label="Playtesters who met it"></progress> ${metBy(finding)}</p>
<p class="soft">${facts.filter((fact) => fact !== false).join(" · ")}</p>
<form class="move" method="post" action="${asFiltered(move.at(context.id), context.query)}">${tokens(context)}<input type="hidden" name="finding" value="${id}">
<label class="hidden" for="${to}">Status of #${number}</label><select id="${to}" name="status">${findingStatuses.map((one) => html`<option value="${one}"${one === status && html` selected`}>${statusTitles[one]}</option>`)}</select>
<button class="quiet">Move<span class="hidden"> #${number}</span></button></form></li>`;
}

/** Moves a finding to another column, and returns to the board as it was filtered. */
const move = action({ at: studio.findings.below("move") }, async ({ call, id, form, query }) => {
  const body = { status: form.status as Finding["status"] };
  await call("updateFinding", { params: { id: form.finding ?? "" }, idempotencyKey: form.formKey, body });
  query.set("done", "moved");
  return asFiltered(studio.findings(id), query);
});

const create = action(
  { at: studio.findings, fields: { title: { label: "The title", id: "finding-title" } } },
  async ({ call, id, form }) => {
    const body = { title: form.title ?? "" };
    const { finding } = (await call("createFinding", { params: { id }, idempotencyKey: form.formKey, body })).data;
    return studio.finding(finding.id);
  },
);

export const findings: StudioPage = { at: studio.findings, view: findingsPage, actions: [create, move] };
