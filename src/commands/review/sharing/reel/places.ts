import type { Context } from "../../../../cli/define.ts";
import type { MomentKind } from "../../../../contract/moments/kinds.ts";
import { inTurns, type Place } from "../../../../contract/sharing/reel-parts.ts";
import { firstCharacters } from "../../../../contract/text/one-line.ts";
import { CliError, exitCodes, usage } from "../../../../errors.ts";
import { bookWith } from "../../../shared/findings/local.ts";
import { type Finding, findingNamed } from "../../../shared/findings/source.ts";

/** What a reel is of: a finding, or a playtest. */
export interface Subject {
  gameId: string;
  /** What is named after it. */
  name: string;
  places: Place[];
}

interface Wanted {
  of: string;
  game: string | undefined;
  kind: MomentKind | undefined;
}

const placesOf = ({ evidence, title }: Pick<Finding, "evidence" | "title">): Place[] =>
  inTurns(evidence.map(({ slotId, fromMs, toMs }) => ({ slotId, fromMs, toMs, title })));

async function ofFinding(ctx: Context, id: string): Promise<Subject> {
  if (bookWith(ctx, id))
    throw new CliError("NOT_OFFERED", exitCodes.notFound, "This finding is only on this computer. Nothing was made.", {
      hint: "Cut its places one by one with `playtest review clip`.",
    });
  const { finding } = await ctx.api().getFinding({ params: { id } });
  return { gameId: finding.gameId, name: firstCharacters(`#${finding.number} ${finding.title}`, 100), places: placesOf(finding) };
}

/** The notes of one kind, the most severe first. */
async function notesOf(ctx: Context, id: string, kind: MomentKind): Promise<Place[]> {
  const notes: { slotId: string; atMs: number; endMs: number | null; text: string; severity: number | null }[] = [];
  for await (const { data } of ctx.pages("listPlaytestMoments", { params: { id }, query: { kind } }, { all: true }))
    notes.push(...data.moments);
  const sorted = notes.sort((a, b) => (b.severity ?? 0) - (a.severity ?? 0));
  return inTurns(
    sorted.map(({ slotId, atMs, endMs, text }) => ({ slotId, fromMs: atMs, toMs: endMs, title: firstCharacters(text, 200) })),
  );
}

async function highlightsOf(ctx: Context, id: string, minutes: number): Promise<Place[]> {
  const query = { minutes: String(minutes), perVideo: "50" };
  const { highlights } = await ctx.api().listPlaytestHighlights({ params: { id }, query });
  return highlights.map(({ slotId, fromMs, toMs, reasons }) => {
    const title = reasons.map(({ text }) => text).join("; ");
    return { slotId, fromMs, toMs, title: firstCharacters(title, 200) };
  });
}

/** Reads a finding by its number or id, or a playtest by its id: the places that its reel can show, the best first. */
export async function subjectOf(ctx: Context, { of, game, kind }: Wanted, minutes: number): Promise<Subject> {
  const isNumber = /^#?\d{1,6}$/.test(of);
  const id = isNumber ? await findingNamed(ctx, of, game) : ctx.resolveId(of);
  const playtest = isNumber || bookWith(ctx, id) ? undefined : await playtestWith(ctx, id);
  if (playtest) {
    const places = kind === undefined ? await highlightsOf(ctx, id, minutes) : await notesOf(ctx, id, kind);
    return { gameId: playtest.gameId, name: firstCharacters(`${playtest.gameName}: ${kind ?? "highlights"}`, 100), places };
  }
  if (kind !== undefined) throw usage("--kind is for the notes of a playtest. Nothing was made.", "Leave it out for a finding.");
  return ofFinding(ctx, id);
}

/** An id alone does not say whether it is of a playtest or a finding. */
async function playtestWith(ctx: Context, id: string) {
  try {
    return (await ctx.api().getPlaytest({ params: { id } })).playtest;
  } catch (error) {
    if (error instanceof CliError && error.exitCode === exitCodes.notFound) return undefined;
    throw error;
  }
}
