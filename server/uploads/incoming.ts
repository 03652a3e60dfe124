import type { IncomingMessage } from "node:http";
import type { ApiError } from "../lib/api-error.ts";

export interface Incoming {
  bytes: AsyncIterable<Uint8Array>;
  /** The problem that `inspect` found. */
  readonly refused: ApiError | undefined;
}

/**
 * The bytes of an upload request. When the connection is cut, or silent for `idleMs`, the bytes end without an error, so that what
 * arrived is kept. `inspect` gets every chunk first; when it returns a problem, reading stops.
 */
export function createIncoming(
  request: IncomingMessage,
  idleMs: number,
  inspect: (chunk: Buffer) => ApiError | undefined,
): Incoming {
  let refused: ApiError | undefined;

  async function* bytes(): AsyncGenerator<Uint8Array> {
    request.setTimeout(idleMs, () => request.destroy());
    try {
      for await (const chunk of request.iterator({ destroyOnReturn: false })) {
        refused = inspect(chunk);
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
