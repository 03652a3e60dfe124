/** One request at a time works on an upload. The lock is this process's: an upload belongs to the disk it is on. */
export interface Locks {
  /** Lets go by calling what it returns; undefined when somebody holds it. */
  take(id: string, stop: () => void): (() => void) | undefined;
  /** Asks the holder to stop, and waits until it has. */
  takeOver(id: string): Promise<() => void>;
}

export function createLocks(): Locks {
  const held = new Map<string, { stop(): void; freed: Promise<void> }>();

  function take(id: string, stop: () => void) {
    if (held.has(id)) return undefined;
    const { promise: freed, resolve } = deferred();
    held.set(id, { stop, freed });
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
        await holder.freed;
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
