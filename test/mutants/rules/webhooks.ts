// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of sources.
import type { Mutant } from "../mutant.ts";

const job = "server/events/webhooks/deliver.ts";
const deliveries = "server/events/webhooks/deliveries.ts";
const schedule = "server/events/webhooks/schedule.ts";
const signature = "server/events/webhooks/signature.ts";
const routes = "server/events/webhooks/handlers.ts";
const rows = "server/events/webhooks/store.ts";
const events = "server/events/emit.ts";

const table: readonly Omit<Mutant, "test">[] = [
  {
    rule: "the service's own signature covers the time",
    edits: [[signature, "update(`${timestamp}.${body}`)", "update(body)"]],
  },
  {
    rule: "the standard signature covers the id",
    edits: [[signature, "update(`${id}.${timestamp}.${body}`)", "update(`${timestamp}.${body}`)"]],
  },
  {
    rule: "the standard key is what the secret's base64 says",
    edits: [[signature, 'Buffer.from(secret.slice(secretPrefix.length), "base64")', "secret"]],
  },
  {
    rule: "the body is event, timestamp and data",
    edits: [[deliveries, '"event":"${event}","timestamp"', '"kind":"${event}","timestamp"']],
  },
  { rule: "a retry has the same id", edits: [[deliveries, "id: delivery.event_id, timestamp", "id: deps.newId(), timestamp"]] },
  {
    rule: "a retry has a new timestamp",
    edits: [[deliveries, "timestamp: Math.floor(started / 1000)", "timestamp: Math.floor(delivery.happened_at / 1000)"]],
  },
  { rule: "retries follow the schedule", edits: [[schedule, "5 * second, 5 * minute", "5 * second, 10 * minute"]] },
  { rule: "eight attempts", edits: [[schedule, "10 * hour, 10 * hour]", "10 * hour]"]] },
  { rule: "Retry-After is honoured", edits: [[schedule, "Math.max(jittered, asked)", "jittered"]] },
  { rule: "Retry-After may be a date", edits: [[schedule, "const date = Date.parse(header);", "const date = Number.NaN;"]] },
  {
    rule: "Retry-After waits an hour at most",
    edits: [[schedule, "Math.min(retryAfterMs, Math.max(hour, 2 * wait))", "retryAfterMs"]],
  },
  { rule: "not disabled after nine failures", edits: [[schedule, "failuresToDisable = 10", "failuresToDisable = 9"]] },
  { rule: "disabled after ten failures", edits: [[schedule, "failuresToDisable = 10", "failuresToDisable = 11"]] },
  { rule: "disabled at once by 410", edits: [[deliveries, "(outcome.gone || webhook", "(webhook"]] },
  {
    rule: "the owner is notified of a disabled webhook",
    edits: [
      [
        deliveries,
        'await emit(deps, tx, [{ id: owner.id, role: "game_owner" }], {\n    kind: "webhook.disabled",',
        'void (emit, {\n    kind: "webhook.disabled",',
      ],
    ],
  },
  {
    rule: "the owner is mailed about a disabled webhook",
    edits: [
      [
        deliveries,
        '  await mailAbout(deps, tx, owner, "webhook.disabled", disabledLetter(',
        "  void (mailAbout, disabledLetter(",
      ],
    ],
  },
  {
    rule: "no attempts while disabled",
    edits: [
      [deliveries, '  await webhooks.moveDeliveries(tx, webhook.id, "pending", "pause");\n', ""],
      [job, "webhook.is_active === 0 || ", ""],
    ],
  },
  {
    rule: "a success starts the count of failures anew",
    edits: [[deliveries, "  await webhooks.clearFailures(tx, [", "  void ([webhooks.clearFailures, "]],
  },
  { rule: "enabling clears the failures", edits: [[routes, "is_active: 1, failure_count: 0,", "is_active: 1,"]] },
  {
    rule: "enabling lets deliveries go on",
    edits: [[routes, '        await webhookStore.moveDeliveries(tx, row.id, "paused", "resume", now);\n', ""]],
  },
  {
    rule: "a rotated secret signs what was queued",
    edits: [
      [
        job,
        "function secretsOf(deps: Deps): (webhook: webhooks.WebhookRow) => string {\n  const opened = new Map<string, string>();",
        "const opened = new Map<string, string>();\nfunction secretsOf(deps: Deps): (webhook: webhooks.WebhookRow) => string {",
      ],
      [job, "opened.get(webhook.secret)", "opened.get(webhook.id)"],
      [job, "opened.set(webhook.secret,", "opened.set(webhook.id,"],
    ],
  },
  {
    rule: "a secret is stored encrypted",
    edits: [
      [routes, "deps.secrets.seal(secret, secretContext(webhookId))", "secret"],
      [deliveries, "deps.secrets.open(secret, secretContext(id))", "secret"],
    ],
  },
  {
    rule: "a secret is shown once",
    edits: [
      [
        routes,
        "return { webhook: webhookView({ ...row, ...changes }) };",
        "return { webhook: webhookView({ ...row, ...changes }), secret: openSecret(deps, row) };",
      ],
    ],
  },
  {
    rule: "an attempt ends in time",
    edits: [[deliveries, "headers, body, deadlineMs, maxBytes", "headers, body, deadlineMs: deadlineMs + 2000, maxBytes"]],
  },
  { rule: "4096 characters of an answer are kept", edits: [[deliveries, ".subarray(0, responseKept)", ""]] },
  { rule: "a redirect is a failure", edits: [[deliveries, "reply.status < 300", "reply.status < 400"]] },
  {
    rule: "only the kinds a webhook subscribes to",
    edits: [[events, 'return kinds.includes("*") || kinds.includes(kind);', "return kinds.length > 0;"]],
  },
  { rule: "* gets all", edits: [[events, 'return kinds.includes("*") || kinds', "return kinds"]] },
  {
    rule: "an unknown kind is refused",
    edits: [["src/contract/webhooks.ts", '.array(z.enum([...eventKinds, "*"]))', ".array(z.string())"]],
  },
  {
    rule: "deletion stops the retries",
    edits: [
      [job, "webhook.is_active === 0 || webhook.deleted_at !== null || ", ""],
      [
        routes,
        '        for (const state of ["pending", "paused", "held"] as const)\n          await webhookStore.moveDeliveries(tx, row.id, state, "cancel");\n',
        "",
      ],
    ],
  },
  {
    rule: "what waits goes to the new address",
    edits: [[routes, "          await scheduleDeliveries(deps, tx, changes.host, deps.clock.now());\n", ""]],
  },
  { rule: "a redelivery has a fresh schedule", edits: [[routes, "round_start: delivery.attempt_count }", "round_start: 0 }"]] },
  {
    rule: "nothing is redelivered while disabled",
    edits: [[routes, "if (webhook.is_active === 0) throw disabled();\n        const now", "const now"]],
  },
  {
    rule: "redeliver since a time",
    edits: [
      [
        rows,
        "WHERE webhook_id = ? AND created_at >= ? AND state",
        "WHERE webhook_id = ? AND created_at >= ? - 99999999 AND state",
      ],
    ],
  },
  { rule: "redeliver what has not arrived", edits: [[rows, `onlyUndelivered ? " AND state <> 'delivered'" : ""`, '""']] },
  { rule: "pings are not redelivered", edits: [[rows, " AND state <> 'test' AND event <> 'test.ping'", ""]] },
  {
    rule: "events while disabled are kept",
    edits: [
      [events, 'const state = active ? "pending" : "held";', 'const state = active ? "pending" : "cancelled";'],
      [rows, "state <> 'test' AND", "state NOT IN ('test', 'cancelled') AND"],
    ],
  },
  {
    rule: "events while disabled wait to be redelivered",
    edits: [[events, 'const state = active ? "pending" : "held";', 'const state = active ? "pending" : "paused";']],
  },
  { rule: "two deliveries in flight to a host", edits: [[job, "length: deps.config.webhooks.inFlightPerHost", "length: 5"]] },
  {
    rule: "a ping goes to the one webhook only",
    edits: [
      [routes, "newDelivery, record, scheduleDeliveries", "emit, newDelivery, scheduleDeliveries"],
      [routes, "await record(deps, tx,", "await emit(deps, tx,"],
    ],
  },
  {
    rule: "a webhook of a public server leads nowhere private",
    edits: [[routes, "await deps.outbound.check(url);", ""]],
  },
  {
    rule: "a delivery that is recorded while the due ones are read is not sent again",
    edits: [[job, "const skipped = new Set(inProgress);", "const skipped = inProgress;"]],
  },
  {
    rule: "who lost the lease sends nothing more",
    edits: [
      [job, " || !job.isHeld();", ";"],
      [job, "if (!job.isHeld()) return", "if (over === undefined) return"],
    ],
  },
  {
    rule: "who lost the lease does not send what it was about to send",
    edits: [[job, "if (!job.isHeld()) return", "if (over === undefined) return"]],
  },
];

export const webhooksRules: readonly Mutant[] = [
  ...table.map((row) => ({ ...row, test: "api/webhooks" })),
  {
    rule: "a retry is jittered by a fifth",
    test: "unit/webhook-schedule",
    edits: [[schedule, "(0.8 + 0.4 * random)", "(0.9 + 0.2 * random)"]],
  },
  {
    rule: "a killed server delivers what it had acknowledged",
    test: "faults/webhooks",
    only: "killed repeatedly",
    edits: [
      [
        job,
        "    const outcome = await attempt(",
        "    await store.write((tx) => webhooks.markDelivered(tx, [delivery.id], 200, clock.now()));\n    const outcome = await attempt(",
      ],
    ],
  },
];
