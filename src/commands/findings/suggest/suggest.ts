import { arg, type Context, col, define, flag, prose, viewOf } from "../../../cli/define.ts";
import { longestQuote, maxFirstEvidence } from "../../../contract/findings/limits.ts";
import { firstCharacters } from "../../../contract/text/one-line.ts";
import { positionText } from "../../../contract/text/position.ts";
import { exitCodes, notFound, usage } from "../../../errors.ts";
import type { KeyChoice } from "../../../io/prompt.ts";
import { plural } from "../../../io/text.ts";
import type { EvidenceBody, FindingBody } from "../../shared/findings/book.ts";
import { createFinding, type Finding } from "../../shared/findings/source.ts";
import { listDone, partialFailure, several } from "../../shared/several.ts";
import { hasStems, stemmedLanguages, stemsOf } from "../../shared/words/stems.ts";
import { findingsView } from "../view.ts";
import { gather } from "./gather.ts";
import { type Group, groupsOf, notes, type Said } from "./groups.ts";

/** A group with the number by which it is taken. */
type Proposal = Group & { number: number };

const usual = 10;
/** At most so many places of a group are shown. */
const mostShown = 3;

const place = ({ slotId, fromMs, text }: Said) => `${slotId} at ${positionText(fromMs)}: ${text}`;
const view = viewOf<Proposal>(
  [
    "number",
    "testers",
    col("places", ({ members }: Proposal) => members.length),
    col("notes", notes),
    prose("title"),
    prose("said", ({ members }: Proposal) => members.slice(0, mostShown).map(place).join("; ")),
  ],
  { empty: "Nothing is said by several. Notes and transcripts help: see `playtest help reviewing`." },
);

/** The kind that most notes have, and the highest severity. */
function describedBy({ members }: Group): Pick<FindingBody, "kind" | "severity"> {
  const own = members.flatMap(({ note }) => note ?? []);
  const counts = new Map<string, number>();
  for (const { kind } of own) if (kind !== "note") counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const [kind] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? ["note"];
  const severity = Math.max(0, ...own.map((note) => note.severity ?? 0));
  return { kind: kind as NonNullable<FindingBody["kind"]>, ...(severity > 0 && { severity }) };
}

/** As much of a text as a quote may have, up to the end of a word. */
function quoteOf(text: string): string {
  const quote = firstCharacters(text, longestQuote);
  return quote === text ? text : quote.replace(/\s+\S*$/, "");
}

function evidenceOf({ slotId, fromMs, toMs, text, note }: Said): EvidenceBody {
  if (note !== null) return { momentId: note.id };
  return { slotId, fromMs, ...(toMs !== null && toMs > fromMs && { toMs }), quote: quoteOf(text) };
}

/** Creates a finding of a group, with its places as evidence. */
async function take(ctx: Context, gameId: string, group: Group): Promise<Finding> {
  const evidence = group.members.slice(0, maxFirstEvidence).map(evidenceOf);
  return (await createFinding(ctx, gameId, { title: group.title, ...describedBy(group), evidence })).finding;
}

const choices: readonly KeyChoice<"take" | "drop" | "quit">[] = [
  { key: "t", value: "take", name: "Take it as a finding" },
  { key: "d", value: "drop", name: "Drop it" },
  { key: "q", value: "quit", name: "Quit" },
];

/** Shows each proposal and asks for one key. */
async function ask(ctx: Context, gameId: string, proposals: readonly Proposal[]): Promise<Finding[]> {
  const taken: Finding[] = [];
  for (const proposal of proposals) {
    const { number, title, testers, members } = proposal;
    ctx.out.note(
      `${number} of ${proposals.length}: ${title}\n${plural(testers, "playtester")}, ${plural(members.length, "place")}:`,
    );
    for (const one of members.slice(0, mostShown)) ctx.out.note(`  ${place(one)}`);
    const choice = await ctx.prompt.menu("What about it?", choices, "Use --take.");
    if (choice === "quit") break;
    if (choice === "drop") continue;
    const finding = await take(ctx, gameId, proposal);
    taken.push(finding);
    ctx.out.note(`#${finding.number} created.`);
  }
  return taken;
}

export const suggest = define({
  name: "suggest",
  summary: "Suggest findings: what several notes and passages say in the same words",
  description:
    "Groups the notes on the videos of a playtest and what is said in them by the stems of their words, without any model. On a terminal one key takes " +
    "or drops each; elsewhere they are listed, and --take creates findings of some. What belongs to a finding already is left out.",
  args: { playtest: arg.playtest() },
  flags: {
    take: flag.list("Create a finding of this one, by its number in the list", { value: "N" }),
    most: flag.integer(`How many to suggest (default ${usual})`, { min: 1, max: 100 }),
    language: flag.text(
      `Language of notes and transcripts: ${stemmedLanguages.join(", ")} (default: that of the game, else en)`,
      {
        value: "TAG",
      },
    ),
  },
  operation: [
    "createFinding",
    "getPlaytest",
    "getGame",
    "listSlots",
    "listPlaytestMoments",
    "listFindings",
    "getSlotTranscript",
    "getSlotSignals",
  ],
  examples: [
    "playtest findings suggest PLAYTEST",
    "playtest findings suggest PLAYTEST --json",
    "playtest findings suggest PLAYTEST --take 1 --take 3",
  ],
  exits: [exitCodes.partial],
  async run({ args, flags }, ctx) {
    if (flags.language !== undefined && !hasStems(flags.language))
      throw usage(
        `--language: ${JSON.stringify(flags.language)} is not known. Nothing was suggested.`,
        `Known languages: ${stemmedLanguages.join(", ")}.`,
      );
    const { gameId } = (await ctx.api().getPlaytest({ params: { id: args.playtest } })).playtest;
    const { game } = await ctx.api().getGame({ params: { id: gameId } });
    const stems = await stemsOf(flags.language ?? game.languages?.[0] ?? "en");
    const groups = groupsOf(await gather(ctx, args.playtest, gameId), stems);
    const proposals = groups.slice(0, flags.most ?? usual).map((group, index) => ({ number: index + 1, ...group }));
    if (flags.take.length > 0) {
      const wanted = new Map(flags.take.map((text) => [text, proposals.find(({ number }) => String(number) === text)]));
      for (const [text, found] of wanted)
        if (!found) throw notFound(`--take: there is no suggestion ${text}. Nothing was created.`);
      const results = await several(ctx, [...wanted.keys()], (text) => take(ctx, gameId, wanted.get(text)!));
      return listDone(ctx, "findings", results, findingsView(), partialFailure(results, "finding", "created"));
    }
    const asks = ctx.prompt.possible && ctx.io.terminal.stdout && ctx.out.format.kind === "auto" && proposals.length > 0;
    if (!asks) return ctx.rows("suggestions", proposals, view);
    return ctx.rows("findings", await ask(ctx, gameId, proposals), findingsView());
  },
});
