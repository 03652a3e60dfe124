import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ErrorCode } from "../../../src/contract/errors.ts";
import type { CallOperation, Operation } from "../../../src/contract/index.ts";
import { studio } from "../../../src/contract/pages/addresses.ts";
import { apiErrorOf, setHeaders } from "../../http/reply.ts";
import { isForeign, type Target, targetOf } from "../../http/target.ts";
import { ApiError, forbidden, notFound } from "../../lib/api-error.ts";
import { sameText } from "../../lib/secrets.ts";
import { assets } from "../adapters/assets.ts";
import { createReadForm, longForm } from "../form.ts";
import { html, redirect, sendPage, setSite } from "../html.ts";
import { errorText } from "../shared/error-text.ts";
import { NotOffered } from "../shared/not-offered.ts";
import type { SignedInPages } from "../shared/pages.ts";
import type { Exchange, SessionView } from "../shared/types.ts";
import type { Site } from "../site.ts";
import type { Page } from "../types.ts";
import { studioPages } from "./area.ts";
import { type MediaSource, RecentLinks, readCaptions, sendMedia } from "./media.ts";
import type { StudioContext } from "./types.ts";

/** A failed call, in the words of the client. */
export interface Refusal {
  status: number;
  code: string;
  message: string;
  details?: readonly { field: string; message: string }[] | undefined;
}

/** What `playtest studio` gives to the pages. The API key stays behind these functions. */
export interface LoopbackParts extends MediaSource {
  /** The host of the server whose data is shown. */
  instance: string;
  site: Pick<Site, "baseUrl" | "payments">;
  account: { id: string; displayName: string };
  call: CallOperation;
  /** Whether the server has an operation that is an extension. */
  offers(operation: Operation): Promise<boolean>;
  /** Whether `call` keeps moments on this computer, because the server has none. Known when they were listed. */
  keepsMoments(): boolean;
  /** What a thrown error says; undefined for one that is not expected. `"absent"`: the server does not offer the operation. */
  explain(error: unknown): Refusal | "absent" | undefined;
  /** The server's stream of events; undefined where it has none. */
  openEvents(lastEventId: string | undefined): Promise<NodeJS.ReadableStream | undefined>;
  cli(command: string): string;
  randomBytes(size: number): Buffer;
  now(): number;
  /** Reports an error that was not expected. */
  report(error: unknown): void;
}

export interface Loopback {
  /** The address to open. It works once, in one browser. */
  url: string;
  /** Resolves when the address no longer works: it was opened, or Studio was closed. */
  ended: Promise<void>;
  close(): Promise<void>;
}

/** Starts Studio on this machine only, for the browser that opens its address first. */
export async function startLoopback(parts: LoopbackParts, port: number): Promise<Loopback> {
  const server = createServer({ requestTimeout: 60_000 });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve());
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const studio = new LoopbackStudio(parts, host);
  server.on("request", (request, response) => void studio.handle(request, response));
  const closed = new Promise<void>((resolve) => server.once("close", () => resolve()));
  const ended = Promise.race([studio.signedIn, closed]);
  return { url: `http://${host}/?token=${studio.token}`, ended, close: () => closeServer(server) };
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

/** Files need no account; an origin is what an operation would be called with. */
const origin: Parameters<Page>[3] = {
  requestId: "studio",
  client: { address: "127.0.0.1", agent: null, signal: new AbortController().signal },
};
const page = { requestTimeoutMs: 30_000 } as Parameters<typeof createReadForm>[0];
const name = "Studio";

/**
 * Whether the page of another site or another port shows or reads something of Studio. Browsers send it the cookie there, because a port
 * is not part of a site.
 */
const isEmbedded = ({ "sec-fetch-site": site, "sec-fetch-mode": mode }: IncomingHttpHeaders): boolean =>
  (site === "cross-site" || site === "same-site") && mode !== "navigate";

class LoopbackStudio {
  readonly #parts: LoopbackParts;
  readonly #host: string;
  readonly #pages: SignedInPages<StudioContext>;
  readonly #assets = assets({ logo: null, color: null });
  readonly #site: Site;
  readonly #session: SessionView;
  /**
   * A secret folder, in which all pages are. Browsers send the cookie of a host to all of its ports, also to the server of another user of
   * this computer, but only to paths below that of the cookie.
   */
  readonly #root: string;
  /** The value of the cookie of the one browser that may see the pages. */
  readonly #cookie: string;
  /** What the address that is opened contains; used up by the first request with it. */
  token: string;
  #isTokenUsed = false;
  #tellSignedIn = () => {};
  readonly signedIn = new Promise<void>((resolve) => {
    this.#tellSignedIn = resolve;
  });

  constructor(parts: LoopbackParts, host: string) {
    this.#parts = parts;
    this.#host = host;
    const secret = () => parts.randomBytes(32).toString("base64url");
    this.token = secret();
    this.#cookie = secret();
    this.#root = `/${secret()}`;
    this.#session = { userId: parts.account.id, displayName: parts.account.displayName, csrf: secret() };
    this.#site = {
      name,
      ...parts.site,
      commandPackage: null,
      hasLogo: false,
      hasColor: false,
      assetAddress: this.#assets.addressOf,
      termsUrl: null,
      privacyUrl: null,
      delivery: "sent",
      registration: "closed",
      allowedDomains: [],
      friends: false,
      cards: false,
      crypto: [],
    };
    const recent = new RecentLinks(parts.now);
    this.#pages = studioPages(
      {
        site: this.#site,
        readForm: createReadForm(page, longForm),
        countPassword: () => {},
        newFormKey: () => parts.randomBytes(16).toString("hex"),
        now: parts.now,
      },
      {
        cli: parts.cli,
        account: { instance: parts.instance, signsOut: false },
        offers: parts.offers,
        keepsMoments: parts.keepsMoments,
        connections: null,
        files: null,
        readCaptions: ({ call }, slotId) => readCaptions(parts, call, slotId),
        sendMedia:
          (part) =>
          (exchange, { ids }) =>
            sendMedia(parts, recent, { call: this.#call, part, id: ids.at(-1)! }, exchange),
      },
    );
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    setSite(response, this.#site);
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
    response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
    try {
      this.#refuseForeign(request);
      await this.#serve(request, response, targetOf(request));
    } catch (error) {
      this.#showError(response, error);
    }
  }

  /** 403 for another host name, by which a page of another site could reach this address (DNS rebinding), and for requests of such a page. */
  #refuseForeign({ headers, method }: IncomingMessage): void {
    if (headers.host !== this.#host) throw forbidden(`Studio answers only at http://${this.#host}. Nothing was done.`);
    if (isForeign(headers, method) || isEmbedded(headers))
      throw forbidden("Studio takes no requests from pages of other sites. Nothing was done.");
  }

  async #serve(request: IncomingMessage, response: ServerResponse, url: Target): Promise<void> {
    const given = url.searchParams.get("token");
    if (url.pathname === "/" && given !== null) return this.#signIn(request, response, given);
    if (!this.#isSignedIn(request) || !url.pathname.startsWith(`${this.#root}/`))
      throw forbidden("Open the address that playtest studio printed. If it was used already, run the command again.");
    // Not before: who is not signed in must not see the folder in an address of a page.
    setSite(response, { ...this.#site, root: this.#root });
    const { search, searchParams } = url;
    await this.#serveBelowRoot(request, response, { pathname: url.pathname.slice(this.#root.length), search, searchParams });
  }

  async #serveBelowRoot(request: IncomingMessage, response: ServerResponse, url: Target): Promise<void> {
    if (url.pathname.startsWith("/assets/")) return this.#assets.page(request, response, url, origin);
    if (url.pathname === "/") return redirect(response, studio.inbox());
    if (!`${url.pathname}/`.startsWith(`${studio.inbox()}/`)) throw notFound();
    await this.#show({
      request,
      response,
      url,
      session: this.#session,
      call: this.#call,
      streamEvents: (last) => this.#stream(response, last),
      sendFile: () => Promise.reject(new NotOffered()),
    });
  }

  async #show(exchange: Exchange): Promise<void> {
    try {
      await this.#pages.serve(exchange);
    } catch (error) {
      await this.#pages.showError(exchange, error);
    }
  }

  /** Exchanges the token of the address for a cookie and the folder in which it is valid. */
  #signIn(request: IncomingMessage, response: ServerResponse, given: string): void {
    if (this.#isTokenUsed || !sameText(given, this.token))
      throw forbidden(
        "This address was used already, or is not complete. Use the tab where Studio is open, or run playtest studio again for a new address.",
      );
    if (request.method !== "GET") throw forbidden("Open this address in a browser.");
    this.#isTokenUsed = true;
    this.#tellSignedIn();
    // Not `Strict`: the browser comes from a file, which is another site to it, and would not send the cookie to the page that follows.
    response.setHeader("Set-Cookie", `${this.#cookieName}=${this.#cookie}; Path=${this.#root}; HttpOnly; SameSite=Lax`);
    redirect(response, this.#root + studio.inbox());
  }

  /** Browsers send cookies to every port of a host, so its name contains the port. */
  get #cookieName(): string {
    return `playtest_studio_${this.#host.split(":")[1]}`;
  }

  #isSignedIn({ headers }: IncomingMessage): boolean {
    const start = `${this.#cookieName}=`;
    const found = headers.cookie?.split(/; */).find((part) => part.startsWith(start));
    return found !== undefined && sameText(found.slice(start.length), this.#cookie);
  }

  /** Calls the server by the client. A refusal is thrown as pages know it. */
  readonly #call: CallOperation = async (operation, ...given) => {
    try {
      return await this.#parts.call(operation, ...given);
    } catch (error) {
      throw this.#problemOf(error);
    }
  };

  #problemOf(error: unknown): unknown {
    const said = this.#parts.explain(error);
    if (said === "absent") return new NotOffered(error);
    if (said === undefined) return error;
    const details = said.details && [...said.details];
    return new ApiError(said.code as ErrorCode, said.message, {
      status: said.status,
      cause: error,
      ...(details && { details }),
    });
  }

  async #stream(response: ServerResponse, last: string | undefined): Promise<void> {
    const stream = await this.#parts.openEvents(last).catch((error) => Promise.reject(this.#problemOf(error)));
    // 204 tells the browser not to ask again.
    if (!stream) return void response.writeHead(204).end();
    response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8" });
    response.on("close", () => (stream as { destroy?(): void }).destroy?.());
    stream.on("error", () => response.destroy());
    stream.pipe(response);
  }

  #showError(response: ServerResponse, error: unknown): void {
    const problem = apiErrorOf(error);
    if (!(error instanceof ApiError)) this.#parts.report(error);
    if (response.headersSent) return void response.destroy();
    setHeaders(response, problem.headers);
    const message = error instanceof ApiError ? errorText(problem) : "Something unexpected happened. The terminal says more.";
    sendPage(response, problem.status, {
      title: problem.status === 404 ? "Not found" : "Something went wrong",
      body: html`<p>${message}</p>`,
    });
  }
}
