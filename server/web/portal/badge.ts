import type { ApplicationStatus, SlotStatus } from "../../../src/contract/states/index.ts";
import { html, type Markup } from "../html.ts";
import type { HeldSlot } from "./types.ts";

/** The label and style of a status. `good`: ended with success. `wait`: in progress. */
type Badge = readonly [label: string, look: "" | "good" | "wait"];

const slotBadges = {
  open: ["Open", ""],
  reserved: ["In progress", "wait"],
  submitted: ["In review", "wait"],
  publishing: ["Accepted, publishing", "good"],
  accepted: ["Accepted", "good"],
  rejected: ["Not accepted", ""],
  blocked: ["Problem reported", "wait"],
  expired: ["Expired", ""],
  cancelled: ["Cancelled", ""],
} as const satisfies Record<SlotStatus, Badge>;

const applicationBadges = {
  pending: ["Pending", "wait"],
  approved: ["Approved", "good"],
  rejected: ["Not selected", ""],
  auto_rejected: ["Closed", ""],
  withdrawn: ["Withdrawn", ""],
} as const satisfies Record<ApplicationStatus, Badge>;

const badge = ([label, look]: Badge): Markup => html`<span class="badge ${look}">${label}</span>`;

/** A slot is cancelled because its playtester released it, or for another reason, such as a reported problem. */
export const slotBadge = ({ status, lost }: Pick<HeldSlot, "status" | "lost">) =>
  badge(status === "cancelled" && lost?.why === "released" ? ["Released", ""] : slotBadges[status]);
export const teamBadge = () => badge(["Waiting for your team", "wait"]);
export const applicationBadge = (status: ApplicationStatus) => badge(applicationBadges[status]);
