import type { Data } from "../../api/client.ts";
import type { Context } from "../../cli/define.ts";

export type Slot = Data<"listSlots">["slots"][number];

/** All slots of a playtest. */
export async function slotsOf(ctx: Context, id: string): Promise<Slot[]> {
  const slots: Slot[] = [];
  for await (const { data } of ctx.pages("listSlots", { params: { id } }, { all: true })) slots.push(...data.slots);
  return slots;
}
