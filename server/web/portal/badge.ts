import { html, type Markup } from "../html.ts";

/** Statuses in a playtester's words; `good` has ended well, `wait` goes on. */
const labels: Record<string, [label: string, look: "" | "good" | "wait"]> = {
  reserved: ["Yours to play", "wait"],
  submitted: ["In review", "wait"],
  publishing: ["Accepted, being published", "good"],
  accepted: ["Accepted", "good"],
  rejected: ["Not accepted", ""],
  blocked: ["Problem reported", "wait"],
  expired: ["Time ran out", ""],
  cancelled: ["Given back", ""],
  not_chosen: ["Not chosen", ""],
  pending: ["Waiting", "wait"],
  approved: ["You were chosen", "good"],
  auto_rejected: ["Closed", ""],
  withdrawn: ["Withdrawn", ""],
};

export function badge(status: string): Markup {
  const [label, look] = labels[status] ?? [status, ""];
  return html`<span class="badge ${look}">${label}</span>`;
}
