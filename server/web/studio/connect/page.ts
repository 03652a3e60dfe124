import type { NewBudget } from "../../../../src/contract/accounts/budgets.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import { invalid } from "../../../lib/api-error.ts";
import type { Asking, Connections, Decider } from "../../../oauth/connections.ts";
import { connectedDays, type Grantable, grantable } from "../../../oauth/rules.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { budgetsIn } from "../../shared/amounts.ts";
import { fault, marked, tokens } from "../../shared/parts.ts";
import { studioLayout } from "../layout.ts";
import { action, type StudioContext, type StudioPage } from "../types.ts";

/** `/studio/connect/ID`: a program that asks to act for the account through `/mcp`, and what its owner allows. */

/** What it may do beyond reading. */
const does: Record<Exclude<Grantable, "read">, string> = {
  order: "Order playtests and pay for them, within the budget below",
  review: "Accept and reject submissions, at most 10 a day, and create findings",
};
const choices = ["order", "review"] as const;

const fields = {
  budgets: { label: "Its budget", id: "budget" },
  perDay: { label: "The most to spend in a day", id: "per-day" },
  perMonth: { label: "The most to spend in a month", id: "per-month" },
  approveOver: { label: "Orders above this amount wait for your approval", id: "approve-over" },
  slots: { label: "The most slots to order in a day", id: "slots" },
};

const toolInput = (toolset: Grantable) => `tool-${toolset}`;
const dayMs = 86_400_000;

/** Who decides. Only a browser that is signed in to this server shows the page. */
function deciderOf({ session: { caller, origin } }: StudioContext): Decider {
  if (!caller || !origin) throw new Error("the page to connect a program was shown without a session");
  return { caller, origin };
}

export function connectProgram(connections: Connections): StudioPage {
  const allow = action({ at: studio.connect.below("allow"), fields }, async (context) => {
    const { form, id, now, site } = context;
    const toolsets = grantable.filter((toolset) => toolset === "read" || form[toolInput(toolset)] === "yes");
    const days = connectedDays.find((one) => String(one) === form.days) ?? connectedDays[0];
    const budgets = toolsets.includes("order") ? (site.payments ? budgetsIn(form) : slotsIn(form)) : [];
    const asking = await connections.find(id).catch(() => undefined);
    const to = await connections.allow(deciderOf(context), id, { toolsets, budgets, expiresAt: now + days * dayMs });
    return leave(context, { title: "Connected", to, said: "The program is connected.", asking });
  });

  const decline = action({ at: studio.connect.below("decline") }, async (context) => {
    const asking = await connections.find(context.id).catch(() => undefined);
    const to = await connections.decline(deciderOf(context), context.id);
    return leave(context, { title: "Not connected", to, said: "The program was not connected.", asking });
  });

  const view = async (context: StudioContext): Promise<PageContent> => {
    const asking = await connections.find(context.id);
    const { form, id } = context;
    const isNew = form.days === undefined;
    const isChecked = (toolset: Grantable) => (isNew ? asking.toolsets.includes(toolset) : form[toolInput(toolset)] === "yes");
    const body = html`${who(asking)}
<form method="post" action="${allow.at(id)}">${tokens(context)}
<fieldset><legend>What it may do</legend>
<p>It reads your games, playtests, submissions, transcripts, findings and balance.</p>
${choices.map((toolset) => html`<label class="check"><input type="checkbox" name="${toolInput(toolset)}" value="yes"${isChecked(toolset) && html` checked`}> ${does[toolset]}</label>`)}</fieldset>
${budgetFields(context)}
<label for="days">When the connection ends</label>
<select id="days" name="days">${connectedDays.map((days) => html`<option value="${days}"${String(days) === (form.days ?? "90") && html` selected`}>In ${days} days</option>`)}</select>
<p class="soft">It also ends after 30 days without use, and when you revoke it under <a href="${studio.keys()}">API keys</a>. It cannot create API keys, change budgets, decide on approvals, cancel, send messages or read your email address.</p>
<button>Connect</button></form>
<form method="post" action="${decline.at(id)}">${tokens(context)}<button class="quiet">Do not connect</button></form>`;
    return studioLayout(context, undefined, { title: `Connect ${asking.clientName}?`, wide: false, body });
  };

  return { at: studio.connect, view, actions: [allow, decline] };
}

/** Who asks, and where the browser goes: of a program that registered itself, this is all that is known. */
function who({ clientName, host, redirectUri }: Asking): Markup {
  const { protocol, host: to } = new URL(redirectUri);
  const isHere = protocol === "http:";
  const place = isHere
    ? html`a program on this computer (<code>${to}</code>)`
    : html`<code>${protocol === "https:" ? to : `${protocol}//`}</code>`;
  return html`<p>${host === null ? html`A program that calls itself <strong>${clientName}</strong>` : html`<strong>${clientName}</strong> of <code>${host}</code>`} wants to act for your account. ${host === null && "Anybody can choose this name: go on only if you just started this yourself."}</p>
<p>Afterwards your browser goes to ${place}.</p>`;
}

function budgetFields(context: StudioContext): Markup {
  const amount = (
    id: string,
    name: string,
    label: string,
    mode: "decimal" | "numeric",
  ) => html`<label for="${id}">${label}</label>
<input id="${id}" name="${name}" inputmode="${mode}" autocomplete="off" maxlength="20"${mode === "decimal" && html` placeholder="$"`} value="${context.form[name]}"${marked(context, id)}>
${fault(context, id)}`;
  return html`<fieldset id="budget" tabindex="-1"><legend>Its budget</legend>
<p class="soft">A program that may order needs a limit for a day or a month.</p>
${
  context.site.payments
    ? html`${amount("per-day", "perDay", "The most to spend in a day", "decimal")}
${amount("per-month", "perMonth", "The most to spend in a month", "decimal")}
${amount("approve-over", "approveOver", "Orders above this amount wait for your approval", "decimal")}`
    : amount("slots", "slots", "The most slots to order in a day", "numeric")
}${fault(context, "budget")}</fieldset>`;
}

/** The limit of a server without payments. Throws 422 for what is no number. */
function slotsIn({ slots = "" }: StudioContext["form"]): NewBudget[] {
  if (slots.trim() === "") return [];
  if (!/^\d{1,6}$/.test(slots.trim())) throw invalid("slots", "must be a whole number");
  return [{ period: "day", limitSlots: Number(slots) }];
}

/**
 * Leads the browser to the client by itself, and by a link if it cannot. A redirect would have to be allowed for the form, with everything
 * that the client leads to next.
 */
const leave = (
  context: StudioContext,
  { title, to, said, asking }: { title: string; to: string; said: string; asking: Asking | undefined },
): Promise<PageContent> =>
  studioLayout(context, undefined, {
    title,
    wide: false,
    leadsTo: to,
    body: html`<p>${said} Your browser goes back to ${asking?.clientName ?? "it"} now.</p>
<p><a class="button" href="${to}" rel="noreferrer">Go back to it</a></p>
<p class="soft">You can close this page when the program says that it is done. To end the connection, revoke it under <a href="${studio.keys()}">API keys</a>.</p>`,
  });
