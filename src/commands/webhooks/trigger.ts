import { arg, col, define, flag, type ItemOf, prose, viewOf } from "../../cli/define.ts";
import { usage } from "../../errors.ts";
import { dataText } from "./view.ts";

const view = viewOf<ItemOf<"emitEvent">>([
  "id",
  "event",
  col("at:timestamp", "ago"),
  prose("data", ({ data }) => dataText(data)),
]);

export const trigger = define({
  name: "trigger",
  summary: "Send a test event to your webhooks (sandbox servers only)",
  operation: "emitEvent",
  args: { event: arg.text("Kind of event, such as slot.submitted") },
  flags: { data: flag.text("Event data as JSON (default: an example)", { value: "JSON" }) },
  examples: [
    "playtest webhooks trigger slot.submitted",
    `playtest webhooks trigger payment.completed --data '{"amountCents":2000}'`,
  ],
  async run({ args, flags }, ctx) {
    const body = { event: args.event, ...(flags.data !== undefined && { data: parse(flags.data) }) };
    return ctx.item(await ctx.api().emitEvent({ body: body as never }), view);
  },
});

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    throw usage("--data: not valid JSON.");
  }
  throw usage("--data: must be a JSON object.");
}
