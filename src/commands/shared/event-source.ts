import { readEventStream } from "../../api/event-stream.ts";
import type { Context } from "../../cli/context.ts";
import { CliError, exitCodes, isAbsent } from "../../errors.ts";

/** How far a reader of events has come. */
export interface Checkpoint {
  /** Of the event stream. */
  eventId?: string;
  /** Of the notifications, where the server has no event stream. */
  notificationId?: string;
  /** `slot id:status` of what was seen there. */
  slots?: string[];
}

export interface EventBody {
  event: string;
  timestamp: string;
  data: Record<string, unknown>;
}

/** An event to pass on, if there is one, and the place to remember once that is done. */
export interface Step {
  id: string;
  event?: EventBody;
  checkpoint: Checkpoint;
}

/** Told of the connection, so that a person is never left believing it is there. */
export interface Connection {
  up(how: string): void;
  /** May throw, to end it. */
  down(why: string, again: number): void;
}

/** The server sends a heartbeat every 15 seconds: after three times that the connection is dead. */
const silenceMs = 45_000;
export const longestPause = 30_000;
const lacksStream = (error: unknown) => isAbsent(error) || (error instanceof CliError && error.extra.httpStatus === 406);

/** This server has no event stream. */
export class NoStream extends Error {
  override readonly name = "NoStream";
}

const open = async (ctx: Context, last: string | undefined) => {
  const headers = { accept: "text/event-stream", ...(last !== undefined && { "last-event-id": last }) };
  const { signal } = ctx;
  const reply = await ctx.api().checked({ method: "GET", path: "/events", headers, stream: true, timeout: silenceMs, signal });
  if (reply.stream && reply.headers["content-type"]?.startsWith("text/event-stream")) return reply.stream;
  reply.stream?.destroy();
  throw new NoStream();
};

/** Whether trying again could help. */
export const passing = (error: unknown) =>
  !(error instanceof CliError) ||
  error.exitCode === exitCodes.unreachable ||
  error.exitCode === exitCodes.rateLimited ||
  error.extra.httpStatus === 500;

/** Events from the server's stream, for ever: a lost connection is made again behind the last event that came. */
export async function* streamed(ctx: Context, start: Checkpoint, connection: Connection): AsyncGenerator<Step> {
  let last = start.eventId;
  for (let failures = 0; ; failures++) {
    try {
      const stream = await open(ctx, last);
      connection.up("its event stream");
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
          "The server does not know the last event any more: going on with what comes from now on. What came in between is missing.",
        );
        last = undefined;
        continue;
      }
      if (!passing(error)) throw error;
      const pause = Math.min(longestPause, 1_000 * 2 ** failures);
      connection.down((error as Error).message, pause);
      await ctx.sleep(pause, ctx.signal);
    }
  }
}
