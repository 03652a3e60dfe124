import type { EventData } from "../../src/contract/events/payloads.ts";
import * as users from "../accounts/users-store.ts";
import type { Query } from "../database/port.ts";
import { emit } from "../events/emit.ts";
import { eventView } from "../events/views.ts";
import type { Handlers } from "../http/call.ts";
import { conflict } from "../lib/api-error.ts";
import { iso } from "../lib/time.ts";
import { bodiesOf } from "../mail/queue.ts";
import * as mails from "../mail/store.ts";
import * as slots from "../playtests/slots/store.ts";
import { slotDetailView } from "../playtests/views.ts";
import { exampleData } from "./examples.ts";
import { play } from "./play.ts";
import { storeSample } from "./sample.ts";
import { createTesterWithKey } from "./testers.ts";

/** The id of the playtester with this email address or name. 409 when there is none, or several have the name. */
async function playtesterIdOf(q: Query, text: string): Promise<string> {
  const found = await users.findPlaytesters(q, text);
  const [first] = found;
  if (first && found.length === 1) return first.id;
  throw conflict(
    `${found.length === 0 ? "No playtester has" : "Several playtesters have"} this email address or name. Nothing was played.`,
  );
}

/** Routes that exist only on a server started with `--sandbox`: most need no API key, so a live server must not have them. */
export const sandbox = {
  // Inside a read, because that is when the clock picks up an advance by another process.
  getClock: (call) => call.read(async (q) => ({ now: iso(q.now) })),

  async advanceClock(call) {
    const { clock, jobs } = call.deps;
    const ran = await jobs.advance(await clock.book(call.body.seconds * 1000), clock.moveTo);
    return { now: iso(clock.now()), ran };
  },

  async listOutbox(call) {
    const page = call.page();
    const rows = await call.read((q) => mails.list(q, page));
    return call.listed(page, rows, (items) => ({
      messages: items.map((mail) => ({
        id: mail.id,
        to: mail.recipient,
        subject: mail.subject,
        ...bodiesOf(call.deps, mail),
        createdAt: iso(mail.created_at),
      })),
    }));
  },

  createTesters: (call) =>
    call.commit(async (tx) => {
      const testers = [];
      while (testers.length < call.body.count) {
        const { tester, apiKey } = await createTesterWithKey(tx);
        testers.push({ id: tester.id, displayName: tester.display_name, apiKey });
      }
      return { testers };
    }),

  async playSlot(call) {
    const { deps } = call;
    const video = await storeSample(deps, deps.samplesPlayed++);
    try {
      return await call.commit(async (tx) => {
        const { testerId, tester } = call.body;
        const chosen = tester === undefined ? testerId : await playtesterIdOf(tx, tester);
        await play(deps, tx, { slotId: call.params.id, testerId: chosen, video });
        return { slot: slotDetailView((await slots.findDetail(tx, call.params.id))!, tx.now) };
      });
    } catch (error) {
      await deps.blobs.remove(video.blobKey);
      throw error;
    }
  },

  emitEvent: (call) =>
    call.commit(async (tx) => {
      const { event: kind, data = exampleData(kind, { now: iso(tx.now), newId: tx.newId }) } = call.body;
      const { userId: id, role } = call.principal;
      // In a sandbox the data of a test event may be anything.
      const [event] = await emit(tx, [{ id, role }], { kind, data: data as EventData, notice: {} });
      return { event: eventView(event!) };
    }),
} satisfies Partial<Handlers>;
