import type { IncomingMessage, ServerResponse } from "node:http";
import type { BrowserAccounts } from "../../accounts/browser-accounts.ts";
import { isFormToken, type Session } from "../../accounts/sessions.ts";
import type { CallAs } from "../../http/call-operation.ts";
import { problemOf, setHeaders } from "../../http/reply.ts";
import type { Match } from "../../http/router.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import type { Target } from "../../http/target.ts";
import { notFound } from "../../lib/problem.ts";
import type { PostedFile } from "../../uploads/posted.ts";
import { staleForm } from "../form.ts";
import { html, redirect, sendPage } from "../html.ts";
import type { PageLimits } from "../limits.ts";
import type { Form, Page, ReadForm } from "../types.ts";
import { createContext } from "./context.ts";
import { alert, frame } from "./layout.ts";
import { createPortalRouter, type Route } from "./routes.ts";
import { signIn } from "./sign-in.ts";
import type { PageContext, View } from "./types.ts";

/** What the portal is made from: the operations of the API, and what only a browser needs. */
export interface PortalParts {
  callAs: CallAs;
  accounts: BrowserAccounts;
  limits: PageLimits;
  readForm: ReadForm;
  /** Reads a form up to the file in it. */
  readFileForm(request: IncomingMessage): Promise<PostedFile>;
  /** Stores the file as the video of a slot that this account holds. */
  keepVideo(userId: string, slotId: string, file: PostedFile): Promise<void>;
  newFormKey(): string;
  now(): number;
}

/** A request of somebody who is signed in. */
interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  url: Target;
  requestId: string;
  session: Session;
}

/**
 * `/play`: the portal of playtesters. Pages are rendered here and work without scripts; what they do goes through the API's own
 * operations, so that both follow the same rules. A form's answer is a redirect; one that fails shows its page again.
 */
export function portal(parts: PortalParts): Page {
  const signedIn = new SignedInPortal(parts);
  const signedOut = signIn(parts);

  return async (request, response, url, requestId) => {
    if (/^\/play\/(sign-in|register|forgot)(\/|$)/.test(url.pathname)) return signedOut(request, response, url, requestId);
    const session = await parts.accounts.findSession(request.headers);
    if (session?.role === "playtester") return signedIn.serve({ request, response, url, requestId, session });
    const back = request.method === "GET" ? `?${new URLSearchParams({ next: url.pathname })}` : "";
    redirect(response, `/play/sign-in${back}`);
  };
}

class SignedInPortal {
  readonly #parts: PortalParts;
  readonly #router = createPortalRouter();

  constructor(parts: PortalParts) {
    this.#parts = parts;
  }

  async serve(exchange: Exchange): Promise<void> {
    try {
      this.#parts.limits.perSession(exchange.session);
      await (exchange.request.method === "POST" ? this.#post(exchange) : this.#show(exchange));
    } catch (error) {
      await this.#explain(exchange, error);
    }
  }

  async #show(exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    const found = this.#match(exchange);
    const { view, link } = found.methods.get("GET") ?? {};
    const context = this.#contextOf(exchange, idIn(found));
    if (link) return redirect(response, await link(context));
    if (!view || (request.method !== "GET" && request.method !== "HEAD")) throw notAllowed(found);
    sendPage(response, 200, await view(context));
  }

  async #post(exchange: Exchange): Promise<void> {
    const { request, response, url, session } = exchange;
    const { readForm, limits } = this.#parts;
    const found = url.pathname === "/play/sign-out" ? undefined : this.#match(exchange);
    const { action, video } = found?.methods.get("POST") ?? {};
    if (found && video) return this.#postVideo(exchange, idIn(found), video);
    const form = await readForm(request);
    if (!isFormToken(session, form.csrf)) throw staleForm();
    if (!found) return this.#signOut(response, session);
    if (!action) throw notAllowed(found);
    if (action.guesses) limits.perAddress(request, "password");
    const context = this.#contextOf(exchange, idIn(found), form);
    await act(response, () => action.run(context), action.page, context);
  }

  /** A form without the script: the file itself, not what an operation takes. */
  async #postVideo(exchange: Exchange, slotId: string, page: View): Promise<void> {
    const { request, response, session } = exchange;
    const file = await this.#parts.readFileForm(request);
    if (!isFormToken(session, file.fields.csrf)) {
      response.setHeader("Connection", "close");
      throw staleForm();
    }
    const keep = async () => {
      await this.#parts.keepVideo(session.user_id, slotId, file);
      return `/play/slots/${slotId}?done=uploaded`;
    };
    await act(response, keep, page, this.#contextOf(exchange, slotId));
  }

  async #signOut(response: ServerResponse, session: Session): Promise<void> {
    response.setHeader("Set-Cookie", await this.#parts.accounts.endSession(session));
    redirect(response, "/play/sign-in?done=signed-out");
  }

  /** Shows an error inside the frame of the portal. */
  async #explain(exchange: Exchange, error: unknown): Promise<void> {
    const { response } = exchange;
    const problem = problemOf(error);
    if (problem.status >= 500 || response.headersSent) throw error;
    setHeaders(response, problem.headers);
    const title = problem.status === 404 ? "Not found" : "Something went wrong";
    const said = problem.status === 404 ? "Not found, or you do not have access to it." : problem.message;
    const body = html`<p>${said}</p><p><a href="/play">Back to playtests</a></p>`;
    sendPage(response, problem.status, await frame(this.#contextOf(exchange), undefined, { title, body }));
  }

  #match({ url }: Exchange): Match<Route> {
    const found = this.#router.match(url.pathname.slice("/play".length).replace(/\/$/, "") || "/");
    if (!found) throw notFound();
    return found;
  }

  #contextOf({ session, requestId, url }: Exchange, id = "", form: Form = {}): PageContext {
    const { callAs, now, newFormKey } = this.#parts;
    const page = { id, query: url.searchParams, form, formKey: newFormKey(), now: now() };
    return createContext({ ...page, callAs, session, requestId });
  }
}

/** Does what a form asks for and redirects; when it fails, shows its page again with what was wrong and what was typed. */
async function act(response: ServerResponse, run: () => Promise<string>, view: View, context: PageContext): Promise<void> {
  let location: string;
  try {
    location = await run();
  } catch (error) {
    const problem = problemOf(error);
    if (problem.status >= 500 || problem.status === 404) throw error;
    const page = await view({ ...context, query: new URLSearchParams() });
    return sendPage(response, problem.status, { ...page, body: html`${alert(problem.message)}${page.body}` });
  }
  redirect(response, location);
}

const idIn = ({ values }: Match<Route>) => values[0] ?? "";
const notAllowed = ({ methods }: Match<Route>) => methodNotAllowed([...methods.keys()], "page");
