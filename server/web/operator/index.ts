import type { IncomingMessage, ServerResponse } from "node:http";
import { operator } from "../../../src/contract/pages/addresses.ts";
import type { BrowserAccounts } from "../../accounts/browser/accounts.ts";
import type { OperatorSession, OperatorSessions } from "../../accounts/browser/operators.ts";
import type { CallAs, Origin } from "../../http/call-operation.ts";
import type { Target } from "../../http/target.ts";
import { ApiError, notFound } from "../../lib/api-error.ts";
import { staleForm } from "../form.ts";
import { html, type Markup, type PageContent, redirect, sendPage } from "../html.ts";
import type { PageLimits } from "../limits.ts";
import { errorText } from "../shared/error-text.ts";
import { signedOutLayout } from "../shared/layout.ts";
import { SignedInPages } from "../shared/pages.ts";
import { alert, hiddenFields } from "../shared/parts.ts";
import type { Exchange } from "../shared/types.ts";
import { leading, nextOf } from "../sign-in/doors.ts";
import type { Site } from "../site.ts";
import type { Page, ReadForm } from "../types.ts";
import { operatorLayout } from "./layout.ts";
import { people, person } from "./people.ts";
import { playtest, playtests } from "./playtests.ts";
import type { OperatorContext } from "./types.ts";
import { waiting } from "./waiting.ts";

interface OperatorParts extends Pick<OperatorContext, "disk"> {
  site: Site;
  sessions: OperatorSessions;
  accounts: Pick<BrowserAccounts, "formToken" | "isFormToken">;
  limits: PageLimits;
  callAs: CallAs;
  readForm: ReadForm;
  newFormKey(): string;
  now(): number;
}

/** `/admin`: what operators do in a browser. They sign in with their API key, and the pages may do what that may. */
export function operatorArea(parts: OperatorParts): Page {
  const { site, sessions, limits, callAs, readForm, newFormKey, now, disk } = parts;
  const pages = new SignedInPages<OperatorContext>({
    ...area,
    pages: [waiting, playtests, playtest, people, person],
    site,
    readForm,
    countPassword: (request) => limits.perAddress(request, "password"),
    newFormKey,
    now,
    contextOf: (page) => ({ ...page, disk }),
    layout: (context, page) => operatorLayout(context, undefined, page),
    back: html`<a href="${operator.waiting()}">Back to what waits</a>`,
  });

  async function serve(exchange: Exchange): Promise<void> {
    const { request, response, url } = exchange;
    if (request.method !== "POST" || url.pathname !== operator.signOut()) return pages.serve(exchange);
    await pages.readOwnForm(exchange);
    response.setHeader("Set-Cookie", sessions.signedOut());
    redirect(response, `${operator.signIn()}?done=signed-out`);
  }

  return async (request, response, url, origin) => {
    const session = await sessions.find(request.headers);
    if (!session) return signedOut(parts, request, response, url, pages.pageOf(url.pathname) ?? url.pathname);
    if (url.pathname === operator.signIn()) return redirect(response, nextOf(area, url.searchParams.get("next")));
    const exchange = exchangeOf(callAs, session, { request, response, url, origin });
    try {
      limits.perKey(session.principal);
      await serve(exchange);
    } catch (error) {
      await pages.showError(exchange, error);
    }
  };
}

interface Asked {
  request: IncomingMessage;
  response: ServerResponse;
  url: Target;
  origin: Origin;
}

/** These pages follow no events and send no files. */
const exchangeOf = (callAs: CallAs, { principal, displayName, csrf }: OperatorSession, asked: Asked): Exchange => ({
  ...asked,
  session: { userId: principal.userId, displayName, csrf, caller: principal, origin: asked.origin },
  call: callAs(principal, asked.origin),
  streamEvents: async () => Promise.reject(notFound()),
  sendFile: async () => Promise.reject(notFound()),
});

const area = { base: operator.waiting() };

/** Everybody else can only sign in, and is led to the page at the path `page` then. */
async function signedOut(
  { site, sessions, accounts, limits, readForm }: OperatorParts,
  request: IncomingMessage,
  response: ServerResponse,
  url: Target,
  page: string,
): Promise<void> {
  limits.perAddress(request, "keyless");
  if (url.pathname === operator.signOut()) return redirect(response, operator.signIn());
  if (url.pathname !== operator.signIn())
    return redirect(response, leading(area, operator.signIn(), nextOf(area, `${page}${url.search}`)));
  const { token: csrf, cookie } = accounts.formToken(request.headers);
  if (cookie !== undefined) response.setHeader("Set-Cookie", cookie);
  const asked = nextOf(area, url.searchParams.get("next"));
  if (request.method !== "POST") return sendPage(response, 200, signInPage(site, { csrf, next: asked }));
  const form = await readForm(request);
  const next = nextOf(area, form.next);
  if (!accounts.isFormToken(request.headers, form.csrf ?? "")) throw staleForm();
  try {
    limits.perAddress(request, "password");
    response.setHeader("Set-Cookie", await sessions.signIn(form.key ?? ""));
    redirect(response, next);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    sendPage(response, error.status, signInPage(site, { csrf, next }, errorText(error)));
  }
}

const signInPage = (site: Site, fields: { csrf: string; next: string }, problem?: string | Markup): PageContent =>
  signedOutLayout(site, operator.signIn(), {
    title: "Sign in as an operator",
    body: html`${problem !== undefined && alert(problem)}<p>These pages are for the operators of this server. They sign in with their API key, for twelve hours.</p>
<form method="post" action="${operator.signIn()}">${hiddenFields(fields)}
<label for="key">API key</label><input id="key" name="key" type="password" autocomplete="current-password" maxlength="200" required spellcheck="false">
<button>Sign in</button></form>`,
  });
