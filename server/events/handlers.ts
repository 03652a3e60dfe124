import { isLive } from "../accounts/authenticate.ts";
import type { Deps } from "../app/deps.ts";
import type { Handlers, Principal } from "../http/call.ts";
import { RawResponse } from "../http/call.ts";
import { ApiError, invalid } from "../lib/api-error.ts";
import * as eventStore from "./store.ts";
import { streamTo } from "./stream.ts";
import { eventView } from "./views.ts";

const unknownEvent = "must be the id of an event of this account. Leave it out to start with the next event";

const tooMany = (open: number) =>
  new ApiError("RATE_LIMITED", `This account already has ${open} open event streams, the maximum. Close one first.`, {
    headers: { "Retry-After": "60" },
  });

async function numberNewEvents(deps: Deps, accountId: string): Promise<void> {
  const waiting = await deps.store.read((q) => eventStore.unnumbered(q, [accountId]));
  if (waiting.length > 0) await deps.store.write((tx) => eventStore.number(tx, accountId));
}

/** The position after which a stream starts: that of the last event the client received, or else the end of the log. */
async function startOf(deps: Deps, accountId: string, lastId: string | undefined): Promise<eventStore.StreamPosition> {
  if (lastId === eventStore.beginning.id) return eventStore.beginning;
  await numberNewEvents(deps, accountId);
  return deps.store.read(async (q) => {
    if (lastId === undefined) return (await eventStore.lastPosition(q, accountId)) ?? eventStore.beginning;
    const found = await eventStore.positionOf(q, accountId, lastId);
    if (!found) throw invalid("Last-Event-ID", unknownEvent);
    return found;
  });
}

function nextAfter(deps: Deps, accountId: string, start: number) {
  let seq = start;
  return async () => {
    await numberNewEvents(deps, accountId);
    const rows = await deps.store.read((q) => eventStore.listAfter(q, accountId, seq, 100));
    seq = rows.at(-1)?.seq ?? seq;
    return rows.map((row) => ({ id: row.id, data: JSON.stringify(eventView(row)) }));
  };
}

const isStillLive = (deps: Deps, principal: Principal) => deps.store.read((q) => isLive(q, principal, q.now));

async function stream(deps: Deps, principal: Principal, lastId: string | undefined): Promise<RawResponse> {
  const { userId: accountId } = principal;
  const start = await startOf(deps, accountId, lastId);
  return new RawResponse((_, response) =>
    countingStream(deps, accountId, () =>
      streamTo(response, {
        start: start.id,
        draining: deps.draining,
        heartbeatMs: deps.config.http.heartbeatMs,
        follow: (wake) => deps.feed.follow(accountId, wake),
        allowed: () => isStillLive(deps, principal),
        next: nextAfter(deps, accountId, start.seq),
      }),
    ),
  );
}

/** Runs `work` and counts it as an open stream of the account. 429 when the account already has the maximum. */
async function countingStream({ config, openStreams: open }: Deps, accountId: string, work: () => Promise<void>): Promise<void> {
  const others = open.get(accountId) ?? 0;
  if (others >= config.http.maxStreams) throw tooMany(others);
  open.set(accountId, others + 1);
  try {
    await work();
  } finally {
    const left = open.get(accountId)! - 1;
    if (left > 0) open.set(accountId, left);
    else open.delete(accountId);
  }
}

/** The event log: every event of an account, whether or not it was delivered to a webhook. */
export const events = {
  async listEvents(call) {
    const { userId } = call.principal;
    if (call.headers.Accept === "events") return stream(call.deps, call.principal, call.headers["Last-Event-ID"]);
    const page = call.page();
    const rows = await call.read((q) => eventStore.list(q, userId, page));
    return call.listed(page, rows, (items) => ({ events: items.map(eventView) }));
  },
} satisfies Partial<Handlers>;
