import type { Data } from "../../../src/contract/index.ts";
import { invalid, notFound } from "../../lib/api-error.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import { notice, passkeyForm, tokens } from "../shared/parts.ts";
import { time } from "../shared/text.ts";
import type { AreaPage, PageContext, View } from "../shared/types.ts";
import { codeField, codeLabel } from "../sign-in/views.ts";
import { backToAccount, type Place } from "./place.ts";

type Passkey = Data<"listPasskeys">["passkeys"][number];

const done = new Map([
  ["added", "The passkey was added."],
  ["removed", "The passkey was removed. It can no longer be used to sign in. Delete it on your device too."],
]);

const addressesOf = ({ to: { passkeys: at } }: Pick<Place<never>, "to">) => ({
  list: at,
  start: at.below("start"),
  add: at.below("add"),
  one: at.below(":id"),
  remove: at.below(":id/remove"),
});
type Addresses = ReturnType<typeof addressesOf>;

/** The pages on which an account adds and removes its passkeys. */
export function passkeyPages<C extends PageContext>(place: Place<C>): AreaPage<C>[] {
  const { layout } = place;
  const to = addressesOf(place);
  const list: View<C> = async (context) => layout(context, await listPage(place, to, context));
  const one: View<C> = async (context) => layout(context, await removePage(to, context));
  const start: View<C> = async (context) => layout(context, await startPage(to, context));
  const takesPassword = true;
  return [
    {
      at: to.list,
      view: list,
      actions: [
        { at: to.start, run: start, takesPassword },
        { at: to.add, run: (context) => add(to, context), takesPassword },
      ],
    },
    { at: to.one, view: one, actions: [{ at: to.remove, run: (context) => remove(to, context), takesPassword }] },
  ];
}

/** The passkeys of the account, and the form to add one. */
async function listPage<C extends PageContext>(place: Place<C>, to: Addresses, context: C): Promise<PageContent> {
  const { passkeys, available } = (await context.call("listPasskeys")).data;
  const said = done.get(context.query.get("done") ?? "");
  const body = html`${said && notice(said)}
<p>With a passkey you sign in by the fingerprint, face or PIN of your device, without your password and without a code. A passkey works on this site only, so a fake site cannot use it.</p>
${passkeys.length > 0 && html`<ul class="list">${passkeys.map((passkey) => item(to, passkey))}</ul>`}
${available ? await addForm(to, context) : html`<p>Passkeys cannot be added here: browsers allow them only for a host name with HTTPS.</p>`}
${backToAccount(place)}`;
  return { title: "Passkeys", body };
}

const addForm = async (to: Addresses, context: PageContext): Promise<Markup> => html`<section><h2>Add a passkey</h2>
<form method="post" action="${to.start()}">${tokens(context)}
<label for="passkey-name">Name <span class="soft">(so that you recognize it here)</span></label>
<input id="passkey-name" name="name" autocomplete="off" maxlength="100" value="${context.form.name}" required>
${await proofFields(context)}
<button>Add a passkey</button></form></section>`;

function item(to: Addresses, { id, name, createdAt, lastUsedAt, blockedAt }: Passkey): Markup {
  return html`<li><strong>${name}</strong>
<p class="soft">Added ${time(createdAt)}, ${lastUsedAt === null ? "never used" : html`last used ${time(lastUsedAt)}`}</p>
${blockedAt !== null && html`<p class="bad">Blocked ${time(blockedAt)} because it may have been copied. Remove it and add a new one.</p>`}
<p><a href="${to.one(id)}">Remove<span class="hidden"> ${name}</span></a></p></li>`;
}

/** The fields by which the owner of the account proves who they are. */
async function proofFields({ call }: PageContext): Promise<Markup> {
  const { enabled, hasPassword } = (await call("getFactor")).data;
  return html`${
    hasPassword &&
    html`<label for="proof-password">Current password</label>
<input id="proof-password" name="password" type="password" autocomplete="current-password" maxlength="256" required>`
  }${enabled && codeField("proof-code", codeLabel)}`;
}

/** Asks before a passkey is removed. */
async function removePage(to: Addresses, context: PageContext): Promise<PageContent> {
  const { passkeys } = (await context.call("listPasskeys")).data;
  const passkey = passkeys.find(({ id }) => id === context.id);
  if (!passkey) throw notFound();
  const body = html`<p>Nobody can sign in with the passkey <strong>${passkey.name}</strong> after that.</p>
<form method="post" action="${to.remove(passkey.id)}">${tokens(context)}
${await proofFields(context)}
<button class="danger">Remove the passkey</button></form>
<p class="more"><a href="${to.list()}">Back to your passkeys</a></p>`;
  return { title: "Remove a passkey", body };
}

async function startPage(to: Addresses, context: PageContext): Promise<PageContent> {
  const { call, form } = context;
  const name = form.name?.trim() ?? "";
  if (name === "") throw invalid("name", "is required");
  const { options } = (await call("startPasskey", { body: { password: form.password, code: form.code } })).data;
  const fields = html`${tokens(context)}<input type="hidden" name="name" value="${name}" autocomplete="off">`;
  const body = html`<p>Your browser asks where to keep the passkey <strong>${name}</strong>.</p>
${passkeyForm({ ceremony: "create", action: to.add(), options, label: "Create the passkey" }, fields)}
<p class="more"><a href="${to.list()}">Back to your passkeys</a></p>`;
  return { title: "Add a passkey", body, assets: { scripts: ["passkey.js"] } };
}

async function add(to: Addresses, { call, form }: PageContext): Promise<string> {
  const body = { name: form.name ?? "", response: answerOf(form.response) };
  await call("addPasskey", { idempotencyKey: form.formKey, body });
  return `${to.list()}?done=added`;
}

/** What the browser answered. The operation checks it. */
function answerOf(json: string | undefined) {
  try {
    return JSON.parse(json ?? "");
  } catch {
    throw invalid("response", "is missing: your browser sent no passkey. Nothing was added");
  }
}

async function remove(to: Addresses, { call, id, form }: PageContext): Promise<string> {
  const body = { password: form.password, code: form.code };
  await call("removePasskey", { params: { id }, idempotencyKey: form.formKey, body });
  return `${to.list()}?done=removed`;
}
