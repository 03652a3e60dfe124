import { type Context, define, flag } from "../../cli/define.ts";
import { withReconnect } from "../shared/reconnect.ts";
import { openEventWakeup, runHook } from "../shared/watching.ts";

interface Notification {
  id: string;
  type: string;
  title: string;
  body: string;
  createdAt: string;
}

export const watch = define({
  name: "watch",
  summary: "Print new notifications as they arrive",
  description:
    "Notifications appear immediately if the server has an event stream, otherwise at the next poll. With --exec, runs a shell command for each " +
    "notification: standard input is the notification as JSON, PLAYTEST_EVENT its kind and PLAYTEST_NOTIFICATION_ID its id. A command that fails " +
    "is reported and does not stop the watch.",
  operation: ["listNotifications", "listEvents"],
  flags: {
    exec: flag.text("Command to run for each notification", { value: "COMMAND" }),
    interval: flag.duration("How often to poll (default 5s)", { min: 1 }),
    count: flag.integer("Stop after this many", { min: 1 }),
    unread: flag.toggle("Start with the notifications that are unread now"),
  },
  examples: [
    "playtest notifications watch",
    "playtest notifications watch --exec 'jq -r .title | xargs notify-send'",
    "playtest notifications watch --ndjson",
  ],
  async run({ flags }, ctx) {
    const seen = new Set<string>();
    const unread = flags.unread
      ? ((await withReconnect(ctx, () => newNotifications(ctx, seen, { unread: "true" }))()) ?? [])
      : [];
    let remaining = flags.count ?? Number.POSITIVE_INFINITY;
    let most = 100;
    const poll = withReconnect(ctx, () => newNotifications(ctx, seen, {}, most));
    const first = (await poll()) ?? [];
    most = Number.POSITIVE_INFINITY;
    let next = flags.unread ? [...unread, ...first.filter(({ readAt }) => !readAt)] : [];
    const wakeup = openEventWakeup(ctx, () => true);
    try {
      for (;;) {
        for (const notification of next.slice(0, remaining)) await printNotification(ctx, notification, flags.exec);
        remaining -= next.length;
        if (remaining <= 0) return undefined;
        await wakeup.wait((flags.interval ?? 5) * 1000);
        next = (await poll()) ?? [];
      }
    } finally {
      wakeup.close();
    }
  },
});

/** Notifications not seen before, oldest first, at most about `max`: reads pages until one that was seen. */
async function newNotifications(ctx: Context, seen: Set<string>, query: { unread?: "true" }, max = Number.POSITIVE_INFINITY) {
  const found: (Notification & { readAt?: string | null })[] = [];
  for await (const { data } of ctx.pages("listNotifications", { query }, { all: true })) {
    const unseen = data.notifications.filter(({ id }) => !seen.has(id));
    found.push(...unseen);
    if (unseen.length < data.notifications.length || found.length >= max) break;
  }
  for (const { id } of found) seen.add(id);
  return found.reverse();
}

async function printNotification(ctx: Context, notification: Notification, command: string | undefined) {
  await ctx.out.each(
    { ...notification, type: "item", kind: notification.type },
    [notification.createdAt, notification.type, [notification.title, notification.body].filter(Boolean).join(": ")]
      .filter(Boolean)
      .join("  "),
  );
  if (command === undefined) return;
  const env = { PLAYTEST_EVENT: notification.type, PLAYTEST_NOTIFICATION_ID: notification.id };
  await runHook(ctx, command, notification, env, notification.id);
}
