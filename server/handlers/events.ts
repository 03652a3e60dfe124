import type { Deps } from "../deps.ts";
import { Direct } from "../http/call.ts";
import { streamTo } from "../http/event-stream.ts";
import { invalid } from "../problem.ts";
import type { Query } from "../store/db.ts";
import * as eventStore from "../store/events.ts";
import * as keys from "../store/keys.ts";
import type { Some } from "./index.ts";
import { eventView } from "./views.ts";

/** The event log: what an account was told, whether or not a webhook took it (decisions §10). */
export function events(deps: Deps): Some<"listEvents"> {
  /** Where a stream starts: behind the event the client saw last; without one, at the end of the log. */
  async function startOf(q: Query, accountId: string, lastId: string | undefined): Promise<eventStore.Place> {
    if (lastId === eventStore.beginning.id) return eventStore.beginning;
    if (lastId === undefined) return (await eventStore.latest(q, accountId)) ?? eventStore.beginning;
    const found = await eventStore.find(q, accountId, lastId);
    if (!found)
      throw invalid("Last-Event-ID", "is not the id of an event of this account; leave it out to start with what comes next");
    return found;
  }

  return {
    async listEvents(call) {
      const { userId, keyId } = call.principal;
      if (call.headers.accept?.includes("text/event-stream")) {
        const lastId = call.headers["last-event-id"];
        const start = await call.read((q) => startOf(q, userId, Array.isArray(lastId) ? lastId[0] : lastId));
        return new Direct((_, response) =>
          streamTo(response, {
            start: start.id,
            draining: deps.draining,
            follow: (wake) => deps.feed.follow(userId, wake),
            allowed: () => deps.store.read((q) => keys.isLive(q, keyId, deps.clock.now())),
            next: nextAfter(userId, start.seq),
          }),
        );
      }
      const page = call.page();
      const rows = await call.read((q) => eventStore.listNewest(q, userId, page.after?.at, page.limit + 1));
      // The log is paged by number, not by time: of events of one millisecond none is skipped.
      const numbered = rows.map((row) => ({ id: row.id, created_at: row.seq, row }));
      return call.listed(page, numbered, (items) => ({ events: items.map(({ row }) => eventView(row)) }));
    },
  };

  function nextAfter(userId: string, start: number) {
    let seq = start;
    return async () => {
      const rows = await deps.store.read((q) => eventStore.listAfter(q, userId, seq, 100));
      seq = rows.at(-1)?.seq ?? seq;
      return rows.map((row) => ({ id: row.id, data: JSON.stringify(eventView(row)) }));
    };
  }
}
