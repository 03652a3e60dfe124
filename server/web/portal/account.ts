import type { Data } from "../../../src/contract/index.ts";
import { portal } from "../../../src/contract/pages/addresses.ts";
import { invalid } from "../../lib/api-error.ts";
import { type Delivery, noneSent } from "../../mail/delivery.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import { button, fault, marked, notice, tokens } from "../shared/parts.ts";
import { time } from "../shared/text.ts";
import { codeField, codeLabel, newPasswordField } from "../sign-in/views.ts";
import { signedInLayout } from "./layout.ts";
import { action, type Download, type PageContext, type PortalPage } from "./types.ts";

const done = new Map([
  ["saved", "Your changes were saved."],
  ["signed-out", "The browser was signed out."],
  ["revoked", "The API key and those created with it or in its place were revoked."],
  [
    "verified",
    "Your email address is verified and you are signed in. The password and API keys it had before no longer work. To set a password, use “Forgot your password?” below.",
  ],
]);

const whenChanged = "The address changes when both links were opened.";
const changeHelp: Record<Delivery, string> = {
  sent: `There will be an email with a link to each of the two addresses. ${whenChanged}`,
  saved: `An email with a link is written for each of the two addresses, but not sent: ask the operator for both links. ${whenChanged}`,
  sandbox: `An email with a link is written for each of the two addresses, but not sent: read both with \`playtest sandbox mail\`. ${whenChanged}`,
};

const changeRequested: Record<Delivery, string> = {
  sent: "Open the links that were sent to both addresses within 24 hours. Then the address is changed.",
  saved: `An email to each of the two addresses was written. ${noneSent} Ask the operator for both links. They work for 24 hours.`,
  sandbox: "An email to each of the two addresses was written. A sandbox sends none. Read them with `playtest sandbox mail`.",
};

/** `/play/account`: the profile that owners see, the password, browsers that are signed in, and API keys. */
async function accountPage(context: PageContext): Promise<PageContent> {
  const { email, profile } = (await context.call("getMe")).data;
  const { form } = context;
  const { sessions } = (await context.call("listSessions")).data;
  const factor = (await context.call("getFactor")).data;
  const { keys } = (await context.call("listApiKeys")).data;
  const step = context.query.get("done") ?? "";
  const said = step === "email" ? changeRequested[context.site.delivery] : done.get(step);
  const body = html`${said && notice(said)}
<p class="soft">${email}</p>
<form method="post" action="${save.at()}">${tokens(context)}
<label for="name">Display name <span class="soft">(visible to game owners)</span></label>
<input id="name" name="name" autocomplete="nickname" maxlength="100" value="${form.name ?? profile?.displayName}" required${marked(context, "name")}>
${fault(context, "name")}
<label for="experience">Gaming experience <span class="soft">(optional; visible to owners when you apply)</span></label>
<textarea id="experience" name="experience" maxlength="2000"${marked(context, "experience")}>${form.experience ?? profile?.gamingExperience}</textarea>
${fault(context, "experience")}
<label for="time-zone">Time zone <span class="soft">(optional; times of playtests at a fixed time are told in it)</span></label>
<input id="time-zone" name="timeZone" list="time-zones" autocomplete="off" maxlength="64" placeholder="Europe/Berlin" value="${form.timeZone ?? profile?.timeZone}"${marked(context, "time-zone")}>
<datalist id="time-zones">${Intl.supportedValuesOf("timeZone").map((zone) => html`<option value="${zone}">`)}</datalist>
${fault(context, "time-zone")}
<p><label class="check"><input type="checkbox" name="showName" value="yes"${(form.name === undefined ? profile?.publishedName !== "hidden" : form.showName === "yes") && html` checked`}> Show my name with my videos of public playtests <span class="soft">(from your next slot on)</span></label></p>
<button>Save</button></form>
<section><h2>Emails</h2>
<p><a href="${portal.emails()}">Choose which emails you get</a></p></section>
<section><h2>Change email address</h2>
<p class="soft">${changeHelp[context.site.delivery]}</p>
<form method="post" action="${changeEmail.at()}">${tokens(context)}
<label for="new-email">New email address</label>
<input id="new-email" name="newEmail" type="email" autocomplete="off" maxlength="254" value="${form.newEmail}" required>
<label for="email-password">Current password</label>
<input id="email-password" name="emailPassword" type="password" autocomplete="current-password" maxlength="256" required>
${factor.enabled && codeField("email-code", codeLabel)}
<button class="quiet">Change email address</button></form></section>
<section><h2>Change password</h2>
<p class="soft">Changing your password signs you out of every browser, including this one.</p>
<form method="post" action="${changePassword.at()}">${tokens(context)}
<input type="email" name="username" value="${email}" autocomplete="username" aria-label="Email address" readonly hidden>
<label for="current">Current password</label>
<input id="current" name="current" type="password" autocomplete="current-password" maxlength="256" required>
${newPasswordField("New password")}
${factor.enabled && codeField("password-code", codeLabel)}
<button class="quiet">Change password</button></form>
<p><a href="${portal.forgot()}">Forgot your password?</a></p></section>
<section><h2>Second factor</h2>
<p>${factor.enabled ? "Signing in takes a code from your authenticator app." : "A code from an app on your phone protects your account even if somebody learns your password."}</p>
<p><a href="${portal.factor()}">${factor.enabled ? "Manage the second factor" : "Set up a second factor"}</a></p></section>
${passkeysSection((await context.call("listPasskeys")).data)}
<section><h2>Where you are signed in</h2><ul class="list">${sessions.map((session) => sessionItem(context, session))}</ul>
${button(context, signOutEverywhere.at(), "Sign out everywhere", "danger")}</section>
${keys.length > 0 && html`<section><h2>API keys</h2><ul class="list">${keys.map((key) => keyItem(context, key))}</ul></section>`}
<section><h2>Your data</h2>
<p><a href="${exported.at()}" download>Download everything that is kept about you</a> <span class="soft">(JSON)</span></p></section>
<section><h2>Delete your account</h2>
<p class="soft">Your name, email address and profile are removed, and others see “Deleted account”. Videos that were accepted and messages stay with the owners who received them; other videos are removed. ${context.site.payments && "Records of payouts stay in the ledger of this server. "}This cannot be undone.</p>
<form method="post" action="${deleteAccount.at()}">${tokens(context)}
<label for="delete-email">To confirm, type your email address</label>
<input id="delete-email" name="deleteEmail" type="email" autocomplete="off" maxlength="254" value="${form.deleteEmail}" required>
<label for="delete-password">Current password <span class="soft">(not needed within 15 minutes of signing in)</span></label>
<input id="delete-password" name="deletePassword" type="password" autocomplete="current-password" maxlength="256">
${factor.enabled && codeField("delete-code", codeLabel)}
<button class="danger">Delete account</button></form></section>`;
  return signedInLayout(context, undefined, { title: "Your account", body });
}

function passkeysSection({ passkeys: { length: count }, available }: Data<"listPasskeys">): Markup | false {
  if (!available && count === 0) return false;
  const many = count === 1 ? "one passkey" : `${count} passkeys`;
  return html`<section><h2>Passkeys</h2>
<p>${count === 0 ? "With a passkey you sign in by the fingerprint, face or PIN of your device." : `Your account has ${many}.`}</p>
<p><a href="${portal.passkeys()}">${count === 0 ? "Add a passkey" : "Manage passkeys"}</a></p></section>`;
}

const used = (at: string | null) => (at === null ? "never used" : html`last used ${time(at)}`);

function sessionItem(
  context: PageContext,
  { id, agent, address, createdAt, lastUsedAt, current }: Data<"listSessions">["sessions"][number],
) {
  return html`<li><strong>${agent ?? "Unknown browser"}</strong>${current && " (this browser)"}
<p class="soft">${address !== null && `From ${address}, `}signed in ${time(createdAt)}, ${used(lastUsedAt)}</p>
${!current && button(context, endSession.at(id), "Sign out this browser", "link")}</li>`;
}

function keyItem(context: PageContext, { id, name, prefix, createdAt, lastUsedAt }: Data<"listApiKeys">["keys"][number]) {
  return html`<li><strong>${name}</strong> <code>${prefix}…</code>
<p class="soft">Created ${time(createdAt)}, ${used(lastUsedAt)}</p>
${button(context, revokeKey.at(id), "Revoke", "link")}</li>`;
}

const save = action(
  {
    at: portal.account,
    fields: {
      displayName: { label: "Display name", id: "name" },
      gamingExperience: { label: "Gaming experience", id: "experience" },
      timeZone: { label: "Time zone", id: "time-zone" },
    },
  },
  async ({ call, form }) => {
    const displayName = form.name?.trim() ?? "";
    const gamingExperience = form.experience?.trim() || null;
    const publishedName = form.showName === "yes" ? "shown" : "hidden";
    const timeZone = form.timeZone?.trim() || null;
    const body = { displayName, gamingExperience, publishedName, timeZone } as const;
    await call("updateProfile", { idempotencyKey: form.formKey, body });
    return `${portal.account()}?done=saved`;
  },
);

const changeEmail = action({ at: portal.account.below("email"), takesPassword: true }, async ({ call, form }) => {
  await call("changeEmail", {
    body: { newEmail: form.newEmail?.trim() ?? "", password: form.emailPassword ?? "", code: form.code },
  });
  return `${portal.account()}?done=email`;
});

const changePassword = action({ at: portal.account.below("password"), takesPassword: true }, async ({ call, form }) => {
  await call("changePassword", {
    body: { currentPassword: form.current ?? "", newPassword: form.password ?? "", code: form.code },
  });
  return `${portal.signIn()}?done=password`;
});

const endSession = action({ at: portal.account.below("sessions/:id/end") }, async ({ call, id, form }) => {
  await call("endSession", { params: { id }, idempotencyKey: form.formKey });
  return `${portal.account()}?done=signed-out`;
});

const signOutEverywhere = action({ at: portal.account.below("sign-out-everywhere") }, async ({ call, form }) => {
  await call("signOutEverywhere", { idempotencyKey: form.formKey });
  return `${portal.signIn()}?done=everywhere`;
});

const revokeKey = action({ at: portal.account.below("keys/:id/revoke") }, async ({ call, id, form }) => {
  await call("revokeApiKey", { params: { id }, idempotencyKey: form.formKey });
  return `${portal.account()}?done=revoked`;
});

const deleteAccount = action({ at: portal.account.below("delete"), takesPassword: true }, async ({ call, form }) => {
  const { email } = (await call("getMe")).data;
  if (form.deleteEmail?.trim().toLowerCase() !== email.toLowerCase())
    throw invalid("email", "is not the email address of this account. Nothing was deleted");
  await call("deleteAccount", { body: { password: form.deletePassword || undefined, code: form.code } });
  return `${portal.signIn()}?done=deleted`;
});

/** The file with everything that is kept about the account. */
const exported = {
  at: portal.account.below("export"),
  async download({ call }: PageContext): Promise<Download> {
    const { data } = await call("exportAccount");
    return { filename: "account.json", contentType: "application/json", body: `${JSON.stringify(data, null, 2)}\n` };
  },
};

export const account: PortalPage = {
  at: portal.account,
  view: accountPage,
  actions: [save, changeEmail, changePassword, endSession, signOutEverywhere, revokeKey, deleteAccount],
  files: [exported],
};
