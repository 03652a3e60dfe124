import type { Data } from "../../../src/contract/index.ts";
import { operator } from "../../../src/contract/pages/addresses.ts";
import { firstCharacters } from "../../../src/contract/text/one-line.ts";
import { shellQuote } from "../../../src/contract/text/shell.ts";
import { notFound } from "../../lib/api-error.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import { button, cursorOf, more, notice } from "../shared/parts.ts";
import { time } from "../shared/text.ts";
import { operatorLayout } from "./layout.ts";
import { action, command, isId, type OperatorContext, type OperatorPage } from "./types.ts";

type Account = Data<"listUsers">["users"][number];

const roles = { game_owner: "Game owner", playtester: "Playtester", admin: "Operator" } as const;

const said = new Map([
  ["verified", "The email address counts as verified."],
  ["suspended", "The account is suspended: its keys and browsers can do nothing."],
  ["unsuspended", "The account is not suspended any more."],
]);

/** `/admin/people`: accounts by their name, email address or id. */
async function peoplePage(context: OperatorContext): Promise<PageContent> {
  const search = firstCharacters(context.query.get("q")?.trim() ?? "", 254);
  const { data, meta } = isId.test(search)
    ? { data: { users: await byId(context, search) }, meta: {} as { cursor?: string | null } }
    : await context.call("listUsers", { query: { cursor: cursorOf(context), ...(search && { search }) } });
  const list =
    data.users.length > 0 ? html`<ul class="list">${data.users.map(row)}</ul>` : html`<p class="calm">Nobody was found.</p>`;
  const next = `${operator.people()}${search && `?q=${encodeURIComponent(search)}`}`;
  const body = html`<form method="get" action="${operator.people()}" role="search"><label for="q">Name, email address or id</label>
<input id="q" name="q" type="search" maxlength="254" value="${search}"><button>Search</button></form>
${list}${search ? typeof meta.cursor === "string" && html`<p class="more"><a href="${next}&amp;cursor=${meta.cursor}">Show more</a></p>` : more(operator.people(), meta.cursor, "Show more")}`;
  return operatorLayout(context, "people", { title: "People", body });
}

const standing = ({ emailVerified, suspendedAt }: Account) =>
  html`${!emailVerified && html` <span class="badge act">Not verified</span>`}${suspendedAt !== null && html` <span class="badge act">Suspended</span>`}`;

const row = (one: Account): Markup =>
  html`<li class="card"><h2><a href="${operator.person(one.id)}">${one.displayName}</a></h2><p>${one.email} <span class="soft">${roles[one.role]}</span>${standing(one)}</p></li>`;

const byId = async ({ call }: OperatorContext, id: string) => (await call("listUsers", { query: { id } })).data.users;

/** `/admin/people/ID`: one account. */
async function personPage(context: OperatorContext): Promise<PageContent> {
  const [user] = await byId(context, context.id);
  if (!user) throw notFound();
  const done = said.get(context.query.get("done") ?? "");
  const { id, email } = user;
  const body = html`${done && notice(done)}<p>${email} <span class="soft">${roles[user.role]}</span>${standing(user)}</p>
<p class="soft">Created ${time(user.createdAt)}${user.companyName !== "" && ` · ${user.companyName}`} · <code>${id}</code></p>
<div class="decide">${!user.emailVerified && button(context, verify.at(id), "Mark the address as verified")}${user.suspendedAt === null ? suspending(context, id) : button(context, unsuspend.at(id), "End the suspension")}</div>
${user.role === "game_owner" && html`<p><a href="${operator.playtests()}?q=${id}">Playtests of this owner</a></p>`}
<section class="cli"><h2>From the command line</h2><p>What was done to it:</p>${command(`playtest admin audit --target ${id}`)}
<p>Remove a lost second factor:</p>${command(`playtest admin users reset-factor ${shellQuote(email)}`)}</section>`;
  return operatorLayout(context, "people", { title: user.displayName, body });
}

const suspending = (context: OperatorContext, id: string): Markup =>
  html`<details><summary>Suspend the account</summary><p>Its browsers and API keys are signed out at once, and its owner is not let in until the suspension ends.</p>${button(context, suspend.at(id), "Suspend it", "danger")}</details>`;

const change = (
  name: "verify" | "suspend" | "unsuspend",
  operation: "verifyUser" | "suspendUser" | "unsuspendUser",
  done: string,
) =>
  action({ at: operator.person.below(name) }, async ({ call, id, form }) => {
    await call(operation, { params: { id }, idempotencyKey: form.formKey });
    return `${operator.person(id)}?done=${done}`;
  });
const verify = change("verify", "verifyUser", "verified");
const suspend = change("suspend", "suspendUser", "suspended");
const unsuspend = change("unsuspend", "unsuspendUser", "unsuspended");

export const people: OperatorPage = { at: operator.people, view: peoplePage };
export const person: OperatorPage = { at: operator.person, view: personPage, actions: [verify, suspend, unsuspend] };
