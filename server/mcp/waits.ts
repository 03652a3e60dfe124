import type { Deps } from "../app/deps.ts";

/** The most calls of one account that wait at a time: each reads again every other second. */
const most = 8;

/**
 * Waits for an account. False instead of waiting when the server is about to stop, or when as many calls of the account wait already:
 * then the call answers with what is so now.
 */
export function createWaits({ wait, retiring }: Pick<Deps, "wait" | "retiring">) {
  const waiting = new Map<string, number>();
  return async (userId: string, ms: number, signal: AbortSignal): Promise<boolean> => {
    const others = waiting.get(userId) ?? 0;
    if (retiring.aborted || others >= most) return false;
    waiting.set(userId, others + 1);
    try {
      await wait(ms, AbortSignal.any([signal, retiring]));
      return true;
    } catch (error) {
      if (retiring.aborted && !signal.aborted) return false;
      throw error;
    } finally {
      const left = waiting.get(userId)! - 1;
      if (left > 0) waiting.set(userId, left);
      else waiting.delete(userId);
    }
  };
}
