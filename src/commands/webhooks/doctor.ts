import { lookup } from "node:dns/promises";
import { arg, type Context, define, flag } from "../../cli/define.ts";
import { failure, notFound } from "../../errors.ts";
import { ago, plural, shortId } from "../../io/text.ts";
import { allWebhooks, type Webhook } from "./manage.ts";
import type { Verdict } from "./signature.ts";
import { checkView } from "./view.ts";

export const doctor = define({
  name: "doctor",
  summary: "Check that webhooks are enabled, resolvable and receiving events",
  operation: ["listWebhooks", "listDeliveries", "testWebhook"],
  risk: "read",
  args: { webhook: { ...arg.optional("Webhook id (default: all webhooks)"), id: {} } },
  flags: { send: flag.toggle("Also send a test.ping event to each webhook") },
  examples: ["playtest webhooks doctor", "playtest webhooks doctor 5b7702ae --send"],
  async run({ args, flags }, ctx) {
    const chosen = (await allWebhooks(ctx)).filter(({ id }) => args.webhook === undefined || id === args.webhook);
    if (chosen.length === 0 && args.webhook !== undefined)
      throw notFound(
        `No webhook has the id ${args.webhook}. Nothing was checked.`,
        "To list valid ids: `playtest webhooks list`.",
      );
    if (chosen.length === 0) throw failure("There is no webhook to check.", "Create one with `playtest webhooks create`.");
    const checks: Verdict[] = [];
    for (const webhook of chosen) checks.push(...(await checkWebhook(ctx, webhook, flags.send)));
    const failed = checks.filter(({ ok }) => !ok);
    const outcome = ctx.rows("checks", checks, checkView);
    return failed.length === 0 ? outcome : { ...outcome, failure: failure(`${plural(failed.length, "check")} failed.`) };
  },
});

async function checkWebhook(ctx: Context, webhook: Webhook, send: boolean): Promise<Verdict[]> {
  const name = (check: string) => `${shortId(webhook.id)} ${check}`;
  const { hostname, protocol } = new URL(webhook.url);
  const found = await lookup(hostname.replace(/^\[|\]$/g, "")).then(
    ({ address }) => ({ ok: true, detail: `${hostname} resolves to ${address}` }),
    () => ({ ok: false, detail: `${hostname} cannot be resolved` }),
  );
  const active = webhook.isActive ? "yes" : `no: enable it with \`playtest webhooks enable ${shortId(webhook.id)}\``;
  const checks: Verdict[] = [
    { name: name("active"), ok: webhook.isActive, detail: active },
    { name: name("https"), ok: protocol === "https:", detail: webhook.url },
    { name: name("dns"), ...found },
    { name: name("deliveries"), ...(await recent(ctx, webhook)) },
  ];
  if (!send) return checks;
  const { success, delivery } = await ctx.api().testWebhook({ params: { id: webhook.id } });
  const detail = delivery.statusCode === null ? (delivery.lastError ?? "could not be reached") : `status ${delivery.statusCode}`;
  return [...checks, { name: name("test.ping"), ok: success, detail }];
}

async function recent(ctx: Context, webhook: Webhook): Promise<{ ok: boolean; detail: string }> {
  const { deliveries } = await ctx.api().listDeliveries({ params: { id: webhook.id }, query: { limit: 20 } });
  const failing = deliveries.filter(({ deliveredAt, attemptCount }) => deliveredAt === null && attemptCount > 0);
  const delivered = deliveries.filter(({ deliveredAt }) => deliveredAt !== null);
  const waiting = deliveries.length - failing.length - delivered.length;
  const queued = waiting > 0 ? `, ${waiting} not attempted yet` : "";
  if (deliveries.length === 0) return { ok: true, detail: "none yet" };
  if (failing.length === 0)
    return { ok: true, detail: `${delivered.length} of the last ${deliveries.length} succeeded${queued}` };
  const next = failing.flatMap(({ nextRetryAt }) => nextRetryAt ?? []).sort()[0];
  const retry = next ? `, next retry ${ago(next, ctx.serverNow())}` : "";
  const responses = [...new Set(failing.map(({ statusCode, lastError }) => statusCode ?? lastError ?? "no response"))].join(", ");
  return { ok: false, detail: `${failing.length} of the last ${deliveries.length} failed (${responses})${retry}` };
}
