import type { IncomingMessage, ServerResponse } from "node:http";
import { login, mailSignIn, verifyUser } from "../../accounts.ts";
import type { Deps } from "../../deps.ts";
import { createAddresses } from "../../http/address.ts";
import type { Target } from "../../http/listener.ts";
import { limiterOf } from "../../http/rate-limit.ts";
import { forbidden, notFound, Problem } from "../../problem.ts";
import { sameText, sha256 } from "../../secrets.ts";
import { bakeCookie, findSession, readCookie, startSession } from "../../sessions.ts";
import type { Query } from "../../store/db.ts";
import * as sessions from "../../store/sessions.ts";
import * as users from "../../store/users.ts";
import { readForm } from "../form.ts";
import { redirect, sendPage } from "../html.ts";
import type { Page } from "../index.ts";
import type { Form } from "./layout.ts";
import { confirmPage, linkSentPage, signInPage, staleLinkPage } from "./sign-in-views.ts";

/** Where to go after signing in: a page of the portal, or its first one. */
const nextOf = (given: string | null | undefined) => (given && /^\/play(\/[\w-]+)*$/.test(given) ? given : "/play");

const staleForm = () => forbidden("This page was out of date, so nothing was done. Go back, reload it and try again.");

/**
 * `/play/sign-in`: by a mailed link or by password. Whoever is not signed in has a cookie too, and its forms carry a token made from
 * it: no other site can sign somebody in.
 */
export function signIn(deps: Deps): Page {
  const addressOf = createAddresses(deps.config.http.trustedProxies);
  const tokenOf = (visitor: string) => deps.secrets.mac("sign-in form", visitor);

  /** The form token for this browser, which gets its cookie if it has none. */
  function visitorToken(request: IncomingMessage, response: ServerResponse): string {
    const known = readCookie(deps, request.headers, "visitor");
    const visitor = known ?? deps.randomBytes(32).toString("base64url");
    if (known === undefined) response.setHeader("Set-Cookie", bakeCookie(deps, "visitor", visitor));
    return tokenOf(visitor);
  }

  async function checkedForm(request: IncomingMessage): Promise<Form> {
    const form = await readForm(request);
    const visitor = readCookie(deps, request.headers, "visitor");
    if (visitor === undefined || !sameText(form.csrf ?? "", tokenOf(visitor))) throw staleForm();
    return form;
  }

  /** The API's own buckets: guessing here and there counts together (decisions §12). */
  function limit(request: IncomingMessage): void {
    const { enabled, passwordPerMinute } = deps.config.limits;
    if (!enabled) return;
    const bucket = { perMinute: passwordPerMinute, burst: passwordPerMinute };
    const verdict = limiterOf(deps).take(`password ${addressOf(request)}`, bucket);
    if (verdict.allowed) return;
    const seconds = String(verdict.retryAfterSeconds);
    throw new Problem("RATE_LIMITED", `Too many tries. Wait ${seconds} seconds, then try again.`, {
      headers: { "Retry-After": seconds },
    });
  }

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
    const form = await checkedForm(request);
    limit(request);
    const email = form.email?.trim() ?? "";
    await deps.store.write(async (tx) => {
      const user = await users.findByEmail(tx, email.slice(0, 254).replaceAll("\0", ""));
      // The answer is the same for every address: it must not tell who has an account.
      if (user?.role === "playtester" && user.suspended_at === null) await mailSignIn(deps, tx, user, nextOf(form.next));
    });
    redirect(response, "/play/sign-in/sent");
  }

  async function byPassword(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = await checkedForm(request);
    try {
      limit(request);
      const user = await login(deps, (form.email ?? "").replaceAll("\0", ""), form.password ?? "");
      if (user.role !== "playtester")
        throw forbidden("This is not the account of a playtester. Game owners use the command line.");
      if (user.email_verified_at === null)
        throw forbidden("Your e-mail address is not confirmed yet. Ask for a link instead: it confirms the address as well.");
      response.setHeader("Set-Cookie", await deps.store.write((tx) => enter(tx, request, user.id)));
      redirect(response, nextOf(form.next));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
      const state = { csrf: form.csrf ?? "", next: nextOf(form.next), email: form.email ?? "", problem: error.message };
      sendPage(response, error.status, signInPage(state));
    }
  }

  /** The link's one use. It proves the address, too. */
  async function byLink(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = await checkedForm(request);
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

  async function show(request: IncomingMessage, response: ServerResponse, url: Target): Promise<void> {
    const next = nextOf(url.searchParams.get("next"));
    const csrf = visitorToken(request, response);
    if (url.pathname === "/play/sign-in/sent") return sendPage(response, 200, linkSentPage());
    if (url.pathname === "/play/sign-in/confirm")
      return sendPage(response, 200, confirmPage({ csrf, next, token: url.searchParams.get("token") ?? "" }));
    if (url.pathname !== "/play/sign-in") throw notFound();
    if (await findSession(deps, request.headers)) return redirect(response, next);
    const left = url.searchParams.get("done") === "signed-out";
    sendPage(response, 200, signInPage({ csrf, next, email: "", notice: left ? "You are signed out." : undefined }));
  }

  const posts: Record<string, (request: IncomingMessage, response: ServerResponse) => Promise<void>> = {
    "/play/sign-in/link": mailLink,
    "/play/sign-in/password": byPassword,
    "/play/sign-in/confirm": byLink,
  };

  return async (request, response, url) => {
    if (request.method !== "POST") return show(request, response, url);
    const post = posts[url.pathname];
    if (!post) throw notFound();
    await post(request, response);
  };
}
