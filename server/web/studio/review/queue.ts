import { studio } from "../../../../src/contract/pages/addresses.ts";
import { html, type Markup } from "../../html.ts";
import type { StudioContext } from "../types.ts";

/** Where a slot is among those that wait for review, the oldest first. */
export interface QueuePlace {
  /** Counted from one; undefined for a slot that does not wait. */
  number: number | undefined;
  total: number;
  /** Whether more slots wait than were read. */
  isMore: boolean;
  previousId: string | undefined;
  nextId: string | undefined;
}

const pageSize = 100;
const mostPages = 5;

export async function placeInQueue({ call }: Pick<StudioContext, "call">, slotId: string): Promise<QueuePlace> {
  const newestFirst: string[] = [];
  let cursor: string | null | undefined;
  for (let page = 0; page < mostPages && cursor !== null; page++) {
    const reply = await call("listSubmissions", { query: { status: "submitted", limit: pageSize, cursor } });
    newestFirst.push(...reply.data.submissions.map(({ slot }) => slot.id));
    cursor = reply.meta.cursor ?? null;
  }
  return placeOf(newestFirst.toReversed(), slotId, typeof cursor === "string");
}

/** The place of a slot in the queue. A slot that was decided is followed by the first one. */
export function placeOf(ids: readonly string[], slotId: string, isMore: boolean): QueuePlace {
  const at = ids.indexOf(slotId);
  return {
    number: at < 0 ? undefined : at + 1,
    total: ids.length,
    isMore,
    previousId: at > 0 ? ids[at - 1] : undefined,
    nextId: ids[at + 1],
  };
}

const step = (id: string | undefined, rel: "prev" | "next", label: Markup) =>
  id === undefined ? html`<span class="soft">${label}</span>` : html`<a rel="${rel}" href="${studio.slot(id)}">${label}</a>`;

/** Links to the submissions before and after this one. */
export function queueLinks({ number, total, isMore, previousId, nextId }: QueuePlace): Markup | false {
  if (total === 0) return html`<p class="review-queue soft">Nothing else waits for review.</p>`;
  const all = `${total}${isMore ? "+" : ""}`;
  const where = number === undefined ? `${all} to review` : `${number} of ${all} to review`;
  return html`<nav class="review-queue" aria-label="Submissions to review">${step(previousId, "prev", html`← Previous <kbd class="hint">P</kbd>`)}<span>${where}</span>${step(nextId, "next", html`Next → <kbd class="hint">N</kbd>`)}</nav>`;
}
