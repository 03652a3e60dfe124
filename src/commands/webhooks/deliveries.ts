import { failure } from "../../errors.ts";
import { arg, define } from "../define.ts";
import { webhookArg } from "./manage.ts";
import { deliveryView } from "./view.ts";

export const deliveries = define({
  name: "deliveries",
  summary: "List the deliveries of a webhook",
  operation: "listDeliveries",
  args: { webhook: webhookArg() },
  list: true,
  examples: ["playtest webhooks deliveries 5b7702ae", "playtest webhooks deliveries 5b7702ae --all --ndjson"],
  run: async ({ args, range }, ctx) => ctx.list("listDeliveries", { params: { id: args.webhook } }, range, deliveryView),
});

export const redeliver = define({
  name: "redeliver",
  summary: "Deliver an event once more",
  operation: "redeliver",
  args: { webhook: webhookArg(), delivery: arg.id("Delivery id") },
  examples: ["playtest webhooks redeliver 5b7702ae 01c93f7e"],
  run: async ({ args }, ctx) =>
    ctx.item(await ctx.api().redeliver({ params: { id: args.webhook, deliveryId: args.delivery } }), deliveryView),
});

export const test = define({
  name: "test",
  summary: "Send a test.ping event and say how it was answered",
  operation: "testWebhook",
  args: { webhook: webhookArg() },
  examples: ["playtest webhooks test 5b7702ae"],
  async run({ args }, ctx) {
    const data = await ctx.api().testWebhook({ params: { id: args.webhook } });
    const status = data.delivery.statusCode;
    const answer = status === null ? "It could not be reached." : `It answered ${status}.`;
    const outcome = ctx.text(answer, data);
    return data.success ? outcome : { ...outcome, failure: failure(`The test was not delivered. ${answer}`) };
  },
});
