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
import type { Form, Page, ReadForm } from "../types.ts";
import {
  confirmPage,
  forgotPage,
  linkSentPage,
  registeredPage,
  registerPage,
  resetSentPage,
  signInPage,
  staleLinkPage,
} from "./sign-in-views.ts";

/** The page to show after signing in: the requested one if it belongs to the portal, otherwise `/play`. */
const nextOf = (given: string | null | undefined) => (given && /^\/play(\/[\w-]+)*$/.test(given) ? given : "/play");

const said = new Map([
  ["signed-out", "You are signed out."],
  ["everywhere", "You are signed out of every browser. API keys still work."],
  ["password", "Your password was changed and you were signed out of every browser. Sign in with the new password."],
]);

interface Parts {
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
    if (request.method !== "POST") return show(accounts, request, response, url);
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
  "/play/register": register,
  "/play/forgot": mailPasswordReset,
};

async function show(accounts: BrowserAccounts, request: IncomingMessage, response: ServerResponse, url: Target): Promise<void> {
  const next = nextOf(url.searchParams.get("next"));
  const { token: csrf, cookie } = accounts.formToken(request.headers);
  if (cookie !== undefined) response.setHeader("Set-Cookie", cookie);
  const pages: Record<string, () => PageContent> = {
    "/play/sign-in/sent": linkSentPage,
    "/play/sign-in/confirm": () => confirmPage({ csrf, next, token: url.searchParams.get("token") ?? "" }),
    "/play/register": () => registerPage({ csrf }),
    "/play/register/sent": registeredPage,
    "/play/forgot": () => forgotPage({ csrf }),
    "/play/forgot/sent": resetSentPage,
  };
  const page = Object.hasOwn(pages, url.pathname) ? pages[url.pathname] : undefined;
  if (page) return sendPage(response, 200, page());
  if (url.pathname !== "/play/sign-in") throw notFound();
  if (await accounts.findSession(request.headers)) return redirect(response, next);
  sendPage(response, 200, signInPage({ csrf, next, email: "", notice: said.get(url.searchParams.get("done") ?? "") }));
}

async function mailLink({ accounts, limits }: Parts, { request, response, form }: Posted): Promise<void> {
  limits.perAddress(request, "password");
  await accounts.mailSignInLink(form.email ?? "", nextOf(form.next));
  redirect(response, "/play/sign-in/sent");
}

async function signInByPassword({ accounts, limits }: Parts, { request, response, visit, form }: Posted): Promise<void> {
  const { csrf = "", email = "", password = "" } = form;
  const next = nextOf(form.next);
  try {
    limits.perAddress(request, "password");
    response.setHeader("Set-Cookie", await accounts.signInByPassword(visit, email, password));
    redirect(response, next);
  } catch (error) {
    showAgain(response, error, (problem) => signInPage({ csrf, next, email, problem }));
  }
}

async function signInByLink({ accounts }: Parts, { request, response, visit, form }: Posted): Promise<void> {
  const signedIn = await accounts.signInByLink(visit, form.token ?? "");
  // After a double click the token is used already, but the browser has the session of the first click.
  if (!signedIn && !(await accounts.findSession(request.headers))) return sendPage(response, 410, staleLinkPage());
  if (signedIn) response.setHeader("Set-Cookie", signedIn.cookie);
  redirect(response, signedIn?.isNew ? "/play/account?done=verified" : nextOf(form.next));
}

async function register({ accounts, limits }: Parts, { request, response, visit, form }: Posted): Promise<void> {
  const { csrf = "", email = "", password = "", name = "" } = form;
  try {
    limits.perAddress(request, "register");
    const given = { email: email.trim(), password, role: "playtester", ...(name.trim() && { name: name.trim() }) };
    const cookie = await accounts.register(visit, validate(contract.register.body!, given));
    if (cookie === undefined) return redirect(response, "/play/register/sent");
    response.setHeader("Set-Cookie", cookie);
    redirect(response, "/play");
  } catch (error) {
    showAgain(response, error, (problem) => registerPage({ csrf, email, name, problem }));
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
