import { randomBytes } from "node:crypto";
import { Readable, Writable } from "node:stream";
import type { Problem, StdioParts } from "../../../server/mcp/stdio.ts";
import { type Context, define, flag } from "../../cli/define.ts";
import { version } from "../../cli/version.ts";
import { defaultReviewsPerDay, type Toolset, toolsets } from "../../contract/text/toolsets.ts";
import { CliError, DryRun, notSignedIn, usage } from "../../errors.ts";
import { openLink } from "../../io/files/download.ts";
import { createPusher } from "./push.ts";

/** The values of `--allow`: several names with commas, or the flag several times. */
export function allowedBy(given: readonly string[]): ReadonlySet<Toolset> {
  const names = given.flatMap((text) => text.split(",")).map((name) => name.trim());
  const wrong = names.find((name) => !(toolsets as readonly string[]).includes(name));
  if (wrong !== undefined) throw usage(`--allow: ${JSON.stringify(wrong)} is not one of ${toolsets.join(", ")}.`);
  return new Set(names.length === 0 ? ["read"] : (names as Toolset[]));
}

/** A flag for a toolset that the client does not get would have no effect. */
function requireToolset(allowed: ReadonlySet<Toolset>, toolset: Toolset, name: string, given: unknown): void {
  if (given === undefined || allowed.has(toolset)) return;
  throw usage(`${name} requires --allow ${toolset}. Nothing was started.`);
}

/** What an error of the client says to a model. The hints of commands are for people. */
function problemOf(error: unknown): Problem | undefined {
  if (error instanceof DryRun) return { code: "DRY_RUN", message: "This server was started with --dry-run. Nothing was sent." };
  if (!(error instanceof CliError)) return undefined;
  const approval = error.extra.approval as Problem["approval"];
  return { code: error.code, message: error.message, approval };
}

/** Standard output as a stream. Its reader may end it. */
const outputOf = (ctx: Context) =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      ctx.io.out(chunk).then(() => done(), done);
    },
  });

const waiting = (ctx: Context) => async (ms: number, signal: AbortSignal) => {
  await ctx.sleep(ms, AbortSignal.any([ctx.signal, signal]));
  return true;
};

function partsOf(ctx: Context, flags: { allowed: ReadonlySet<Toolset>; reviewsPerDay: number; root: string }): StdioParts {
  const { send, signal } = ctx;
  const timeout = (ctx.settings().get("timeout")?.value ?? 30) * 1000;
  return {
    call: ctx.api().call,
    version,
    baseUrl: new URL(ctx.settings().get("baseUrl")!.value).origin,
    allowed: flags.allowed,
    reviewsPerDay: flags.reviewsPerDay,
    wait: waiting(ctx),
    pushBuild: createPusher(ctx, flags.root),
    openLink: (address, headers) => openLink({ send, signal, timeout }, address, headers),
    problemOf,
    report: (error) => ctx.out.warn(`A tool failed: ${(error as Error).message}`),
    stateKey: randomBytes(32),
    payments: !ctx.withoutPayments(),
    input: Readable.from(ctx.io.claimStdin("the Model Context Protocol")),
    output: outputOf(ctx),
    signal,
  };
}

export const run = define({
  name: "run",
  summary: "Serve the tools of the Model Context Protocol to the program that starts it",
  description:
    "For coding agents: speaks the protocol on standard input and output until its client closes them. Without --allow, it only reads. What\n" +
    "an agent may spend is limited by the server, not by this command: give it an API key with a budget. `playtest help mcp` explains the tools.",
  // What its tools do, if they are allowed.
  risk: "spend",
  confirm: false,
  exits: [4],
  flags: {
    allow: flag.list(`What the client may do: ${toolsets.join(", ")} (repeatable, or with commas; default read)`, {
      value: "TOOLSETS",
    }),
    reviewsPerDay: flag.integer(
      `With --allow review: most submissions to accept or reject in a UTC day (default ${defaultReviewsPerDay})`,
      {
        min: 0,
        max: 99_999,
      },
    ),
    root: flag.text("With --allow build: the folder that builds must be in (default: the current folder)", { value: "DIR" }),
  },
  examples: ["playtest mcp", "playtest mcp --allow read,order", "playtest mcp --allow read,review --reviews-per-day 5"],
  async run({ flags }, ctx) {
    const allowed = allowedBy(flags.allow);
    requireToolset(allowed, "review", "--reviews-per-day", flags.reviewsPerDay);
    requireToolset(allowed, "build", "--root", flags.root);
    if (!ctx.settings().apiKey()) throw notSignedIn();
    const { reviewsPerDay = defaultReviewsPerDay, root = ctx.io.cwd() } = flags;
    const parts = partsOf(ctx, { allowed, reviewsPerDay, root });
    const { serve } = await import("../../../server/mcp/stdio.ts");
    await serve(parts);
    return undefined;
  },
});
