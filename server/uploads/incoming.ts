import type { IncomingMessage } from "node:http";
import type { Problem } from "../lib/problem.ts";

export interface Incoming {
  bytes: AsyncIterable<Uint8Array>;
  /** Why `look` did not want what came. */
  readonly refused: Problem | undefined;
}

/**
 * The bytes of an upload request. A connection that is cut, or silent for `idleMs`, ends them like any other end does, so that what
 * arrived is kept. `look` sees every chunk first; when it finds a problem, nothing more is taken.
 */
export function createIncoming(request: IncomingMessage, idleMs: number, look: (chunk: Buffer) => Problem | undefined): Incoming {
  let refused: Problem | undefined;

  async function* bytes(): AsyncGenerator<Uint8Array> {
    request.setTimeout(idleMs, () => request.destroy());
    try {
      for await (const chunk of request.iterator({ destroyOnReturn: false })) {
        refused = look(chunk);
        if (refused) return;
        yield chunk;
      }
    } catch (error) {
      if (!request.destroyed) throw error;
    } finally {
      request.setTimeout(0);
    }
  }

  return {
    bytes: bytes(),
    get refused() {
      return refused;
    },
  };
}
