import { budgetText } from "../../../src/contract/accounts/budget-text.ts";
import { type Role, roleScopes, type Scope } from "../../../src/contract/endpoint.ts";
import type { Data } from "../../../src/contract/index.ts";
import type { Toolset } from "../../../src/contract/text/toolsets.ts";
import { invalid } from "../../lib/api-error.ts";
import { usd } from "../../lib/money.ts";
import { iso } from "../../lib/time.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import { budgetsIn } from "../shared/amounts.ts";
import { copied, fault, hiddenFields, marked, notice, tokens } from "../shared/parts.ts";
import { time } from "../shared/text.ts";
import { type AreaPage, actionFor, type PageContext } from "../shared/types.ts";
import { codeField, codeLabel } from "../sign-in/views.ts";
import { backToAccount, type Place } from "./place.ts";
import { used } from "./sessions.ts";

type Key = Data<"listApiKeys">["keys"][number];
type Budget = Data<"listBudgets">["budgets"][number];

const does: Record<Scope, string> = {
  game_owner: "Games, orders and reviews",
  billing: "See the balance, payments and invoices",
  chat: "Messages",
  webhooks: "Webhooks",
  notifications: "Notifications",
  playtester: "Playtests and videos",
  admin: "Everything",
  approve: "Approvals",
  money: "Money",
  accounts: "Accounts",
};

/** What a connected program may do. */
const tools: Record<Toolset, string> = {
  read: "reads",
  order: "orders within its budget",
  build: "uploads builds",
  review: "reviews submissions",
};

const scopeInput = (scope: Scope) => `scope-${scope}`;

/** From when the days count: when the form was shown, so that the same form sent twice says the same. A form of another day counts from now. */
const shownAt = ({ form, now }: PageContext): number => {
  const at = Number(form.shownAt);
  return at > now - dayMs && at <= now ? at : now;
};

const expiries = [
  ["", "Never"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
] as const;

const fields = {
  name: { label: "Name", id: "key-name" },
  password: { label: "Current password", id: "key-password" },
  scopes: { label: "What it can do", id: "key-scopes" },
  code: { label: codeLabel, id: "key-code" },
  perDay: { label: "The most to spend in a day", id: "per-day" },
  perMonth: { label: "The most to spend in a month", id: "per-month" },
  approveOver: { label: "Orders above this amount wait for your approval", id: "approve-over" },
};

/** `/play/account/keys`, `/studio/account/keys`: the API keys of the account, and the form for a new one. */
export function apiKeys<C extends PageContext>({ to, layout }: Place<C>): AreaPage<C> {
  const action = actionFor<C>();

  const revoke = action({ at: to.keys.below(":id/revoke") }, async ({ call, id, form }) => {
    await call("revokeApiKey", { params: { id }, idempotencyKey: form.formKey });
    return `${to.keys()}?done=revoked`;
  });

  const create = action({ at: to.keys, takesPassword: true, fields }, async (context) => {
    const { call, form, formKey } = context;
    const me = (await call("getMe")).data;
    const { hasPassword } = (await call("getFactor")).data;
    if (hasPassword && !form.password) throw invalid("password", "is required");
    const body = {
      name: form.name?.trim() ?? "",
      scopes: roleScopes[me.role].filter((scope) => form[scopeInput(scope)] === "yes"),
      readOnly: form.readOnly === "yes",
      ...(form.expires && { expiresAt: iso(shownAt(context) + Number(form.expires) * dayMs) }),
      ...(me.role === "game_owner" && { budgets: budgetsIn(form) }),
      ...(hasPassword && { email: me.email, password: form.password, code: form.code || undefined }),
    };
    const made = (await call("createApiKey", { idempotencyKey: form.formKey ?? formKey, body })).data;
    return layout(context, shownOnce(context, made));
  });

  const shownOnce = ({ site }: PageContext, { key, apiKey }: Data<"createApiKey">): PageContent => ({
    title: "Your API key",
    body: html`${notice(`The API key ${key.name} was created.`)}
<p>Keep it in a password manager, or in the secrets of the program that uses it. <strong>It is shown only now.</strong></p>
${copied(apiKey, "the key")}
<h2>To use it with the command</h2>
<p>Run this, and paste the key when it asks:</p>
${copied(`playtest login --with-key --base-url ${site.baseUrl}`, "the command")}
<p><a class="button" href="${to.keys()}">I saved it</a></p>`,
    assets: { scripts: ["copy.js"] },
  });

  const view = async (context: C): Promise<PageContent> => {
    const { call, query } = context;
    const me = (await call("getMe")).data;
    const factor = (await call("getFactor")).data;
    const { keys } = (await call("listApiKeys")).data;
    const budgets = me.role === "game_owner" ? (await call("listBudgets")).data.budgets : [];
    const list = html`<ul class="list">${keys.map((key) => item(context, key, budgets))}</ul>`;
    const body = html`${query.get("done") === "revoked" && notice("The API key and those created with it or in its place were revoked.")}
<p>With an API key, the <code>playtest</code> command and your own programs act for your account. Programs that you connected in the browser are listed with them.</p>
${keys.length > 0 ? list : html`<p>You have no API keys.</p>`}
<section><h2>Create an API key</h2>
<form method="post" action="${create.at()}">${tokens(context)}${newKey(context, me.role)}
${
  factor.hasPassword &&
  html`<label for="key-password">Current password</label>
<input id="key-password" name="password" type="password" autocomplete="current-password" maxlength="256" required${marked(context, "key-password")}>
${fault(context, "key-password")}`
}${factor.enabled && codeField("key-code", codeLabel)}
<button>Create the key</button></form></section>
${backToAccount({ to })}`;
    return layout(context, { title: "API keys", body });
  };

  const item = (context: C, key: Key, budgets: readonly Budget[]): Markup => {
    const limits = budgets.filter(({ keyId }) => keyId === key.id).map((one) => budgetText(one, usd));
    const { connection } = key;
    const may = connection === null ? key.scopes.map((scope) => does[scope]) : connection.map((toolset) => tools[toolset]);
    return html`<li class="card"><div class="head"><h2>${key.name}</h2>${connection === null ? html`<code>${key.prefix}…</code>` : html`<span class="soft">connected program</span>`}</div>
<p class="soft">${connection === null ? "Created" : "Connected"} ${time(key.createdAt)}, ${used(key.lastUsedAt)}, ${key.expiresAt === null ? "does not expire" : html`expires ${time(key.expiresAt)}`}</p>
<ul class="facts">${may.map((one) => html`<li>${one}</li>`)}${key.readOnly && html`<li>reads only</li>`}${limits.map((limit) => html`<li>${limit}</li>`)}</ul>
<details><summary>Revoke<span class="hidden"> ${key.name}</span></summary><p>${connection === null ? "Everything that uses this key stops working at once. So do keys created with it or in its place." : "The program can do nothing more for your account, from now on."}</p>
<form method="post" action="${revoke.at(key.id)}">${tokens(context)}<button class="danger">${connection === null ? "Revoke the key" : "Disconnect the program"}</button></form></details></li>`;
  };

  return { at: to.keys, view, actions: [create, revoke] };
}

const dayMs = 86_400_000;

function newKey(context: PageContext, role: Role): Markup {
  const { form } = context;
  const isNew = form.name === undefined;
  const box = (name: string, label: string, isChecked: boolean) =>
    html`<label class="check"><input type="checkbox" name="${name}" value="yes"${isChecked && html` checked`}> ${label}</label>`;
  const scopes: readonly Scope[] = roleScopes[role];
  return html`${hiddenFields({ shownAt: String(shownAt(context)) })}<label for="key-name">Name <span class="soft">(so that you recognize it here)</span></label>
<input id="key-name" name="name" autocomplete="off" maxlength="100" value="${form.name}" required${marked(context, "key-name")}>
${fault(context, "key-name")}
<fieldset id="key-scopes" tabindex="-1"><legend>What it can do</legend>
${scopes.map((scope) => box(scopeInput(scope), does[scope], isNew || form[scopeInput(scope)] === "yes"))}
${box("readOnly", "Only read: it can change, order and send nothing", form.readOnly === "yes")}${fault(context, "key-scopes")}</fieldset>
<label for="key-expires">When it stops working</label>
<select id="key-expires" name="expires">${expiries.map(([days, label]) => html`<option value="${days}"${days === (form.expires ?? "") && html` selected`}>${label}</option>`)}</select>
${role === "game_owner" && context.site.payments && spending(context)}`;
}

function spending(context: PageContext): Markup {
  const amount = (id: string, name: string, label: string) => html`<label for="${id}">${label}</label>
<input id="${id}" name="${name}" inputmode="decimal" autocomplete="off" maxlength="20" placeholder="$" value="${context.form[name]}"${marked(context, id)}>
${fault(context, id)}`;
  const isFilled = ["perDay", "perMonth", "approveOver"].some((name) => context.form[name]);
  return html`<details${isFilled && html` open`}><summary>Limit what it can spend</summary>
${amount("per-day", "perDay", "The most to spend in a day")}
${amount("per-month", "perMonth", "The most to spend in a month")}
${amount("approve-over", "approveOver", "Orders above this amount wait for your approval")}</details>`;
}
