import type { Data } from "../../../../src/contract/index.ts";
import { portal } from "../../../../src/contract/pages/addresses.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { notice, tokens } from "../../shared/parts.ts";
import { time } from "../../shared/text.ts";
import { codeField, codeLabel } from "../../sign-in/views.ts";
import { signedInLayout } from "../layout.ts";
import { action, type PageContext, type PortalPage } from "../types.ts";
import { qrCode } from "./qr.ts";

const done = new Map([["removed", "The second factor was removed. Signing in takes no code any more."]]);

/** `/play/account/factor`: the authenticator app of the account and its recovery codes. */
async function factorPage(context: PageContext): Promise<PageContent> {
  const factor = (await context.call("getFactor")).data;
  const said = done.get(context.query.get("done") ?? "");
  const body = html`${said && notice(said)}${factor.enabled ? enabled(context, factor) : disabled(context, factor)}${back}`;
  return signedInLayout(context, undefined, { title: "Second factor", body });
}

const back = html`<p class="more"><a href="${portal.account()}">Back to your account</a></p>`;

function disabled(context: PageContext, { hasPassword }: Data<"getFactor">): Markup {
  return html`<p>With a second factor, signing in also takes a six-digit code from an app on your phone, such as Aegis, Google Authenticator or your password manager. Then your password or your mailbox alone lets nobody in.</p>
<form method="post" action="${start.at()}">${tokens(context)}
${
  hasPassword &&
  html`<label for="factor-password">Current password</label>
<input id="factor-password" name="password" type="password" autocomplete="current-password" maxlength="256" required>`
}
<button>Set up a second factor</button></form>`;
}

function enabled(context: PageContext, { enabledAt, recoveryCodesLeft: left }: Data<"getFactor">): Markup {
  return html`<p>Signing in takes a code from your authenticator app${enabledAt !== null && html` since ${time(enabledAt)}`}. Changing your password or email address does too.</p>
<section><h2>Recovery codes</h2>
<p>${left} of your recovery codes ${left === 1 ? "is" : "are"} left. Each replaces a code of the app once.</p>
<form method="post" action="${renewCodes.at()}">${tokens(context)}
${codeField("renew-code", codeLabel)}
<button class="quiet">Get new recovery codes</button></form>
<p class="soft">Your present recovery codes then stop working.</p></section>
<section><h2>Remove the second factor</h2>
<p>To use another phone, remove the second factor here and set it up again.</p>
<form method="post" action="${disable.at()}">${tokens(context)}
${codeField("remove-code", codeLabel)}
<button class="danger">Remove the second factor</button></form></section>`;
}

/** The secret in groups of four, to be typed. */
const grouped = (secret: string) => secret.replace(/(.{4})(?=.)/g, "$1 ");

/** The page with the QR code. The URI comes back with the form, so that the page can be shown again after a wrong code. */
function setUpPage(context: PageContext, uri: string): Promise<PageContent> {
  const secret = new URL(uri).searchParams.get("secret") ?? "";
  const body = html`<ol class="steps"><li>Open your authenticator app and scan this picture.
<div class="qr" role="img" aria-label="QR code for your authenticator app">${qrCode(uri)}</div>
<p class="soft">No camera? Open <a href="${uri}">this link</a> on your phone, or type this secret into the app: <code>${grouped(secret)}</code></p></li>
<li><form method="post" action="${enable.at()}">${tokens(context)}<input type="hidden" name="uri" value="${uri}" autocomplete="off">
<label for="first-code">Enter the six digits that the app shows</label>
<input id="first-code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="16" required>
<button>Turn on the second factor</button></form></li></ol>${back}`;
  return signedInLayout(context, undefined, { title: "Set up a second factor", body });
}

function recoveryPage(context: PageContext, codes: readonly string[], said: string): Promise<PageContent> {
  const body = html`${notice(said)}
<p>Keep these recovery codes where you find them without your phone: print this page, or save it in a password manager. <strong>They are shown only now.</strong></p>
<ul class="recovery">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<p class="soft">If you lose your phone, enter one of them instead of the app's code. Each works once.</p>
<p><a class="button" href="${portal.factor()}">I saved them</a></p>`;
  return signedInLayout(context, undefined, { title: "Your recovery codes", body });
}

const start = action({ at: portal.factor.below("start"), takesPassword: true }, async (context) => {
  const { call, form } = context;
  const { uri } = (await call("startFactor", { idempotencyKey: form.formKey!, body: { password: form.password } })).data;
  return setUpPage(context, uri);
});

/** Shows the QR code again after a wrong code. */
function setUpAgain(context: PageContext): Promise<PageContent> {
  const { uri = "" } = context.form;
  return uri.startsWith("otpauth://totp/") && URL.canParse(uri) ? setUpPage(context, uri) : factorPage(context);
}

const enable = action({ at: portal.factor.below("enable"), view: setUpAgain, takesPassword: true }, async (context) => {
  const { call, form } = context;
  const reply = await call("enableFactor", { idempotencyKey: form.formKey!, body: { code: form.code ?? "" } });
  return recoveryPage(context, reply.data.recoveryCodes, "The second factor is on.");
});

const disable = action({ at: portal.factor.below("disable"), takesPassword: true }, async ({ call, form }) => {
  await call("disableFactor", { idempotencyKey: form.formKey!, body: { code: form.code ?? "" } });
  return `${portal.factor()}?done=removed`;
});

const renewCodes = action({ at: portal.factor.below("recovery-codes"), takesPassword: true }, async (context) => {
  const { call, form } = context;
  const reply = await call("renewRecoveryCodes", { idempotencyKey: form.formKey!, body: { code: form.code ?? "" } });
  return recoveryPage(context, reply.data.recoveryCodes, "Your earlier recovery codes no longer work.");
});

export const factor: PortalPage = { at: portal.factor, view: factorPage, actions: [start, enable, disable, renewCodes] };
