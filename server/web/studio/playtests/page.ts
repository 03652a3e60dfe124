import { audienceText } from "../../../../src/contract/accounts/audience-text.ts";
import type { Data } from "../../../../src/contract/index.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import type { SlotStatus } from "../../../../src/contract/states/index.ts";
import { lengthText } from "../../../../src/contract/text/length.ts";
import { usd } from "../../../lib/money.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { cursorOf, more, notice, prose } from "../../shared/parts.ts";
import { time, until } from "../../shared/text.ts";
import { zoneFor } from "../../shared/zone.ts";
import { progressOf } from "../games/pages.ts";
import { studioLayout } from "../layout.ts";
import { cancellationOf, cancelling, moving, orderActions, payment, slotsShown } from "../orders/pay.ts";
import { commands, playtestBadge, plural, shortId, slotBadge, trail } from "../parts.ts";
import { shareActions, shareNotices, sharesOf, sharesSection } from "../sharing/shares.ts";
import type { StudioContext, StudioPage } from "../types.ts";
import { fixedTime, proposed } from "./times.ts";

type Playtest = Data<"getPlaytest">["playtest"];
type Slot = Data<"listSlots">["slots"][number];

/** A column of the board. */
interface Column {
  title: string;
  statuses: readonly SlotStatus[];
  /** The owner has to do something. */
  isTurn?: boolean;
}

/** From left to right as slots usually move. On a phone, what the owner has to do comes first. */
const columns: readonly Column[] = [
  { title: "Open", statuses: ["open"] },
  { title: "Being played", statuses: ["reserved"] },
  { title: "Problem", statuses: ["blocked"], isTurn: true },
  { title: "To review", statuses: ["submitted"], isTurn: true },
  { title: "Accepted", statuses: ["accepted", "publishing"] },
  { title: "Ended", statuses: ["rejected", "expired", "cancelled"] },
];

const said = new Map([
  ...shareNotices,
  ["ordered", "The order was placed."],
  [
    "unpaid",
    "The order was placed, but it is not paid yet. Playtesters see it when it is paid. An order that stays unpaid expires.",
  ],
  ["paid", "The order is paid. Playtesters can take part now."],
  ["cancelled", "The slots were cancelled."],
  ["moved", "The time was changed. A playtester who holds a slot keeps the earlier time until they accept the new one."],
]);

/** `/studio/playtests/ID`: an order with its slots by state. */
async function playtestPage(context: StudioContext): Promise<PageContent> {
  const { call, id } = context;
  const [{ playtest }, { data, meta }, shares] = await Promise.all([
    call("getPlaytest", { params: { id } }).then((reply) => reply.data),
    call("listSlots", { params: { id }, query: { limit: slotsShown, cursor: cursorOf(context) } }),
    sharesOf(context, "playtests"),
  ]);
  const zone = await zoneFor(context, [playtest.scheduledAt]);
  const hasVideos = data.slots.some(({ submission }) => submission !== null);
  const done = said.get(context.query.get("done") ?? "");
  const body = html`${done && notice(done)}${trail({ id: playtest.gameId, name: playtest.gameName })}
${await payment(context, playtest)}<div data-live="playtest">${facts(context, playtest)}${fixedTime(playtest, context.now, zone)}
${applicationsLink(playtest)}
${board({ ...context, zone }, playtest, data.slots)}
${hasVideos && html`<p><a href="${studio.highlights(id)}">Highlights: where to look first</a></p>`}
${data.slots.filter(({ submission }) => submission !== null).length > 1 && html`<p><a href="${studio.compare(id)}">Compare videos side by side</a></p>`}
${more(studio.playtest(id), meta.cursor, "Show more slots")}</div>
${playtest.notesForTesters && html`<section><h2>Notes for playtesters</h2>${prose(playtest.notesForTesters)}</section>`}
${hasVideos && sharesSection(context, "playtests", shares)}
${await moving(context, playtest, zone)}
${cursorOf(context) === undefined && (await cancelling(context, playtest, data.slots))}
${commands(context, "From the command line", commandsFor(context, playtest, { shown: data.slots, zone }))}`;
  return studioLayout(context, "games", { title: `Playtest of ${playtest.gameName}`, body });
}

export const playtest: StudioPage = {
  at: studio.playtest,
  view: playtestPage,
  actions: [...orderActions, ...Object.values(shareActions.playtests)],
};

function facts({ site }: StudioContext, playtest: Playtest): Markup {
  const { status, createdAt, quantity, durationMinutes, playerCount, visibility, costPerSlotCents, panel, slots } = playtest;
  const audience = audienceText(playtest);
  return html`<div class="head"><p class="soft">Ordered ${time(createdAt)}</p>${playtestBadge(status)}</div>
${progressOf(quantity, slots)}
<ul class="facts"><li>${durationMinutes} min</li>${playerCount > 1 && html`<li>${playerCount} players per slot</li>`}<li>${visibility}</li>${panel && html`<li>only for ${panel}</li>`}${audience && html`<li>only for ${audience}</li>`}${site.payments && costPerSlotCents !== null && costPerSlotCents > 0 && html`<li>${usd(costPerSlotCents)} per slot</li>`}${playtest.isFreePublicTrial && html`<li>free trial</li>`}</ul>
${status === "pending_payment" && html`<p class="bad">This order is not paid, so nobody can play yet.</p>`}`;
}

interface BoardContext extends StudioContext {
  /** The zone in which the owner is told times; null for UTC. */
  zone: string | null;
}

const applicationsLink = ({ id, selectionMode }: Playtest) =>
  selectionMode === "manual" && html`<p><a href="${studio.applications(id)}">Applications</a>: you choose who plays.</p>`;

function board(context: BoardContext, { slots: counts, selectionMode }: Playtest, slots: readonly Slot[]): Markup {
  const shown = columns.map((column) => {
    const count = column.statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
    return { ...column, count, cards: slots.filter(({ status }) => column.statuses.includes(status)) };
  });
  const open = selectionMode === "manual" ? "for an application to be approved" : "for a playtester";
  return html`<div class="board">${shown.map(
    ({
      title,
      statuses,
      isTurn = false,
      count,
      cards,
    }) => html`<section class="column${isTurn && " turn"}${count === 0 && " empty"}"><h2>${title} <span class="soft">${count}</span></h2>
${statuses.includes("open") ? count > 0 && html`<p class="soft">${plural(count, "slot")} ${count === 1 ? "waits" : "wait"} ${open}.</p>` : html`<ul>${cards.map((slot) => card(context, slot))}</ul>`}</section>`,
  )}</div>`;
}

function card(context: BoardContext, slot: Slot): Markup {
  const { id, status, playtester, submission, rating } = slot;
  const to = status === "blocked" ? studio.problem(id) : studio.slot(id);
  const length = submission?.videoDurationSeconds;
  return html`<li class="slot" data-slot="${id}"><p class="what"><a href="${to}">${playtester?.displayName ?? "Nobody"}<span class="hidden">, slot</span> <code>${shortId(id)}</code></a></p>
${["rejected", "expired", "cancelled", "publishing"].includes(status) && html`<p>${slotBadge(status)}</p>`}
${proposed(slot, context.now, context.zone)}
<p class="soft">${stateOf(context, slot)}${submission && typeof length === "number" && ` · ${lengthText(length)}`}</p>
${rating?.score && html`<p aria-label="Rated ${rating.score} of 5">${"★".repeat(rating.score)}<span class="soft">${"★".repeat(5 - rating.score)}</span></p>`}</li>`;
}

/** The time that matters in the state of a slot. */
function stateOf({ now }: StudioContext, { status, deadlineAt, submission, blockedReport }: Slot): Markup | string {
  if (status === "reserved" && deadlineAt !== null) return html`due ${until(deadlineAt, now) || "now"}`;
  if (status === "blocked" && blockedReport?.answerBy) return html`answer ${until(blockedReport.answerBy, now) || "now"}`;
  return submission ? html`submitted ${time(submission.createdAt)}` : "no video";
}

function commandsFor(
  context: StudioContext,
  playtest: Playtest,
  { shown, zone }: { shown: readonly Slot[]; zone: string | null },
): (readonly [string, string])[] {
  const { site, now } = context;
  const { id, status, slots, costPerSlotCents, scheduledAt } = playtest;
  const isAhead = scheduledAt != null && Date.parse(scheduledAt) > now;
  const isPaid = site.payments && status === "active" && (costPerSlotCents ?? 0) > 0;
  return [
    ...(status === "pending_payment" ? ([["Pay for it", `playtest playtests pay ${id}`]] as const) : []),
    ...(status === "active" && isAhead
      ? ([
          [
            "Move it to another time",
            `playtest playtests update ${id} --at "YYYY-MM-DD hh:mm"${zone === null ? " --time-zone UTC" : ""}`,
          ],
        ] as const)
      : []),
    ["Be told in a terminal whenever it changes", `playtest playtests watch ${id}`],
    ...(slots.submitted > 0 ? ([["Download the videos", `playtest review download --playtest ${id}`]] as const) : []),
    ...(cancellationOf(context, playtest, shown)
      ? ([
          [
            isAhead
              ? "Cancel it, with its claimed slots"
              : `Cancel the slots that nobody claimed${isPaid ? ", and get their price back" : ""}`,
            `playtest playtests cancel ${id}`,
          ],
        ] as const)
      : []),
  ];
}
