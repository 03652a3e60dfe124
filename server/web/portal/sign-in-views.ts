import { html, type Markup, type PageContent } from "../html.ts";
import { alert, notice, signedOutLayout } from "./layout.ts";

interface SignInState {
  csrf: string;
  next: string;
  email: string;
  problem?: string | undefined;
  notice?: string | undefined;
}

const hidden = (fields: Record<string, string>): Markup[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" autocomplete="off">`);

const emailField = (id: string, value = "") =>
  html`<label for="${id}">E-mail address</label>
<input id="${id}" name="email" type="email" autocomplete="username" maxlength="254" value="${value}" required>`;

/** A field for a password that is chosen now. */
export const newPasswordField = (
  label: string,
): Markup => html`<label for="new-password">${label} <span class="soft">(8 characters or more)</span></label>
<input id="new-password" name="password" type="password" autocomplete="new-password" minlength="8" maxlength="256" required>`;

export const signInPage = ({ csrf, next, email, problem, notice: said }: SignInState): PageContent =>
  signedOutLayout({
    title: "Sign in to playtest",
    body: html`${said && notice(said)}${problem && alert(problem)}
<p class="soft">Play games before they are out, say what you think, and get paid for it.</p>
<form method="post" action="/play/sign-in/link">${hidden({ csrf, next })}
${emailField("link-email", email)}
<button>Mail me a link</button></form>
<section><h2>Or use your password</h2>
<form method="post" action="/play/sign-in/password">${hidden({ csrf, next })}
${emailField("email", email)}
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="256" required>
<button class="quiet">Sign in</button></form>
<p><a href="/play/forgot">Forgot the password?</a></p></section>
<section><h2>New here?</h2><p><a href="/play/register">Register as a playtester</a></p></section>`,
  });

export const registerPage = (given: { csrf: string; name?: string; email?: string; problem?: string }): PageContent =>
  signedOutLayout({
    title: "Register as a playtester",
    body: html`${given.problem && alert(given.problem)}
<form method="post" action="/play/register">${hidden({ csrf: given.csrf })}
<label for="name">Name <span class="soft">(optional; the owners of games see it)</span></label>
<input id="name" name="name" autocomplete="nickname" maxlength="100" value="${given.name}">
${emailField("email", given.email)}
${newPasswordField("Password")}
<button>Register</button></form>
<p>You have an account? <a href="/play/sign-in">Sign in</a>.</p>`,
  });

export const registeredPage = (): PageContent =>
  signedOutLayout({
    title: "Look into your mail",
    body: html`<p>Welcome! Open the link in the mail we sent: it confirms that the address is yours. It works for 24 hours.</p>
<p class="soft">Nothing there? Look among the spam, or <a href="/play/sign-in">have a sign-in link mailed</a>: it confirms the address as well.</p>`,
  });

export const forgotPage = ({ csrf }: { csrf: string }): PageContent =>
  signedOutLayout({
    title: "Forgot the password?",
    body: html`<p>We mail you a link to a page that sets a new one.</p>
<form method="post" action="/play/forgot">${hidden({ csrf })}
${emailField("email")}
<button>Mail me the link</button></form>
<p>Or <a href="/play/sign-in">sign in by a mailed link</a>, without any password.</p>`,
  });

const sentPage = (validity: string, again: string): PageContent =>
  signedOutLayout({
    title: "Look into your mail",
    body: html`<p>If there is an account with that address, a link is on its way. It works once, for ${validity}.</p>
<p class="soft">Nothing there? Look among the spam, or <a href="${again}">try again</a>.</p>`,
  });

export const linkSentPage = () => sentPage("15 minutes", "/play/sign-in");
export const resetSentPage = () => sentPage("one hour", "/play/forgot");

/** Mail scanners follow links, and this one works once: so it asks for a press. */
export const confirmPage = (fields: { csrf: string; next: string; token: string }): PageContent =>
  signedOutLayout({
    title: "Welcome back",
    body: html`<p>One press and you are in.</p>
<form method="post" action="/play/sign-in/confirm">${hidden(fields)}<button>Sign in</button></form>`,
  });

export const staleLinkPage = (): PageContent =>
  signedOutLayout({
    title: "This link does not work any more",
    body: html`<p>A link signs in once, within 15 minutes. Nothing is lost: <a href="/play/sign-in">ask for another</a>.</p>`,
  });
