import { createRouter, opaqueIds, type Router } from "../../http/router.ts";
import { html } from "../html.ts";
import type { Download, ImageKind, RecordingPart } from "../shared/types.ts";
import { passkeyRoutes } from "../sign-in/passkeys.ts";
import { gamePage, gamesPage } from "./games/pages.ts";
import { inboxPage } from "./inbox/page.ts";
import { studioLayout } from "./layout.ts";
import { messages } from "./messages.ts";
import * as applications from "./playtests/applications.ts";
import { playtestPage } from "./playtests/page.ts";
import { comparePage } from "./review/compare.ts";
import { accept, reject } from "./review/decide.ts";
import { sendMessage } from "./review/message.ts";
import { changeMoment, deleteMoment, momentFields, noteMoment } from "./review/moments.ts";
import { cuesFile, slotPage } from "./review/page.ts";
import { deleteStill, takeStill } from "./review/stills.ts";
import { searchPage } from "./search/page.ts";
import { clipActions } from "./sharing/clips.ts";
import { shareActions } from "./sharing/shares.ts";
import { cancel, problemPage, unblock } from "./slots/problem.ts";
import { statsPage } from "./stats/page.ts";
import type { Action, Route, Serve, StudioContext, StudioHost, View } from "./types.ts";

const passkeys = passkeyRoutes<StudioContext>("/passkeys", {
  path: "/studio/passkeys",
  back: html`<a href="/studio">Back to the inbox</a>`,
  layout: (context, page) => studioLayout(context, undefined, page),
});

/** Pages, by their paths below `/studio`. */
const views: Record<string, View> = {
  "/": inboxPage,
  "/games": gamesPage,
  "/games/:id": gamePage,
  "/playtests/:id": playtestPage,
  "/playtests/:id/applications": applications.applicationsPage,
  "/search": searchPage,
  "/slots/:id": slotPage,
  "/slots/:id/problem": problemPage,
  "/messages": messages.list,
  "/messages/:id": messages.conversation,
  "/playtests/:id/compare": comparePage,
  "/stats": statsPage,
};

/** The actions of posted forms. */
const actions: Record<string, Action> = {
  "/playtests/:id/applications/:application/approve": { run: applications.approve, page: applications.applicationsPage },
  "/playtests/:id/applications/:application/reject": { run: applications.reject, page: applications.applicationsPage },
  "/slots/:id/problem": {
    run: unblock,
    page: problemPage,
    fields: { message: { label: "Your answer", id: "message" }, keys: { label: "New game keys", id: "keys" } },
  },
  "/slots/:id/cancel": { run: cancel, page: problemPage },
  "/messages/with/:id": { run: messages.open, page: messages.list },
  "/messages/:id": {
    run: messages.send,
    page: messages.conversation,
    fields: { content: { label: "Your message", id: "content" } },
  },
  "/messages/:id/block": { run: messages.setBlocked(true), page: messages.conversation },
  "/messages/:id/unblock": { run: messages.setBlocked(false), page: messages.conversation },
  "/slots/:id/accept": { run: accept, page: slotPage, fields: { comment: { label: "Comment", id: "comment" } } },
  "/slots/:id/reject": { run: reject, page: slotPage, fields: { reason: { label: "Reason", id: "reason" } } },
  "/slots/:id/message": { run: sendMessage, page: slotPage, fields: { content: { label: "Your message", id: "content" } } },
  "/slots/:id/moments": { run: noteMoment, page: slotPage, fields: momentFields("") },
  "/slots/:id/moments/change": { run: changeMoment, page: slotPage, fields: momentFields("edit-") },
  "/slots/:id/moments/delete": { run: deleteMoment, page: slotPage },
  "/slots/:id/moments/still": { run: takeStill, page: slotPage },
  "/slots/:id/moments/still/delete": { run: deleteStill, page: slotPage },
  ...shareActions("slots", slotPage),
  ...shareActions("playtests", playtestPage),
  ...clipActions(slotPage),
};

/** Files that are made when they are asked for. */
const downloads: Record<string, (context: StudioContext) => Promise<Download>> = {
  "/slots/:id/cues": cuesFile,
};

/** What is streamed to the owner of a slot. */
const recordings: Record<string, RecordingPart> = {
  "/slots/:id/video": "video",
  "/slots/:id/captions": "captions",
  "/slots/:id/poster": "poster",
};

/** Images of the moments and clips of a slot. */
const images: Record<string, ImageKind> = {
  "/slots/:id/stills/:moment": "still",
  "/slots/:id/thumbnails/:moment": "thumbnail",
  "/slots/:id/clips/:clip/thumbnail": "clipThumbnail",
};

/** What the script of the pages listens to, to show changes as they happen. */
const streamEvents: Serve = ({ request, streamEvents: stream }) => {
  const last = request.headers["last-event-id"];
  return stream(typeof last === "string" ? last : undefined);
};

export function createStudioRouter(host: StudioHost): Router<Route> {
  // `playtest studio` may show a server whose ids are no UUIDs.
  const router = createRouter<Route>({ ids: opaqueIds });
  const own = host.account.instance === null ? passkeys : undefined;
  for (const [path, view] of Object.entries({ ...views, ...own?.views })) router.add("GET", path, { view });
  for (const [path, action] of Object.entries({ ...actions, ...own?.actions })) router.add("POST", path, { action });
  router.add("GET", "/events", { serve: streamEvents });
  for (const [path, download] of Object.entries(downloads)) router.add("GET", path, { download });
  for (const [path, kind] of Object.entries(images)) router.add("GET", path, { serve: host.sendImage(kind) });
  for (const [path, part] of Object.entries(recordings)) router.add("GET", path, { serve: host.sendRecording(part) });
  return router;
}
