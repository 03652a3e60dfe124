import type { Data } from "../../api/client.ts";
import { type Arg, arg, type Context } from "../../cli/define.ts";
import type { SlotStatus } from "../../contract/states/index.ts";

export type Submission = Data<"listSubmissions">["submissions"][number];

const label = (item: object) => {
  const { game, playtester } = item as Submission;
  return [game.name, ...(playtester ? [playtester.displayName] : [])].join(", ");
};

/** A slot; if it is omitted, one of this status, by default one that waits for review, is chosen. */
export const slotArg = (status: SlotStatus = "submitted"): Arg<string> => ({
  summary: "Slot id",
  id: { pick: "listSubmissions", label, query: { status } },
});

/** Ids of slots that wait for review. Optional, because the flags in `unless` can select slots instead. */
export const slotIds = (...unless: string[]) => {
  const id = { pick: "listSubmissions", label, query: { status: "submitted" }, unless } as const;
  return { ...arg.ids("Slot ids", id), optional: true };
};

/** All submissions that wait for review. */
export async function waiting(ctx: Context): Promise<Submission[]> {
  const all: Submission[] = [];
  for await (const page of ctx.pages("listSubmissions", { query: { status: "submitted" } }, { all: true }))
    all.push(...(page.items as Submission[]));
  return all;
}

/**
 * Returns a function that fetches a slot, the payout of its playtest, null if it is not reported, and whether the video is published
 * first. Each playtest is fetched only once.
 */
export function slotReader(ctx: Context) {
  const playtests = new Map<string, Promise<Data<"getPlaytest">>>();
  return async (id: string) => {
    const { slot } = await ctx.api().getSlot({ params: { id } });
    const playtest = playtests.get(slot.requestId) ?? ctx.api().getPlaytest({ params: { id: slot.requestId } });
    playtests.set(slot.requestId, playtest);
    const { payoutCents, visibility } = (await playtest).playtest;
    return {
      slot,
      payoutCents: payoutCents ?? null,
      publishing: visibility === "public" && slot.publicationConsent?.withdrawnAt == null,
    };
  };
}
