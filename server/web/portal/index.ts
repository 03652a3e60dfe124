import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "../../http/call.ts";
import type { PostedFile } from "../../uploads/posted.ts";
import { staleForm } from "../form.ts";
import { html } from "../html.ts";
import { isFormTokenOf, runAction, SignedInPages } from "../shared/pages.ts";
import type { Exchange } from "../shared/types.ts";
import { type AreaParts, signedInArea } from "../sign-in/area.ts";
import { playDoor } from "../sign-in/doors.ts";
import type { Page } from "../types.ts";
import type { PrintStatement } from "./earnings/statements.ts";
import { withFilters } from "./filters.ts";
import { signedInLayout } from "./layout.ts";
import { createPortalRouter } from "./routes.ts";
import type { PageContext, RecordingPart, View } from "./types.ts";

/** The dependencies of the portal: the operations of the API, and functions that only pages need. */
export interface PortalParts extends AreaParts {
  /** Reads the fields of a form up to its file. The file itself is not read yet. */
  readFileForm(request: IncomingMessage): Promise<PostedFile>;
  /** Stores the file as the video of a slot that this account holds. */
  storeVideo(caller: Caller, slotId: string, file: PostedFile): Promise<void>;
  /** Sends the submitted video of a slot of this account, or its captions. */
  sendRecording(
    wanted: { userId: string; slotId: string; part: RecordingPart },
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void>;
  /** Renders a statement of this account as PDF. */
  printStatement: PrintStatement;
  newFormKey(): string;
  now(): number;
}

/** `/play`: the web portal for playtesters. */
export function portal(parts: PortalParts): Page {
  const { site, limits, readForm, newFormKey, now } = parts;
  const router = createPortalRouter({
    sendRecording: (part) => sendRecording(parts, part),
    storeVideo: (page) => storeVideo(parts, page),
    printStatement: parts.printStatement,
  });
  const pages = new SignedInPages<PageContext>({
    base: "/play",
    router,
    site,
    contextOf: (page) => page,
    layout: (context, page) => signedInLayout(context, undefined, page),
    back: html`<a href="/play">Back to playtests</a>`,
    readForm,
    countPassword: (request) => limits.perAddress(request, "password"),
    newFormKey,
    now,
  });
  return withFilters(parts.accounts.filters, signedInArea(playDoor, parts, pages));
}

const sendRecording =
  (parts: PortalParts, part: RecordingPart) =>
  ({ request, response, session }: Exchange, { id: slotId }: PageContext) =>
    parts.sendRecording({ userId: session.userId, slotId, part }, request, response);

/** Handles the video form of browsers without scripts. No operation of the API accepts a posted file, so it is stored here. */
const storeVideo = (parts: PortalParts, page: View) => async (exchange: Exchange, context: PageContext) => {
  const { request, response, session } = exchange;
  const file = await parts.readFileForm(request);
  if (!isFormTokenOf(exchange, file.fields.csrf)) {
    void file.skip();
    throw staleForm();
  }
  const store = async () => {
    await parts.storeVideo(session.caller!, context.id, file);
    return `/play/slots/${context.id}?done=uploaded`;
  };
  await runAction(response, store, { page }, context);
};
