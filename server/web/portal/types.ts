import type { Data } from "../../../src/contract/index.ts";
import type * as shared from "../shared/types.ts";

export type { Download, RecordingPart } from "../shared/types.ts";
export type PageContext = shared.PageContext;
export type View = shared.View<PageContext>;
export type Action = shared.Action<PageContext>;
export type Route = shared.Route<PageContext>;

export type Section = "offers" | "slots" | "applications" | "messages" | "earnings" | "notifications";

export type HeldSlot = Data<"getHeldSlot">["slot"];
