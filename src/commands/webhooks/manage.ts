import type { Data } from "../../api/client.ts";
import { arg, type Context, define, flag } from "../../cli/define.ts";
import { isSigned, type WebhookFormat } from "../../contract/events/webhook-formats.ts";
import { CliError, exitCodes, notFound, usage } from "../../errors.ts";
import { webhookView } from "./view.ts";

export const webhookArg = () => arg.id("Webhook id or URL", "listWebhooks", "url");
export const secretFile = flag.text("Write the secret to a new file that only you can read", { value: "FILE" });

export type Webhook = Data<"listWebhooks">["webhooks"][number];

export async function allWebhooks(ctx: Context): Promise<Webhook[]> {
  const all: Webhook[] = [];
  for await (const { data } of ctx.pages("listWebhooks", {}, { all: true })) all.push(...data.webhooks);
  return all;
}

/** A server without formats may ignore the field and send events that chats refuse, so nothing is sent to it. */
async function requireFormats(ctx: Context, { format }: { format?: WebhookFormat | undefined }): Promise<void> {
  if (isSigned(format) || (await ctx.api().offered("getServerInfo", {})) !== undefined) return;
  const message = `This server does not format events for ${format}. Nothing was changed.`;
  throw new CliError("NOT_OFFERED", exitCodes.notFound, message, {
    hint: "Leave out --format: events are then sent in the standard format.",
  });
}

export const list = define({
  name: "list",
  aliases: ["ls"],
  operation: "listWebhooks",
  list: true,
  examples: ["playtest webhooks list"],
  view: webhookView,
});

export const show = define({
  name: "show",
  summary: "Show a webhook",
  operation: "listWebhooks",
  args: { webhook: webhookArg() },
  examples: ["playtest webhooks show 5b7702ae"],
  async run({ args }, ctx) {
    const webhook = (await allWebhooks(ctx)).find(({ id }) => id === args.webhook);
    if (!webhook) throw notFound(`Webhook ${args.webhook} not found.`, "See `playtest webhooks list`.");
    return ctx.item({ webhook }, webhookView);
  },
});

export const create = define({
  name: "create",
  summary: "Create a webhook and print its secret (shown once)",
  description:
    "Without --events it gets all events. With --format slack, discord or teams no secret is printed, because these services check none.",
  operation: "createWebhook",
  body: "createWebhook",
  partialBody: true,
  bodyOmit: ["url"],
  args: { url: arg.text("Public HTTPS address that receives the events") },
  flags: { secretFile },
  examples: [
    "playtest webhooks create https://example.com/hook --events slot.submitted,slot.accepted",
    "playtest webhooks create https://example.com/hook --events '*' --secret-file secret.txt",
    "playtest webhooks create https://hooks.slack.com/services/T0/B0/x --format slack",
  ],
  async run({ args, body, flags }, ctx) {
    await requireFormats(ctx, body);
    await ctx.reserveSecret(flags.secretFile);
    const data = await ctx.api().createWebhook({ body: { ...body, events: body.events ?? ["*"], url: args.url } });
    if (!isSigned(data.webhook.format) && flags.secretFile === undefined)
      return ctx.text(`Created webhook ${data.webhook.id}. Its messages are not checked with a secret.`, data);
    ctx.out.note(`Created webhook ${data.webhook.id}. Its secret is shown only once.`);
    return ctx.secret(data.secret, flags.secretFile, data);
  },
});

export const update = define({
  name: "update",
  aliases: ["edit"],
  summary: "Change a webhook's address or events",
  operation: "updateWebhook",
  body: "updateWebhook",
  args: { webhook: webhookArg() },
  examples: ["playtest webhooks update 5b7702ae --events '*'"],
  async run({ args, body }, ctx) {
    if (Object.keys(body).length === 0) throw usage("No changes given.", "Pass --url or --events.");
    await requireFormats(ctx, body);
    return ctx.item(await ctx.api().updateWebhook({ params: { id: args.webhook }, body }), webhookView);
  },
});

export const remove = define({
  name: "delete",
  aliases: ["rm"],
  summary: "Delete a webhook",
  operation: "deleteWebhook",
  args: { webhook: webhookArg() },
  confirm: ({ args }) => `Delete webhook ${args.webhook}? Pending deliveries are discarded.`,
  examples: ["playtest webhooks delete 5b7702ae --yes"],
});

export const enable = define({
  name: "enable",
  summary: "Re-enable a webhook that was disabled after failures",
  operation: "enableWebhook",
  args: { webhook: webhookArg() },
  examples: ["playtest webhooks enable 5b7702ae"],
});

export const rotateSecret = define({
  name: "rotate-secret",
  summary: "Replace the signing secret and print the new one; the old one stops working",
  operation: "rotateWebhookSecret",
  args: { webhook: webhookArg() },
  flags: { secretFile },
  confirm: ({ args }) =>
    `Replace the secret of webhook ${args.webhook}? Receivers that use the old secret will reject new events.`,
  examples: ["playtest webhooks rotate-secret 5b7702ae --yes --secret-file secret.txt"],
  async run({ args, flags }, ctx) {
    await ctx.reserveSecret(flags.secretFile);
    const data = await ctx.api().rotateWebhookSecret({ params: { id: args.webhook } });
    return ctx.secret(data.secret, flags.secretFile, data);
  },
});
