/** Locks that let one request at a time work on an upload. They are per process: an upload is on the disk of one process. */
export interface Locks {
  /** Takes the lock and returns the function that releases it; undefined when it is held. `stop` is called when another request wants it. */
  take(id: string, stop: () => void): (() => void) | undefined;
  /** Tells the holder to stop, waits until it released the lock, and takes it. */
  takeOver(id: string): Promise<() => void>;
}

export function createLocks(): Locks {
  const held = new Map<string, { stop(): void; released: Promise<void> }>();

  function take(id: string, stop: () => void) {
    if (held.has(id)) return undefined;
    const { promise: released, resolve } = deferred();
    held.set(id, { stop, released });
    return () => {
      held.delete(id);
      resolve();
    };
  }

  return {
    take,
    async takeOver(id) {
      for (;;) {
        const release = take(id, () => {});
        if (release) return release;
        const holder = held.get(id)!;
        holder.stop();
        await holder.released;
      }
    },
  };
}

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
