import type { Data } from "../../../../src/contract/index.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import { positionText } from "../../../../src/contract/text/position.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { cursorOf, fault, marked, tokens } from "../../shared/parts.ts";
import { studioLayout } from "../layout.ts";
import { commands, trail } from "../parts.ts";
import { action, type StudioContext, type StudioPage } from "../types.ts";
import { type Filter, filterForm, filterOf } from "./filter.ts";

type Finding = Data<"listFindings">["findings"][number];

/** `/studio/games/ID/findings`: the findings of a game, the highest rank first. */
async function findingsPage(context: StudioContext): Promise<PageContent> {
  const { call, id } = context;
  const { game } = (await call("getGame", { params: { id } })).data;
  const filter = filterOf(context.query);
  const reply = await ifOffered(call("listFindings", { params: { id }, query: { ...filter, cursor: cursorOf(context) } }));
  const form = reply && (reply.data.findings.length > 0 || Object.keys(filter).length > 0) && (await filterForm(context, filter));
  const body = html`${trail(game)}
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
  const next = `${studio.findings(context.id)}?${new URLSearchParams({ ...filter, cursor: cursor ?? "" })}`;
  const list = html`<ul class="list">${findings.map(card)}</ul>${typeof cursor === "string" && html`<p class="more"><a href="${next}">Show more</a></p>`}`;
  return html`${findings.length > 0 ? list : none}
<h2>New finding</h2>
<form method="post" action="${create.at(context.id)}">${tokens(context)}
<label for="finding-title">What is wrong or good, in a few words</label>
<input id="finding-title" name="title" maxlength="200" required value="${context.form.title}"${marked(context, "finding-title")}>${fault(context, "finding-title")}
<button>Create it</button></form>`;
}

/** How many met it, in words. */
export const metBy = ({ testers: { seen, of } }: Pick<Finding, "testers">) => `${seen} of ${of} playtesters`;

function card({ id, number, title, kind, severity, status, tags, testers, firstSeenMs }: Finding): Markup {
  const facts = [
    kind,
    severity !== null && `severity ${severity}`,
    status,
    firstSeenMs !== null && `first at ${positionText(firstSeenMs)}`,
    ...tags,
  ];
  return html`<li class="card"><h2><a href="${studio.finding(id)}">#${number} ${title}</a></h2>
<p><progress max="${Math.max(testers.of, 1)}" value="${testers.seen}" aria-label="Playtesters who met it"></progress> ${metBy({ testers })}</p>
<p class="soft">${facts.filter((fact) => fact !== false).join(" · ")}</p></li>`;
}

const create = action(
  { at: studio.findings, fields: { title: { label: "The title", id: "finding-title" } } },
  async ({ call, id, form }) => {
    const body = { title: form.title ?? "" };
    const { finding } = (await call("createFinding", { params: { id }, idempotencyKey: form.formKey, body })).data;
    return studio.finding(finding.id);
  },
);

export const findings: StudioPage = { at: studio.findings, view: findingsPage, actions: [create] };
