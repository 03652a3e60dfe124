import { type Context, col, define, flag, type Row, viewOf } from "../../cli/define.ts";
import { eventKinds } from "../../contract/events/kinds.ts";
import { CliError, exitCodes, notFound, usage } from "../../errors.ts";
import { duration, plural } from "../../io/text.ts";
import { type Connection, type EventBody, NoStream, type Step, streamed } from "../shared/event-source.ts";
import { type Checkpoints, openCheckpoints } from "./checkpoint.ts";
import { forward, targetUrl } from "./forward.ts";
import { readSecret } from "./secret.ts";
import { polled } from "./sources.ts";
import { dataText } from "./view.ts";

export const listen = define({
  name: "listen",
  summary: "Receive events and forward them to a local webhook receiver",
  description:
    "Requires no public address: reads the server's event stream, or polls if there is none. Events are signed like those of the server, " +
    "with a secret that stays the same (see --print-secret). A restart resumes after the last acknowledged event, so that an event may " +
    "arrive twice but is never missed. The first run starts with new events. " +
    "Polling reports slot.submitted, slot.accepted and slot.rejected with their ids, the last two with the server's time when they were detected. " +
    "Other events contain only the title and text of their notification. Test events, and events without a notification, are not reported.",
  operation: ["listEvents", "listSubmissions", "listNotifications"],
  args: {},
  flags: {
    forwardTo: flag.text("Receiver, such as http://localhost:3000/webhook (default: only print events)", { value: "URL" }),
    events: flag.list("Only events of these kinds, comma-separated", { value: "KINDS" }),
    printSecret: flag.toggle("Print the signing secret and exit"),
    secretFile: flag.text("Sign with the secret in this file", { value: "FILE" }),
    fromStart: flag.toggle("Start with the first event the server has stored"),
    tries: flag.integer("Maximum attempts per event if the receiver returns an error (default 3)", { min: 1, max: 20 }),
    interval: flag.duration("Time between checks when polling (default 5s)", { min: 1 }),
    poll: flag.toggle("Poll even if the server has an event stream"),
    exitOnDisconnect: flag.toggle("Exit with 10 instead of reconnecting"),
    count: flag.integer("Stop after this many events", { min: 1 }),
  },
  exits: [10],
  examples: [
    "playtest webhooks listen --forward-to http://localhost:3000/webhook",
    "playtest webhooks listen --print-secret",
    "playtest webhooks listen --ndjson --events slot.submitted",
  ],
  async run({ flags }, ctx) {
    const target = flags.forwardTo === undefined ? undefined : targetUrl(flags.forwardTo);
    const checkpoints = await openCheckpoints(ctx, target?.href ?? "");
    const secret = flags.secretFile === undefined ? checkpoints.secret : await readSecret(ctx, flags.secretFile);
    if (flags.printSecret) return ctx.text(secret, { result: { secret } });
    if (flags.fromStart && flags.poll) throw usage("--from-start and --poll cannot be used together.");
    const kinds = new Set(
      flags.events
        .flatMap((text) => text.split(","))
        .map((kind) => kind.trim())
        .filter(Boolean),
    );
    const unknown = [...kinds].filter((kind) => !(eventKinds as readonly string[]).includes(kind));
    if (unknown.length > 0)
      ctx.out.warn(
        `--events: this version knows no event ${unknown.map((kind) => JSON.stringify(kind)).join(", ")}. Known: ${eventKinds.join(", ")}.`,
      );
    let left = flags.count ?? Number.POSITIVE_INFINITY;
    for await (const step of source(ctx, checkpoints, flags)) {
      const wanted = step.event !== undefined && (kinds.size === 0 || kinds.has(step.event.event));
      if (wanted) await handle(ctx, step, target, secret, flags.tries ?? 3);
      await checkpoints.save(step.checkpoint);
      if (wanted && --left <= 0) return undefined;
    }
    return undefined;
  },
});

interface SourceFlags {
  fromStart: boolean;
  interval: number | undefined;
  poll: boolean;
  exitOnDisconnect: boolean;
}

/** Events from the server's event stream, or by polling if it has none. */
async function* source(ctx: Context, checkpoints: Checkpoints, flags: SourceFlags): AsyncGenerator<Step> {
  const checkpoint = flags.fromStart ? { eventId: "0" } : checkpoints.read();
  const state = connection(ctx, flags.exitOnDisconnect);
  if (!flags.poll) {
    try {
      return yield* streamed(ctx, checkpoint, state);
    } catch (error) {
      if (!(error instanceof NoStream)) throw error;
      if (flags.fromStart)
        throw notFound("--from-start requires an event stream, which this server does not have.", "To poll, omit --from-start.");
    }
  }
  yield* polled(ctx, checkpoint, state, (flags.interval ?? 5) * 1000);
}

function connection(ctx: Context, exit: boolean): Connection {
  const where = ctx.settings().get("baseUrl")!.value;
  let lost = false;
  return {
    up(how) {
      ctx.out.note(lost ? `Reconnected to ${where}.` : `Listening to ${where} (${how}).`);
      lost = false;
    },
    down(why, retryMs) {
      const message = `Disconnected from ${where}: ${why.replace(/\.$/, "")}.`;
      if (exit) throw new CliError("DISCONNECTED", exitCodes.unreachable, message);
      if (!lost) ctx.out.warn(`${message} Reconnecting in ${duration(retryMs / 1000)}. No events are lost.`);
      lost = true;
    },
  };
}

/** A line of the output: the event, and what the receiver answered. */
interface HandledEvent extends EventBody, Row<"type" | "id"> {
  answer: Row<"status" | "ms"> | null;
}

const view = viewOf<HandledEvent>([
  "type",
  col("id", "text"),
  "event",
  "timestamp",
  col("data", ({ data }) => dataText(data)),
  col("answer status:answer.status", "text"),
  "answer ms:answer.ms",
]);

async function handle(ctx: Context, step: Step, target: URL | undefined, secret: string, attempts: number) {
  const { event, timestamp, data } = step.event!;
  const answer = target && (await forward(ctx, target, secret, step, attempts));
  const subject = Object.entries(data).find(([name]) => name.endsWith("Id"));
  const parts = [timestamp, event, subject ? `${subject[1]}` : "", answer ? `→ ${answer.status} in ${answer.ms} ms` : ""];
  const line = parts.filter((part) => part !== "").join("  ");
  await ctx.out.each({ type: "item", id: step.id, event, timestamp, data, ...(answer && { answer }) }, line, view);
  if (answer && answer.status >= 300)
    ctx.out.warn(
      `The receiver returned status ${answer.status} for ${event} ${step.id} after ${plural(attempts, "attempt")}. Skipping it.`,
    );
}
