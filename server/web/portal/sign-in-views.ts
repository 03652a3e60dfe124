import { type Delivery, noneSent } from "../../mail/delivery.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import type { Site } from "../site.ts";
import { acceptTerms, alert, notice, passkeyForm, signedOutLayout } from "./layout.ts";

interface SignInState {
  site: Site;
  csrf: string;
  next: string;
  email: string;
  /** Whether browsers can have passkeys for this server. */
  passkeys: boolean;
  problem?: string | undefined;
  notice?: string | undefined;
}

const hidden = (fields: Record<string, string>): Markup[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" autocomplete="off">`);

const emailField = (id: string, value = "") =>
  html`<label for="${id}">Email address</label>
<input id="${id}" name="email" type="email" autocomplete="username" maxlength="254" value="${value}" required>`;

/** The field for a new password. */
export const newPasswordField = (
  label: string,
): Markup => html`<label for="new-password">${label} <span class="soft">(8 characters or more)</span></label>
<input id="new-password" name="password" type="password" autocomplete="new-password" minlength="8" maxlength="256" required>`;

/** The field for a code of the second factor, which also takes a recovery code. */
export const codeField = (id: string, label: string): Markup => html`<label for="${id}">${label}</label>
<input id="${id}" name="code" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" maxlength="64" required>`;

const domains = ({ allowedDomains }: Site) =>
  allowedDomains.length > 0 && html`<p class="soft">New accounts need an email address at ${allowedDomains.join(" or ")}.</p>`;

const byInvitation = html`<p>This server takes new accounts by invitation only. If you have an invitation, open the link in its email. Otherwise ask the operator of this server for one.</p>`;
const closed = html`<p>This server takes no new accounts.</p>`;

function newHere(site: Site): Markup {
  if (site.registration === "invite") return byInvitation;
  if (site.registration === "closed") return closed;
  return html`<p><a href="/play/register">Create a playtester account</a></p>${domains(site)}`;
}

export const signInPage = ({ site, csrf, next, email, passkeys, problem, notice: said }: SignInState): PageContent =>
  signedOutLayout(site, {
    title: `Sign in to ${site.name}`,
    body: html`${said && notice(said)}${problem && alert(problem)}
<p class="soft">${site.payments ? "Play games before release, share your feedback, and get paid." : "Play games before release and share your feedback."}</p>
<form method="post" action="/play/sign-in/link">${hidden({ csrf, next })}
${emailField("link-email", email)}
<button>Email me a sign-in link</button></form>
<section><h2>Or use your password</h2>
<form method="post" action="/play/sign-in/password">${hidden({ csrf, next })}
${emailField("email", email)}
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="256" required>
<button class="quiet">Sign in</button></form>
<p><a href="/play/forgot">Forgot your password?</a></p></section>
${
  passkeys &&
  html`<section><h2>Or use a passkey</h2>
<form method="post" action="/play/sign-in/passkey/start">${hidden({ csrf, next })}<button class="quiet">Sign in with a passkey</button></form></section>`
}
<section><h2>New here?</h2>${newHere(site)}</section>`,
  });

export function registerPage(given: { site: Site; csrf: string; name?: string; email?: string; problem?: string }): PageContent {
  const { site } = given;
  const title = "Create a playtester account";
  const signIn = html`<p>Already have an account? <a href="/play/sign-in">Sign in</a>.</p>`;
  if (site.registration !== "open") return signedOutLayout(site, { title, body: html`${newHere(site)}${signIn}` });
  return signedOutLayout(site, {
    title,
    body: html`${given.problem && alert(given.problem)}${domains(site)}
<form method="post" action="/play/register">${hidden({ csrf: given.csrf })}
<label for="name">Name <span class="soft">(optional; visible to game owners)</span></label>
<input id="name" name="name" autocomplete="nickname" maxlength="100" value="${given.name}">
${emailField("email", given.email)}
${newPasswordField("Password")}
${acceptTerms(site)}
<button>Create account</button></form>
${signIn}`,
  });
}

const registered: Record<Delivery, Pick<PageContent, "title" | "body">> = {
  sent: {
    title: "Check your email",
    body: html`<p>Welcome! Open the link in the email we sent to verify your address. It works for 24 hours.</p>
<p class="soft">No email? Check your spam folder, or <a href="/play/sign-in">get a sign-in link</a>. It also verifies your address, and removes the password: anybody could have set it.</p>`,
  },
  saved: {
    title: "Ask the operator to verify your address",
    body: html`<p>Welcome! Your account was created, but its address is not verified yet. ${noneSent}</p>
<p>Tell the operator the address you registered with. They verify it with this command:</p>
<pre class="wrap"><code>playtest admin users verify EMAIL</code></pre>
<p>Then <a href="/play/sign-in">sign in</a> with your password.</p>`,
  },
  sandbox: {
    title: "Verify your address",
    body: html`<p>Welcome! A sandbox sends no email. Verify the address you registered with by this command, then <a href="/play/sign-in">sign in</a>:</p>
<pre class="wrap"><code>playtest sandbox verify EMAIL</code></pre>`,
  },
};

export const registeredPage = (site: Site): PageContent => signedOutLayout(site, registered[site.delivery]);

const emailed: Record<Delivery, string> = {
  sent: "Check your email",
  saved: "Ask the operator for the link",
  sandbox: "Read the email",
};

export const forgotPage = ({ site, csrf }: { site: Site; csrf: string }): PageContent =>
  signedOutLayout(site, {
    title: "Forgot your password?",
    body: html`<p>We will email you a link to set a new one.</p>
<form method="post" action="/play/forgot">${hidden({ csrf })}
${emailField("email")}
<button>Email me a reset link</button></form>
<p>Or <a href="/play/sign-in">sign in with an emailed link</a>, without a password.</p>`,
  });

const sentPage = (site: Site, validity: string, again: string): PageContent => {
  const valid = html`The link works once, for ${validity}.`;
  const bodies: Record<Delivery, Markup> = {
    sent: html`<p>If an account with that address exists, we sent it a link. ${valid}</p>
<p class="soft">No email? Check your spam folder, or <a href="${again}">try again</a>.</p>`,
    saved: html`<p>If an account with that address exists, an email with a link was written. ${noneSent}</p>
<p>Ask the operator for the link in the newest email to you. ${valid}</p>`,
    sandbox: html`<p>If an account with that address exists, an email with a link was written. A sandbox sends none. Read it with this command. ${valid}</p>
<pre class="wrap"><code>playtest sandbox mail</code></pre>`,
  };
  return signedOutLayout(site, { title: emailed[site.delivery], body: bodies[site.delivery] });
};

export const linkSentPage = (site: Site) => sentPage(site, "15 minutes", "/play/sign-in");
export const resetSentPage = (site: Site) => sentPage(site, "one hour", "/play/forgot");

/** The page of an emailed sign-in link. It asks for a click, because mail scanners open links and this one works once. */
export const confirmPage = ({ site, ...fields }: { site: Site; csrf: string; next: string; token: string }): PageContent =>
  signedOutLayout(site, {
    title: "Welcome back",
    body: html`<p>Click to finish signing in.</p>
<form method="post" action="/play/sign-in/confirm">${hidden(fields)}<button>Sign in</button></form>`,
  });

interface CodeState {
  site: Site;
  csrf: string;
  next: string;
  /** Whether the account has a passkey. */
  passkeys: boolean;
  problem?: string;
}

/** The second page of signing in to an account with a second factor. */
export const codePage = ({ site, problem, passkeys, ...fields }: CodeState): PageContent =>
  signedOutLayout(site, {
    title: "Enter your code",
    body: html`${problem && alert(problem)}
<form method="post" action="/play/sign-in/code">${hidden(fields)}
${codeField("code", "Code from your authenticator app")}
<button>Sign in</button></form>
${
  passkeys &&
  html`<form method="post" action="/play/sign-in/code/passkey/start">${hidden(fields)}<button class="quiet">Use a passkey instead</button></form>`
}
<p class="soft">No phone at hand? Enter one of your recovery codes instead. Each works once.</p>
<p><a href="/play/sign-in">Start again</a></p>`,
  });

/** The page on which the browser asks for a passkey. `action` gets its answer. */
export const usePasskeyPage = ({
  site,
  options,
  action,
  ...fields
}: {
  site: Site;
  csrf: string;
  next: string;
  action: string;
  options: object;
}): PageContent =>
  signedOutLayout(site, {
    title: "Use your passkey",
    body: html`${passkeyForm({ ceremony: "get", action, options, label: "Use a passkey" }, hidden(fields))}
<p><a href="/play/sign-in">Sign in another way</a></p>`,
    assets: { scripts: ["passkey.js"] },
  });

export const staleSignInPage = (site: Site): PageContent =>
  signedOutLayout(site, {
    title: "Sign in again",
    body: html`<p>Too much time has passed since you entered your password or opened your link. <a href="/play/sign-in">Sign in again</a>.</p>`,
  });

export const staleLinkPage = (site: Site): PageContent =>
  signedOutLayout(site, {
    title: "This link no longer works",
    body: html`<p>A sign-in link works once, for 15 minutes. <a href="/play/sign-in">Get a new link</a>.</p>`,
  });
