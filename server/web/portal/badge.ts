import type { ApplicationStatus, SlotStatus } from "../../../src/contract/states/index.ts";
import { html, type Markup } from "../html.ts";

/** A status in a playtester's words; `good` has ended well, `wait` goes on. */
type Badge = readonly [label: string, look: "" | "good" | "wait"];

const slotBadges = {
  open: ["Open", ""],
  reserved: ["Yours to play", "wait"],
  submitted: ["In review", "wait"],
  publishing: ["Accepted, being published", "good"],
  accepted: ["Accepted", "good"],
  rejected: ["Not accepted", ""],
  blocked: ["Problem reported", "wait"],
  expired: ["Time ran out", ""],
  cancelled: ["Given back", ""],
} as const satisfies Record<SlotStatus, Badge>;

const applicationBadges = {
  pending: ["Waiting", "wait"],
  approved: ["You were chosen", "good"],
  rejected: ["Not chosen", ""],
  auto_rejected: ["Closed", ""],
  withdrawn: ["Withdrawn", ""],
} as const satisfies Record<ApplicationStatus, Badge>;

const badge = ([label, look]: Badge): Markup => html`<span class="badge ${look}">${label}</span>`;

export const slotBadge = (status: SlotStatus) => badge(slotBadges[status]);
export const applicationBadge = (status: ApplicationStatus) => badge(applicationBadges[status]);
