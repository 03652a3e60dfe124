import type { IncomingMessage, ServerResponse } from "node:http";
import type { CallOperation, Operation } from "../../../src/contract/index.ts";
import type { Address } from "../../../src/contract/pages/addresses.ts";
import type { Caller } from "../../http/call.ts";
import type { Origin } from "../../http/call-operation.ts";
import type { Target } from "../../http/target.ts";
import type { PageContent } from "../html.ts";
import type { Site } from "../site.ts";
import type { Form } from "../types.ts";

/** The data of the session that pages show. */
export interface SessionView {
  userId: string;
  displayName: string;
  /** The CSRF token of the session, which every form contains. Other sites cannot know it. */
  csrf: string;
  /** The browser's session itself. The local Studio has none. */
  caller?: Caller;
  /** The request of that session. The local Studio has none. */
  origin?: Origin;
}

/** Everything that a page for somebody who is signed in needs to render or to run its action. */
export interface PageContext {
  site: Site;
  /** Calls an operation of the API as the account that is signed in. */
  call: CallOperation;
  session: SessionView;
  /** The path of the page: of the one that has the form, where a form was posted to another. */
  path: string;
  /** The first id in the path; empty when the path has none. */
  id: string;
  /** All ids in the path, in order. */
  ids: readonly string[];
  query: URLSearchParams;
  /** The posted fields; empty for a GET request. */
  form: Form;
  /** What is wrong with the posted fields, by the ids of their elements; empty unless the form failed. */
  faults: Readonly<Record<string, string>>;
  /** The idempotency key of the forms on this page. The same form posted twice takes effect once. */
  formKey: string;
  /** Server time in milliseconds. */
  now: number;
}

/** A field of a form, to name and mark it when it is wrong. */
export interface FormField {
  label: string;
  /** The id of its element; a page with several such forms adds the last id of the path to it. */
  id: string | ((pathId: string) => string);
}

export type View<C extends PageContext> = (context: C) => Promise<PageContent>;

/** A file that is made when it is asked for. */
export interface Download {
  filename: string;
  contentType: string;
  body: string | Buffer;
}

/**
 * What somebody can watch of a submission; `poster` is an image of the video. The rest are images of parts of it, shown in a list or
 * beside it: the still of a moment, its small copy, and that of a clip's poster.
 */
export type MediaPart = "video" | "captions" | "poster" | "still" | "thumbnail" | "clipThumbnail";

/** An address, as far as a route needs it. */
type At = Pick<Address<string>, "path">;

/** What a form posts to. `run` returns the path to redirect to, or a page with something that is shown only once. */
export interface Action<C extends PageContext> {
  at: At;
  run(context: C): Promise<string | PageContent>;
  /** What is shown again, with the error, when the action fails, if not the page that lists it. */
  view?: View<C>;
  /** The fields of the form, by the names that the operation has for them. */
  fields?: Readonly<Record<string, FormField>>;
  /** The form contains a password, so attempts are counted against the limit per address. */
  takesPassword?: boolean;
}

/** Makes actions of an area, whose pages are handed a `C`. */
export const actionFor =
  <C extends PageContext>() =>
  <Where extends At>(form: Omit<Action<C>, "run" | "at"> & { at: Where }, run: Action<C>["run"]) => ({ ...form, run });

/** A request of somebody who is signed in, and its response. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  url: Target;
  session: SessionView;
  call: CallOperation;
  /** Streams the events of the account as `text/event-stream`, from after the event with this id. 204 where there are none to follow. */
  streamEvents(lastEventId: string | undefined): Promise<void>;
  /** Sends the file that an operation replies with. */
  sendFile(operation: Operation, params: Record<string, string>): Promise<void>;
}

/** What answers one method of one path: exactly one of these. */
export interface Route<C extends PageContext> {
  view?: View<C>;
  /** Redirects to another site. The URL is created when the link is opened. */
  link?: (context: C) => Promise<string>;
  download?: (context: C) => Promise<Download>;
  action?: Action<C> & { view: View<C> };
  /** The path of the page that has the form. */
  page?: string;
  /** Anything else, such as a video: it reads the request and sends the response itself. */
  serve?: (exchange: Exchange, context: C) => Promise<void>;
}

/** A page, what its forms post to, and its files. */
export interface AreaPage<C extends PageContext> {
  at: At;
  view: View<C>;
  actions?: readonly (Action<C> | ({ at: At } & Required<Pick<Route<C>, "serve">>))[];
  files?: readonly ({ at: At } & Pick<Route<C>, "link" | "download" | "serve">)[];
}
