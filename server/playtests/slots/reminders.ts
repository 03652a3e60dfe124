import * as users from "../../accounts/users-store.ts";
import type { Deps } from "../../app/deps.ts";
import * as notifications from "../../events/notifications-store.ts";
import type { Job } from "../../jobs/job.ts";
import { queueMail } from "../../mail/queue.ts";
import { composeReminder, utc } from "./mails.ts";
import * as slots from "./store.ts";

/** Reminds the playtester of a slot's deadline. Sends nothing when the slot was submitted or its deadline was changed since. */
export const remindHolder = (job: Job, deps: Deps) =>
  deps.store.write(async (tx) => {
    const slot = await slots.findDetail(tx, String(job.payload.slotId));
    const due = slot?.status === "reserved" && slot.deadline_at === job.payload.deadlineAt;
    if (due && slot.deadline_at! > deps.clock.now()) {
      const { email, display_name: name } = (await users.find(tx, slot.playtester_id!))!;
      const [gameName, deadlineAt] = [slot.game_name, slot.deadline_at!];
      const reminder: notifications.NotificationRow = {
        id: deps.newId(),
        user_id: slot.playtester_id!,
        event_id: null,
        type: "slot.reserved",
        title: "Deadline soon",
        body: `Submit your playtest video of ${gameName} before ${utc(deadlineAt)}.`,
        read_at: null,
        created_at: deps.clock.now(),
      };
      notifications.insert(tx, [reminder]);
      await queueMail(deps, tx, email, composeReminder({ name, gameName, deadlineAt }));
    }
    await job.done(tx);
  });
