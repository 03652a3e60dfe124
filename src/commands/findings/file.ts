import type { Data } from "../../api/client.ts";
import { arg, type Context, col, define, flag, prose, viewOf } from "../../cli/define.ts";
import {
  isTarget,
  type TrackerName,
  targets,
  trackerPriorities,
  trackers,
  trackerTitles,
} from "../../contract/findings/trackers.ts";
import { CliError, exitCodes, partlyDone, stillPending, usage } from "../../errors.ts";
import { plural, shellShown } from "../../io/text.ts";
import { bookWith } from "../shared/findings/local.ts";
import { type Finding, findingNamed } from "../shared/findings/source.ts";
import { mapped, readMapping } from "./mapping.ts";
import { trackerNamed } from "./trackers.ts";
import { findingArg, findingView, ofGame } from "./view.ts";

const forms = trackers.map((name) => `${name}:${targets[name].example}`).join(", ");

function destination(text: string): { tracker: TrackerName; target: string } {
  const at = text.indexOf(":");
  if (at < 0) throw usage(`--to: ${JSON.stringify(text)} names no tracker.`, `Examples: ${forms}.`);
  const [tracker, target] = [trackerNamed(text.slice(0, at)), text.slice(at + 1)];
  if (isTarget(tracker, target)) return { tracker, target };
  const { what, example } = targets[tracker];
  throw usage(`--to: ${JSON.stringify(target)} is not ${what} in ${trackerTitles[tracker]}.`, `Example: ${tracker}:${example}.`);
}

/** How long (ms) and how often the server is asked whether the tracker has answered. */
const waitMs = 30_000;
const pauseMs = 500;

type Issue = NonNullable<Finding["issue"]>;

/** Whether the tracker's answer is known: nothing waits, or the last try failed. */
const isAnswered = ({ nextTryAt, error }: Issue) => nextTryAt === null || error !== null;

async function answered<T>(ctx: Context, read: () => Promise<T>, isDone: (value: T) => boolean): Promise<T> {
  for (const until = ctx.now() + waitMs; ; ) {
    const value = await read();
    if (isDone(value) || ctx.now() >= until) return value;
    await ctx.sleep(pauseMs, ctx.signal);
  }
}

function requireFiled({ number, issue }: Finding): void {
  if (issue === null || (issue.key !== null && issue.error === null)) return;
  const retry = `To try again: \`playtest findings file ${number} --to ${shellShown(`${issue.tracker}:${issue.target}`)}\`.`;
  if (issue.error === null)
    throw stillPending(
      `${trackerTitles[issue.tracker]} has not answered yet. The server goes on filing #${number}.`,
      `To look: \`playtest findings show ${number}\`.`,
    );
  if (issue.nextTryAt !== null)
    throw stillPending(
      `#${number} is not filed yet: ${issue.error} The server tries again by itself.`,
      `To look: \`playtest findings show ${number}\`.`,
    );
  throw new CliError("CONFLICT", exitCodes.conflict, `#${number} was not filed. ${issue.error}`, { hint: retry });
}

export const file = define({
  name: "file",
  summary: "File a finding as an issue of your tracker, once",
  description:
    "The issue says what was seen, by how many, in which builds, and links to the seconds of the videos in Studio. A finding has one issue, also when " +
    "the command is repeated or a reply is lost. Connect the tracker once with `playtest findings connect`. --map names a file with labels, " +
    "fields and people by kind, severity and tag: `playtest help reviewing` shows one.",
  args: { finding: findingArg },
  flags: {
    to: { ...flag.text("Tracker and place in it", { value: "TRACKER:PLACE", field: ["tracker", "target"] }), required: true },
    label: flag.list("Label of the issue", { field: "labels" }),
    assignee: flag.text("Who gets it, as the tracker names people", { value: "PERSON" }),
    priority: flag.choice(trackerPriorities, "Priority, in Jira and Linear"),
    type: flag.text("Type of the issue, in GitHub, GitLab and Jira"),
    share: flag.toggle("Link to a public page of the first video, which needs no account; it ends as `review shares` says"),
    map: flag.text("File with labels, fields and people by kind, severity and tag; - for standard input", { value: "FILE" }),
    ...ofGame,
  },
  operation: "fileFinding",
  examples: [
    "playtest findings file 7 --to github:acme/lantern --label playtest",
    "playtest findings file 7 --to jira:LANT --assignee ada@example.com --priority high",
    "playtest findings file 7 --to gitlab:acme/games/lantern --map tracker.yaml --dry-run",
  ],
  exits: [8],
  async run({ args, flags: { to, label, game, map, share, assignee, priority, type } }, ctx) {
    const place = destination(to!);
    const mapping = map === undefined ? undefined : await readMapping(ctx, map);
    const id = await findingNamed(ctx, args.finding, game);
    if (bookWith(ctx, id))
      throw new CliError(
        "NOT_OFFERED",
        exitCodes.notFound,
        "This server does not support filing findings: this one is only on this computer. Nothing was filed.",
        {
          hint: "Copy it with `playtest review report PLAYTEST --as md`.",
        },
      );
    const given = mapping ? mapped(mapping, (await ctx.api().getFinding({ params: { id } })).finding) : { labels: [] };
    const body = {
      ...place,
      ...given,
      labels: [...new Set([...(given.labels ?? []), ...label])],
      ...(assignee !== undefined && { assignee }),
      ...(priority && { priority }),
      ...(type !== undefined && { type }),
      ...(share && { share }),
    };
    await ctx.api().fileFinding({ params: { id }, body });
    const read = () => ctx.api().getFinding({ params: { id } });
    const data = await answered(ctx, read, ({ finding }) => finding.issue === null || isAnswered(finding.issue));
    requireFiled(data.finding);
    return ctx.item(data, findingView);
  },
});

const syncView = viewOf<Finding>(
  [
    "number",
    "status",
    col("issue", ({ issue }: Finding) => issue?.key ?? ""),
    col("state", ({ issue }: Finding) => issue?.state ?? ""),
    col("absence", ({ absence }: Finding) => (absence ? `none of ${absence.of}, p ${absence.p}` : "")),
    prose("title"),
    prose("error", ({ issue }: Finding) => issue?.error ?? ""),
    "id",
  ],
  { empty: "No finding of this game is filed or closed." },
);

async function findingsOf(ctx: Context, id: string): Promise<Data<"listFindings">["findings"]> {
  const all: Finding[] = [];
  for await (const { data } of ctx.pages("listFindings", { params: { id } }, { all: true })) all.push(...data.findings);
  return all;
}

export const sync = define({
  name: "sync",
  summary: "Compare the findings of a game with their issues and with newer builds",
  description:
    "What is closed in the tracker becomes fixed. What nobody met in newer builds becomes verified, if so many played them that chance would hide it in at " +
    "most 5 of 100 cases; the column absence shows the probability. What was met again is reopened, and its issue says so.",
  args: { game: arg.game() },
  operation: "syncFindings",
  exits: [exitCodes.partial],
  examples: ["playtest findings sync", "playtest findings sync GAME --json"],
  async run({ args: { game } }, ctx) {
    const { queued } = await ctx.api().syncFindings({ params: { id: game } });
    const waits = ({ issue }: Finding) => issue !== null && !isAnswered(issue);
    const all = await answered(
      ctx,
      () => findingsOf(ctx, game),
      (findings) => !findings.some(waits),
    );
    const shown = all.filter(({ issue, absence }) => issue !== null || absence !== null);
    const left = all.filter(waits).length;
    if (left > 0) ctx.out.warn(`${plural(left, "issue")} of ${queued} could not be compared yet. The server goes on with them.`);
    const failed = all.filter(({ issue }) => issue !== null && issue.error !== null && issue.state !== "deleted");
    const rows = ctx.rows("findings", shown, syncView);
    if (failed.length === 0) return rows;
    const numbers = failed.map(({ number }) => `#${number}`).join(", ");
    const compared = queued - failed.length - left;
    return { ...rows, failure: partlyDone(`${plural(compared, "issue")} compared, ${failed.length} failed: ${numbers}.`) };
  },
});
