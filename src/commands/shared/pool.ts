/** Processes items as they arrive, up to `size` in parallel. After the first error, waits for the work in flight, then throws it. */
export async function pool<T>(
  items: AsyncIterable<T> | Iterable<T>,
  size: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  let failed: { error: unknown } | undefined;
  for await (const item of items) {
    const task = work(item)
      .catch((error: unknown) => {
        failed ??= { error };
      })
      .finally(() => running.delete(task));
    running.add(task);
    if (running.size >= size) await Promise.race(running);
    if (failed) break;
  }
  await Promise.all(running);
  if (failed) throw failed.error;
}
