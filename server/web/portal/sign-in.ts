import type { IncomingMessage, ServerResponse } from "node:http";
import { contract } from "../../../src/contract/index.ts";
import { createUser, login, mailReset, mailSignIn, verifyUser } from "../../accounts/service.ts";
import { findSession, readCookie, startSession } from "../../accounts/sessions.ts";
import * as sessions from "../../accounts/sessions-store.ts";
import * as users from "../../accounts/users-store.ts";
import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import type { Target } from "../../http/listener.ts";
import { validate } from "../../http/validate.ts";
import { forbidden, notFound, Problem } from "../../lib/problem.ts";
import { sha256 } from "../../lib/secrets.ts";
import { type PageContent, redirect, sendPage } from "../html.ts";
import type { Page } from "../index.ts";
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
import { createVisitors } from "./visitors.ts";

/** Where to go after signing in: a page of the portal, or its first one. */
const nextOf = (given: string | null | undefined) => (given && /^\/play(\/[\w-]+)*$/.test(given) ? given : "/play");

const said = new Map([
  ["signed-out", "You are signed out."],
  ["password", "The password is changed, and every browser is signed out. Sign in with the new one."],
]);

function sendRefusal(response: ServerResponse, problem: Problem, page: PageContent): void {
  for (const [name, value] of Object.entries(problem.headers)) response.setHeader(name, value);
  sendPage(response, problem.status, page);
}

/** `/play/sign-in`: by a mailed link or by password; `/play/register`, `/play/forgot`: without an account, without the password. */
export function signIn(deps: Deps): Page {
  const visitors = createVisitors(deps);

  async function enter(tx: Query, request: IncomingMessage, userId: string): Promise<string> {
    const before = await findOwnSession(tx, request);
    if (before) await sessions.end(tx, before);
    return startSession(deps, tx, userId);
  }

  async function findOwnSession(tx: Query, request: IncomingMessage): Promise<string | undefined> {
    const token = readCookie(deps, request.headers, "session");
    return token === undefined ? undefined : (await sessions.find(tx, sha256(token), deps.clock.now()))?.hash;
  }

  async function mailLink(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = await visitors.form(request);
    visitors.limit(request, "password");
    const email = form.email?.trim() ?? "";
    await deps.store.write(async (tx) => {
      const user = await users.findByEmail(tx, email.slice(0, 254).replaceAll("\0", ""));
      // The answer is the same for every address: it must not tell who has an account.
      if (user?.role === "playtester" && user.suspended_at === null) await mailSignIn(deps, tx, user, nextOf(form.next));
    });
    redirect(response, "/play/sign-in/sent");
  }

  async function byPassword(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = await visitors.form(request);
    try {
      visitors.limit(request, "password");
      const user = await login(deps, (form.email ?? "").replaceAll("\0", ""), form.password ?? "");
      if (user.role !== "playtester")
        throw forbidden("This is not the account of a playtester. Game owners use the command line.");
      if (user.email_verified_at === null)
        throw forbidden("Your e-mail address is not confirmed yet. Ask for a link instead: it confirms the address as well.");
      response.setHeader("Set-Cookie", await deps.store.write((tx) => enter(tx, request, user.id)));
      redirect(response, nextOf(form.next));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const state = { csrf: form.csrf ?? "", next: nextOf(form.next), email: form.email ?? "", problem: error.message };
      sendRefusal(response, error, signInPage(state));
    }
  }

  /** The link's one use. It proves the address, too. */
  async function byLink(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = await visitors.form(request);
    const cookie = await deps.store.write(async (tx) => {
      const used = await users.useToken(tx, sha256(form.token ?? ""), "sign-in", deps.clock.now());
      const user = used && (await users.find(tx, used.user_id));
      if (!user || user.suspended_at !== null) return undefined;
      if (user.email_verified_at === null) await verifyUser(deps, tx, user.id);
      return enter(tx, request, user.id);
    });
    // Pressed twice, the second press finds the session of the first.
    if (cookie === undefined && !(await findSession(deps, request.headers))) return sendPage(response, 410, staleLinkPage());
    if (cookie !== undefined) response.setHeader("Set-Cookie", cookie);
    redirect(response, nextOf(form.next));
  }

  async function register(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = await visitors.form(request);
    try {
      visitors.limit(request, "register");
      const { email = "", password = "", name = "" } = form;
      const given = { email: email.trim(), password, role: "playtester", ...(name.trim() && { name: name.trim() }) };
      const account = validate(contract.register.body!, given);
      const passwordHash = await deps.passwords.hash(account.password);
      const cookie = await deps.store.write(async (tx) => {
        const user = await createUser(deps, tx, { ...account, passwordHash });
        return user.email_verified_at === null ? undefined : enter(tx, request, user.id);
      });
      if (cookie === undefined) return redirect(response, "/play/register/sent");
      response.setHeader("Set-Cookie", cookie);
      redirect(response, "/play");
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      sendRefusal(response, error, registerPage({ ...form, csrf: form.csrf ?? "", problem: error.message }));
    }
  }

  async function forgot(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { email = "" } = await visitors.form(request);
    visitors.limit(request, "password");
    await deps.store.write(async (tx) => {
      const user = await users.findByEmail(tx, email.trim().slice(0, 254).replaceAll("\0", ""));
      if (user && user.suspended_at === null) await mailReset(deps, tx, user);
    });
    redirect(response, "/play/forgot/sent");
  }

  async function show(request: IncomingMessage, response: ServerResponse, url: Target): Promise<void> {
    const next = nextOf(url.searchParams.get("next"));
    const csrf = visitors.token(request, response);
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
    if (await findSession(deps, request.headers)) return redirect(response, next);
    sendPage(response, 200, signInPage({ csrf, next, email: "", notice: said.get(url.searchParams.get("done") ?? "") }));
  }

  const posts: Record<string, (request: IncomingMessage, response: ServerResponse) => Promise<void>> = {
    "/play/sign-in/link": mailLink,
    "/play/sign-in/password": byPassword,
    "/play/sign-in/confirm": byLink,
    "/play/register": register,
    "/play/forgot": forgot,
  };

  return async (request, response, url) => {
    if (request.method !== "POST") return show(request, response, url);
    const post = Object.hasOwn(posts, url.pathname) ? posts[url.pathname] : undefined;
    if (!post) throw notFound();
    await post(request, response);
  };
}
