import type { Context } from "../../../cli/define.ts";
import { listLocal } from "./local.ts";
import { type Finding, lacksFindings } from "./source.ts";

/** The findings that were met in a playtest, the highest rank first. On this computer they are counted in all videos of the game. */
export async function findingsOfPlaytest(
  ctx: Context,
  { id, gameId }: { id: string; gameId: string },
): Promise<{ findings: Finding[]; onServer: boolean }> {
  const findings: Finding[] = [];
  try {
    for await (const { data } of ctx.pages("listFindings", { params: { id: gameId }, query: { playtest: id } }, { all: true }))
      findings.push(...data.findings);
    return { findings, onServer: true };
  } catch (error) {
    if (!lacksFindings(error)) throw error;
    return { findings: await listLocal(ctx, gameId), onServer: false };
  }
}
