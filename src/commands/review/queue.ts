import type { Data } from "../../api/client.ts";
import { arg, type Context } from "../define.ts";

export type Submission = Data<"listSubmissions">["submissions"][number];

export const slotArg = () => arg.id("Slot id", "listSubmissions", "game.name");
export const slotIds = () => ({ ...arg.ids("Slot ids"), optional: true });

/** Everything that waits for review. */
export async function waiting(ctx: Context): Promise<Submission[]> {
  const all: Submission[] = [];
  for await (const page of ctx.pages("listSubmissions", { query: { status: "submitted" } }, { all: true }))
    all.push(...(page.items as Submission[]));
  return all;
}

/** Slots with the payout of their playtest, each playtest fetched once. */
export function slotReader(ctx: Context) {
  const playtests = new Map<string, Promise<Data<"getPlaytest">>>();
  return async (id: string) => {
    const { slot } = await ctx.api().getSlot({ params: { id } });
    const playtest = playtests.get(slot.requestId) ?? ctx.api().getPlaytest({ params: { id: slot.requestId } });
    playtests.set(slot.requestId, playtest);
    return { slot, payoutCents: (await playtest).playtest.payoutCents ?? 0 };
  };
}
