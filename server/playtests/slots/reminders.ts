import * as users from "../../accounts/users-store.ts";
import type { Deps } from "../../app/deps.ts";
import { emit, type Recipient } from "../../events/emit.ts";
import { mailAbout } from "../../events/event-mails.ts";
import type { Job } from "../../jobs/job.ts";
import { iso, utc } from "../../lib/time.ts";
import * as playtests from "../store.ts";
import { dueLetter } from "./mails.ts";
import { windowOver } from "./rules.ts";
import * as slots from "./store.ts";
import { companionsToTell } from "./transitions.ts";

/**
 * Reminds the playtester of a slot's deadline, and runs again when it has come. Sends nothing and ends when the slot was submitted or its
 * deadline was changed since.
 */
export const remindHolder = (job: Job, deps: Deps) =>
  deps.store.write(async (tx) => {
    const slot = await slots.findDetail(tx, String(job.payload.slotId));
    const due = slot?.status === "reserved" && slot.deadline_at === job.payload.deadlineAt;
    if (!due) return job.done(tx);
    await job.reschedule(tx, slot.deadline_at!);
    if (slot.deadline_at! <= tx.now) return;
    const { id: slotId, game_name: gameName, playtester_id: playerId } = slot;
    const deadlineAt = slot.deadline_at!;
    const [holder, playtest] = await Promise.all([users.find(tx, playerId!), playtests.find(tx, slot.playtest_id)]);
    const tell = (reader: Recipient, claimantName?: string) =>
      emit(tx, [reader], {
        kind: "slot.due",
        data: { slotId, playtestId: slot.playtest_id, gameId: slot.game_id, playerId, deadlineAt: iso(deadlineAt) },
        notice: { gameName, claimantName, until: utc(deadlineAt) },
      });
    await tell({ id: playerId!, role: "playtester" });
    for (const other of await companionsToTell(tx, slot)) await tell(other, holder?.display_name);
    const about = { config: deps.config, gameName, slotId, deadlineAt, reopens: !windowOver(playtest!, deadlineAt) };
    await mailAbout(tx, holder, "slot.due", (zone) => dueLetter({ ...about, zone }));
  });
