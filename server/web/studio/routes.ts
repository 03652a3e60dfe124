import { createRouter, type Router } from "../../http/router.ts";
import type { RecordingPart } from "../shared/types.ts";
import { inboxPage } from "./inbox/page.ts";
import { slotPage } from "./slots/page.ts";
import type { Action, Route, StudioHost, View } from "./types.ts";

/** Pages, by their paths below `/studio`. */
const views: Record<string, View> = {
  "/": inboxPage,
  "/slots/:id": slotPage,
};

/** The actions of posted forms. */
const actions: Record<string, Action> = {};

/** What is streamed to the owner of a slot. */
const recordings: Record<string, RecordingPart> = {
  "/slots/:id/video": "video",
  "/slots/:id/captions": "captions",
};

export function createStudioRouter(host: StudioHost): Router<Route> {
  const router = createRouter<Route>();
  for (const [path, view] of Object.entries(views)) router.add("GET", path, { view });
  for (const [path, action] of Object.entries(actions)) router.add("POST", path, { action });
  for (const [path, part] of Object.entries(recordings)) router.add("GET", path, { serve: host.sendRecording(part) });
  return router;
}
