import type { CallOperation, Data } from "../../../src/contract/index.ts";
import type { PageContent } from "../html.ts";
import type { Form } from "../types.ts";

/** What pages show of the person who is signed in. */
export interface SessionView {
  userId: string;
  displayName: string;
  /** Goes with every form: only this server's own pages know it. */
  csrf: string;
}

/** What a page of the portal is made from. */
export interface PageContext {
  /** Calls an operation of the API as the person who is signed in. */
  call: CallOperation;
  session: SessionView;
  /** The id in the path, where there is one. */
  id: string;
  query: URLSearchParams;
  /** What was posted; empty when the page is only looked at. */
  form: Form;
  /** The key of the forms on this page: the same form posted twice takes effect once. */
  formKey: string;
  /** Server time in milliseconds. */
  now: number;
}

export type View = (context: PageContext) => Promise<PageContent>;

/** What a posted form does: returns where to go next. */
export interface Action {
  run(context: PageContext): Promise<string>;
  /** The page to show again, with the error, when it fails. */
  page: View;
  /** It takes a password: tries are counted. */
  guesses?: boolean;
}

export type Section = "offers" | "slots" | "applications" | "messages" | "earnings" | "notifications";

export type HeldSlot = Data<"getHeldSlot">["slot"];
