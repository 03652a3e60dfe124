import { studio } from "../../../src/contract/pages/addresses.ts";
import type { ApplicationStatus, ApprovalStatus, PlaytestStatus, SlotStatus } from "../../../src/contract/states/index.ts";
import { html, type Markup } from "../html.ts";
import { copied } from "../shared/parts.ts";
import type { StudioContext } from "./types.ts";

/** A command to copy, for what Studio leaves to the command line. */
export const command = ({ cli }: Pick<StudioContext, "cli">, text: string): Markup => copied(cli(text), `the command ${text}`);

/** The command that does the same as a form, behind a button: it weighs less than what it belongs to. */
export const commandButton = (context: Pick<StudioContext, "cli">, text: string): Markup =>
  html`<details class="by-command"><summary>Command</summary>${command(context, text)}</details>`;

/** Commands with what each of them does. */
export const commands = (
  context: Pick<StudioContext, "cli">,
  title: string,
  rows: readonly (readonly [what: string, command: string])[],
): Markup =>
  html`<section class="cli"><h2>${title}</h2>${rows.map(([what, text]) => html`<p>${what}:</p>${command(context, text)}`)}</section>`;

/** `good`: ended with success. `wait`: somebody else's turn. `act`: the owner's turn. */
type Look = "" | "good" | "wait" | "act";
type Badge = readonly [label: string, look: Look];

const slotBadges = {
  open: ["Open", ""],
  reserved: ["Being played", "wait"],
  submitted: ["To review", "act"],
  publishing: ["Publishing", "good"],
  accepted: ["Accepted", "good"],
  rejected: ["Rejected", ""],
  blocked: ["Problem", "act"],
  expired: ["Expired", ""],
  cancelled: ["Cancelled", ""],
} as const satisfies Record<SlotStatus, Badge>;

const playtestBadges = {
  pending_payment: ["Not paid", "act"],
  active: ["Active", "wait"],
  completed: ["Completed", "good"],
  cancelled: ["Cancelled", ""],
  expired: ["Expired", ""],
} as const satisfies Record<PlaytestStatus, Badge>;

const applicationBadges = {
  pending: ["To decide", "act"],
  approved: ["Approved", "good"],
  rejected: ["Rejected", ""],
  auto_rejected: ["Closed", ""],
  withdrawn: ["Withdrawn", ""],
} as const satisfies Record<ApplicationStatus, Badge>;

const approvalBadges = {
  pending: ["To decide", "act"],
  approved: ["Approved", "good"],
  declined: ["Declined", ""],
  expired: ["Expired", ""],
} as const satisfies Record<ApprovalStatus, Badge>;

const badge = ([label, look]: Badge): Markup => html`<span class="badge ${look}">${label}</span>`;

export const slotBadge = (status: SlotStatus) => badge(slotBadges[status]);
/** That of a slot which is played at a fixed time that is still to come. */
export const claimedBadge: Markup = badge(["Claimed", "wait"]);
export const playtestBadge = (status: PlaytestStatus) => badge(playtestBadges[status]);
export const approvalBadge = (status: ApprovalStatus) => badge(approvalBadges[status]);
export const applicationBadge = (status: ApplicationStatus) => badge(applicationBadges[status]);

/** The end of an id, which the command takes too. */
export const shortId = (id: string) => id.slice(-8);

export { plural } from "../../../src/contract/text/plural.ts";

/** Links to what is above a page: the games, and the game and the playtest that it belongs to. */
export function trail(game?: { id: string; name: string }, playtestId?: string): Markup {
  const links = [
    [studio.games(), "Games"],
    ...(game ? [[studio.game(game.id), game.name]] : []),
    ...(playtestId === undefined ? [] : [[studio.playtest(playtestId), "Playtest"]]),
  ];
  return html`<nav class="trail" aria-label="Breadcrumb"><ol>${links.map(([path, label]) => html`<li><a href="${path}">${label}</a></li>`)}</ol></nav>`;
}

/** A square with the first letter of a game, in one of six tints. */
export function tile(name: string): Markup {
  const tint = [...name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % 6;
  return html`<span class="tile tint-${tint}" aria-hidden="true">${[...name.trim()][0]?.toUpperCase()}</span>`;
}
