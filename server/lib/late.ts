import { setImmediate as nextTurn } from "node:timers/promises";

const parts: (() => Promise<unknown>)[] = [];

/**
 * A part of the program that the server can start without, as a function that loads it. Whoever needs it first waits for it, unless
 * `loadLateParts` came before.
 */
export function late<Part>(load: () => Promise<Part>): () => Promise<Part> {
  parts.push(load);
  return load;
}

/**
 * Loads all late parts, one in each turn of the event loop, so that requests are answered in between. From then on, the server does not
 * notice that another version replaces its files. Rejects when one cannot be loaded.
 */
export async function loadLateParts(signal: AbortSignal): Promise<void> {
  for (const load of parts) {
    await nextTurn();
    if (signal.aborted) return;
    await load();
  }
}
