import type { IncomingMessage, ServerResponse } from "node:http";
import type { Deps } from "../app/deps.ts";
import type { Handlers } from "../http/call.ts";
import { type PageHandler, pathForLog, problemOf, type Target } from "../http/listener.ts";
import { notFound } from "../lib/problem.ts";
import { assets } from "./assets.ts";
import { checkout } from "./checkout.ts";
import { downloads } from "./downloads.ts";
import { health } from "./health.ts";
import { html, sendPage } from "./html.ts";
import { portal } from "./portal/index.ts";
import { processors } from "./processors.ts";
import { resetPassword } from "./reset-password.ts";
import { verifyEmail } from "./verify-email.ts";
import { watch } from "./watch.ts";

/** Answers everything below one first segment; throws a Problem where there is nothing. */
export type Page = (request: IncomingMessage, response: ServerResponse, url: Target) => Promise<void>;

/** Pages and files outside the API, by the first segment of their path. */
export function createPages(deps: Deps, handlers: Handlers): PageHandler {
  const pages: Record<string, Page> = {
    checkout: checkout(deps),
    processors: processors(deps),
    "reset-password": resetPassword(deps),
    "verify-email": verifyEmail(deps),
    watch: watch(deps),
    assets,
    play: portal(deps, handlers),
    ...downloads(deps),
    ...health(deps),
  };

  return async (request, response, url) => {
    try {
      const name = url.pathname.split("/")[1] ?? "";
      const page = Object.hasOwn(pages, name) ? pages[name] : undefined;
      if (!page) throw notFound();
      await page(request, response, url);
    } catch (error) {
      const problem = problemOf(error);
      if (error !== problem && problem.status >= 500) deps.log.error({ err: error, path: pathForLog(request) }, "page failed");
      if (response.headersSent) return void response.destroy();
      for (const [name, value] of Object.entries(problem.headers)) response.setHeader(name, value);
      sendPage(response, problem.status, {
        title: problem.status === 404 ? "Not found" : "That did not work",
        body: html`<p>${problem.message}</p>`,
      });
    }
  };
}
