import { arg, define, flag } from "../../cli/define.ts";
import { failure, usage } from "../../errors.ts";
import { plural } from "../../io/text.ts";
import { sinceTime } from "../shared/sandbox.ts";
import { webhookArg } from "./manage.ts";
import { deliveryView } from "./view.ts";

export const deliveries = define({
  name: "deliveries",
  operation: "listDeliveries",
  args: { webhook: webhookArg() },
  list: true,
  examples: ["playtest webhooks deliveries 5b7702ae", "playtest webhooks deliveries 5b7702ae --all --ndjson"],
  view: deliveryView,
});

export const redeliver = define({
  name: "redeliver",
  summary: "Deliver an event again, or all events since a time",
  description:
    "A redelivery has the same event id, so that receivers can detect duplicates. --since includes events that occurred while the " +
    "webhook was disabled; enable it first.",
  operation: ["redeliver", "redeliverSince"],
  risk: "write",
  args: { webhook: webhookArg(), delivery: { ...arg.optional("Delivery id"), id: {} } },
  flags: {
    since: flag.moment("Deliver all events since"),
    undelivered: flag.toggle("With --since, deliver only events that have not been delivered"),
  },
  examples: [
    "playtest webhooks redeliver 5b7702ae 01c93f7e",
    "playtest webhooks redeliver 5b7702ae --since 2h",
    "playtest webhooks redeliver 5b7702ae --since 2026-01-31T08:00:00Z --undelivered",
  ],
  async run({ args, flags }, ctx) {
    if ((args.delivery === undefined) === (flags.since === undefined)) throw usage("Pass either a delivery id or --since.");
    if (flags.undelivered && flags.since === undefined) throw usage("--undelivered requires --since.");
    if (args.delivery !== undefined)
      return ctx.item(await ctx.api().redeliver({ params: { id: args.webhook, deliveryId: args.delivery } }), deliveryView);
    const body = { since: new Date(await sinceTime(ctx, flags.since!)).toISOString(), onlyUndelivered: flags.undelivered };
    const data = await ctx.api().redeliverSince({ params: { id: args.webhook }, body });
    return ctx.text(`Queued ${plural(data.count, "delivery", "deliveries")}.`, data);
  },
});

export const test = define({
  name: "test",
  summary: "Send a test.ping event and show the response",
  operation: "testWebhook",
  args: { webhook: webhookArg() },
  examples: ["playtest webhooks test 5b7702ae"],
  async run({ args }, ctx) {
    const data = await ctx.api().testWebhook({ params: { id: args.webhook } });
    const status = data.delivery.statusCode ?? null;
    const why = data.delivery.lastError ? `: ${data.delivery.lastError.replace(/\.$/, "")}` : "";
    const unreached =
      data.success === undefined
        ? "The server does not report what the endpoint returned."
        : `The endpoint could not be reached${why}.`;
    const result = status === null ? unreached : `The endpoint returned status ${status}.`;
    const outcome = ctx.text(result, data);
    const delivered = data.success ?? (status === null || (status >= 200 && status < 300));
    return delivered ? outcome : { ...outcome, failure: failure(`The test event was not delivered. ${result}`) };
  },
});
