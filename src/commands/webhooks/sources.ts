import type { Data } from "../../api/client.ts";
import type { Context } from "../../cli/define.ts";
import type { SlotStatus } from "../../contract/states/index.ts";
import { type Checkpoint, type Connection, isTemporary, longestPause, type Step } from "../shared/event-source.ts";

const slotEvents = ["submitted", "accepted", "rejected"] as const satisfies readonly SlotStatus[];
const maxSlots = 20_000;

/** Events for servers without an event stream: slots from their status, all other events from the notifications. */
export async function* polled(ctx: Context, start: Checkpoint, connection: Connection, everyMs: number): AsyncGenerator<Step> {
  const isFirst = start.slots === undefined;
  let checkpoint = isFirst ? { ...start, ...(await presentCheckpoint(ctx)) } : start;
  connection.up("polling");
  // Saved before anything happens, so that the next run reports what happens until then.
  if (isFirst) yield { id: "", checkpoint };
  for (let failures = 0; ; ) {
    try {
      const steps = await newSteps(ctx, checkpoint);
      if (failures > 0) connection.up("polling");
      failures = 0;
      for (const step of steps) {
        checkpoint = step.checkpoint;
        yield step;
      }
      await ctx.sleep(everyMs, ctx.signal);
    } catch (error) {
      ctx.signal.throwIfAborted();
      if (!isTemporary(error)) throw error;
      const pause = Math.min(longestPause, 1_000 * 2 ** failures++);
      connection.down((error as Error).message, pause);
      await ctx.sleep(pause, ctx.signal);
    }
  }
}

type Found = Omit<Step, "checkpoint"> & { key: string };

/**
 * Slots in one of the reported statuses that were not seen before. They are listed by age, so that a changed slot can be on any page;
 * `thorough` reads all pages.
 */
async function newSlots(ctx: Context, seen: ReadonlySet<string>, thorough: boolean): Promise<Found[]> {
  const found = new Map<string, Found>();
  for (const status of slotEvents) {
    for await (const { data, meta } of ctx.pages("listSubmissions", { query: { status } }, { all: true })) {
      // The time of the server: the local clock may be wrong, and a sandbox's was perhaps moved.
      const seenAt = meta.timestamp ?? new Date(ctx.now()).toISOString();
      const events = data.submissions.flatMap((item) => eventsOf(item, status, seenAt));
      const fresh = events.filter(({ key }) => !seen.has(key));
      for (const one of fresh) found.set(one.key, one);
      if (fresh.length === 0 && !thorough) break;
    }
  }
  return [...found.values()];
}

type SubmissionItem = Data<"listSubmissions">["submissions"][number];

/** The events that a slot's status implies: that it was submitted and, perhaps, reviewed, at a time that the list does not contain. */
function eventsOf(
  { slot, submission, game, playtester }: SubmissionItem,
  status: (typeof slotEvents)[number],
  seenAt: string,
): Found[] {
  const about = { slotId: slot.id, playtestId: slot.requestId, gameId: game.id, playerId: playtester?.id ?? null };
  const happened = (name: string, at: string): Found => ({
    id: `${slot.id}_${name}`,
    key: `${slot.id}:${name}`,
    event: { event: `slot.${name}`, timestamp: at, data: { ...about, [`${name}At`]: at } },
  });
  const submitted = happened("submitted", submission?.createdAt ?? slot.createdAt);
  return status === "submitted" ? [submitted] : [submitted, happened(status, seenAt)];
}

const reportedKinds: ReadonlySet<string> = new Set(slotEvents.map((status) => `slot.${status}`));

/** Notifications since the one with the id `last`, oldest first. Without `last`, the newest page. */
async function newNotifications(ctx: Context, last: string | undefined) {
  const found: Data<"listNotifications">["notifications"] = [];
  for await (const { data } of ctx.pages("listNotifications", {}, { all: true })) {
    const end = data.notifications.findIndex(({ id }) => id === last);
    found.push(...(end < 0 ? data.notifications : data.notifications.slice(0, end)));
    if (end >= 0 || last === undefined) break;
  }
  return found.reverse();
}

async function newSteps(ctx: Context, checkpoint: Checkpoint): Promise<Step[]> {
  const steps: Step[] = [];
  let now = checkpoint;
  // Read first, so that a slot that changes after this has its notification in the next round.
  const notifications = await newNotifications(ctx, checkpoint.notificationId);
  const thorough = notifications.some(({ type }) => reportedKinds.has(type));
  for (const { key, ...found } of await newSlots(ctx, new Set(checkpoint.slots), thorough)) {
    now = { ...now, slots: [...(now.slots ?? []), key].slice(-maxSlots) };
    steps.push({ ...found, checkpoint: now });
  }
  for (const { id, type, title, body, createdAt } of notifications) {
    now = { ...now, notificationId: id };
    const event = { event: type, timestamp: createdAt, data: { notificationId: id, title, body } };
    steps.push({ id, checkpoint: now, ...(!reportedKinds.has(type) && { event }) });
  }
  return steps;
}

/** The checkpoint of a first run, which starts with new events. */
async function presentCheckpoint(ctx: Context): Promise<Checkpoint> {
  const steps = await newSteps(ctx, {});
  return { slots: [], notificationId: "", ...steps.at(-1)?.checkpoint };
}
