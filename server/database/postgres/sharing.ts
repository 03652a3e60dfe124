/**
 * Lets callers share one run of `ask`: all that call before it starts. A run starts after the previous one has ended, so that the more
 * callers there are, the more share one.
 */
export function sharing<T>(ask: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= running.then(() => {
      next = undefined;
      const asked = ask();
      running = asked.catch(() => {});
      return asked;
    });
    return next;
  };
}
