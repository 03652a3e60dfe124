import type { IncomingMessage } from "node:http";
import { BrowserAccounts } from "../accounts/browser/accounts.ts";
import { OperatorSessions } from "../accounts/browser/operators.ts";
import type { Deps } from "../app/deps.ts";
import { Checkouts } from "../billing/cards/checkouts.ts";
import { Unsubscribing } from "../events/unsubscribe.ts";
import { storePostedCover } from "../games/covers/posted.ts";
import { maxCoverBytes } from "../games/covers/rules.ts";
import type { CallAs, FileAs, StreamAs } from "../http/call-operation.ts";
import { freeBytes } from "../lib/free-space.ts";
import { Connections } from "../oauth/connections.ts";
import { findElsewhere } from "../playtests/publications/public-store.ts";
import { wasRemoved } from "../playtests/publications/store.ts";
import { composeStatement } from "../playtests/statements/handlers.ts";
import { PublicShares } from "../sharing/shares/public.ts";
import { sendFile } from "../uploads/downloads.ts";
import { readPosted, storePostedBuild, storePostedVideo } from "../uploads/posted.ts";
import { assets } from "./adapters/assets.ts";
import { commandPackage } from "./adapters/command-package.ts";
import { coverImages } from "./adapters/covers.ts";
import { readCaptions, sendMedia } from "./adapters/media.ts";
import { oauth } from "./adapters/oauth.ts";
import { posterSize, publishedCues, publishedVideo } from "./adapters/published-video.ts";
import { robots } from "./adapters/robots-txt.ts";
import { sitemap } from "./adapters/sitemap.ts";
import { wellKnown } from "./adapters/well-known.ts";
import { createReadForm, longForm } from "./form.ts";
import { redirect } from "./html.ts";
import type { PageLimits } from "./limits.ts";
import { operatorArea } from "./operator/index.ts";
import { changeEmail } from "./pages/change-email.ts";
import { checkout } from "./pages/checkout.ts";
import { invite } from "./pages/invite.ts";
import { resetPassword } from "./pages/reset-password.ts";
import { sandboxMails } from "./pages/sandbox-mails.ts";
import { type SharePages, share } from "./pages/share.ts";
import { startPage } from "./pages/start.ts";
import { todo } from "./pages/todo.ts";
import { unsubscribe } from "./pages/unsubscribe.ts";
import { verifyEmail } from "./pages/verify-email.ts";
import { watch } from "./pages/watch.ts";
import type { WatchParts } from "./pages/watch-list.ts";
import { portal } from "./portal/index.ts";
import type { Site } from "./site.ts";
import { studio } from "./studio/index.ts";
import type { Page } from "./types.ts";

const shared = (deps: Deps, given: Pick<SharePages, "readForm" | "limits" | "site">): Page =>
  share({ ...given, shares: new PublicShares(deps), sendFile: (...file) => sendFile(deps, ...file) });

/** The published videos for everybody. */
const watched = (deps: Deps): Omit<WatchParts, "callAs" | "site"> => ({
  isIndexable: deps.config.publishing.indexable,
  sendFile: publishedVideo(deps),
  wasRemoved: (slotId) => deps.store.read((q) => wasRemoved(q, slotId)),
  elsewhere: (slotId) => deps.store.read((q) => findElsewhere(q, slotId)),
  cuesOf: (slotId) => publishedCues(deps, slotId),
  posterSize: (slotId) => posterSize(deps, slotId),
});

export interface SitePageParts {
  callAs: CallAs;
  streamAs: StreamAs;
  fileAs: FileAs;
  site: Site;
  limits: PageLimits;
  /** Counts requests per address, together with API requests that have no key. */
  counted(page: Page): Page;
  /** Counts refused requests per address. */
  countedIfRefused(page: Page): Page;
}

/** The pages for people, by the first segment of their path, and the addresses of the files that they load. */
export function sitePages(
  deps: Deps,
  { callAs, streamAs, fileAs, site, limits, counted, countedIfRefused }: SitePageParts,
): { pages: Record<string, Page>; assetAddress: Site["assetAddress"] } {
  const { clock, config } = deps;
  const accounts = new BrowserAccounts(deps);
  const readForm = createReadForm(config.http);
  const { videoMaxBytes, buildMaxBytes, idleMs } = config.uploads;
  const readUpTo = (maxBytes: number) => (request: IncomingMessage) => readPosted(request, { maxBytes, idleMs });
  const newFormKey = () => deps.randomBytes(16).toString("hex");
  const readLongForm = createReadForm(config.http, longForm);
  const signedIn = { site, callAs, streamAs, fileAs, accounts, limits, readForm, readLongForm, newFormKey, now: clock.now };
  const files = assets(deps.brand);
  // Not counted: files that browsers cache. The portal and Studio count per session, what answers programs by itself.
  const pages: Record<string, Page> = {
    checkout: counted(checkout({ checkouts: new Checkouts(deps), readForm, now: clock.now })),
    "reset-password": counted(resetPassword(accounts, readForm, site)),
    "": counted(startPage(config, site)),
    "change-email": counted(changeEmail(accounts, readForm, site)),
    "verify-email": counted(verifyEmail(accounts, readForm, { site, limits })),
    invite: counted(invite(accounts, readForm, site)),
    unsubscribe: counted(unsubscribe({ unsubscribing: new Unsubscribing(deps), readForm, config })),
    share: countedIfRefused(shared(deps, { readForm, limits, site })),
    todo: counted(todo(site)),
    sandbox: counted(sandboxMails({ config, callAs })),
    watch: counted(watch({ callAs, site, ...watched(deps) })),
    "sitemap.xml": counted(sitemap(deps)),
    assets: files.page,
    // Asked for by browsers at replies that are no pages, and by other programs that show an address.
    "favicon.ico": async (_request, response) => redirect(response, site.assetAddress("icon.svg")),
    // Where programs look for it that do not know the version of the API.
    "openapi.json": async (_request, response) => redirect(response, "/api/v1/openapi.json"),
    covers: countedIfRefused(coverImages(deps)),
    ".well-known": counted(wellKnown(config, site.name, clock.now)),
    "robots.txt": counted(robots(config)),
    "playtest-cli.tgz": counted(commandPackage()),
    admin: operatorArea({
      ...signedIn,
      sessions: new OperatorSessions(deps),
      disk: async () => ({ freeBytes: await freeBytes(deps.dataDir), minFreeBytes: config.uploads.minFreeBytes }),
    }),
    oauth: oauth({ deps, readForm, limits }),
    play: portal({
      ...signedIn,
      readFileForm: readUpTo(videoMaxBytes),
      printStatement: (statement, holder) => deps.printer.statement(composeStatement(deps, statement, holder)),
      storeVideo: (caller, slotId, file) => storePostedVideo(deps, caller, slotId, file),
      sendMedia: (wanted, ...exchange) => sendMedia(deps, { as: "playtester", ...wanted }, ...exchange),
    }),
    studio: studio({
      ...signedIn,
      connections: new Connections(deps),
      sendMedia: (wanted, ...exchange) => sendMedia(deps, { as: "owner", ...wanted }, ...exchange),
      readCaptions: (userId, slotId) => readCaptions(deps, userId, slotId),
      readFileForm: { build: readUpTo(buildMaxBytes), cover: readUpTo(maxCoverBytes) },
      storeFile: { build: (...file) => storePostedBuild(deps, ...file), cover: (...file) => storePostedCover(deps, ...file) },
    }),
  };
  return { pages, assetAddress: files.addressOf };
}
