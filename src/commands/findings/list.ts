import type { Context, ListRange } from "../../cli/context.ts";
import { arg, define, flag, type Outcome } from "../../cli/define.ts";
import { idNamed, playtestNamed } from "../../cli/names.ts";
import { findingStatuses } from "../../contract/findings/statuses.ts";
import { momentKinds } from "../../contract/moments/kinds.ts";
import { usage } from "../../errors.ts";
import type { Finding } from "../shared/findings/book.ts";
import { hasLocal, listLocal } from "../shared/findings/local.ts";
import { lacksFindings } from "../shared/findings/source.ts";
import { findingsView } from "./view.ts";

type Pages = Extract<Outcome, { kind: "list" }>["pages"];

type Filter = Partial<
  Record<"kind" | "severity" | "status" | "tag" | "build" | "against" | "playtest" | "text", string | undefined>
>;

/** Whether a finding on this computer passes. Which build was played is not known there. */
const passes = ({ kind, severity, status, tag, build, playtest, text }: Filter, one: Finding) =>
  build === undefined &&
  playtest === undefined &&
  (kind === undefined || one.kind === kind) &&
  (severity === undefined || String(one.severity) === severity) &&
  (status === undefined || one.status === status) &&
  (tag === undefined || one.tags.includes(tag)) &&
  (text === undefined || `${one.title}\n${one.text}`.toLowerCase().includes(text.toLowerCase()));

/** The findings on this computer, then those of a server that stores them. */
async function* withLocal(local: readonly Finding[], pages: Pages) {
  const here = { key: "findings", items: local, data: { findings: local }, meta: { cursor: null, hasMore: false } };
  if (local.length > 0) yield here;
  try {
    yield* pages;
  } catch (error) {
    if (!lacksFindings(error)) throw error;
    if (local.length === 0) yield here;
  }
}

async function listing(ctx: Context, gameId: string, filter: Filter, range: ListRange): Promise<Outcome> {
  const local = hasLocal(ctx, gameId) ? (await listLocal(ctx, gameId)).filter((one) => passes(filter, one)) : [];
  const query = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  const outcome = ctx.list("listFindings", { params: { id: gameId }, query }, range) as Extract<Outcome, { kind: "list" }>;
  return {
    kind: "list",
    pages: withLocal(local, outcome.pages),
    view: findingsView(new Set(local.map(({ id }) => id)), filter.against !== undefined),
  };
}

const noteLimits = (ctx: Context) =>
  ctx.out.note("p is the probability of such a difference by chance alone. Without one, too few played for any conclusion.");

export const list = define({
  name: "list",
  summary: "List the findings of a game, the highest rank first",
  description:
    "The rank is the severity, 1 without one, times the share of the playtesters who met it. Rejected videos do not count. With --build or " +
    "--playtest, all of this is counted in those videos only. Findings that are only on this computer come first and say so.",
  args: { game: arg.game() },
  flags: {
    kind: flag.choice(momentKinds, "Only this kind"),
    severity: flag.choice(["1", "2", "3", "4"], "Only this severity"),
    status: flag.choice(findingStatuses, "Only with this status"),
    tag: flag.text("Only with this tag", { value: "TAG" }),
    build: flag.text("Only what was met in this build: id or version", { value: "BUILD" }),
    against: flag.text("Another build to compare --build with: what appeared, is still there or is gone", { value: "BUILD" }),
    playtest: flag.text("Only what was met in this playtest", { value: "PLAYTEST" }),
    text: flag.text("Only with this in title or text, in any case"),
  },
  operation: "listFindings",
  list: true,
  examples: [
    "playtest findings list",
    "playtest findings list GAME --status open --severity 4",
    "playtest findings list GAME --build BUILD --all --csv",
    "playtest findings list GAME --build 0.9.1 --against 0.9.0",
  ],
  async run({ args, flags, range }, ctx) {
    const { build, against, playtest, ...filter } = flags;
    if (against !== undefined && build === undefined) throw usage("--against needs --build.", "Pass the newer build as --build.");
    const named = {
      ...(build !== undefined && { build: await idNamed(ctx, "listBuilds", build, { id: args.game }) }),
      ...(against !== undefined && { against: await idNamed(ctx, "listBuilds", against, { id: args.game }) }),
      ...(playtest !== undefined && { playtest: await playtestNamed(ctx, playtest) }),
    };
    if (against !== undefined) noteLimits(ctx);
    return listing(ctx, args.game, { ...filter, ...named }, range);
  },
});
