import type { Deps } from "../app/deps.ts";
import type { CallAs, FileAs, StreamAs } from "../http/call-operation.ts";
import type { PageHandler } from "../http/listener.ts";
import { apiErrorOf, failureText, setHeaders } from "../http/reply.ts";
import { pathForLog } from "../http/target.ts";
import { notFound } from "../lib/api-error.ts";
import { late } from "../lib/late.ts";
import { metricsPage } from "../metrics/serve.ts";
import { downloads } from "./adapters/downloads.ts";
import { health } from "./adapters/health.ts";
import { processors } from "./adapters/processors.ts";
import { html, sendPage, setSite } from "./html.ts";
import { createPageLimits } from "./limits.ts";
import { errorText } from "./shared/error-text.ts";
import { withCode } from "./shared/parts.ts";
import { noSite, plainAssetAddress, type Site, siteOf } from "./site.ts";
import type { Page } from "./types.ts";

const loadSitePages = late(() => import("./site-pages.ts"));
const loadDocs = late(() => import("./docs/index.ts"));

/** A page that is made with the first request for it. */
export function madeLate<Part>(load: () => Promise<Part>, make: (part: Part) => Page): Page {
  let page: Page | undefined;
  return async (...exchange) => {
    if (!page) {
      const part = await load();
      // Another request may have made it meanwhile.
      page ??= make(part);
    }
    return page(...exchange);
  };
}

/** Serves pages and files outside the API, by the first segment of the path. `more`: what is no page and comes from a higher folder. */
export function createPages(
  deps: Deps,
  called: { callAs: CallAs; streamAs: StreamAs; fileAs: FileAs },
  more: Record<string, Page> = {},
): PageHandler {
  let assetAddress = plainAssetAddress;
  const site: Site = { ...siteOf(deps), assetAddress: (name) => assetAddress(name) };
  const docsSite = { ...noSite, assetAddress: site.assetAddress };
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
        if (apiErrorOf(error).status < 500) limits.perAddress(request, "keyless");
        throw error;
      }
    };
  const unknown = counted(async () => Promise.reject(notFound()));
  const among =
    (pages: Record<string, Page>, other: Page): Page =>
    (request, response, url, origin) => {
      const name = url.pathname.split("/")[1] ?? "";
      return (Object.hasOwn(pages, name) ? pages[name]! : other)(request, response, url, origin);
    };
  const forPeople = madeLate(loadSitePages, ({ sitePages }) => {
    const made = sitePages(deps, { ...called, site, limits, counted, countedIfRefused });
    assetAddress = made.assetAddress;
    return among(made.pages, unknown);
  });
  const docs = madeLate(loadDocs, ({ docs }) => docs(deps.config, site));
  const llms = madeLate(loadDocs, ({ llms }) => llms(deps.config, site));
  const { downloads: download, builds } = downloads(deps);
  // Not counted: health checks and signed messages of card processors.
  const page = among(
    {
      processors: processors(deps),
      downloads: countedIfRefused(download),
      builds: counted(builds),
      docs: counted(docs),
      "llms.txt": counted(llms),
      metrics: countedIfRefused(metricsPage(deps)),
      ...health(deps),
      ...more,
    },
    forPeople,
  );

  return async (request, response, url, origin) => {
    try {
      setSite(response, url.pathname.split("/")[1] === "docs" ? docsSite : site);
      await page(request, response, url, origin);
    } catch (error) {
      const problem = apiErrorOf(error);
      const about = { err: error, requestId: origin.requestId, path: pathForLog(request) };
      if (error !== problem && problem.status >= 500) deps.log.error(about, failureText("page", error, deps.dataDir));
      if (response.headersSent) return void response.destroy();
      setHeaders(response, problem.headers);
      sendPage(response, problem.status, {
        title: problem.status === 404 ? "Not found" : "Something went wrong",
        body: html`<p>${withCode(errorText(problem))}</p>`,
      });
    }
  };
}
