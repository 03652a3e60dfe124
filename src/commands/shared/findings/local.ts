import type { Context } from "../../../cli/define.ts";
import { type LocalFile, openLocal } from "../../../config/local-notes.ts";
import { cohortOf, type Recording, rankOf, reachOf } from "../../../contract/findings/reach.ts";
import { CliError, DryRun, exitCodes, notFound, usage } from "../../../errors.ts";
import { localNotes } from "../notes/local.ts";
import { transcriptText } from "../video/transcript.ts";
import * as books from "./book.ts";

/** Findings on this computer, of a server that stores none. */

const openBooks = (ctx: Context): LocalFile<books.Book> => {
  const { profile, get } = ctx.settings();
  return openLocal("findings", ctx.store, { baseUrl: get("baseUrl")!.value, profile: profile.value }, ctx.now);
};

/** The book of the game that has this finding. */
export const bookWith = (ctx: Context, id: string) =>
  openBooks(ctx)
    .read()
    .find(({ findings }) => findings.some((one) => one.id === id));

const bookOf = (ctx: Context, gameId: string) =>
  openBooks(ctx)
    .read()
    .find((book) => book.gameId === gameId) ?? books.emptyBook(gameId);

/** A video that counts, and who made it. */
interface NamedRecording extends Recording {
  playtester: books.Finding["evidence"][number]["playtester"];
}

/** The videos of a game that count: the server says who made them. */
async function recordingsOf(ctx: Context, gameId: string): Promise<NamedRecording[]> {
  const recordings: NamedRecording[] = [];
  for (const status of ["submitted", "accepted"] as const)
    for await (const { data } of ctx.pages("listSubmissions", { query: { status } }, { all: true }))
      for (const { slot, submission, game, playtester } of data.submissions) {
        if (game.id !== gameId) continue;
        const seconds = submission?.videoDurationSeconds;
        const lengthMs = seconds === undefined || seconds === null ? null : seconds * 1000;
        recordings.push({ slotId: slot.id, tester: playtester?.id ?? slot.id, buildId: null, lengthMs, playtester });
      }
  return recordings;
}

const inVideoOrder = (evidence: readonly books.Evidence[], recordings: readonly NamedRecording[]) => {
  const playtesterOf = (slotId: string) => recordings.find((one) => one.slotId === slotId)?.playtester ?? null;
  const sorted = evidence.toSorted((a, b) => a.slotId.localeCompare(b.slotId) || a.fromMs - b.fromMs);
  return sorted.map((one) => ({ ...one, playtester: playtesterOf(one.slotId) }));
};

function counted(kept: books.Kept, recordings: readonly NamedRecording[], cohort = cohortOf(recordings)): books.Finding {
  const { testers, builds, firstSeenMs } = reachOf(kept.evidence, cohort);
  const none = builds.map((build) => ({ ...build, version: null }));
  const rank = rankOf(kept.severity, testers);
  const unknown = { against: null, absence: null, issue: null };
  return { ...kept, evidence: inVideoOrder(kept.evidence, recordings), testers, builds: none, firstSeenMs, rank, ...unknown };
}

/** The findings of a game on this computer, in the order of the server. */
export async function listLocal(ctx: Context, gameId: string): Promise<books.Finding[]> {
  const open = bookOf(ctx, gameId).findings.filter(({ mergedInto }) => mergedInto === null);
  if (open.length === 0) return [];
  const recordings = await recordingsOf(ctx, gameId);
  const cohort = cohortOf(recordings);
  return open.map((one) => counted(one, recordings, cohort)).sort((a, b) => b.rank - a.rank || a.number - b.number);
}

export const hasLocal = (ctx: Context, gameId: string) => bookOf(ctx, gameId).findings.length > 0;

export const localByNumber = (ctx: Context, gameId: string, number: number) =>
  bookOf(ctx, gameId).findings.find((one) => one.number === number);

/** Replaces the book of a game by what `change` makes of it. */
async function changeBook(ctx: Context, gameId: string, change: (book: books.Book) => books.Book): Promise<void> {
  if (ctx.flags.dryRun) throw new DryRun([]);
  await openBooks(ctx).update((all) => {
    const book = all.find((one) => one.gameId === gameId);
    const changed = change(book ?? books.emptyBook(gameId));
    return [...all.filter((one) => one !== book), changed];
  });
}

/** The body with its defaults, as a server would check it. */
async function checked({ evidence: _, ...given }: books.FindingBody) {
  const { findings } = await import("../../../contract/findings/endpoints.ts");
  // Evidence is checked by what is in the videos: ids of another server may have another form.
  const { data, error } = findings.createFinding.body!.omit({ evidence: true }).safeParse(given);
  if (!error) return { ...data, severity: data.severity ?? null };
  const details = error.issues.map(({ path, message }) => ({ field: path.join("."), message }));
  const { field, message } = details[0]!;
  throw new CliError("USAGE", exitCodes.usage, `${field}: ${message}. Nothing was saved.`, { details });
}

/** The moment with this id: on this computer, or on a server that stores moments but no findings. */
async function momentOf(ctx: Context, gameId: string, id: string) {
  const local = localNotes(ctx)
    .read()
    .find(({ moment }) => moment.id === id);
  if (local) return local.moment;
  try {
    for await (const { data } of ctx.pages("listGameMoments", { params: { id: gameId } }, { all: true })) {
      const found = data.moments.find((moment) => moment.id === id);
      if (found) return found;
    }
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== "NOT_OFFERED") throw error;
  }
  throw notFound(`The game has no note ${id}. Nothing was added.`);
}

async function requireSaid(ctx: Context, slotId: string, quote: string, fromMs: number, toMs: number | null): Promise<void> {
  const { isSaid } = await import("../../../contract/findings/quotes.ts");
  const { readCues } = await import("../../../contract/text/cues.ts");
  const { downloadUrl } = await ctx.api().getSlotTranscript({ params: { id: slotId } });
  if (isSaid(quote, readCues(await transcriptText(ctx, downloadUrl), "hidden"), fromMs, toMs ?? fromMs)) return;
  throw usage("The quote must stand in the transcript, word for word, within one cue of that time. Nothing was added.");
}

async function evidenceOf(ctx: Context, gameId: string, body: books.EvidenceBody): Promise<books.Evidence> {
  const id = ctx.newId();
  if ("momentId" in body) {
    const { slotId, atMs, endMs, text } = await momentOf(ctx, gameId, body.momentId);
    return { id, slotId, fromMs: atMs, toMs: endMs, momentId: body.momentId, quote: null, text };
  }
  const { slotId, fromMs, toMs = null, quote = null } = body;
  const { slot } = await ctx.api().getSlot({ params: { id: slotId } });
  if (slot.game.id !== gameId) throw notFound("This slot is not of the finding's game. Nothing was added.");
  if (!slot.submission) throw new CliError("CONFLICT", exitCodes.conflict, "This slot has no video yet. Nothing was added.");
  if (quote !== null) await requireSaid(ctx, slotId, quote, fromMs, toMs);
  return { id, slotId, fromMs, toMs, momentId: null, quote, text: null };
}

/** The findings on this computer. Each method changes or shows one, as the server would. */
export function localFindings(ctx: Context): books.Findings {
  const now = () => new Date(ctx.now()).toISOString();
  const gameOf = (id: string) => {
    const book = bookWith(ctx, id);
    if (!book) throw notFound("No such finding is on this computer. Nothing was changed.");
    return book.gameId;
  };
  const show = async (id: string) => {
    const book = bookOf(ctx, gameOf(id));
    return { finding: counted(books.inBook(book, id), await recordingsOf(ctx, book.gameId)) };
  };
  const change = async (id: string, make: (book: books.Book) => books.Book, shown = id) => {
    await changeBook(ctx, gameOf(id), make);
    return show(shown);
  };
  return {
    async create(gameId, body) {
      const [described, id] = [await checked(body), ctx.newId()];
      const evidence: books.Evidence[] = [];
      for (const one of body.evidence ?? []) evidence.push(await evidenceOf(ctx, gameId, one));
      await changeBook(ctx, gameId, (book) => {
        const made = books.create(book, described, { id, now: now() });
        return evidence.reduce((grown, one) => books.add(grown, id, one, now()), made);
      });
      return show(id);
    },
    get: show,
    update: (id, body) => change(id, (book) => books.update(book, id, body, now())),
    async remove(id) {
      await changeBook(ctx, gameOf(id), (book) => books.remove(book, id));
      return { message: "The finding on this computer is deleted." };
    },
    async add(id, body) {
      const evidence = await evidenceOf(ctx, gameOf(id), body);
      return change(id, (book) => books.add(book, id, evidence, now()));
    },
    removeEvidence: (id, evidenceId) => change(id, (book) => books.removeEvidence(book, id, evidenceId, now())),
    merge: (id, otherId) => change(id, (book) => books.merge(book, id, otherId, now())),
    split(id, evidenceIds, title) {
      const newId = ctx.newId();
      return change(id, (book) => books.split(book, id, evidenceIds, title, { id: newId, now: now() }), newId);
    },
    undo: (id) => change(id, (book) => books.undo(book, id, now())),
  };
}
