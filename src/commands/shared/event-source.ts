import { readEventStream } from "../../api/event-stream.ts";
import type { Context } from "../../cli/context.ts";
import { CliError, exitCodes, isAbsent } from "../../errors.ts";

/** Position of a reader in the stream of events. */
export interface Checkpoint {
  /** Last event of the event stream. */
  eventId?: string;
  /** Last notification, if the server has no event stream. */
  notificationId?: string;
  /** `slot id:status` of the slots seen, if the server has no event stream. */
  slots?: string[];
}

export interface EventBody {
  event: string;
  timestamp: string;
  data: Record<string, unknown>;
}

/** An event to handle, if any, and the checkpoint to save afterwards. */
export interface Step {
  id: string;
  event?: EventBody;
  checkpoint: Checkpoint;
}

/** Receives changes of the connection state, which are shown to the user. */
export interface Connection {
  up(how: string): void;
  /** May throw to stop reconnecting. */
  down(why: string, retryMs: number): void;
}

/** The server sends a heartbeat every 15 seconds. After three missing heartbeats the connection counts as lost. */
const silenceMs = 45_000;
export const longestPause = 30_000;
const lacksStream = (error: unknown) => isAbsent(error) || (error instanceof CliError && error.extra.httpStatus === 406);

/** The server has no event stream. */
export class NoStream extends Error {
  override readonly name = "NoStream";
}

const open = async (ctx: Context, last: string | undefined) => {
  if (ctx.api().lacksExtensions()) throw new NoStream();
  const headers = { accept: "text/event-stream", ...(last !== undefined && { "last-event-id": last }) };
  const { signal } = ctx;
  const reply = await ctx.api().checked({ method: "GET", path: "/events", headers, stream: true, timeout: silenceMs, signal });
  if (reply.stream && reply.headers["content-type"]?.startsWith("text/event-stream")) return reply.stream;
  reply.stream?.destroy();
  throw new NoStream();
};

/** Whether an error is temporary, so that a retry could succeed. */
export const isTemporary = (error: unknown) =>
  !(error instanceof CliError) ||
  error.exitCode === exitCodes.unreachable ||
  error.exitCode === exitCodes.rateLimited ||
  error.extra.httpStatus === 500;

/** Endless events from the server's stream. After a lost connection, resumes after the last event. */
export async function* streamed(ctx: Context, start: Checkpoint, connection: Connection): AsyncGenerator<Step> {
  let last = start.eventId;
  for (let failures = 0; ; failures++) {
    try {
      const stream = await open(ctx, last);
      connection.up("event stream");
      for await (const { id = last ?? "", data } of readEventStream(stream)) {
        failures = 0;
        last = id;
        const { event, timestamp, data: about } = (data === undefined ? {} : JSON.parse(data)) as Partial<EventBody>;
        yield {
          id,
          checkpoint: { eventId: id },
          ...(event && { event: { event, timestamp: timestamp ?? "", data: about ?? {} } }),
        };
      }
      throw new Error("the server ended the stream");
    } catch (error) {
      ctx.signal.throwIfAborted();
      if (error instanceof NoStream) throw error;
      if (lacksStream(error)) throw new NoStream();
      if (error instanceof CliError && error.extra.httpStatus === 422 && last !== undefined) {
        ctx.out.warn(
          "The server no longer stores the last event that was received. Some events were missed. Continuing with new events.",
        );
        last = undefined;
        continue;
      }
      if (!isTemporary(error)) throw error;
      const pause = Math.min(longestPause, 1_000 * 2 ** failures);
      connection.down((error as Error).message, pause);
      await ctx.sleep(pause, ctx.signal);
    }
  }
}
