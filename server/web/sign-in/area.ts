import type { IncomingMessage, ServerResponse } from "node:http";
import { type Session, sessionPrincipal } from "../../accounts/sessions.ts";
import type { CallAs, FileAs, Origin, StreamAs } from "../../http/call-operation.ts";
import type { Target } from "../../http/target.ts";
import { redirect, sendPage } from "../html.ts";
import type { SignedInPages } from "../shared/pages.ts";
import type { Exchange, MediaPart, PageContext } from "../shared/types.ts";
import type { Page, ReadForm } from "../types.ts";
import { type Door, nextOf } from "./doors.ts";
import { type SignInParts, signIn } from "./index.ts";
import { isOwnForm, keptOf } from "./kept.ts";
import { otherAccountPage, signInPage as signInView } from "./views.ts";

/** The dependencies of an area: the operations of the API, and functions that only pages need. */
export interface AreaParts extends SignInParts {
  callAs: CallAs;
  streamAs: StreamAs;
  fileAs: FileAs;
  /** Sends a file of a slot of this account, or an image of a moment or clip of it. */
  sendMedia(
    wanted: { userId: string; part: MediaPart; id: string },
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void>;
  /** Reads the forms of people who are signed in, which may be long. */
  readLongForm: ReadForm;
  newFormKey(): string;
  now(): number;
}

/** What every area hands to its pages. */
export const givenOf = ({ site, limits, readLongForm, newFormKey, now }: AreaParts) => ({
  site,
  readForm: readLongForm,
  countPassword: (request: IncomingMessage) => limits.perAddress(request, "password"),
  newFormKey,
  now,
});

/** Answers with the file of the slot, moment or clip whose id is the last of the path. */
export const mediaOf =
  ({ sendMedia }: AreaParts) =>
  (part: MediaPart) =>
  ({ request, response, session: { userId } }: Exchange, { ids }: PageContext) =>
    sendMedia({ userId, part, id: ids.at(-1)! }, request, response);

interface Request {
  request: IncomingMessage;
  response: ServerResponse;
  url: Target;
  origin: Origin;
}

/** The pages behind a door: for who is signed in with an account of its role. Others are led to the sign-in page or to their own pages. */
export function signedInArea<C extends PageContext>(door: Door, parts: AreaParts, pages: SignedInPages<C>): Page {
  const { accounts, limits, callAs, streamAs, fileAs, site } = parts;
  const signedOut = signIn(door, parts);
  const { signIn: signInPage, register, forgot, signOut: signOutPath } = door.to;
  const isSignIn = (path: string) => [signInPage, register, forgot].some((at) => `${path}/`.startsWith(`${at()}/`));
  const isSignOut = ({ request, url }: Request) => request.method === "POST" && url.pathname === signOutPath();

  async function signOut(exchange: Exchange, session: Session): Promise<void> {
    await pages.readOwnForm(exchange);
    exchange.response.setHeader("Set-Cookie", await accounts.endSession(session));
    redirect(exchange.response, `${signInPage()}?done=signed-out`);
  }

  async function serve(asked: Request, session: Session): Promise<void> {
    const { user_id: userId, display_name: displayName, csrf, role } = session;
    const principal = sessionPrincipal(session);
    const call = callAs(principal, asked.origin);
    const streamEvents = async (last: string | undefined) =>
      (await streamAs(principal, asked.origin, last)).write(asked.request, asked.response);
    const sendFile: Exchange["sendFile"] = async (operation, params) =>
      (await fileAs(principal, asked.origin, operation, params)).write(asked.request, asked.response);
    const view = { userId, displayName, csrf, caller: principal, origin: asked.origin };
    const exchange: Exchange = { ...asked, session: view, call, streamEvents, sendFile };
    if (role !== door.role) {
      limits.perAddress(asked.request, "keyless");
      if (isSignOut(asked)) return signOut(exchange, session);
      return sendPage(asked.response, 403, otherAccountPage({ site, door }, { displayName, csrf, role }));
    }
    try {
      limits.perSession(session);
      await (isSignOut(asked) ? signOut(exchange, session) : pages.serve(exchange));
    } catch (error) {
      await pages.showError(exchange, error);
    }
  }

  return async (request, response, url, origin) => {
    if (isSignIn(url.pathname)) {
      limits.perAddress(request, "keyless");
      return signedOut(request, response, url, origin);
    }
    const session = await accounts.findSession(request.headers);
    if (session) return serve({ request, response, url, origin }, session);
    limits.perAddress(request, "keyless");
    if (request.method === "POST") return ended({ request, response, url });
    // Where somebody was signed in before, they hear why they have to sign in again.
    const done: Record<string, string> = accounts.hadSession(request.headers) ? { done: "ended" } : {};
    redirect(response, `${signInPage()}?${new URLSearchParams({ next: url.pathname + url.search, ...done })}`);
  };

  /** A form that was sent after its session had ended: what was typed is shown again, with the way to sign in. */
  async function ended({ request, response, url }: Pick<Request, "request" | "response" | "url">): Promise<void> {
    const { headers } = request;
    const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded");
    const form = isForm && isOwnForm(headers, site.baseUrl) ? await parts.readForm(request).catch(() => ({})) : {};
    const kept = keptOf(door, url.pathname + url.search, form);
    const next = nextOf(door, `${pages.pageOf(url.pathname) ?? ""}${url.search}`);
    if (!kept) return redirect(response, `${signInPage()}?${new URLSearchParams({ next, done: "ended" })}`);
    const { token: csrf, cookie } = accounts.formToken(headers);
    if (cookie !== undefined) response.setHeader("Set-Cookie", cookie);
    const state = { site, door, csrf, next, email: "", passkeys: false, kept };
    sendPage(response, 401, signInView(state));
  }
}
