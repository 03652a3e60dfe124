import type { Data } from "../../api/client.ts";
import { arg, type Context, define, flag } from "../../cli/define.ts";
import type { Share } from "../../contract/findings/exact.ts";
import { gateFailed, notFound, stillPending } from "../../errors.ts";
import { ciOutputs } from "../../io/ci.ts";
import { duration } from "../../io/text.ts";
import { withReconnect } from "../shared/reconnect.ts";
import { parseSlotGate, parseUntil, untilForms } from "./progress.ts";
import { parseShareGate, type ShareGate, shareOfSlots, shareText } from "./share-gate.ts";
import { countsText, playtestView } from "./view.ts";

type Playtest = Data<"getPlaytest">["playtest"];

export const wait = define({
  name: "wait",
  summary: "Wait for a playtest to reach a state",
  description:
    "Exits with 0 when the --until condition is met, with 8 when the --for limit is reached first, and with 13 when a --fail-if condition " +
    "is met at any check. Slots that have ended count as done. A condition in percent is about a share: of the slots (of those reviewed, for " +
    "accepted, rejected and publishing), or with #7 of the playtesters, who met finding 7. It is met only if the whole interval of confidence (95%) " +
    "meets it, so that a few slots decide nothing by chance.",
  args: { playtest: arg.playtest() },
  flags: {
    until: flag.text("Condition to wait for (default all-submitted)", { value: untilForms }),
    failIf: flag.list(
      "Fail when a slot count or share meets this condition, such as 'rejected>1', 'rejected>20%' or '#7>10%' (repeatable)",
      {
        value: "CONDITION",
      },
    ),
    for: flag.duration("Maximum time to wait (default: no limit)", { max: 365 * 86_400 }),
    interval: flag.duration("Time between checks (default 15s)", { min: 1 }),
  },
  operation: ["getPlaytest", "listFindings"],
  examples: [
    "playtest playtests wait PLAYTEST",
    "playtest playtests wait PLAYTEST --until 3-submitted --for 2d",
    "playtest playtests wait PLAYTEST --until all-reviewed --fail-if 'rejected>1' --for 5d",
    "playtest playtests wait PLAYTEST --fail-if '#7>10%' --for 0",
  ],
  exits: [8, 13],
  async run({ args, flags }, ctx) {
    const until = flags.until ?? "all-submitted";
    const reached = parseUntil(until);
    const gates = flags.failIf.map((text) => gateOf(text));
    const pause = (flags.interval ?? 15) * 1000;
    const end = flags.for === undefined ? Number.POSITIVE_INFINITY : ctx.now() + flags.for * 1000;
    const progress = await ctx.progress();

    let latest: Playtest | undefined;

    /** The playtest if the condition is met. Undefined if it is not met yet, or if the server cannot be reached for a while. */
    const check = withReconnect(ctx, async () => {
      const { playtest } = await ctx.api().getPlaytest({ params: { id: args.playtest } });
      latest = playtest;
      for (const gate of gates) {
        const why = await gate.met(ctx, playtest);
        if (why !== undefined)
          throw gateFailed(`The --fail-if condition ${gate.text} is met${why}. Current state: ${described(playtest)}.`);
      }
      if (reached(playtest)) return playtest;
      progress.update(described(playtest));
      return undefined;
    });

    async function watch(): Promise<Playtest> {
      for (;;) {
        const done = await check();
        if (done) return done;
        const left = end - ctx.now();
        const state = latest && described(latest);
        if (left <= 0)
          throw stillPending(`The playtest did not reach ${until} within ${duration(flags.for ?? 0)}. Current state: ${state}.`);
        await ctx.sleep(Math.min(pause, left), ctx.signal);
      }
    }

    const playtest = await watch().finally(async () => {
      progress.done();
      if (latest) await printProgress(ctx, latest);
    });
    return ctx.item({ playtest }, playtestView);
  },
});

interface Gate {
  text: string;
  /** Why it is met, to stand behind that; undefined if it is not. */
  met(ctx: Context, playtest: Playtest): Promise<string | undefined>;
}

function gateOf(text: string): Gate {
  const share = parseShareGate(text);
  if (share)
    return {
      text,
      async met(ctx, playtest) {
        const found = await shareOf(ctx, playtest, share);
        return share.fails(found) ? `: ${shareText(found)}` : undefined;
      },
    };
  const { fails } = parseSlotGate(text);
  return { text, met: async (_, { slots }) => (fails(slots) ? "" : undefined) };
}

/** The share that a condition is about, at this moment. */
async function shareOf(ctx: Context, { id, gameId, slots }: Playtest, { of }: ShareGate): Promise<Share> {
  if ("status" in of) return shareOfSlots(of.status, slots);
  const params = { id: gameId };
  const { findings } = await ctx.api().listFindings({ params, query: { playtest: id, number: String(of.finding) } });
  if (findings[0]) return findings[0].testers;
  // Not met in this playtest, if there is one with this number.
  const [known] = (await ctx.api().listFindings({ params, query: { number: String(of.finding) } })).findings;
  if (!known) throw notFound(`--fail-if: the game has no finding #${of.finding}.`, "To list them: `playtest findings list`.");
  return { seen: 0, of: (slots.submitted ?? 0) + (slots.accepted ?? 0) + (slots.publishing ?? 0) };
}

/** Sets the outputs of a CI job, however the wait ended. */
const printProgress = (ctx: Context, { id, status, slots }: Playtest) =>
  ciOutputs(ctx, { "playtest-id": id, "playtest-status": status, ...slots });

const described = (playtest: Playtest) => countsText(playtest.slots) || playtest.status;
