import type { IncomingMessage, ServerResponse } from "node:http";
import { contentDisposition } from "../../http/range.ts";
import { apiErrorOf, setHeaders } from "../../http/reply.ts";
import { createRouter, type Match, type Router } from "../../http/router.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import { type ApiError, notFound } from "../../lib/api-error.ts";
import { sameText } from "../../lib/secrets.ts";
import { staleForm } from "../form.ts";
import { html, type Markup, type PageContent, redirect, sendPage } from "../html.ts";
import type { Site } from "../site.ts";
import type { Form, ReadForm } from "../types.ts";
import { errorText } from "./error-text.ts";
import { keyedByContent } from "./keyed-call.ts";
import { NotOffered } from "./not-offered.ts";
import { alert, withCode } from "./parts.ts";
import type { Action, AreaPage, Download, Exchange, PageContext, Route, View } from "./types.ts";

/** The pages below one path for people who are signed in, and how their server answers. */
export interface Area<C extends PageContext> {
  /** The path of the first page, such as `/play`. */
  base: string;
  pages: readonly AreaPage<C>[];
  /** What parameters of a path match; the ids of this server by default. */
  ids?: RegExp;
  site: Site;
  /** Adds what the pages of this area need besides. */
  contextOf(page: PageContext): C;
  /** Puts the navigation around an error. */
  layout(context: C, page: PageContent): Promise<PageContent>;
  /** Where an error page leads. */
  back: Markup;
  readForm: ReadForm;
  /** Counts an attempt to enter a password. Throws 429. */
  countPassword(request: IncomingMessage): void;
  newFormKey(): string;
  now(): number;
}

/** Whether this is the CSRF token of the session, which only its own pages know. */
export const isFormTokenOf = ({ session }: Exchange, given: string | undefined): boolean =>
  given !== undefined && sameText(given, session.csrf);

/**
 * Answers requests of people who are signed in: pages, files and posted forms. Pages are rendered on the server and work without scripts.
 * They call the operations of the API, so that both follow the same rules. After a form succeeds, the response is a redirect. When it
 * fails, the page of the form is shown again.
 */
export class SignedInPages<C extends PageContext> {
  readonly #area: Area<C>;
  readonly #router: Router<Route<C>>;

  constructor(area: Area<C>) {
    this.#area = area;
    this.#router = routerOf(area);
  }

  async serve(exchange: Exchange): Promise<void> {
    const found = this.#match(exchange);
    await (exchange.request.method === "POST" ? this.#post(exchange, found) : this.#show(exchange, found));
  }

  /** The path of the page that a form belongs to, by what it posts to. Undefined for what no form posts to. */
  pageOf(path: string): string | undefined {
    const found = this.#router.match(below(this.#area, path));
    const at = found?.methods.get("POST")?.page;
    const values = [...(found?.values ?? [])];
    return at?.replace(/:\w+/g, () => values.shift() ?? "");
  }

  /** Reads the form of a button that signs out, which belongs to no page. Throws 403 for a form of another site. */
  async readOwnForm(exchange: Exchange): Promise<Form> {
    const form = await this.#area.readForm(exchange.request);
    if (!isFormTokenOf(exchange, form.csrf)) throw staleForm();
    return form;
  }

  /** Shows an error inside the layout of the area. Throws unexpected errors again. */
  async showError(exchange: Exchange, error: unknown): Promise<void> {
    const { response } = exchange;
    const problem = apiErrorOf(error);
    if (problem.status >= 500 || response.headersSent) throw error;
    setHeaders(response, problem.headers);
    const title = problem instanceof NotOffered ? "Not available" : problem.status === 404 ? "Not found" : "Something went wrong";
    const isHidden = problem.status === 404 && !(problem instanceof NotOffered);
    const message = isHidden ? notFound().message : problem.message;
    const body = html`${alert(message)}<p>${this.#area.back}</p>`;
    sendPage(response, problem.status, await this.#area.layout(this.#contextOf(exchange), { title, body }));
  }

  async #show(exchange: Exchange, found: Match<Route<C>>): Promise<void> {
    const { request, response } = exchange;
    const { view, link, download, serve } = found.methods.get("GET") ?? {};
    const context = this.#contextOf(exchange, found.values);
    if (link) return redirect(response, await link(context));
    if (download) return sendDownload(response, await download(context));
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (serve && isRead) return serve(exchange, context);
    if (!view || !isRead) throw notAllowed(found);
    const page = await view(context);
    sendPage(response, page.status ?? 200, page);
  }

  async #post(exchange: Exchange, found: Match<Route<C>>): Promise<void> {
    const { action, serve } = found.methods.get("POST") ?? {};
    if (serve) return serve(exchange, this.#contextOf(exchange, found.values));
    const form = await this.readOwnForm(exchange);
    if (!action) throw notAllowed(found);
    if (action.takesPassword) this.#area.countPassword(exchange.request);
    const context = this.#contextOf(exchange, found.values, form);
    await runAction(exchange.response, () => action.run(context), action, context);
  }

  #match({ url }: Exchange): Match<Route<C>> {
    const found = this.#router.match(below(this.#area, url.pathname));
    if (!found) throw notFound();
    return found;
  }

  #contextOf({ session, call, url }: Exchange, ids: readonly string[] = [], form: Form = {}): C {
    const { site, now, newFormKey, contextOf } = this.#area;
    const path = this.pageOf(url.pathname) ?? url.pathname;
    const page = {
      site,
      path,
      id: ids[0] ?? "",
      ids,
      query: url.searchParams,
      form,
      faults: {},
      formKey: newFormKey(),
      now: now(),
    };
    return contextOf({ ...page, session, call: keyedByContent(call) });
  }
}

/** The path below that of the area; that of its first page is `/`. */
const below = ({ base }: Pick<Area<never>, "base">, path: string) => path.slice(base.length).replace(/\/$/, "") || "/";

function routerOf<C extends PageContext>(area: Area<C>): Router<Route<C>> {
  const router = createRouter<Route<C>>({ ids: area.ids });
  const add = (method: string, { path }: AreaPage<C>["at"], route: Route<C>) => router.add(method, below(area, path), route);
  for (const { at, view, actions = [], files = [] } of area.pages) {
    add("GET", at, { view });
    for (const action of actions) {
      const route = "run" in action ? { action: { view, ...action } } : action;
      add("POST", action.at, { ...route, page: at.path });
    }
    for (const file of files) add("GET", file.at, file);
  }
  return router;
}

function sendDownload(response: ServerResponse, { filename, contentType, body }: Download): void {
  const disposition = contentDisposition("attachment", filename);
  response.writeHead(200, { "Content-Type": contentType, "Content-Disposition": disposition });
  response.end(body);
}

/** Runs the action of a form and redirects, or shows the page that it returns. When it fails, shows the page again with the error and the values entered. */
export async function runAction<C extends PageContext>(
  response: ServerResponse,
  run: () => Promise<string | PageContent>,
  { view, fields = {} }: { view: View<C>; fields?: Action<C>["fields"] },
  context: C,
): Promise<void> {
  let done: string | PageContent;
  try {
    done = await run();
  } catch (error) {
    const problem = apiErrorOf(error);
    const isOfForm = problem.status < 500 || problem.code === "NOT_CONFIGURED";
    if (!isOfForm || problem.status === 404) throw error;
    const wrong = wrongFields(problem, fields, context.ids.at(-1) ?? "");
    const faults = Object.fromEntries(wrong.map(({ id, message }) => [id, message]));
    const page = await view({ ...context, faults, query: new URLSearchParams() });
    const body = html`${alert(wrong.length > 0 ? html`${listOf(wrong)}` : errorText(problem))}${page.body}`;
    return sendPage(response, problem.status, {
      ...page,
      title: `Error: ${page.title}`,
      heading: page.title,
      path: context.path,
      body,
    });
  }
  if (typeof done === "string") redirect(response, done);
  else sendPage(response, done.status ?? 200, done);
}

interface WrongField {
  id: string;
  label: string;
  message: string;
}

/** The fields of the form that the problem names. Empty if it names others as well: then only its message says everything. */
function wrongFields(
  { details = [] }: ApiError,
  fields: NonNullable<Action<PageContext>["fields"]>,
  pathId: string,
): WrongField[] {
  const wrong = details.flatMap(({ field, message }) => {
    const known = Object.hasOwn(fields, field) ? fields[field] : undefined;
    return known ? [{ label: known.label, id: typeof known.id === "string" ? known.id : known.id(pathId), message }] : [];
  });
  return wrong.length === details.length ? wrong : [];
}

const listOf = (wrong: readonly WrongField[]) =>
  wrong.map(({ id, label, message }) => html`<p><a href="#${id}">${label}</a>: ${withCode(message)}.</p>`);

const notAllowed = ({ methods }: Match<unknown>) => methodNotAllowed([...methods.keys()], "page");
