import type { Data } from "../../../src/contract/index.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import { copyButton, notice, tokens } from "../shared/parts.ts";
import { qrCode } from "../shared/qr.ts";
import { time } from "../shared/text.ts";
import { type AreaPage, actionFor, type PageContext } from "../shared/types.ts";
import { codeField, codeLabel } from "../sign-in/views.ts";
import { backToAccount, type Place } from "./place.ts";

const done = new Map([["removed", "The second factor was removed. Signing in takes no code any more."]]);

/** What its forms post to. */
const addressesOf = ({ factor }: Place<never>["to"]) => ({
  start: factor.below("start"),
  enable: factor.below("enable"),
  disable: factor.below("disable"),
  renewCodes: factor.below("recovery-codes"),
});
type Addresses = ReturnType<typeof addressesOf>;

function disabled(to: Addresses, context: PageContext, { hasPassword }: Data<"getFactor">): Markup {
  return html`<p>With a second factor, signing in also takes a six-digit code from an app on your phone, such as Aegis, Google Authenticator or your password manager. Then your password or your mailbox alone lets nobody in.</p>
<form method="post" action="${to.start()}">${tokens(context)}
${
  hasPassword &&
  html`<label for="factor-password">Current password</label>
<input id="factor-password" name="password" type="password" autocomplete="current-password" maxlength="256" required>`
}
<button>Set up a second factor</button></form>`;
}

function enabled(to: Addresses, context: PageContext, { enabledAt, recoveryCodesLeft: left }: Data<"getFactor">): Markup {
  return html`<p>Signing in takes a code from your authenticator app${enabledAt !== null && html` since ${time(enabledAt)}`}. Changing your password or email address does too.</p>
<section><h2>Recovery codes</h2>
<p>${left} of your recovery codes ${left === 1 ? "is" : "are"} left. Each replaces a code of the app once.</p>
<form method="post" action="${to.renewCodes()}">${tokens(context)}
${codeField("renew-code", codeLabel)}
<button class="quiet">Get new recovery codes</button></form>
<p class="soft">Your present recovery codes then stop working.</p></section>
<section><h2>Remove the second factor</h2>
<p>To use another phone, remove the second factor here and set it up again.</p>
<form method="post" action="${to.disable()}">${tokens(context)}
${codeField("remove-code", codeLabel)}
<button class="danger">Remove the second factor</button></form></section>`;
}

/** The secret in groups of four, to be typed. */
const grouped = (secret: string) => secret.replace(/(.{4})(?=.)/g, "$1 ");

/** The QR code. The URI comes back with the form, so that the page can be shown again after a wrong code. */
function setUp(to: Addresses, context: PageContext, uri: string): Markup {
  const secret = new URL(uri).searchParams.get("secret") ?? "";
  return html`<ol class="steps"><li>Open your authenticator app and scan this picture.
<div class="qr" role="img" aria-label="QR code for your authenticator app">${qrCode(uri)}</div>
<p class="soft">No camera? Open <a href="${uri}">this link</a> on your phone, or type this secret into the app: <code>${grouped(secret)}</code></p></li>
<li><form method="post" action="${to.enable()}">${tokens(context)}<input type="hidden" name="uri" value="${uri}" autocomplete="off">
<label for="first-code">Enter the six digits that the app shows</label>
<input id="first-code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="16" required>
<button>Turn on the second factor</button></form></li></ol>`;
}

/** `/play/account/factor`, `/studio/account/factor`: the authenticator app of the account and its recovery codes. */
export function factor<C extends PageContext>(place: Place<C>): AreaPage<C> {
  const { layout } = place;
  const to = addressesOf(place.to);
  const action = actionFor<C>();
  const back = backToAccount(place);

  const view = async (context: C): Promise<PageContent> => {
    const state = (await context.call("getFactor")).data;
    const said = done.get(context.query.get("done") ?? "");
    const body = html`${said && notice(said)}${state.enabled ? enabled(to, context, state) : disabled(to, context, state)}${back}`;
    return layout(context, { title: "Second factor", body });
  };

  const setUpPage = (context: C, uri: string, hint?: Markup): Promise<PageContent> =>
    layout(context, { title: "Set up a second factor", body: html`${hint}${setUp(to, context, uri)}${back}` });

  // Beginning again replaces the secret: of an older picture, no code is right any more.
  const onlyNewest = html`<p>Only the newest picture works. If you began again in another tab, use the picture there, or <a href="${place.to.factor()}">start again</a>.</p>`;

  /** Shows the QR code again after a wrong code. */
  const setUpAgain = (context: C): Promise<PageContent> => {
    const { uri = "" } = context.form;
    return uri.startsWith("otpauth://totp/") && URL.canParse(uri) ? setUpPage(context, uri, onlyNewest) : view(context);
  };

  const recoveryPage = (context: C, codes: readonly string[], said: string): Promise<PageContent> => {
    const body = html`${notice(said)}
<p>Keep these recovery codes where you find them without your phone: print this page, or save it in a password manager. <strong>They are shown only now.</strong></p>
<ul class="recovery">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
${copyButton(codes.join("\n"), "the recovery codes")}
<p class="soft">If you lose your phone, enter one of them instead of the app's code. Each works once.</p>
<p><a class="button" href="${place.to.factor()}">I saved them</a></p>`;
    return layout(context, { title: "Your recovery codes", body, assets: { scripts: ["copy.js"] } });
  };

  const start = action({ at: to.start, takesPassword: true }, async (context) => {
    const { call, form } = context;
    const { uri } = (await call("startFactor", { idempotencyKey: form.formKey!, body: { password: form.password } })).data;
    return setUpPage(context, uri);
  });
  const enable = action({ at: to.enable, view: setUpAgain, takesPassword: true }, async (context) => {
    const { call, form } = context;
    const reply = await call("enableFactor", { idempotencyKey: form.formKey!, body: { code: form.code ?? "" } });
    return recoveryPage(context, reply.data.recoveryCodes, "The second factor is on.");
  });
  const disable = action({ at: to.disable, takesPassword: true }, async ({ call, form }) => {
    await call("disableFactor", { idempotencyKey: form.formKey!, body: { code: form.code ?? "" } });
    return `${place.to.factor()}?done=removed`;
  });
  const renewCodes = action({ at: to.renewCodes, takesPassword: true }, async (context) => {
    const { call, form } = context;
    const reply = await call("renewRecoveryCodes", { idempotencyKey: form.formKey!, body: { code: form.code ?? "" } });
    return recoveryPage(context, reply.data.recoveryCodes, "Your earlier recovery codes no longer work.");
  });
  return { at: place.to.factor, view, actions: [start, enable, disable, renewCodes] };
}
