import type { Data } from "../../../../src/contract/index.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { button, cursorOf, enteredFor, fault, marked, more, notice, prose, tokens } from "../../shared/parts.ts";
import { time, until } from "../../shared/text.ts";
import { studioLayout } from "../layout.ts";
import { applicationBadge, plural, trail } from "../parts.ts";
import { action, type StudioContext, type StudioPage } from "../types.ts";

type Reply = Data<"listApplications">;
type Application = Reply["applications"][number];

const said = new Map([
  ["approved", "You approved the application. A slot is reserved for the playtester, who was told."],
  ["rejected", "You rejected the application. The playtester was told."],
]);

/** Those to decide on first; otherwise as the server lists them. */
const undecidedFirst = (applications: readonly Application[]) => [
  ...applications.filter(({ status }) => status === "pending"),
  ...applications.filter(({ status }) => status !== "pending"),
];

/** `/studio/playtests/ID/applications`: who wants to play. */
async function applicationsPage(context: StudioContext): Promise<PageContent> {
  const { call, id, query } = context;
  const query_ = { limit: 100, cursor: cursorOf(context) };
  const { data, meta } = await call("listApplications", { params: { id }, query: query_ });
  const { request, applications } = data;
  const done = said.get(query.get("done") ?? "");
  const body = html`${done && notice(done)}${trail({ id: request.gameId, name: request.gameName }, id)}
<div data-live="applications">${summary(context, data)}
${request.qualifications && html`<h2>What you asked for</h2>${prose(request.qualifications)}`}
${applications.length > 0 ? html`<ul class="list">${undecidedFirst(applications).map((one) => card(context, data, one))}</ul>` : html`<p class="calm">No applications yet.</p>`}${more(studio.applications(id), meta.cursor, "Show more")}</div>`;
  return studioLayout(context, "games", { title: "Applications", body });
}

function summary({ now }: StudioContext, { counts, request }: Reply): Markup {
  const closes = request.applicationsExpireAt;
  const left = closes === null ? "" : until(closes, now);
  return html`<ul class="facts"><li>${counts.pendingCount} to decide</li><li>${counts.approvedCount} approved</li><li>${plural(counts.slotsRemaining, "slot")} left</li>${closes !== null && html`<li>${left === "" ? "Closed" : html`Closes ${left}: ${time(closes)}`}</li>`}</ul>`;
}

function card(context: StudioContext, { request, counts }: Reply, one: Application): Markup {
  const experience = one.gamingExperience && html`<h3>Gaming experience</h3>${prose(one.gamingExperience)}`;
  return html`<li class="card"><div class="head"><h2>${one.displayName}</h2>${applicationBadge(one.status)}</div>
<ul class="facts"><li>applied ${time(one.createdAt)}</li><li>${plural(Number(one.acceptedCount), "accepted playtest")}</li>${one.ratingAverage !== null && html`<li>rated ${Number(one.ratingAverage).toFixed(1)} of 5</li>`}</ul>
${one.qualificationsResponse && prose(one.qualificationsResponse)}${experience}
${one.status === "pending" && decision(context, request.id, one, counts.slotsRemaining)}${one.assignedSlotId !== null && html`<p><a href="${studio.slot(one.assignedSlotId)}">See the slot<span class="hidden"> of ${one.displayName}</span></a></p>`}</li>`;
}

/** The two buttons. An application is rejected with a message that its email includes. */
function decision(context: StudioContext, playtestId: string, { id, displayName }: Application, slotsLeft: number): Markup {
  const field = `message-${id}`;
  const entered = enteredFor(context, id, "customMessage");
  return html`<div class="decide">${slotsLeft > 0 && button(context, approve.at(playtestId, id), `Approve ${displayName}`)}
<details${entered !== undefined && html` open`}><summary>Reject ${displayName}</summary><form method="post" action="${reject.at(playtestId, id)}">${tokens(context)}
<label for="${field}">Message in the email <span class="soft">(optional)</span></label>
<textarea id="${field}" name="customMessage" maxlength="1500"${marked(context, field)}>${entered}</textarea>${fault(context, field)}
<button class="danger">Reject</button></form></details></div>`;
}

const application = studio.applications.below(":application");

const approve = action({ at: application.below("approve") }, async ({ call, id, ids, form }) => {
  await call("approveApplication", { params: { id: ids[1] ?? "" }, idempotencyKey: form.formKey });
  return `${studio.applications(id)}?done=approved`;
});

const rejectForm = {
  at: application.below("reject"),
  fields: { customMessage: { label: "The message", id: (id: string) => `message-${id}` } },
};

const reject = action(rejectForm, async ({ call, id, ids, form }) => {
  const customMessage = form.customMessage?.trim();
  await call("rejectApplication", {
    params: { id: ids[1] ?? "" },
    idempotencyKey: form.formKey,
    body: customMessage ? { customMessage } : {},
  });
  return `${studio.applications(id)}?done=rejected`;
});

export const applications: StudioPage = { at: studio.applications, view: applicationsPage, actions: [approve, reject] };
