const tasks: (() => void | Promise<void>)[] = [];

/**
 * Adds what is done after each test from now on. Test files share the modules of their process, so a hook at the top of a helper would run
 * for the first file only.
 */
export const afterEachTest = (task: () => void | Promise<void>): void => void tasks.push(task);

/** Does all of it, also when something fails on the way. */
export async function cleanUp(): Promise<void> {
  const ended = await Promise.allSettled(tasks.map(async (task) => task()));
  const failed = ended.flatMap((end) => (end.status === "rejected" ? [end.reason as Error] : []));
  if (failed.length > 0) throw failed.length === 1 ? failed[0]! : new AggregateError(failed);
}
