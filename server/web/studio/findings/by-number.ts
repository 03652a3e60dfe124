import { ApiError } from "../../../lib/api-error.ts";
import type { StudioContext } from "../types.ts";

const numberIn = (text: string) => /^#?(\d{1,6})$/.exec(text.trim())?.[1];

/** Whether a text names a finding by its number. */
export const isNumber = (text: string): boolean => numberIn(text) !== undefined;

/** The finding of a game with this number, such as `7` or `#7`. 422 for a number that none has. */
export async function findingByNumber(
  { call }: StudioContext,
  gameId: string,
  text: string,
): Promise<{ id: string; number: number }> {
  const number = numberIn(text);
  const found =
    number === undefined ? [] : (await call("listFindings", { params: { id: gameId }, query: { number } })).data.findings;
  if (found[0]) return found[0];
  const message = "must be that of a finding of this game";
  throw new ApiError("VALIDATION_ERROR", `number: ${message}`, { details: [{ field: "number", message }] });
}
