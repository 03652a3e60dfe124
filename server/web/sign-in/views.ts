import type { Role } from "../../../src/contract/endpoint.ts";
import { pages, portal, studio } from "../../../src/contract/pages/addresses.ts";
import type { DeadLink } from "../../accounts/browser/links.ts";
import { type Delivery, noneSent } from "../../mail/delivery.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import { wordsOf } from "../shared/error-text.ts";
import { signedOutLayout } from "../shared/layout.ts";
import { acceptTerms, alert, hiddenFields, notice, passkeyForm } from "../shared/parts.ts";
import type { Site } from "../site.ts";
import { type Door, doorOf, leading } from "./doors.ts";
import { type Kept, writtenOf } from "./kept.ts";

/** The server and the kind of account that a page is for. */
interface At {
  site: Site;
  door: Door;
}

/** A page of signing in, and where the way leads on from it. */
interface OnTheWay extends At {
  next: string;
}

const signInAddress = ({ door, next }: Omit<OnTheWay, "site">) => leading(door, door.to.signIn(), next);

interface SignInState extends OnTheWay {
  csrf: string;
  email: string;
  /** Whether browsers can have passkeys for this server. */
  passkeys: boolean;
  problem?: string | Markup | undefined;
  notice?: string | undefined;
  /** What was typed into a form whose session had ended. Signing in by the password, and the second step after it, lead on to it. */
  kept?: Kept | undefined;
}

const hiddenKept = (kept: Kept | undefined) => kept && hiddenFields({ kept: writtenOf(kept) });

const emailField = (id: string, value = "") =>
  html`<label for="${id}">Email address</label>
<input id="${id}" name="email" type="email" autocomplete="username" maxlength="254" value="${value}" required>`;

/** The field for a new password. */
export const newPasswordField = (
  label: string,
): Markup => html`<label for="new-password">${label} <span class="soft">(8 characters or more)</span></label>
<input id="new-password" name="password" type="password" autocomplete="new-password" minlength="8" maxlength="256" required>`;

export const codeLabel = "Code from your authenticator app, or a recovery code";

/** The field for a code of the second factor, which also takes a recovery code. */
export const codeField = (id: string, label: string): Markup => html`<label for="${id}">${label}</label>
<input id="${id}" name="code" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" maxlength="64" required>`;

const domains = ({ allowedDomains }: Site) =>
  allowedDomains.length > 0 && html`<p class="soft">New accounts need an email address at ${allowedDomains.join(" or ")}.</p>`;

const byInvitation = html`<p>This server takes new accounts by invitation only. If you have an invitation, open the link in its email. Otherwise ask the operator of this server for one.</p>`;
const closed = html`<p>This server takes no new accounts.</p>`;

function newHere({ site, door, next }: OnTheWay): Markup {
  if (site.registration === "invite") return byInvitation;
  if (site.registration === "closed") return closed;
  return html`<p><a href="${leading(door, door.to.register(), next)}">Create a ${door.who} account</a></p>${domains(site)}`;
}

function welcome({ site, door }: At): string {
  if (door.role === "game_owner") return "Watch the videos of your playtests, and decide on them in the browser.";
  return site.payments
    ? "Play games before release, share your feedback, and get paid."
    : "Play games before release and share your feedback.";
}

/** Where people go who came to the door of others. */
function otherDoor({ role }: Door): Markup {
  return role === "game_owner"
    ? html`<p class="soft">Playtesters <a href="${portal.signIn()}">sign in to the playtester portal</a>.</p>`
    : html`<p class="soft">Game owners <a href="${studio.signIn()}">sign in to Studio</a>.</p>`;
}

/** Why an account cannot sign in here, and where it can. */
export function otherRole(role: Role): Markup {
  const door = doorOf(role);
  if (!door) return html`<p>This is an operator account. Operators use the command line. You are not signed in.</p>`;
  return html`<p>This is a ${door.who} account. You are not signed in. <a href="${door.to.signIn()}">Sign in to ${door.place}</a> instead.</p>`;
}

/** For somebody who is signed in with an account that has its own pages. */
export function otherAccountPage(at: At, session: { displayName: string; csrf: string; role: Role }): PageContent {
  const { site, door } = at;
  const own = doorOf(session.role);
  return signedOutLayout(site, door.base, {
    title: `This page is for ${door.who}s`,
    body: html`<p>You are signed in as ${session.displayName}, with ${own ? `a ${own.who} account` : "an operator account"}.</p>
${own && html`<p><a class="button" href="${own.base}">Open ${own.place}</a></p>`}
<p>To use another account, sign out first.</p>
<form method="post" action="${door.to.signOut()}">${hiddenFields({ csrf: session.csrf })}<button class="quiet">Sign out</button></form>`,
  });
}

export const signInPage = (state: SignInState): PageContent => {
  const { site, door, csrf, next, email, passkeys, problem, notice: said, kept } = state;
  const byPassword = html`<form method="post" action="${door.to.password()}">${hiddenFields({ csrf, next })}${hiddenKept(kept)}
${emailField("email", email)}
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="256" required>
<button class="${!kept && "quiet"}">Sign in</button></form>
<p><a href="${leading(door, door.to.forgot(), next)}">Forgot your password?</a> · <a href="${leading(door, pages.verifyEmail(), next)}">Address not verified yet?</a></p>`;
  const title = `Sign in to ${site.name}${door.role === "game_owner" ? " Studio" : ""}`;
  if (kept)
    return signedOutLayout(site, door.base, {
      title: "Your session ended",
      body: html`${problem ? alert(problem) : html`<div class="note bad" role="alert" tabindex="-1" autofocus>You were signed out before this was sent. Nothing was changed. Sign in with your password, and what you typed is still there.</div>`}
${byPassword}
${typedOf(kept)}
<p class="soft">To sign in another way, copy what you need first, then <a href="${signInAddress(state)}">sign in</a>.</p>`,
    });
  return signedOutLayout(site, door.base, {
    title,
    body: html`${said && notice(said)}${problem && alert(problem)}
<p class="soft">${welcome({ site, door })}</p>
<form method="post" action="${door.to.link()}">${hiddenFields({ csrf, next })}
${emailField("link-email", email)}
<button>Email me a sign-in link</button></form>
${site.delivery === "saved" && html`<p class="soft">${noneSent} Ask the operator for the link, or use your password.</p>`}
<section><h2>Or use your password</h2>
${byPassword}</section>
${
  passkeys &&
  html`<section><h2>Or use a passkey</h2>
<form method="post" action="${door.to.startPasskey()}">${hiddenFields({ csrf, next })}<button class="quiet">Sign in with a passkey</button></form></section>`
}
<section><h2>New here?</h2>${newHere(state)}${otherDoor(door)}</section>`,
  });
};

/** After signing in again: what was typed, to be sent now. */
export const resumePage = ({ site, door, csrf, next, kept }: OnTheWay & { csrf: string; kept: Kept }): PageContent =>
  signedOutLayout(site, door.base, {
    title: "You are signed in again",
    body: html`<p>Nothing was sent yet.</p>
<form method="post" action="${kept.action}">${hiddenFields({ ...kept.fields, csrf })}<button>Send it now</button></form>
${typedOf(kept)}
<p class="more"><a href="${next}">Back to the page without it</a></p>`,
  });

/** The fields that people see. */
const typedOf = ({ fields }: Kept): Markup => {
  const seen = Object.entries(fields).filter(([name, text]) => name !== "formKey" && text.trim() !== "");
  return html`<section><h2>What you typed</h2>${seen.map(([name, text]) => html`<h3>${wordsOf(name)}</h3><p class="prose">${text}</p>`)}</section>`;
};

export function registerPage(
  given: OnTheWay & { csrf: string; name?: string; email?: string; problem?: string | Markup },
): PageContent {
  const { site, door, csrf, next } = given;
  const title = `Create a ${door.who} account`;
  const signIn = html`<p>Already have an account? <a href="${signInAddress(given)}">Sign in</a>.</p>`;
  if (site.registration !== "open") return signedOutLayout(site, door.base, { title, body: html`${newHere(given)}${signIn}` });
  return signedOutLayout(site, door.base, {
    title,
    body: html`${given.problem && alert(given.problem)}${domains(site)}
<form method="post" action="${door.to.register()}">${hiddenFields({ csrf, next })}
<label for="name">Name <span class="soft">(optional; visible to ${door.seenBy})</span></label>
<input id="name" name="name" autocomplete="nickname" maxlength="100" value="${given.name}">
${emailField("email", given.email)}
${newPasswordField("Password")}
${acceptTerms(site)}
<button>Create account</button></form>
${signIn}`,
  });
}

const registered = (signIn: string, verify: string): Record<Delivery, Pick<PageContent, "title" | "body">> => ({
  sent: {
    title: "Check your email",
    body: html`<p>Welcome! Open the link in the email we sent to verify your address. It works for 24 hours.</p>
<p class="soft">No email? Check your spam folder, or <a href="${verify}">get a new link</a>. You can also <a href="${signIn}">get a sign-in link</a>. It also verifies your address, and removes the password: anybody could have set it.</p>`,
  },
  saved: {
    title: "Ask the operator to verify your address",
    body: html`<p>Welcome! Your account was created, but its address is not verified yet. ${noneSent}</p>
<p>Tell the operator the address you registered with. They verify it with this command:</p>
<pre class="wrap"><code>playtest admin users verify EMAIL</code></pre>
<p>Then <a href="${signIn}">sign in</a> with your password.</p>`,
  },
  sandbox: {
    title: "Verify your address",
    body: html`<p>Welcome! A sandbox sends no email. <a href="${pages.sandboxMails()}">Read the one to you</a> and open its link, or verify the address by <code>playtest sandbox verify EMAIL</code>. Then <a href="${signIn}">sign in</a>.</p>`,
  },
});

export const registeredPage = (way: OnTheWay): PageContent =>
  signedOutLayout(
    way.site,
    way.door.base,
    registered(signInAddress(way), leading(way.door, pages.verifyEmail(), way.next))[way.site.delivery],
  );

const emailed: Record<Delivery, string> = {
  sent: "Check your email",
  saved: "Ask the operator for the link",
  sandbox: "Read the email",
};

export const forgotPage = ({ site, door, csrf, next }: OnTheWay & { csrf: string }): PageContent =>
  signedOutLayout(site, door.base, {
    title: "Forgot your password?",
    body: html`<p>${site.delivery === "sent" ? "We will email you a link to set a new one." : "An email with a link to set a new one will be written. This server sends no email: the next page says how to get the link."}</p>
<form method="post" action="${door.to.forgot()}">${hiddenFields({ csrf, next })}
${emailField("email")}
<button>Email me a reset link</button></form>
<p>Or <a href="${signInAddress({ door, next })}">sign in with an emailed link</a>, without a password.</p>`,
  });

/** What follows a request for a link. It says the same for every address. `whose` names the accounts that get one. */
const sentPage = (
  { site, door }: At,
  { whose, validity, again }: { whose: string; validity: string; again: string },
): PageContent => {
  const valid = html`The link works once, for ${validity}.`;
  const written = html`If ${whose} with that address can sign in, an email with a link was written.`;
  const bodies: Record<Delivery, Markup> = {
    sent: html`<p>If ${whose} with that address can sign in, we sent it a link. ${valid}</p>
<p class="soft">No email? Check your spam folder, or <a href="${again}">try again</a>. At most five links work at a time.</p>`,
    saved: html`<p>${written} ${noneSent}</p>
<p>Ask the operator for the link in the newest email to you. ${valid}</p>`,
    sandbox: html`<p>${written} A sandbox sends none: <a href="${pages.sandboxMails()}">read it here</a>. ${valid}</p>`,
  };
  return signedOutLayout(site, door.base, { title: emailed[site.delivery], body: bodies[site.delivery] });
};

export const linkSentPage = (way: OnTheWay) =>
  sentPage(way, { whose: `a ${way.door.who} account`, validity: "15 minutes", again: signInAddress(way) });
export const resetSentPage = (at: OnTheWay) =>
  sentPage(at, { whose: "an account", validity: "one hour", again: leading(at.door, at.door.to.forgot(), at.next) });

/** The page of an emailed sign-in link. It asks for a click, because mail scanners open links and this one works once. */
export const confirmPage = ({ site, door, ...fields }: OnTheWay & { csrf: string; token: string }): PageContent =>
  signedOutLayout(site, door.base, {
    title: "Welcome back",
    body: html`<p>Click to finish signing in.</p>
<form method="post" action="${door.to.confirm()}">${hiddenFields(fields)}<button>Sign in</button></form>`,
  });

interface CodeState extends OnTheWay {
  csrf: string;
  /** Whether the account has a passkey. */
  passkeys: boolean;
  problem?: string | Markup;
  kept?: Kept | undefined;
}

/** The second page of signing in to an account with a second factor. */
export const codePage = ({ site, door, problem, passkeys, kept, ...fields }: CodeState): PageContent =>
  signedOutLayout(site, door.base, {
    title: "Enter your code",
    body: html`${problem && alert(problem)}
<form method="post" action="${door.to.code()}">${hiddenFields(fields)}${hiddenKept(kept)}
${codeField("code", "Code from your authenticator app")}
<button>Sign in</button></form>
${
  passkeys &&
  html`<form method="post" action="${door.to.startPasskeyStep()}">${hiddenFields(fields)}${hiddenKept(kept)}<button class="quiet">Use a passkey instead</button></form>`
}
<p class="soft">No phone at hand? Enter one of your recovery codes instead. Each works once.</p>
<p><a href="${signInAddress({ door, next: fields.next })}">Start again</a></p>
${kept && typedOf(kept)}`,
  });

/** The page on which the browser asks for a passkey. `action` gets its answer. */
export const usePasskeyPage = ({
  site,
  door,
  options,
  action,
  kept,
  ...fields
}: OnTheWay & {
  csrf: string;
  action: string;
  options: object;
  kept?: Kept | undefined;
}): PageContent =>
  signedOutLayout(site, door.base, {
    title: "Use your passkey",
    body: html`${passkeyForm({ ceremony: "get", action, options, label: "Use a passkey" }, html`${hiddenFields(fields)}${hiddenKept(kept)}`)}
<p><a href="${signInAddress({ door, next: fields.next })}">Sign in another way</a></p>`,
    assets: { scripts: ["passkey.js"] },
  });

export const staleSignInPage = ({ site, door, next }: OnTheWay): PageContent =>
  signedOutLayout(site, door.base, {
    title: "Sign in again",
    body: html`<p>Your password or link no longer counts: too much time has passed, or something about your account changed since. <a href="${signInAddress({ door, next })}">Sign in again</a>.</p>`,
  });

const staleReasons: Record<DeadLink["why"], string> = {
  used: "This link was used already.",
  expired: "This link has expired.",
  unknown: "This link is not known here. It may be incomplete: open it again from the email, as a whole.",
};

export const staleLinkPage = ({ site, door, next }: OnTheWay, why: DeadLink["why"]): PageContent =>
  signedOutLayout(site, door.base, {
    title: "This link no longer works",
    body: html`<p>${staleReasons[why]} A sign-in link works once, for 15 minutes.</p><p><a class="button" href="${signInAddress({ door, next })}">Get a new link</a></p>`,
  });
