import type { IncomingMessage, ServerResponse } from "node:http";
import { endSession, findSession, isFormToken, type Session } from "../../accounts/sessions.ts";
import type { Deps } from "../../app/deps.ts";
import type { Handlers } from "../../http/call.ts";
import { problemOf, type Target } from "../../http/listener.ts";
import { limiterOf } from "../../http/rate-limit.ts";
import { createRouter } from "../../http/router.ts";
import { forbidden, notFound, Problem } from "../../lib/problem.ts";
import { findForPlaytester, uploadedVideo } from "../../playtests/slots/store.ts";
import { readText } from "../../uploads/headers.ts";
import { uploadsOf } from "../../uploads/index.ts";
import { type PostedFile, readPosted } from "../../uploads/posted.ts";
import { readForm } from "../form.ts";
import { html, redirect, sendPage } from "../html.ts";
import type { Page } from "../index.ts";
import { createAsk } from "./api.ts";
import { alert, type Form, frame, type View, type Visit } from "./layout.ts";
import { type Action, actions, links, views } from "./routes.ts";
import { signIn } from "./sign-in.ts";
import { createVisitors } from "./visitors.ts";

/** A page, an address elsewhere, or what a form does. */
interface Route {
  view?: View;
  link?: (visit: Visit) => Promise<string>;
  action?: Action;
}

/**
 * `/play`: the portal of playtesters. Pages are rendered here and work without scripts; what they do goes through the API's own
 * operations, so that both follow the same rules. A form's answer is a redirect; one that fails shows its page again.
 */
export function portal(deps: Deps, handlers: Handlers): Page {
  const ask = createAsk(deps, handlers);
  const signedOut = signIn(deps);
  const visitors = createVisitors(deps);
  const router = createRouter<Route>();
  for (const [path, view] of Object.entries(views)) router.add("GET", path, { view });
  for (const [path, link] of Object.entries(links)) router.add("GET", path, { link });
  for (const [path, action] of Object.entries(actions)) router.add("POST", path, { action });

  const visitOf = (session: Session, url: Target, id: string, form: Form, file?: PostedFile): Visit => {
    const once = deps.randomBytes(16).toString("hex");
    const videoOf = (slotId: string) => deps.store.read((q) => uploadedVideo(q, slotId));
    const keepVideo = (slotId: string, video: PostedFile) => keep(session, slotId, video);
    return { session, ask, videoOf, keepVideo, id, query: url.searchParams, form, file, now: deps.clock.now(), once };
  };

  async function keep({ user_id: userId }: Session, slotId: string, { filename, maxBytes, bytes }: PostedFile): Promise<void> {
    const slot = await deps.store.read((q) => findForPlaytester(q, slotId, userId));
    if (!slot) throw notFound();
    const names = { filename: readText({ filename }, "filename", 255), filetype: null, sha256: null, metadata: { filename } };
    const of = { kind: "video", user_id: userId, game_id: slot.game_id, slot_id: slotId } as const;
    await uploadsOf(deps).keep({ ...of, ...names, maxBytes }, bytes);
  }

  function limit(session: Session): void {
    const { enabled, keyPerMinute: perMinute, keyBurst: burst } = deps.config.limits;
    if (!enabled || limiterOf(deps).take(`key session ${session.hash}`, { perMinute, burst }).allowed) return;
    throw new Problem("RATE_LIMITED", "That was a lot at once. Wait a few seconds and try again.");
  }

  /** Does what was asked for, or shows the page of the form again with what was wrong and what was typed. */
  async function act(response: ServerResponse, action: Action, visit: Visit): Promise<void> {
    let location: string;
    try {
      location = await action.run(visit);
    } catch (error) {
      const problem = problemOf(error);
      if (problem.status >= 500 || problem.status === 404) throw error;
      const page = await action.page({ ...visit, query: new URLSearchParams() });
      return sendPage(response, problem.status, { ...page, body: html`${alert(problem.message)}${page.body}` });
    }
    redirect(response, location);
  }

  async function leave(response: ServerResponse, session: Session): Promise<void> {
    response.setHeader("Set-Cookie", await deps.store.write((tx) => endSession(deps, tx, session)));
    redirect(response, "/play/sign-in?done=signed-out");
  }

  async function post(request: IncomingMessage, response: ServerResponse, url: Target, session: Session): Promise<void> {
    const found = router.match(pathOf(url));
    const { action } = found?.methods.get("POST") ?? {};
    const { videoMaxBytes: maxBytes, idleMs } = deps.config.uploads;
    const file = action?.takesFile ? await readPosted(request, { maxBytes, idleMs }) : undefined;
    const form: Form = file ? file.fields : await readForm(deps, request);
    if (!isFormToken(session, form.csrf)) {
      if (file) response.setHeader("Connection", "close");
      throw forbidden("This page was out of date, so nothing was done. Go back, reload it and try again.");
    }
    if (url.pathname === "/play/sign-out") return leave(response, session);
    if (!found) throw notFound();
    if (!action) throw methodNotAllowed([...found.methods.keys()]);
    if (action.guesses) visitors.limit(request, "password");
    await act(response, action, visitOf(session, url, found.values[0] ?? "", form, file));
  }

  async function show(request: IncomingMessage, response: ServerResponse, url: Target, session: Session): Promise<void> {
    const found = router.match(pathOf(url));
    if (!found) throw notFound();
    const { view, link } = found.methods.get("GET") ?? {};
    const visit = visitOf(session, url, found.values[0] ?? "", {});
    if (link) return redirect(response, await link(visit));
    if (!view || (request.method !== "GET" && request.method !== "HEAD")) throw methodNotAllowed([...found.methods.keys()]);
    sendPage(response, 200, await view(visit));
  }

  /** An error, inside the page that somebody who is signed in knows. */
  async function explain(response: ServerResponse, url: Target, session: Session, error: unknown): Promise<void> {
    const problem = problemOf(error);
    if (problem.status >= 500 || response.headersSent) throw error;
    for (const [name, value] of Object.entries(problem.headers)) response.setHeader(name, value);
    const title = problem.status === 404 ? "Not found" : "That did not work";
    const said = problem.status === 404 ? "There is no such page, or it is not yours to see." : problem.message;
    const body = html`<p>${said}</p><p><a href="/play">To the playtests</a></p>`;
    sendPage(response, problem.status, await frame(visitOf(session, url, "", {}), undefined, { title, body }));
  }

  return async (request, response, url) => {
    if (/^\/play\/(sign-in|register|forgot)(\/|$)/.test(url.pathname)) return signedOut(request, response, url);
    const session = await findSession(deps, request.headers);
    if (session?.role === "playtester") {
      try {
        limit(session);
        return await (request.method === "POST" ? post : show)(request, response, url, session);
      } catch (error) {
        return explain(response, url, session, error);
      }
    }
    const back = request.method === "GET" ? `?${new URLSearchParams({ next: url.pathname })}` : "";
    redirect(response, `/play/sign-in${back}`);
  };
}

const pathOf = (url: Target) => url.pathname.slice("/play".length).replace(/\/$/, "") || "/";

function methodNotAllowed(methods: string[]): Problem {
  const allowed = methods.flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name])).join(", ");
  return new Problem("METHOD_NOT_ALLOWED", `This page takes ${allowed}.`, { headers: { Allow: allowed } });
}
