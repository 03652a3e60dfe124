import { BrowserAccounts } from "../accounts/browser/accounts.ts";
import type { Deps } from "../app/deps.ts";
import { Checkouts } from "../billing/cards/checkouts.ts";
import { Unsubscribing } from "../events/unsubscribe.ts";
import type { CallAs, StreamAs } from "../http/call-operation.ts";
import type { PageHandler } from "../http/listener.ts";
import { problemOf, setHeaders } from "../http/reply.ts";
import { pathForLog } from "../http/target.ts";
import { notFound } from "../lib/problem.ts";
import { PublicShares } from "../sharing/shares/public.ts";
import { sendFile } from "../uploads/downloads.ts";
import { readPosted, storePostedVideo } from "../uploads/posted.ts";
import { assets } from "./adapters/assets.ts";
import { coverImages } from "./adapters/covers.ts";
import { downloads } from "./adapters/downloads.ts";
import { health } from "./adapters/health.ts";
import { processors } from "./adapters/processors.ts";
import { publishedVideo } from "./adapters/published-video.ts";
import { readCaptions, sendRecording } from "./adapters/recordings.ts";
import { wellKnown } from "./adapters/security-txt.ts";
import { docs } from "./docs/index.ts";
import { createReadForm } from "./form.ts";
import { dress, html, sendPage } from "./html.ts";
import { createPageLimits } from "./limits.ts";
import { changeEmail } from "./pages/change-email.ts";
import { checkout } from "./pages/checkout.ts";
import { invite } from "./pages/invite.ts";
import { resetPassword } from "./pages/reset-password.ts";
import { type SharePages, share } from "./pages/share.ts";
import { startPage } from "./pages/start.ts";
import { todo } from "./pages/todo.ts";
import { unsubscribe } from "./pages/unsubscribe.ts";
import { verifyEmail } from "./pages/verify-email.ts";
import { watch } from "./pages/watch.ts";
import { portal } from "./portal/index.ts";
import { siteOf } from "./site.ts";
import { studio } from "./studio/index.ts";
import type { Page } from "./types.ts";

const shared = (deps: Deps, given: Pick<SharePages, "readForm" | "limits" | "site">): Page =>
  share({ ...given, shares: new PublicShares(deps), sendFile: (...file) => sendFile(deps, ...file) });

/** Serves pages and files outside the API, by the first segment of the path. */
export function createPages(deps: Deps, { callAs, streamAs }: { callAs: CallAs; streamAs: StreamAs }): PageHandler {
  const { clock, config } = deps;
  const accounts = new BrowserAccounts(deps);
  const readForm = createReadForm(config.http);
  const { videoMaxBytes: maxBytes, idleMs } = config.uploads;
  const site = siteOf(deps);
  const limits = createPageLimits(deps);
  /** Counts requests per address, together with API requests that have no key. */
  const counted =
    (page: Page): Page =>
    async (request, ...rest) => {
      limits.perAddress(request, "keyless");
      return page(request, ...rest);
    };
  /** Counts refused requests per address. This limits the guessing of signed links, which work like API keys. */
  const countedIfRefused =
    (page: Page): Page =>
    async (request, ...rest) => {
      try {
        await page(request, ...rest);
      } catch (error) {
        if (problemOf(error).status < 500) limits.perAddress(request, "keyless");
        throw error;
      }
    };
  const { downloads: download, builds } = downloads(deps);
  const newFormKey = () => deps.randomBytes(16).toString("hex");
  const signedIn = { site, callAs, streamAs, accounts, limits, readForm, newFormKey, now: clock.now };
  // Not counted: health checks, signed messages of card processors, and files that browsers cache. The portal and Studio count per session.
  const pages: Record<string, Page> = {
    checkout: counted(checkout({ checkouts: new Checkouts(deps), readForm, now: clock.now })),
    processors: processors(deps),
    "reset-password": counted(resetPassword(accounts, readForm)),
    "": counted(startPage(config, site)),
    "change-email": counted(changeEmail(accounts, readForm)),
    "verify-email": counted(verifyEmail(accounts, readForm)),
    invite: counted(invite(accounts, readForm, site)),
    unsubscribe: counted(unsubscribe({ unsubscribing: new Unsubscribing(deps), readForm, config })),
    share: countedIfRefused(shared(deps, { readForm, limits, site })),
    todo: counted(todo(site)),
    watch: counted(watch(callAs, publishedVideo(deps))),
    assets: assets(deps.brand),
    covers: countedIfRefused(coverImages(deps)),
    ".well-known": counted(wellKnown(config, clock.now)),
    docs: counted(docs(config, site)),
    downloads: countedIfRefused(download),
    builds: counted(builds),
    play: portal({
      ...signedIn,
      readFileForm: (request) => readPosted(request, { maxBytes, idleMs }),
      storeVideo: (userId, slotId, file) => storePostedVideo(deps, userId, slotId, file),
      sendRecording: (wanted, ...exchange) => sendRecording(deps, { as: "playtester", ...wanted }, ...exchange),
    }),
    studio: studio({
      ...signedIn,
      sendRecording: (wanted, ...exchange) => sendRecording(deps, { as: "owner", ...wanted }, ...exchange),
      readCaptions: (userId, slotId) => readCaptions(deps, userId, slotId),
    }),
    ...health(deps),
  };

  const unknown = counted(async () => Promise.reject(notFound()));

  return async (request, response, url, origin) => {
    try {
      const name = url.pathname.split("/")[1] ?? "";
      if (name !== "docs") dress(response, site);
      const page = Object.hasOwn(pages, name) ? pages[name]! : unknown;
      await page(request, response, url, origin);
    } catch (error) {
      const problem = problemOf(error);
      if (error !== problem && problem.status >= 500)
        deps.log.error({ err: error, requestId: origin.requestId, path: pathForLog(request) }, "page failed");
      if (response.headersSent) return void response.destroy();
      setHeaders(response, problem.headers);
      sendPage(response, problem.status, {
        title: problem.status === 404 ? "Not found" : "Something went wrong",
        body: html`<p>${problem.message}</p>`,
      });
    }
  };
}
