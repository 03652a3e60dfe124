import type { IncomingMessage, ServerResponse } from "node:http";
import { contract } from "../../../src/contract/index.ts";
import type { BrowserAccounts, Visit } from "../../accounts/browser/accounts.ts";
import { OtherRole } from "../../accounts/browser/other-role.ts";
import { sentBack } from "../../accounts/sessions.ts";
import { setHeaders } from "../../http/reply.ts";
import type { Target } from "../../http/target.ts";
import { validate } from "../../http/validate.ts";
import { ApiError, notFound } from "../../lib/api-error.ts";
import { staleForm } from "../form.ts";
import { type Markup, type PageContent, redirect, sendPage } from "../html.ts";
import type { PageLimits } from "../limits.ts";
import { errorText } from "../shared/error-text.ts";
import type { Site } from "../site.ts";
import type { Form, Page, ReadForm } from "../types.ts";
import { type Door, leading, nextOf } from "./doors.ts";
import { type Kept, readKept } from "./kept.ts";
import {
  codePage,
  confirmPage,
  forgotPage,
  linkSentPage,
  otherRole,
  registeredPage,
  registerPage,
  resetSentPage,
  resumePage,
  signInPage,
  staleLinkPage,
  staleSignInPage,
  usePasskeyPage,
} from "./views.ts";

const said = new Map([
  ["signed-out", "You are signed out."],
  ["ended", "Your session ended. Sign in to go on."],
  ["deleted", "Your account was deleted."],
  ["account", "You have an account already. Sign in."],
  ["everywhere", "You are signed out of every browser. API keys still work."],
  ["password", "Your password was changed and you were signed out of every browser. Sign in with the new password."],
]);

export interface SignInParts {
  site: Site;
  accounts: BrowserAccounts;
  limits: PageLimits;
  readForm: ReadForm;
}

interface Parts extends SignInParts {
  door: Door;
}

/** A form posted without a session. */
interface Posted {
  request: IncomingMessage;
  response: ServerResponse;
  visit: Visit;
  form: Form;
}

/** Below the path of the door: `sign-in` with an emailed link or a password, `register` to create an account, `forgot` to reset the password. */
export function signIn(door: Door, given: SignInParts): Page {
  const parts: Parts = { ...given, door };
  const { accounts, readForm } = parts;

  return async (request, response, url, { client }) => {
    if (request.method !== "POST") return show(parts, request, response, url);
    const name = nameOf(door, url.pathname);
    const post = name && posts[name];
    if (!post) throw notFound();
    const form = await readForm(request);
    if (!accounts.isFormToken(request.headers, form.csrf ?? "")) throw staleForm();
    await post(parts, { request, response, form, visit: { headers: request.headers, client } });
  };
}

type Name = keyof Door["to"];

const nameOf = ({ to }: Door, path: string) => (Object.keys(to) as Name[]).find((name) => to[name].path === path);

const posts: Partial<Record<Name, (parts: Parts, posted: Posted) => Promise<void>>> = {
  link: mailLink,
  password: signInByPassword,
  confirm: signInByLink,
  code: signInByCode,
  startPasskeyStep,
  passkeyStep: signInByPasskeyStep,
  startPasskey,
  passkey: signInByPasskey,
  register,
  forgot: mailPasswordReset,
};

async function show(
  { accounts, site, door }: Parts,
  request: IncomingMessage,
  response: ServerResponse,
  url: Target,
): Promise<void> {
  const next = nextOf(door, url.searchParams.get("next"));
  const { token: csrf, cookie } = accounts.formToken(request.headers);
  if (cookie !== undefined) response.setHeader("Set-Cookie", cookie);
  const email = url.searchParams.get("email")?.slice(0, 254) ?? "";
  const pages: Partial<Record<Name, () => PageContent>> = {
    linkSent: () => linkSentPage({ site, door, next }),
    register: () => registerPage({ site, door, csrf, next }),
    registered: () => registeredPage({ site, door, next }),
    forgot: () => forgotPage({ site, door, csrf, next }),
    resetSent: () => resetSentPage({ site, door, next }),
  };
  const name = nameOf(door, url.pathname);
  const page = name && pages[name];
  if (page) return sendPage(response, 200, page());
  if (name === "confirm") return showConfirmPage({ accounts, site, door, csrf, next }, request, response, url);
  if (name === "code") return showCodePage(accounts, request, response, { site, door, csrf, next });
  if (name !== "signIn") throw notFound();
  if (await accounts.findSession(request.headers)) return redirect(response, next);
  const notice = said.get(url.searchParams.get("done") ?? "");
  sendPage(response, 200, signInPage({ site, door, csrf, next, email, passkeys: accounts.passkeys.available, notice }));
}

/** Says at once when the link does nothing any more. */
async function showConfirmPage(
  { accounts, ...fields }: { accounts: BrowserAccounts; site: Site; door: Door; csrf: string; next: string },
  { headers }: IncomingMessage,
  response: ServerResponse,
  { searchParams }: Target,
): Promise<void> {
  const token = searchParams.get("token") ?? "";
  const dead = await accounts.links.dead(token, "sign-in");
  if (!dead) return sendPage(response, 200, confirmPage({ ...fields, token }));
  if (await accounts.findSession(headers)) return redirect(response, fields.next);
  sendPage(response, 410, staleLinkPage(fields, dead.why));
}

async function showCodePage(
  accounts: BrowserAccounts,
  request: IncomingMessage,
  response: ServerResponse,
  fields: { site: Site; door: Door; csrf: string; next: string },
): Promise<void> {
  const { headers } = request;
  const { door, next } = fields;
  if (!(await accounts.needsCode(headers))) return redirect(response, leading(door, door.to.signIn(), next));
  sendPage(response, 200, codePage({ ...fields, passkeys: await accounts.passkeys.replaceCode(headers) }));
}

async function mailLink({ accounts, limits, door }: Parts, { request, response, form }: Posted): Promise<void> {
  limits.perAddress(request, "password");
  const next = nextOf(door, form.next);
  await accounts.links.mailSignInLink({ role: door.role, page: door.to.confirm() }, form.email ?? "", next);
  redirect(response, leading(door, door.to.linkSent(), next));
}

async function signInByPassword(
  { accounts, limits, site, door }: Parts,
  { request, response, visit, form }: Posted,
): Promise<void> {
  const { csrf = "", email = "", password = "" } = form;
  const next = nextOf(door, form.next);
  const kept = readKept(door, form.kept);
  try {
    limits.perAddress(request, "password");
    const { cookie, needsCode } = await accounts.signInByPassword(visit, door.role, { email, password });
    response.setHeader("Set-Cookie", cookie);
    if (!needsCode) return goOn({ accounts, site, door }, response, { cookies: [cookie], next, kept });
    if (!kept) return redirect(response, leading(door, door.to.code(), next));
    // A redirect would lose what was typed. The browser gets the cookie of the first step with this page.
    const passkeys = await accounts.passkeys.replaceCode(sentBack(cookie));
    sendPage(response, 200, codePage({ site, door, csrf, next, passkeys, kept }));
  } catch (error) {
    showAgain(response, error, (problem) =>
      signInPage({ site, door, csrf, next, email, passkeys: accounts.passkeys.available, problem, kept }),
    );
  }
}

/** After signing in: to the page that was asked for, or, where a form waits to be sent, to what was typed. */
async function goOn(
  { accounts, site, door }: Pick<Parts, "accounts" | "site" | "door">,
  response: ServerResponse,
  { cookies, next, kept }: { cookies: readonly string[] | undefined; next: string; kept: Kept | undefined },
): Promise<void> {
  const csrf = kept && cookies?.[0] !== undefined ? await accounts.csrfOf(cookies[0]) : undefined;
  if (kept && csrf !== undefined) return sendPage(response, 200, resumePage({ site, door, csrf, next, kept }));
  redirect(response, next);
}

async function signInByLink({ accounts, site, door }: Parts, { request, response, visit, form }: Posted): Promise<void> {
  const next = nextOf(door, form.next);
  const signedIn = await accounts.signInByLink(visit, form.token ?? "");
  // After a double click the token is used already, but the browser has the cookie of the first click.
  const needsCode = signedIn?.needsCode ?? (await accounts.needsCode(request.headers));
  if (!signedIn && !needsCode && !(await accounts.findSession(request.headers)))
    return sendPage(
      response,
      410,
      staleLinkPage({ site, door, next }, (await accounts.links.dead(form.token ?? "", "sign-in"))?.why ?? "used"),
    );
  if (signedIn) response.setHeader("Set-Cookie", signedIn.cookie);
  if (needsCode) return redirect(response, leading(door, door.to.code(), next));
  redirect(response, signedIn?.isNew && next === door.base ? door.verified : next);
}

async function signInByCode({ accounts, limits, site, door }: Parts, { request, response, visit, form }: Posted): Promise<void> {
  const { csrf = "", code = "" } = form;
  const next = nextOf(door, form.next);
  const kept = readKept(door, form.kept);
  try {
    limits.perAddress(request, "password");
    const cookies = await accounts.signInByCode(visit, code);
    // After a double click the code is used already, but the browser has the session of the first click.
    if (!cookies && !(await accounts.findSession(request.headers)))
      return sendPage(response, 410, staleSignInPage({ site, door, next }));
    if (cookies) response.setHeader("Set-Cookie", cookies);
    await goOn({ accounts, site, door }, response, { cookies, next, kept });
  } catch (error) {
    const passkeys = await accounts.passkeys.replaceCode(request.headers);
    showAgain(response, error, (problem) => codePage({ site, door, csrf, next, passkeys, problem, kept }));
  }
}

async function startPasskey({ accounts, limits, site, door }: Parts, { request, response, visit, form }: Posted): Promise<void> {
  limits.perAddress(request, "password");
  const options = await accounts.passkeys.start(visit);
  if (!options) throw staleForm();
  const action = door.to.passkey();
  sendPage(response, 200, usePasskeyPage({ site, door, csrf: form.csrf ?? "", next: nextOf(door, form.next), action, options }));
}

async function signInByPasskey(
  { accounts, limits, site, door }: Parts,
  { request, response, visit, form }: Posted,
): Promise<void> {
  const { csrf = "", response: answer = "" } = form;
  const next = nextOf(door, form.next);
  try {
    limits.perAddress(request, "password");
    response.setHeader("Set-Cookie", await accounts.passkeys.signIn(visit, door.role, answer));
    redirect(response, next);
  } catch (error) {
    showAgain(response, error, (problem) =>
      signInPage({ site, door, csrf, next, email: "", passkeys: accounts.passkeys.available, problem }),
    );
  }
}

async function startPasskeyStep(
  { accounts, limits, site, door }: Parts,
  { request, response, visit, form }: Posted,
): Promise<void> {
  limits.perAddress(request, "password");
  const next = nextOf(door, form.next);
  const options = await accounts.passkeys.startStep(visit);
  if (!options) return sendPage(response, 410, staleSignInPage({ site, door, next }));
  const [action, kept] = [door.to.passkeyStep(), readKept(door, form.kept)];
  const state = { site, door, csrf: form.csrf ?? "", next, kept };
  sendPage(response, 200, usePasskeyPage({ ...state, action, options }));
}

async function signInByPasskeyStep(
  { accounts, limits, site, door }: Parts,
  { request, response, visit, form }: Posted,
): Promise<void> {
  const { csrf = "", response: answer = "" } = form;
  const next = nextOf(door, form.next);
  const kept = readKept(door, form.kept);
  try {
    limits.perAddress(request, "password");
    const cookies = await accounts.passkeys.signInByStep(visit, answer);
    if (!cookies && !(await accounts.findSession(request.headers)))
      return sendPage(response, 410, staleSignInPage({ site, door, next }));
    if (cookies) response.setHeader("Set-Cookie", cookies);
    await goOn({ accounts, site, door }, response, { cookies, next, kept });
  } catch (error) {
    showAgain(response, error, (problem) => codePage({ site, door, csrf, next, passkeys: true, problem, kept }));
  }
}

async function register({ accounts, limits, site, door }: Parts, { request, response, visit, form }: Posted): Promise<void> {
  const { csrf = "", email = "", password = "", name = "" } = form;
  const next = nextOf(door, form.next);
  try {
    limits.perAddress(request, "register");
    const given = { email: email.trim(), password, role: door.role, ...(name.trim() && { name: name.trim() }) };
    const cookie = await accounts.register(visit, {
      ...validate(contract.register.body!, given),
      ...(next !== door.base && { next }),
    });
    if (cookie === undefined) return redirect(response, leading(door, door.to.registered(), next));
    response.setHeader("Set-Cookie", cookie);
    redirect(response, next);
  } catch (error) {
    showAgain(response, error, (problem) => registerPage({ site, door, csrf, next, email, name, problem }));
  }
}

async function mailPasswordReset({ accounts, limits, door }: Parts, { request, response, form }: Posted): Promise<void> {
  limits.perAddress(request, "password");
  const next = nextOf(door, form.next);
  await accounts.links.mailPasswordReset(form.email ?? "", next === door.base ? undefined : next);
  redirect(response, leading(door, door.to.resetSent(), next));
}

/** Shows the page of the form again, with the error. */
function showAgain(response: ServerResponse, error: unknown, page: (problem: string | Markup) => PageContent): void {
  if (!(error instanceof ApiError)) throw error;
  setHeaders(response, error.headers);
  sendPage(response, error.status, page(error instanceof OtherRole ? otherRole(error.role) : errorText(error)));
}
