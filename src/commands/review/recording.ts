import type { Context } from "../../cli/define.ts";
import type { Data } from "../../contract/index.ts";
import { isAbsent } from "../../errors.ts";

export type Facts = Data<"getSlotSignals">["facts"];

/** What looks wrong in the video of a slot. Undefined where it is not measured. */
export async function factsOf(ctx: Context, id: string): Promise<Facts | undefined> {
  try {
    return (await ctx.api().getSlotSignals({ params: { id } })).facts;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
