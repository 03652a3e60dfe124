import type { IncomingMessage, ServerResponse } from "node:http";
import type { BrowserAccounts } from "../../accounts/browser-accounts.ts";
import { isFormToken, type Session } from "../../accounts/sessions.ts";
import type { CallAs, Origin } from "../../http/call-operation.ts";
import { contentDisposition } from "../../http/range.ts";
import { problemOf, setHeaders } from "../../http/reply.ts";
import type { Match } from "../../http/router.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import type { Target } from "../../http/target.ts";
import { notFound, type Problem } from "../../lib/problem.ts";
import type { PostedFile } from "../../uploads/posted.ts";
import { staleForm } from "../form.ts";
import { html, type PageContent, redirect, sendPage } from "../html.ts";
import type { PageLimits } from "../limits.ts";
import type { Site } from "../site.ts";
import type { Form, Page, ReadForm } from "../types.ts";
import { createContext } from "./context.ts";
import { alert, signedInLayout } from "./layout.ts";
import { createPortalRouter, type Route } from "./routes.ts";
import { signIn } from "./sign-in.ts";
import type { Action, Download, PageContext, RecordingPart, View } from "./types.ts";

/** The dependencies of the portal: the operations of the API, and functions that only pages need. */
export interface PortalParts {
  site: Site;
  callAs: CallAs;
  accounts: BrowserAccounts;
  limits: PageLimits;
  readForm: ReadForm;
  /** Reads the fields of a form up to its file. The file itself is not read yet. */
  readFileForm(request: IncomingMessage): Promise<PostedFile>;
  /** Stores the file as the video of a slot that this account holds. */
  storeVideo(userId: string, slotId: string, file: PostedFile): Promise<void>;
  /** Sends the submitted video of a slot of this account, or its captions. */
  sendRecording(
    wanted: { userId: string; slotId: string; part: RecordingPart },
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void>;
  newFormKey(): string;
  now(): number;
}

/** A request with a valid session, and its response. */
interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  url: Target;
  origin: Origin;
  session: Session;
}

/**
 * `/play`: the web portal for playtesters. Pages are rendered on the server and work without scripts. They call the operations of the API,
 * so that both follow the same rules. After a form succeeds, the response is a redirect. When it fails, the page of the form is shown
 * again.
 */
export function portal(parts: PortalParts): Page {
  const signedIn = new SignedInPortal(parts);
  const signedOut = signIn(parts);

  return async (request, response, url, origin) => {
    if (/^\/play\/(sign-in|register|forgot)(\/|$)/.test(url.pathname)) {
      parts.limits.perAddress(request, "keyless");
      return signedOut(request, response, url, origin);
    }
    const session = await parts.accounts.findSession(request.headers);
    if (session?.role === "playtester") return signedIn.serve({ request, response, url, origin, session });
    parts.limits.perAddress(request, "keyless");
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
      await this.#showError(exchange, error);
    }
  }

  async #show(exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    const found = this.#match(exchange);
    const { view, link, download, recording } = found.methods.get("GET") ?? {};
    const context = this.#contextOf(exchange, idIn(found));
    if (link) return redirect(response, await link(context));
    if (download) return sendDownload(response, await download(context));
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (recording && isRead) {
      const wanted = { userId: exchange.session.user_id, slotId: context.id, part: recording };
      return this.#parts.sendRecording(wanted, request, response);
    }
    if (!view || !isRead) throw notAllowed(found);
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
    if (action.takesPassword) limits.perAddress(request, "password");
    const context = this.#contextOf(exchange, idIn(found), form);
    await runAction(response, () => action.run(context), action, context);
  }

  /** Handles the video form of browsers without scripts. No operation of the API accepts a posted file, so it is stored here. */
  async #postVideo(exchange: Exchange, slotId: string, page: View): Promise<void> {
    const { request, response, session } = exchange;
    const file = await this.#parts.readFileForm(request);
    if (!isFormToken(session, file.fields.csrf)) {
      void file.skip();
      throw staleForm();
    }
    const store = async () => {
      await this.#parts.storeVideo(session.user_id, slotId, file);
      return `/play/slots/${slotId}?done=uploaded`;
    };
    await runAction(response, store, { page }, this.#contextOf(exchange, slotId));
  }

  async #signOut(response: ServerResponse, session: Session): Promise<void> {
    response.setHeader("Set-Cookie", await this.#parts.accounts.endSession(session));
    redirect(response, "/play/sign-in?done=signed-out");
  }

  /** Shows an error inside the layout of the portal. */
  async #showError(exchange: Exchange, error: unknown): Promise<void> {
    const { response } = exchange;
    const problem = problemOf(error);
    if (problem.status >= 500 || response.headersSent) throw error;
    setHeaders(response, problem.headers);
    const title = problem.status === 404 ? "Not found" : "Something went wrong";
    const message = problem.status === 404 ? "Not found, or you do not have access to it." : problem.message;
    const body = html`${alert(message)}<p><a href="/play">Back to playtests</a></p>`;
    sendPage(response, problem.status, await signedInLayout(this.#contextOf(exchange), undefined, { title, body }));
  }

  #match({ url }: Exchange): Match<Route> {
    const found = this.#router.match(url.pathname.slice("/play".length).replace(/\/$/, "") || "/");
    if (!found) throw notFound();
    return found;
  }

  #contextOf({ session, origin, url }: Exchange, id = "", form: Form = {}): PageContext {
    const { site, callAs, now, newFormKey } = this.#parts;
    const page = { site, id, query: url.searchParams, form, faults: {}, formKey: newFormKey(), now: now() };
    return createContext({ ...page, callAs, session, origin });
  }
}

function sendDownload(response: ServerResponse, { filename, contentType, body }: Download): void {
  const disposition = contentDisposition("attachment", filename);
  response.writeHead(200, { "Content-Type": contentType, "Content-Disposition": disposition });
  response.end(body);
}

/** Runs the action of a form and redirects, or shows the page that it returns. When it fails, shows the page again with the error and the values entered. */
async function runAction(
  response: ServerResponse,
  run: () => Promise<string | PageContent>,
  { page: view, fields = {} }: Pick<Action, "page" | "fields">,
  context: PageContext,
): Promise<void> {
  let done: string | PageContent;
  try {
    done = await run();
  } catch (error) {
    const problem = problemOf(error);
    if (problem.status >= 500 || problem.status === 404) throw error;
    const wrong = wrongFields(problem, fields, context.id);
    const faults = Object.fromEntries(wrong.map(({ id, message }) => [id, message]));
    const page = await view({ ...context, faults, query: new URLSearchParams() });
    const body = html`${alert(wrong.length > 0 ? html`${listOf(wrong)}` : problem.message)}${page.body}`;
    return sendPage(response, problem.status, { ...page, title: `Error: ${page.title}`, heading: page.title, body });
  }
  if (typeof done === "string") redirect(response, done);
  else sendPage(response, 200, done);
}

interface WrongField {
  id: string;
  label: string;
  message: string;
}

/** The fields of the form that the problem names. Empty if it names others as well: then only its message says everything. */
function wrongFields({ details = [] }: Problem, fields: NonNullable<Action["fields"]>, pathId: string): WrongField[] {
  const wrong = details.flatMap(({ field, message }) => {
    const known = Object.hasOwn(fields, field) ? fields[field] : undefined;
    return known ? [{ label: known.label, id: typeof known.id === "string" ? known.id : known.id(pathId), message }] : [];
  });
  return wrong.length === details.length ? wrong : [];
}

const listOf = (wrong: readonly WrongField[]) =>
  wrong.map(({ id, label, message }) => html`<p><a href="#${id}">${label}</a>: ${message}.</p>`);

const idIn = ({ values }: Match<Route>) => values[0] ?? "";
const notAllowed = ({ methods }: Match<Route>) => methodNotAllowed([...methods.keys()], "page");
