import type { IncomingMessage, ServerResponse } from "node:http";
import { contract } from "../../../src/contract/index.ts";
import type { BrowserAccounts, Visit } from "../../accounts/browser-accounts.ts";
import { setHeaders } from "../../http/reply.ts";
import type { Target } from "../../http/target.ts";
import { validate } from "../../http/validate.ts";
import { notFound, Problem } from "../../lib/problem.ts";
import { staleForm } from "../form.ts";
import { type PageContent, redirect, sendPage } from "../html.ts";
import type { PageLimits } from "../limits.ts";
import type { Site } from "../site.ts";
import type { Form, Page, ReadForm } from "../types.ts";
import {
  codePage,
  confirmPage,
  forgotPage,
  linkSentPage,
  registeredPage,
  registerPage,
  resetSentPage,
  signInPage,
  staleLinkPage,
  staleSignInPage,
  usePasskeyPage,
} from "./sign-in-views.ts";

/** The page to show after signing in: the requested one if it belongs to the portal, otherwise `/play`. */
const nextOf = (given: string | null | undefined) => (given && /^\/play(\/[\w-]+)*$/.test(given) ? given : "/play");

const codePath = (next: string) => `/play/sign-in/code?${new URLSearchParams({ next })}`;

const said = new Map([
  ["signed-out", "You are signed out."],
  ["deleted", "Your account was deleted."],
  ["account", "You have an account already. Sign in."],
  ["everywhere", "You are signed out of every browser. API keys still work."],
  ["password", "Your password was changed and you were signed out of every browser. Sign in with the new password."],
]);

interface Parts {
  site: Site;
  accounts: BrowserAccounts;
  limits: PageLimits;
  readForm: ReadForm;
}

/** A form posted without a session. */
interface Posted {
  request: IncomingMessage;
  response: ServerResponse;
  visit: Visit;
  form: Form;
}

/** `/play/sign-in`: sign in with an emailed link or a password. `/play/register`: create an account. `/play/forgot`: reset the password. */
export function signIn(parts: Parts): Page {
  const { accounts, readForm } = parts;

  return async (request, response, url, { client }) => {
    if (request.method !== "POST") return show(parts, request, response, url);
    const post = Object.hasOwn(posts, url.pathname) ? posts[url.pathname] : undefined;
    if (!post) throw notFound();
    const form = await readForm(request);
    if (!accounts.isFormToken(request.headers, form.csrf ?? "")) throw staleForm();
    await post(parts, { request, response, form, visit: { headers: request.headers, client } });
  };
}

const posts: Record<string, (parts: Parts, posted: Posted) => Promise<void>> = {
  "/play/sign-in/link": mailLink,
  "/play/sign-in/password": signInByPassword,
  "/play/sign-in/confirm": signInByLink,
  "/play/sign-in/code": signInByCode,
  "/play/sign-in/code/passkey/start": startPasskeyStep,
  "/play/sign-in/code/passkey": signInByPasskeyStep,
  "/play/sign-in/passkey/start": startPasskey,
  "/play/sign-in/passkey": signInByPasskey,
  "/play/register": register,
  "/play/forgot": mailPasswordReset,
};

async function show({ accounts, site }: Parts, request: IncomingMessage, response: ServerResponse, url: Target): Promise<void> {
  const next = nextOf(url.searchParams.get("next"));
  const { token: csrf, cookie } = accounts.formToken(request.headers);
  if (cookie !== undefined) response.setHeader("Set-Cookie", cookie);
  const pages: Record<string, () => PageContent> = {
    "/play/sign-in/sent": () => linkSentPage(site),
    "/play/sign-in/confirm": () => confirmPage({ site, csrf, next, token: url.searchParams.get("token") ?? "" }),
    "/play/register": () => registerPage({ site, csrf }),
    "/play/register/sent": () => registeredPage(site),
    "/play/forgot": () => forgotPage({ site, csrf }),
    "/play/forgot/sent": () => resetSentPage(site),
  };
  const page = Object.hasOwn(pages, url.pathname) ? pages[url.pathname] : undefined;
  if (page) return sendPage(response, 200, page());
  if (url.pathname === "/play/sign-in/code") return showCodePage(accounts, request, response, { site, csrf, next });
  if (url.pathname !== "/play/sign-in") throw notFound();
  if (await accounts.findSession(request.headers)) return redirect(response, next);
  const notice = said.get(url.searchParams.get("done") ?? "");
  sendPage(response, 200, signInPage({ site, csrf, next, email: "", passkeys: accounts.passkeys.available, notice }));
}

async function showCodePage(
  accounts: BrowserAccounts,
  request: IncomingMessage,
  response: ServerResponse,
  fields: { site: Site; csrf: string; next: string },
): Promise<void> {
  const { headers } = request;
  if (!(await accounts.needsCode(headers))) return redirect(response, "/play/sign-in");
  sendPage(response, 200, codePage({ ...fields, passkeys: await accounts.passkeys.replaceCode(headers) }));
}

async function mailLink({ accounts, limits }: Parts, { request, response, form }: Posted): Promise<void> {
  limits.perAddress(request, "password");
  await accounts.mailSignInLink(form.email ?? "", nextOf(form.next));
  redirect(response, "/play/sign-in/sent");
}

async function signInByPassword({ accounts, limits, site }: Parts, { request, response, visit, form }: Posted): Promise<void> {
  const { csrf = "", email = "", password = "" } = form;
  const next = nextOf(form.next);
  try {
    limits.perAddress(request, "password");
    const { cookie, needsCode } = await accounts.signInByPassword(visit, email, password);
    response.setHeader("Set-Cookie", cookie);
    redirect(response, needsCode ? codePath(next) : next);
  } catch (error) {
    showAgain(response, error, (problem) =>
      signInPage({ site, csrf, next, email, passkeys: accounts.passkeys.available, problem }),
    );
  }
}

async function signInByLink({ accounts, site }: Parts, { request, response, visit, form }: Posted): Promise<void> {
  const signedIn = await accounts.signInByLink(visit, form.token ?? "");
  // After a double click the token is used already, but the browser has the cookie of the first click.
  const needsCode = signedIn?.needsCode ?? (await accounts.needsCode(request.headers));
  if (!signedIn && !needsCode && !(await accounts.findSession(request.headers)))
    return sendPage(response, 410, staleLinkPage(site));
  if (signedIn) response.setHeader("Set-Cookie", signedIn.cookie);
  if (needsCode) return redirect(response, codePath(nextOf(form.next)));
  redirect(response, signedIn?.isNew ? "/play/account?done=verified" : nextOf(form.next));
}

async function signInByCode({ accounts, limits, site }: Parts, { request, response, visit, form }: Posted): Promise<void> {
  const { csrf = "", code = "" } = form;
  const next = nextOf(form.next);
  try {
    limits.perAddress(request, "password");
    const cookies = await accounts.signInByCode(visit, code);
    // After a double click the code is used already, but the browser has the session of the first click.
    if (!cookies && !(await accounts.findSession(request.headers))) return sendPage(response, 410, staleSignInPage(site));
    if (cookies) response.setHeader("Set-Cookie", cookies);
    redirect(response, next);
  } catch (error) {
    const passkeys = await accounts.passkeys.replaceCode(request.headers);
    showAgain(response, error, (problem) => codePage({ site, csrf, next, passkeys, problem }));
  }
}

async function startPasskey({ accounts, limits, site }: Parts, { request, response, visit, form }: Posted): Promise<void> {
  limits.perAddress(request, "password");
  const options = await accounts.passkeys.start(visit);
  if (!options) throw staleForm();
  const action = "/play/sign-in/passkey";
  sendPage(response, 200, usePasskeyPage({ site, csrf: form.csrf ?? "", next: nextOf(form.next), action, options }));
}

async function signInByPasskey({ accounts, limits, site }: Parts, { request, response, visit, form }: Posted): Promise<void> {
  const { csrf = "", response: answer = "" } = form;
  const next = nextOf(form.next);
  try {
    limits.perAddress(request, "password");
    response.setHeader("Set-Cookie", await accounts.passkeys.signIn(visit, answer));
    redirect(response, next);
  } catch (error) {
    showAgain(response, error, (problem) =>
      signInPage({ site, csrf, next, email: "", passkeys: accounts.passkeys.available, problem }),
    );
  }
}

async function startPasskeyStep({ accounts, limits, site }: Parts, { request, response, visit, form }: Posted): Promise<void> {
  limits.perAddress(request, "password");
  const options = await accounts.passkeys.startStep(visit);
  if (!options) return sendPage(response, 410, staleSignInPage(site));
  const action = "/play/sign-in/code/passkey";
  sendPage(response, 200, usePasskeyPage({ site, csrf: form.csrf ?? "", next: nextOf(form.next), action, options }));
}

async function signInByPasskeyStep({ accounts, limits, site }: Parts, { request, response, visit, form }: Posted): Promise<void> {
  const { csrf = "", response: answer = "" } = form;
  const next = nextOf(form.next);
  try {
    limits.perAddress(request, "password");
    const cookies = await accounts.passkeys.signInByStep(visit, answer);
    if (!cookies && !(await accounts.findSession(request.headers))) return sendPage(response, 410, staleSignInPage(site));
    if (cookies) response.setHeader("Set-Cookie", cookies);
    redirect(response, next);
  } catch (error) {
    showAgain(response, error, (problem) => codePage({ site, csrf, next, passkeys: true, problem }));
  }
}

async function register({ accounts, limits, site }: Parts, { request, response, visit, form }: Posted): Promise<void> {
  const { csrf = "", email = "", password = "", name = "" } = form;
  try {
    limits.perAddress(request, "register");
    const given = { email: email.trim(), password, role: "playtester", ...(name.trim() && { name: name.trim() }) };
    const cookie = await accounts.register(visit, validate(contract.register.body!, given));
    if (cookie === undefined) return redirect(response, "/play/register/sent");
    response.setHeader("Set-Cookie", cookie);
    redirect(response, "/play");
  } catch (error) {
    showAgain(response, error, (problem) => registerPage({ site, csrf, email, name, problem }));
  }
}

async function mailPasswordReset({ accounts, limits }: Parts, { request, response, form }: Posted): Promise<void> {
  limits.perAddress(request, "password");
  await accounts.mailPasswordReset(form.email ?? "");
  redirect(response, "/play/forgot/sent");
}

/** Shows the page of the form again, with the error. */
function showAgain(response: ServerResponse, error: unknown, page: (problem: string) => PageContent): void {
  if (!(error instanceof Problem)) throw error;
  setHeaders(response, error.headers);
  sendPage(response, error.status, page(error.message));
}
