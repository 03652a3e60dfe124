import { type Context, define, flag } from "../../cli/define.ts";
import { CliError, exitCodes, notFound, usage } from "../../errors.ts";
import { duration } from "../../io/text.ts";
import { type Connection, NoStream, type Step, streamed } from "../shared/event-source.ts";
import { type Checkpoints, openCheckpoints } from "./checkpoint.ts";
import { forward, targetUrl } from "./forward.ts";
import { readSecret } from "./secret.ts";
import { polled } from "./sources.ts";

export const listen = define({
  name: "listen",
  summary: "Get events as they happen, and pass them on to a local webhook receiver",
  description:
    "Needs no public address: events come from the server's event stream, or by polling where it has none. They are signed as the server\n" +
    "signs, with a secret that stays the same (--print-secret). An event counts as done when the receiver answered; a restart goes on behind\n" +
    "the last one, so an event can come twice but is never missed. A first run begins with what happens from then on.\n" +
    "Polling gives slot.submitted, slot.accepted and slot.rejected with their ids, the last two with the time they were seen; all else as the\n" +
    "title and text of its notification, without ids. Test pings and what makes no notification do not come.",
  operation: ["listEvents", "listSubmissions", "listNotifications"],
  args: {},
  flags: {
    forwardTo: flag.text("Receiver, such as http://localhost:3000/webhook; default: only print", { value: "URL" }),
    events: flag.list("Only these kinds, joined by commas", { value: "KINDS" }),
    printSecret: flag.toggle("Print the signing secret and end"),
    secretFile: flag.text("Sign with the secret in this file instead", { value: "FILE" }),
    fromStart: flag.toggle("Begin with the first event there is"),
    tries: flag.integer("How often an event is sent to a receiver that refuses it (default 3)", { min: 1, max: 20 }),
    interval: flag.duration("How often to look when polling (default 5s)"),
    poll: flag.toggle("Poll although the server has an event stream"),
    exitOnDisconnect: flag.toggle("End with 10 instead of connecting again"),
    count: flag.integer("End after this many events", { min: 1 }),
  },
  exits: [10],
  examples: [
    "playtest webhooks listen --forward-to http://localhost:3000/webhook",
    "playtest webhooks listen --print-secret",
    "playtest webhooks listen --ndjson --events slot.submitted",
  ],
  async run({ flags }, ctx) {
    const target = flags.forwardTo === undefined ? undefined : targetUrl(flags.forwardTo);
    const checkpoints = openCheckpoints(ctx, target?.href ?? "");
    const secret = flags.secretFile === undefined ? checkpoints.secret : await readSecret(ctx, flags.secretFile);
    if (flags.printSecret) return ctx.text(secret, { result: { secret } });
    if (flags.fromStart && flags.poll) throw usage("--from-start needs an event stream; it does not go with --poll.");
    const kinds = new Set(flags.events.flatMap((text) => text.split(",")));
    let left = flags.count ?? Number.POSITIVE_INFINITY;
    for await (const step of source(ctx, checkpoints, flags)) {
      const wanted = step.event !== undefined && (kinds.size === 0 || kinds.has(step.event.event));
      if (wanted) await handle(ctx, step, target, secret, flags.tries ?? 3);
      checkpoints.save(step.checkpoint);
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

/** From the stream, or by polling where there is none. */
async function* source(ctx: Context, checkpoints: Checkpoints, flags: SourceFlags): AsyncGenerator<Step> {
  const checkpoint = flags.fromStart ? { eventId: "0" } : checkpoints.read();
  const state = connection(ctx, flags.exitOnDisconnect);
  if (!flags.poll) {
    try {
      return yield* streamed(ctx, checkpoint, state);
    } catch (error) {
      if (!(error instanceof NoStream)) throw error;
      if (flags.fromStart) throw notFound("This server has no event stream, which --from-start needs.", "Leave it out to poll.");
    }
  }
  yield* polled(ctx, checkpoint, state, (flags.interval ?? 5) * 1000);
}

function connection(ctx: Context, exit: boolean): Connection {
  const where = ctx.settings().get("baseUrl")!.value;
  let lost = false;
  return {
    up(how) {
      ctx.out.note(lost ? `Connected to ${where} again.` : `Listening to ${where} by ${how}.`);
      lost = false;
    },
    down(why, again) {
      if (exit) throw new CliError("DISCONNECTED", exitCodes.unreachable, `Disconnected from ${where}: ${why}`);
      if (!lost) ctx.out.warn(`Disconnected from ${where}: ${why} Trying again in ${duration(again / 1000)}; nothing is lost.`);
      lost = true;
    },
  };
}

async function handle(ctx: Context, step: Step, target: URL | undefined, secret: string, tries: number) {
  const { event, timestamp, data } = step.event!;
  const answer = target && (await forward(ctx, target, secret, step, tries));
  const about = Object.entries(data).find(([name]) => name.endsWith("Id"));
  const said = [timestamp, event, about ? `${about[1]}` : "", answer ? `→ ${answer.status} in ${answer.ms} ms` : ""].filter(
    (part) => part !== "",
  );
  await ctx.out.each({ type: "item", id: step.id, event, timestamp, data, ...(answer && { answer }) }, said.join("  "));
  if (answer && answer.status >= 300)
    ctx.out.warn(`The receiver answered ${answer.status} to ${event} ${step.id}, ${tries} times; going on.`);
}
