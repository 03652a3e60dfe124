import { type Context, define, flag } from "../../cli/define.ts";
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
  summary: "Print new notifications as they come",
  description:
    "They show at once where the server has an event stream, else at the next look. With --exec the command runs through the shell once for each: the notification is its standard input as JSON, its kind is " +
    "PLAYTEST_EVENT and its id PLAYTEST_NOTIFICATION_ID. One that fails is reported and does not end the watch.",
  operation: ["listNotifications", "listEvents"],
  flags: {
    exec: flag.text("Run this for each", { value: "COMMAND" }),
    interval: flag.duration("How often to look (default 5s)"),
    count: flag.integer("End after this many", { min: 1 }),
    unread: flag.toggle("Begin with those that are unread now"),
  },
  examples: [
    "playtest notifications watch",
    "playtest notifications watch --exec 'jq -r .title | xargs notify-send'",
    "playtest notifications watch --ndjson",
  ],
  async run({ flags }, ctx) {
    const seen = new Set<string>();
    let left = flags.count ?? Number.POSITIVE_INFINITY;
    const first = await fresh(ctx, seen, 100);
    let next = flags.unread ? first.filter(({ readAt }) => readAt === null) : [];
    const bell = openEventWakeup(ctx, () => true);
    try {
      for (;;) {
        for (const notification of next.slice(0, left)) await printNotification(ctx, notification, flags.exec);
        left -= next.length;
        if (left <= 0) return undefined;
        await bell.wait((flags.interval ?? 5) * 1000);
        next = await fresh(ctx, seen, Number.POSITIVE_INFINITY);
      }
    } finally {
      bell.close();
    }
  },
});

/** Notifications not seen before, oldest first: pages are read back to the first that was. */
async function fresh(ctx: Context, seen: Set<string>, most: number) {
  const found: (Notification & { readAt: string | null })[] = [];
  for await (const { data } of ctx.pages("listNotifications", {}, { all: true })) {
    const unseen = data.notifications.filter(({ id }) => !seen.has(id));
    found.push(...unseen);
    if (unseen.length < data.notifications.length || found.length >= most) break;
  }
  for (const { id } of found) seen.add(id);
  return found.reverse();
}

async function printNotification(ctx: Context, notification: Notification, command: string | undefined) {
  await ctx.out.each(
    { ...notification, type: "item", kind: notification.type },
    `${notification.createdAt}  ${notification.type}  ${notification.title}: ${notification.body}`,
  );
  if (command === undefined) return;
  const env = { PLAYTEST_EVENT: notification.type, PLAYTEST_NOTIFICATION_ID: notification.id };
  await runHook(ctx, command, notification, env, notification.id);
}
