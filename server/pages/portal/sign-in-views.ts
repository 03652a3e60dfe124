import { html, type Markup, type PageContent } from "../html.ts";
import { alert, notice } from "./layout.ts";

interface SignInState {
  csrf: string;
  next: string;
  email: string;
  problem?: string | undefined;
  notice?: string | undefined;
}

const assets = { style: "portal.css" };

const hidden = (fields: Record<string, string>): Markup[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" autocomplete="off">`);

const emailField = (id: string, value: string) =>
  html`<label for="${id}">E-mail address</label>
<input id="${id}" name="email" type="email" autocomplete="username" maxlength="254" value="${value}" required>`;

export const signInPage = ({ csrf, next, email, problem, notice: said }: SignInState): PageContent => ({
  title: "Sign in to playtest",
  assets,
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
<button class="quiet">Sign in</button></form></section>`,
});

export const linkSentPage = (): PageContent => ({
  title: "Look into your mail",
  assets,
  body: html`<p>If a playtester has that address, a link is on its way. It works once, for 15 minutes.</p>
<p class="soft">Nothing there? Look among the spam, or <a href="/play/sign-in">try again</a>.</p>`,
});

/** Mail scanners follow links, and this one works once: so it asks for a press. */
export const confirmPage = (fields: { csrf: string; next: string; token: string }): PageContent => ({
  title: "Welcome back",
  assets,
  body: html`<p>One press and you are in.</p>
<form method="post" action="/play/sign-in/confirm">${hidden(fields)}<button>Sign in</button></form>`,
});

export const staleLinkPage = (): PageContent => ({
  title: "This link does not work any more",
  assets,
  body: html`<p>A link signs in once, within 15 minutes. Nothing is lost: <a href="/play/sign-in">ask for another</a>.</p>`,
});
