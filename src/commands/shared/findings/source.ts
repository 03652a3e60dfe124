import type { Context } from "../../../cli/define.ts";
import { defaultGame, idNamed, onlyGame } from "../../../cli/names.ts";
import { CliError, notFound, usage } from "../../../errors.ts";
import type { FindingBody, Findings, Reply } from "./book.ts";
import { bookWith, localByNumber, localFindings } from "./local.ts";

export type { Finding } from "./book.ts";

export const lacksFindings = (error: unknown) => error instanceof CliError && error.code === "NOT_OFFERED";

function serverFindings(ctx: Context): Findings {
  const api = ctx.api();
  return {
    create: (id, body) => api.createFinding({ params: { id }, body }),
    get: (id) => api.getFinding({ params: { id } }),
    update: (id, body) => api.updateFinding({ params: { id }, body }),
    remove: (id) => api.deleteFinding({ params: { id } }),
    add: (id, body) => api.addEvidence({ params: { id }, body }),
    removeEvidence: (id, evidenceId) => api.removeEvidence({ params: { id, evidenceId } }),
    merge: (id, findingId) => api.mergeFinding({ params: { id }, body: { findingId } }),
    split: (id, evidenceIds, title) => api.splitFinding({ params: { id }, body: { evidenceIds: [...evidenceIds], title } }),
    undo: (id) => api.undoFinding({ params: { id } }),
  };
}

/** Where the finding with this id is. */
export const findingsWith = (ctx: Context, id: string): Findings =>
  bookWith(ctx, id) ? localFindings(ctx) : serverFindings(ctx);

/** Creates a finding: on the server, or on this computer where the server stores none. */
export async function createFinding(ctx: Context, gameId: string, body: FindingBody): Reply {
  try {
    return await serverFindings(ctx).create(gameId, body);
  } catch (error) {
    if (!lacksFindings(error)) throw error;
    const reply = await localFindings(ctx).create(gameId, body);
    ctx.out.note("This server does not store findings. The finding is saved on this computer.");
    return reply;
  }
}

/** The game that is named, else the one that is set, else the only one. */
export async function gameOfFindings(ctx: Context, named: string | undefined): Promise<string> {
  if (named !== undefined) return idNamed(ctx, "listGames", named);
  const id = (await defaultGame(ctx)) ?? (await onlyGame(ctx));
  if (id === undefined)
    throw usage(
      "A number is of a finding in one game, and there are several.",
      "Pass --game, or set one with `playtest games use GAME`.",
    );
  return id;
}

async function idOnServer(ctx: Context, gameId: string, number: number): Promise<string | undefined> {
  try {
    const { findings } = await ctx.api().listFindings({ params: { id: gameId }, query: { number: String(number) } });
    return findings[0]?.id;
  } catch (error) {
    if (lacksFindings(error)) return undefined;
    throw error;
  }
}

/** The id of a finding that is given by its id, or by its number in a game: `7` or `#7`. */
export async function findingNamed(ctx: Context, word: string, game: string | undefined): Promise<string> {
  const [, digits] = /^#?(\d{1,6})$/.exec(word) ?? [];
  if (digits === undefined) return ctx.resolveId(word);
  const gameId = await gameOfFindings(ctx, game);
  const number = Number(digits);
  const id = (await idOnServer(ctx, gameId, number)) ?? localByNumber(ctx, gameId, number)?.id;
  if (id === undefined) throw notFound(`The game has no finding #${number}.`, "To list them: `playtest findings list`.");
  return id;
}
