import { BrowserAccounts } from "../accounts/browser-accounts.ts";
import type { Deps } from "../app/deps.ts";
import { Checkouts } from "../billing/cards/checkouts.ts";
import type { CallAs } from "../http/call-operation.ts";
import type { PageHandler } from "../http/listener.ts";
import { problemOf, setHeaders } from "../http/reply.ts";
import { pathForLog } from "../http/target.ts";
import { notFound } from "../lib/problem.ts";
import { keepPostedVideo, readPosted } from "../uploads/posted.ts";
import { assets } from "./adapters/assets.ts";
import { downloads } from "./adapters/downloads.ts";
import { health } from "./adapters/health.ts";
import { processors } from "./adapters/processors.ts";
import { publishedVideo } from "./adapters/published-video.ts";
import { docs } from "./docs/index.ts";
import { createReadForm } from "./form.ts";
import { html, sendPage } from "./html.ts";
import { createPageLimits } from "./limits.ts";
import { checkout } from "./pages/checkout.ts";
import { resetPassword } from "./pages/reset-password.ts";
import { verifyEmail } from "./pages/verify-email.ts";
import { watch } from "./pages/watch.ts";
import { portal } from "./portal/index.ts";
import type { Page } from "./types.ts";

/** Pages and files outside the API, by the first segment of their path. */
export function createPages(deps: Deps, callAs: CallAs): PageHandler {
  const { clock, config } = deps;
  const accounts = new BrowserAccounts(deps);
  const readForm = createReadForm(config.http);
  const { videoMaxBytes: maxBytes, idleMs } = config.uploads;
  const pages: Record<string, Page> = {
    checkout: checkout({ checkouts: new Checkouts(deps), readForm, now: clock.now }),
    processors: processors(deps),
    "reset-password": resetPassword(accounts, readForm),
    "verify-email": verifyEmail(accounts, readForm),
    watch: watch(callAs, publishedVideo(deps)),
    assets,
    docs: docs(config),
    play: portal({
      callAs,
      accounts,
      limits: createPageLimits(deps),
      readForm,
      readFileForm: (request) => readPosted(request, { maxBytes, idleMs }),
      keepVideo: (userId, slotId, file) => keepPostedVideo(deps, userId, slotId, file),
      newFormKey: () => deps.randomBytes(16).toString("hex"),
      now: clock.now,
    }),
    ...downloads(deps),
    ...health(deps),
  };

  return async (request, response, url, requestId) => {
    try {
      const name = url.pathname.split("/")[1] ?? "";
      const page = Object.hasOwn(pages, name) ? pages[name] : undefined;
      if (!page) throw notFound();
      await page(request, response, url, requestId);
    } catch (error) {
      const problem = problemOf(error);
      if (error !== problem && problem.status >= 500)
        deps.log.error({ err: error, requestId, path: pathForLog(request) }, "page failed");
      if (response.headersSent) return void response.destroy();
      setHeaders(response, problem.headers);
      sendPage(response, problem.status, {
        title: problem.status === 404 ? "Not found" : "Something went wrong",
        body: html`<p>${problem.message}</p>`,
      });
    }
  };
}
