import type { Data } from "../../../src/contract/index.ts";
import * as shared from "../shared/types.ts";

export type { Download } from "../shared/types.ts";
export type PageContext = shared.PageContext;
export type View = shared.View<PageContext>;
export const action = shared.actionFor<PageContext>();
export type PortalPage = shared.AreaPage<PageContext>;
type Serve = NonNullable<shared.Route<PageContext>["serve"]>;

/** Who is paid, as far as the payout details say it. */
type Payee = Pick<NonNullable<Data<"getPayoutDetails">["details"]>, "holder" | "address" | "country" | "taxNumber">;

/** What pages need of their server and cannot do with `call`. */
export interface PortalHost {
  /** Sends a file of a slot that the account holds or held. */
  sendMedia(part: shared.MediaPart): Serve;
  /** Takes the form that posts a video for a slot. When that fails, `view` is shown again. */
  storeVideo(view: View): Serve;
  /** Renders a statement of the account with this name and address as PDF. */
  printStatement(statement: Statement, holder: { name: string; email: string; payee: Payee | null }): Promise<Buffer>;
}

export type Statement = Data<"getStatement">["statement"];

export type Section = "offers" | "slots" | "friends" | "applications" | "messages" | "earnings" | "notifications";

export type HeldSlot = Data<"getHeldSlot">["slot"];
