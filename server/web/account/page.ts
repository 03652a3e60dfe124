import { html, type Markup, type PageContent } from "../html.ts";
import { edit } from "../shared/edit.ts";
import { notice, tokens } from "../shared/parts.ts";
import { type AreaPage, actionFor, type PageContext } from "../shared/types.ts";
import { changeRequested, emailAddress, password } from "./credentials.ts";
import { deletion, ownData } from "./data.ts";
import type { Known, Part, Place } from "./place.ts";
import { sessions } from "./sessions.ts";

const done = new Map([
  ["saved", "Your changes were saved."],
  ["invoices", "What stands on your next invoices was saved."],
  ["signed-out", "The browser was signed out."],
  [
    "verified",
    "Your email address is verified and you are signed in. The password and API keys it had before no longer work. To set a password, use “Set a password” below.",
  ],
]);

/** `/play/account`, `/studio/account`: the profile that others see, how one signs in, and the account's data. */
export function accountPage<C extends PageContext>(place: Place<C>): AreaPage<C> {
  const { to, profile, layout } = place;
  const edited = edit("profile", profile.bodyOf);
  const save = actionFor<C>()({ at: to.account, fields: profile.fields }, async ({ call, form }) => {
    const now = (await call("getMe")).data.profile ?? {};
    await call("updateProfile", { idempotencyKey: form.formKey, body: edited.changes(form, now) });
    return `${to.account()}?done=saved`;
  });
  const parts: Part<C>[] = [
    ...place.parts,
    { section: emails(place) },
    emailAddress(place),
    password(place),
    { section: secondFactor(place) },
    { section: passkeysOf(place) },
    sessions(place),
    { section: keysOf(place) },
    ownData(place),
    deletion(place),
  ];
  const view = async (context: C): Promise<PageContent> => {
    const known: Known = { me: (await context.call("getMe")).data, factor: (await context.call("getFactor")).data };
    const step = context.query.get("done") ?? "";
    const said = step === "email" ? changeRequested[context.site.delivery] : done.get(step);
    const sections: (Markup | false)[] = [];
    for (const { section } of parts) sections.push(await section(context, known));
    const body = html`${said && notice(said)}
<p class="soft">${known.me.email}</p>
<form method="post" action="${save.at()}">${tokens(context)}${edited.marks(context.form, known.me.profile ?? {})}
${profile.inputs(context, known.me.profile)}
<button>Save</button></form>
${sections}`;
    return layout(context, { title: "Your account", body });
  };
  return {
    at: to.account,
    view,
    actions: [save, ...parts.flatMap(({ actions = [] }) => actions)],
    files: parts.flatMap(({ files = [] }) => files),
  };
}

const emails =
  <C extends PageContext>({ to }: Place<C>) =>
  () =>
    html`<section><h2>Emails and notifications</h2>
<p><a href="${to.emails()}">Choose which emails you get</a></p>
<p><a href="${to.notifications()}">See your notifications</a></p></section>`;

const secondFactor =
  <C extends PageContext>({ to }: Place<C>) =>
  (_: C, { factor }: Known) =>
    html`<section><h2>Second factor</h2>
<p>${factor.enabled ? "Signing in takes a code from your authenticator app." : "A code from an app on your phone protects your account even if somebody learns your password."}</p>
<p><a href="${to.factor()}">${factor.enabled ? "Manage the second factor" : "Set up a second factor"}</a></p></section>`;

const passkeysOf =
  <C extends PageContext>({ to }: Place<C>) =>
  async ({ call }: C) => {
    const { passkeys, available } = (await call("listPasskeys")).data;
    const count = passkeys.length;
    if (!available && count === 0) return false;
    const many = count === 1 ? "one passkey" : `${count} passkeys`;
    return html`<section><h2>Passkeys</h2>
<p>${count === 0 ? "With a passkey you sign in by the fingerprint, face or PIN of your device." : `Your account has ${many}.`}</p>
<p><a href="${to.passkeys()}">${count === 0 ? "Add a passkey" : "Manage passkeys"}</a></p></section>`;
  };

const keysOf =
  <C extends PageContext>({ to }: Place<C>) =>
  async ({ call }: C) => {
    const count = (await call("listApiKeys")).data.keys.length;
    const many = count === 1 ? "one API key" : `${count} API keys`;
    return html`<section><h2>API keys</h2>
<p>${count === 0 ? html`For the <code>playtest</code> command and your own programs.` : `Your account has ${many}.`}</p>
<p><a href="${to.keys()}">${count === 0 ? "Create an API key" : "Manage API keys"}</a></p></section>`;
  };
